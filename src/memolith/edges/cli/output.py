"""Output for people and programs: data on stdout, everything else on stderr, errors in one place."""

from __future__ import annotations

import errno
import os
import sys
import time
from contextvars import ContextVar

from memolith.base import whole
from memolith.base.errors import MemolithError, PartialError
from memolith.base.values import Value
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Protocol, TypeAlias

    class Show(Protocol):
        """Shows progress."""

        def __call__(self, done: int, total: int = 0, /) -> None:
            """Update the line."""

    Fields = Mapping[str, object]
    # A command's answer: fields for JSON, text for a person; then notes, or the error that it ends with
    # although it has answered.
    Answer: TypeAlias = "Value | str | tuple[Fields, str, *tuple[Note | Exception, ...]]"

JSON_VERSION = 1
# Where a host that runs a command in its own process collects the output.
collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)
_STDOUT = "standard output"
_NAMED = 3  # unreadable files that a message names


def text(value: str) -> None:
    """Print text. Control characters that a memory may contain never reach the terminal."""
    shown = ""
    on_screen = collected.get() is None and sys.stdout is not None and sys.stdout.isatty()
    if on_screen and type(value) is not str:
        from memolith.edges.cli import paint

        shown = paint.drawn(value) if paint.is_terminal() else ""
    shown = shown or hygiene.inert(value) + ("" if value.endswith("\n") else "\n")
    if not (on_screen and _paged(shown)):
        _print(shown)


def _paged(shown: str) -> bool:
    """Show a text that is longer than the screen in the pager that a person has named; return whether."""
    if not (os.environ.get("PAGER") and sys.stdin is not None and sys.stdin.isatty()):
        return False
    from shutil import get_terminal_size

    if shown.count("\n") < get_terminal_size().lines:
        return False
    import shlex
    import subprocess

    from memolith.env import programs

    try:
        name, *options = shlex.split(os.environ["PAGER"])
        pager = [programs.find(name) or "", *options]
        # As git does: with colours, and what fits stays on the screen.
        env = {"LESS": "FRX", **programs.environment()}
        started = subprocess.Popen(pager, stdin=subprocess.PIPE, cwd=programs.NOWHERE, env=env)
    except (OSError, ValueError):
        return False  # a pager that cannot be started is no reason to say nothing
    data: bytes | None = shown.encode(errors="replace")
    while True:
        try:
            started.communicate(data)
        except KeyboardInterrupt:  # it is the pager's: it stops following, or asks
            data = None
        else:
            return True


def json(fields: Fields) -> None:
    """Print a JSON object; fields are only ever added to it while `version` stays.

    Any object says so (`complete`) if something could not be read for it.
    """
    from json import dumps

    if missing := whole.missing():
        fields = {**fields, "complete": False, "missing": fields.get("missing") or missing}
    _print(_escaped(dumps({"version": JSON_VERSION, **fields}, ensure_ascii=False, indent=2)) + "\n")


def _escaped(value: str) -> str:
    """Escape in JSON what a terminal obeys or hides; parsing the JSON gives the same text."""
    if value.isascii() and "\x7f" not in value:
        return value
    from json import dumps

    hidden = {ord(char): dumps(char)[1:-1] for char in set(value) if hygiene.is_hidden(char)}
    hidden[0x7F] = "\\u007f"
    return value.translate(hidden)


