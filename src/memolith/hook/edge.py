"""`memolith hook`: reads an event, says what there is to say, and never gets in a host's way.

Whatever happens, the exit code is 0 (another would stop a prompt) and standard output is an answer or
nothing; the reason is in `state/log/hook.log`.
"""

from __future__ import annotations

import os
import sys
import time

from memolith.config import StrangerError, default_home
from memolith.hook import payload
from memolith.mem import Mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.hook.past import Past

_OPTIONS = {"--host": "host", "--event": "event", "--home": "home", "--project": "project"}
_SECONDS = 4.0  # a host waits for this
_MAX_LINE = 1_000
GUARD = "MEMOLITH_INTERNAL"


class _LateError(BaseException):
    """The time is over. No `except` on the way may take it for something else."""


def run(arguments: list[str]) -> int | None:
    """Answer one event; None leaves help, and a person at a terminal, to the command line."""
    given = dict.fromkeys(_OPTIONS.values(), "")
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _OPTIONS:
            given[_OPTIONS[name]] = value if equals else next(rest, "")
        elif argument in ("-h", "--help", "--work"):
            return None
        elif argument == "--ephemeral-memory":
            return 0  # an empty memory has nothing to say, and keeps nothing
    if sys.stdin is not None and sys.stdin.isatty():
        return None
    return serve(**given)


def serve(host: str, event: str, home: str, project: str) -> int:
    """Answer the event on standard input. The exit code is 0."""
    try:
        _limit(_SECONDS)
        _open_closed()
        text = answer(_read(), host, event, home, project)
        _limit(0)
        _write(text)
    except (Exception, KeyboardInterrupt, _LateError) as error:  # noqa: BLE001 - a host must not notice
        _limit(0)
        _tell(home, f"{host or 'hook'} {event}".strip(), error)
    return 0


def answer(
    data: bytes,
    host: str = "",
    event: str = "",
    home: str = "",
    project: str = "",
    now: Callable[[], float] = time.time,
) -> str:
    """Return what is printed for an event: empty, or what the host takes up as context.

    `project` is a directory that takes the place of the one in which the host works.
    """
    if os.environ.get(GUARD):
        return ""  # our own request to a model: it would learn from itself
    call = payload.read(data, host, event)
    if call.event == payload.NOTHING:
        return ""
    call.cwd = project or call.cwd or _here()
    try:
        with Mem.open(call.cwd or None, home=home or None, now=now) as mem:
            if not (mem.settings.flag("enabled") and mem.settings.flag("hooks.enabled")):
                return ""
            if call.event in (payload.START, payload.PROMPT) and not os.path.isdir(mem.home):
                return ""  # nothing is known, and asking creates nothing
            return payload.answer(call, _handled(mem, call))
    except StrangerError as error:  # said once; a log would have to go where somebody else may write
        said = f"memolith: there is no memory in this session. {error}" if call.event == payload.START else ""
        return payload.answer(call, said)


def _here() -> str:
    """Return our own directory, for a host that does not say where it works; empty if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _handled(mem: Mem, call: payload.Call) -> str:
    from memolith.hook.past import Past, Said
    from memolith.store import receipts

    with receipts.opened(mem.home, call.label) as lines:
        past, now = Past(lines), mem.now()
        event = f"{call.event}-{call.source}" if call.event == payload.START else call.event
        if past.is_repeated(event, call.key, now):
            return ""
        if call.event in (payload.START, payload.PROMPT):
            is_silent = lines.is_full or (call.event == payload.PROMPT and not call.prompt)
            return "" if is_silent else _said(mem, call, past, event)
        from memolith.hook import keeping

        if call.event == payload.COMPACTED:
            past.note(event, call.key, now, keeping.flush(mem, call))
            return ""
        keeping.remember(mem, call)
        past.note(event, call.key, now, Said())
        keeping.work(mem, at_once=call.event == payload.END)
        return ""


def _said(mem: Mem, call: payload.Call, past: Past, event: str) -> str:
    """Return what a session is told when it begins or is asked something, and write that down."""
    from memolith.hook import answering

    texts = []
    if call.event == payload.START or past.block is None:  # begun before there was a hook, or it failed
        block = answering.begin(mem, call, past)
        past.note(event if call.event == payload.START else "start-startup", call.key, mem.now(), block)
        texts.append(block.text)
    if call.event == payload.PROMPT:
        said = answering.prompt(mem, call, past, answering.LIMIT - sum(map(len, texts)))
        past.note(event, call.key, mem.now(), said)
        texts.append(said.text)
        if said.problem:
            _log(mem.home, f"{call.host} {call.name}", said.problem)
    if call.event == payload.START or said.problem:
        from memolith.hook import keeping

        keeping.work(mem)
    return "\n\n".join(filter(None, texts))


def _limit(seconds: float) -> None:
    """End what is being done after so many seconds; 0 for no limit."""
    try:
        # `signal` itself imports `enum`, which takes half an interpreter start
        from _signal import ITIMER_REAL, SIGALRM, setitimer, signal  # type: ignore[import-not-found]
    except ImportError:
        return  # Windows: hosts have limits of their own

    def late(*_: object) -> None:
        raise _LateError(f"not done within {_SECONDS:g} seconds")

    signal(SIGALRM, late)
    setitimer(ITIMER_REAL, seconds)


def _open_closed() -> None:
    """Let standard streams that were closed lead nowhere: no file of ours may get one of their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _read() -> bytes:
    """Return what is on standard input, no more than shows that it is too much."""
    parts, size = [], 0
    while size <= payload.MAX_BYTES and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _write(text: str) -> None:
    view = memoryview(text.encode("utf-8", "replace"))
    while view:
        view = view[os.write(1, view) :]


def _tell(home: str, what: str, error: BaseException) -> None:
    """Write a reason into the log; where that is not possible, nobody is told."""
    try:
        told = str(error) or type(error).__name__
        _log(home or default_home(os.environ, sys.platform), what, told)
    except Exception:  # noqa: BLE001, S110 - see above
        pass


def _log(home: str, what: str, reason: str) -> None:
    if not os.path.isdir(home):
        return
    from memolith.cli.output import masked
    from memolith.hook.keeping import LOG
    from memolith.store import files

    line = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {what}: {' '.join(reason.split())}"
    fd = files.open_log(home, LOG)
    try:
        os.write(fd, f"{masked(line)[:_MAX_LINE]}\n".encode("utf-8", "replace"))
    finally:
        os.close(fd)