class Exit(Exception):  # noqa: N818 - nothing went wrong
    """Ends a command with a code, after its answer: 1 if nothing was found."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Note(str):
    """A message for a person instead of an answer, or beside it: on standard error."""

    __slots__ = ()


def answer(reply: Answer | None, *, as_json: bool) -> None:
    """Print an answer, if there is one: its fields as JSON, or its text and warnings.

    A value with a message has both; a text alone is also the `message` of the JSON.
    """
    if reply is None:
        return
    if isinstance(reply, str):
        reply = {"message": reply}, _at_words(reply, sys.stdout)
    elif isinstance(reply, Value):
        reply = reply.as_dict(), _at_words(str(reply.as_dict()["message"]), sys.stdout)
    fields, words, *more = reply
    warnings = fields.get("warnings", ())
    if lost := [each for each in dict.fromkeys(whole.lost()) if each not in warnings]:  # type: ignore[operator]
        fields = {**fields, "warnings": [*warnings, *lost]}  # type: ignore[misc]
    if as_json:
        json(fields)
    else:
        _words(words, fields.get("warnings"))
    for each in more:
        if isinstance(each, Exception):
            raise each
        if not as_json:
            note(each)


def _words(words: str, warnings: object) -> None:
    if isinstance(words, Note):
        note(words)
    elif words:
        text(words)
    for warning in warnings if isinstance(warnings, list) else []:
        if str(warning) not in words:  # `status` shows them itself
            note(str(warning), "warning")


def raw(data: bytes) -> None:
    """Print bytes as they are."""
    _print(data)


def note(message: str, kind: str = "") -> None:
    """Print a message beside the answer; `kind` is `error`, `warning` or empty."""
    try:
        from memolith.text.secrets.veil import masked

        message = hygiene.inert(masked(message))
    except (OSError, ImportError):  # no descriptor is left to load the scanner
        message = "too many open files; raise the limit (ulimit -n)"
    if (printed := collected.get()) is not None:
        printed.append(f"{'warning: ' if kind == 'warning' else ''}{message}\n")
        return
    label = f"{_paint(kind + ':', _COLOURS[kind])} " if kind else ""
    try:
        _write(sys.stderr, _at_words(f"memolith: {label}{message}", sys.stderr) + "\n")
    except OSError:  # standard error is closed; the exit code still reports it
        _discard(2)


_COLOURS = {"error": "1;31", "warning": "1;33"}


def _at_words(message: str, stream: object) -> str:
    """Break a message between words for a terminal, which would break it anywhere; a diff below it stays."""
    if collected.get() is not None or not stream.isatty():  # type: ignore[attr-defined]
        return message
    from shutil import get_terminal_size
    from textwrap import fill

    first, newline, rest = message.partition("\n")
    width = get_terminal_size().columns
    return fill(first, width, break_long_words=False, break_on_hyphens=False) + newline + rest


def _paint(value: str, colour: str) -> str:
    """Colour a word for a person at a terminal; pipes, files and NO_COLOR stay plain."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return value
    return f"\x1b[{colour}m{value}\x1b[0m"


def open_closed() -> None:
    """Redirect closed standard output and error (`>&-`) to the null device.

    This also reserves their descriptors, and that of standard input, so that no memory file gets one.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            fd = os.open(os.devnull, os.O_RDWR)  # opens as the lowest free descriptor: the stream's
            if name != "stdin":
                setattr(sys, name, os.fdopen(fd, "wt", encoding="utf-8", closefd=False))


def interrupted() -> int:
    """Say how to continue after Ctrl-C; return the exit code."""
    again = end_progress()
    note(f"interrupted; {again}" if again else "interrupted; nothing is half written")
    return 130


def guarded(command: Callable[[], None]) -> int:
    """Run a command; print what went wrong without a traceback; return the exit code.

    If something could not be read for an answer, the exit code says so. Completed writes stay.
    """
    with whole.Watch() as watch:
        code = _run(command)
    if code > 1 or not watch.errors:  # 1: nothing was found in what could be read
        return code
    more = f"; and {len(watch.errors) - _NAMED} more" if len(watch.errors) > _NAMED else ""
    named = "; ".join(watch.missing[:_NAMED])
    note(f"not everything could be read: {named}{more}. `memolith doctor` says more", "warning")
    return 0 if watch.wrote else PartialError.exit_code


def _for_shell(text: str) -> str:
    """Return a message with options and commands in place of a library's and a session's words."""
    if "(CLI: " not in text and "/memory" not in text:
        return text
    import re  # late: hardly any message needs it

    text = re.sub(r"\w+ \(CLI: ([^)]*)\)", r"\1", text)
    # `/memory` in a session
    return text if collected.get() is not None else renamed(text, "memolith memory")


def renamed(text: str, command: str) -> str:
    """Return a text about `/memory` with the name that this command has here."""
    import re  # late: hardly any message needs it

    return re.sub(r"(usage: |name: |`|\A)/memory\b", rf"\1{command}", text)


def _run(command: Callable[[], None]) -> int:
    try:
        command()
        sys.stdout.flush()
    except MemolithError as error:
        _let_go(error)
        note(_for_shell(str(error)), "error")
        return error.exit_code
    except Exit as end:
        sys.stdout.flush()
        return end.code
    except BrokenPipeError:
        # The reader (head, less) closed the pipe.
        _discard(1)
        return 0
    except KeyboardInterrupt:
        return interrupted()
    except ImportError as error:
        if os.strerror(errno.EMFILE) not in str(error):
            raise
        _let_go(error)
        note(f"{error}; raise the limit of open files (ulimit -n), then try again", "error")
        return 8
    except OSError as error:
        _let_go(error)
        where = error.filename or "the memory directory"
        if where == _STDOUT:
            _discard(1)
        note(f"{where}: {error.strerror or error}", "error")
        return 8
    return 0


def _let_go(error: BaseException | None) -> None:
    """Close what an error holds open: reporting it may need a file descriptor."""
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def _discard(fd: int) -> None:
    """Redirect a standard stream to the null device, or the interpreter complains about it at exit."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
    except OSError:
        return
    os.dup2(null, fd)
    os.close(null)


def _print(value: str | bytes) -> None:
    if (printed := collected.get()) is not None:
        printed.append(value if isinstance(value, str) else value.decode("utf-8", "replace"))
        return
    try:
        _write(sys.stdout, value)
    except BrokenPipeError:
        raise
    except OSError as error:
        error.filename = _STDOUT  # it was not the memory that refused
        raise


def _write(stream: object, value: str | bytes) -> None:
    # Bytes, because a terminal's encoding must not decide whether a memory can be shown.
    data = value if isinstance(value, bytes) else value.encode("utf-8", "replace")
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(data.decode("utf-8", "replace"))  # type: ignore[attr-defined]
        return
    stream.flush()  # type: ignore[attr-defined]
    buffer.write(data)
    buffer.flush()


# ---------------------------------------------------------------- progress

PROGRESS_AFTER = 1.0  # seconds
_BETWEEN = 0.1
_WIDTH = 20
# The current work: the message after an interruption, and whether the line is visible.
_again = ""
_drawn = False


def progress(what: str, again: str = "run it again: completed work is not repeated") -> Show | None:
    """Return `show(done, total)` (total 0: unknown) for a line that a person sees once work takes a second.

    None without a terminal: nothing is written to a pipe or a file. `again` says how to continue after an
    interruption.
    """
    global _again
    if sys.stderr is None or not sys.stderr.isatty():
        _again = again
        return None
    after = time.monotonic() + PROGRESS_AFTER
    begun: tuple[float, int] | None = None

    def show(done: int, total: int = 0) -> None:
        global _again  # only now there is work that may be interrupted: a question may come before
        nonlocal after, begun
        _again = again
        begun = begun or (time.monotonic(), done)
        if total and done >= total:
            end_progress()
        elif time.monotonic() >= after:
            after = time.monotonic() + min(_BETWEEN, PROGRESS_AFTER)
            full = "#" * (_WIDTH * done // total) if total else ""
            far = f"[{full:<{_WIDTH}}] {done:,} of {total:,}" if total else f"{done:,}"
            _draw(f"\rmemolith: {far} {what}{_left(*begun, done, total)}\x1b[K")

    return show


def _left(begun: float, before: int, done: int, total: int) -> str:
    """Return an estimate of the time that the rest takes."""
    if not total or done <= before:
        return ""
    left = round((time.monotonic() - begun) * (total - done) / (done - before))
    return f", about {left // 60} min left" if left >= 90 else f", about {left} s left"


def end_progress() -> str:
    """Remove the line; return how to continue if the work was interrupted."""
    global _again
    again, _again = _again, ""
    if _drawn:
        _draw("\r\x1b[K", drawn=False)
    return again


def _draw(text: str, *, drawn: bool = True) -> None:
    global _drawn
    _drawn = drawn
    sys.stderr.write(text)
    sys.stderr.flush()
