"""`memolith hook`: reads an event, injects what memory has for it, and never gets in a host's way.

Whatever happens, the exit code is 0 (another would stop a prompt) and standard output is an answer or
nothing. An event has a time budget, and is answered with what is ready when that expires: the block comes
first. Failures are reported in one line, once per session, and logged in `state/log/hook.log`.
"""

from __future__ import annotations

import os
import sys
import time

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.base.whole import NOT_WHOLE, Watch
from memolith.env.settings import GUARD, StrangerError, home_for
from memolith.hosts.hook import deadline, payload
from memolith.hosts.hook.deadline import LateError
from memolith.mem import Mem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.hosts.hook.injections import SessionReceipts

    Slash = Callable[[Mem, str], str]

_OPTIONS = {"--host": "host", "--event": "event", "--home": "home", "--project": "project"}
_WAIT, _PATIENCE = 0.5, 0.25  # seconds for another hook of the session, and for who writes
_MAX_LINE = 1_000


def run(arguments: list[str], slash: Slash | None = None) -> int | None:
    """Answer one event; None leaves help, and a person at a terminal, to the command line.

    `slash` answers what a person typed behind `/memory`.
    """
    options = dict.fromkeys(_OPTIONS.values(), "")
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _OPTIONS:
            options[_OPTIONS[name]] = value if equals else next(rest, "")
        elif argument in ("-h", "--help", "--work"):
            return None
        elif argument == "--ephemeral-memory":
            return 0  # an empty memory injects nothing and keeps nothing
    if sys.stdin is not None and sys.stdin.isatty():
        return None
    return serve(**options, slash=slash)


def serve(host: str, event: str, home: str, project: str, slash: Slash | None = None) -> int:
    """Answer the event on standard input. The exit code is 0."""
    try:
        deadline.begin(deadline.PROMPT)
        _open_closed()
        answer(_read(), host, event, home, project, say=_write, slash=slash)
    except (Exception, KeyboardInterrupt, LateError) as error:  # noqa: BLE001 - a host must not notice
        deadline.end()
        _log_problem(home, f"{host or 'hook'} {event}".strip(), error)
    deadline.end()
    return 0


def answer(
    data: bytes,
    host: str = "",
    event: str = "",
    home: str = "",
    project: str = "",
    now: Callable[[], float] = time.time,
    say: Callable[[str], object] = len,
    slash: Slash | None = None,
) -> str:
    """Return what is printed for an event: nothing, or context for the host.

    It is noted after `say` has printed it. `project` replaces the directory in which the host works.
    """
    if os.environ.get(GUARD):
        return ""  # our own request to a model, which would learn from itself
    call = payload.read(data, host, event)
    if call.event == payload.NOTHING:
        return ""
    if call.event == payload.START:
        deadline.extend(deadline.START)
    call.cwd = project or call.cwd or _here()
    if slash is not None and call.command is not None:
        deadline.extend(deadline.TYPED)
        with Mem.open(call.cwd or None, home=home or None, now=now) as mem:
            text = payload.shown(call, slash(mem, call.command))
        say(text)
        return text
    printed: list[str] = []

    def speak(text: str) -> None:
        if text:
            printed.append(payload.answer(call, text))
            say(printed[0])

    problem = _attempt(call, home, now, speak)
    if problem:
        deadline.end()
        where = home_for(home, os.environ, sys.platform)
        _log_problem(where, f"{call.host} {call.name}", problem)
        from memolith.hosts.hook import answers

        line = answers.trouble(where, problem)
        if not printed and call.event in (payload.START, payload.PROMPT) and not answers.was_told(call, line):
            speak(answers.with_lines("", [line]))
        elif call.event == payload.COMPACTED and (notice := payload.notice(call, line)):
            printed.append(notice)  # a summary is lost, and nothing else would report it
            say(notice)
    return "".join(printed)


def _attempt(call: payload.Call, home: str, now: Callable[[], float], speak: Callable[[str], None]) -> str:
    """Answer an event; return why that failed, as text: the error itself would keep files open."""
    try:
        with Mem.open(call.cwd or None, home=home or None, now=now) as mem:
            mem.patience = _PATIENCE
            _handle(mem, call, speak)
    except BrokenPipeError:
        raise  # nobody is listening
    except StrangerError as error:  # reported once; a log would be where others can write
        if call.event == payload.START:
            speak(f"memolith: there is no memory in this session. {error}")
    except (MemolithError, OSError, ImportError, LateError) as error:
        return str(error) or type(error).__name__
    return ""


def _here() -> str:
    """Return our working directory, for hosts that do not name theirs; empty if it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _handle(mem: Mem, call: payload.Call, speak: Callable[[str], None]) -> None:
    if not (mem.settings.flag("hooks.enabled") and mem.is_on):
        return
    from memolith.store import files, receipts

    if call.event in (payload.START, payload.PROMPT) and not files.is_directory(mem.home):
        return  # there is no memory, and reading creates none
    from memolith.hosts.hook.injections import Injection, SessionReceipts

    with receipts.hold(mem.home, call.label, _WAIT) as lines:
        past, now = SessionReceipts(lines), mem.now()
        event = f"{call.event}-{call.source}" if call.event == payload.START else call.event
        if past.is_repeated(event, call.key, now) or past.is_overtaken(event, call.key, now):
            return
        if call.source == payload.CLEARED and call.event == payload.START:
            past.note(event, call.key, now, Injection())
            lines.keep()
            return
        if call.event in (payload.START, payload.PROMPT):
            if not lines.is_full and (call.event == payload.START or call.prompt):
                past.begin(event, call.key, now)
                _inject(mem, call, past, event, speak)
            return
        from memolith.hosts.hook import handover

        if call.event == payload.COMPACTED:
            handover.flush(mem, call)
            past.note(event, call.key, now, Injection())
        else:
            handover.remember(mem, call)
            past.note(event, call.key, now, Injection())
            handover.work(mem, at_once=call.event == payload.END)
        lines.keep()


def _inject(
    mem: Mem, call: payload.Call, past: SessionReceipts, event: str, speak: Callable[[str], None]
) -> None:
    """Inject what memory has for a session when it starts or gets a prompt, and note that."""
    from memolith.hosts.hook import answers
    from memolith.text.safe import hygiene

    texts, problems = [], []
    with Watch() as watch:
        try:
            if call.event == payload.START:
                from memolith.hosts.hook import handover

                handover.wait(mem)
            if call.event == payload.START or answers.is_new(call, past):
                block = answers.session_start(mem, call, past)
                texts.append(block.text)
                begun = event if call.event == payload.START else "start-startup"
                past.note(begun, call.key, mem.now(), block)
            if call.event == payload.PROMPT:
                injection = answers.prompt(mem, call, past, answers.LIMIT - sum(map(len, texts)))
                texts.append(injection.text)
                past.note(event, call.key, mem.now(), injection)
                problems += [injection.problem] if injection.problem else []
        except (MemolithError, OSError, LateError) as error:  # what is ready is injected
            problems.append(str(error))
        deadline.end()
    lines = [answers.trouble(mem.home, each) for each in problems]
    if watch.errors and not any(NOT_WHOLE in text for text in texts):  # else the block says so itself
        lines.append(watch.line(mem.home, hygiene.for_block))
    new = past.tell(lines)
    past.receipts.promise()
    problem = past.receipts.problem
    if problem and not past.receipts.under_way:  # else another hook of this session is at work
        line = answers.trouble(mem.home, problem)
        new += [] if answers.was_told(call, line) else [line]
    speak(answers.with_lines("\n\n".join(filter(None, texts)), new))
    past.receipts.keep()
    for each in lines:
        _log_problem(mem.home, f"{call.host} {call.name}", each)
    if call.event == payload.START or problems:
        from memolith.hosts.hook import handover

        handover.work(mem)


def _open_closed() -> None:
    """Open closed standard streams on the null device, so that no file of ours gets their descriptors."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor


def _read() -> bytes:
    """Return standard input, at most one chunk more than is allowed."""
    parts, size = [], 0
    while size <= payload.MAX_BYTES and (part := os.read(0, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _write(text: str) -> None:
    view = memoryview(text.encode("utf-8", "replace"))
    while view:
        view = view[os.write(1, view) :]


def _log_problem(home: str, what: str, error: BaseException | str) -> None:
    """Log a failure; if that is not possible, ignore it."""
    with suppress(Exception):
        _log(home_for(home, os.environ, sys.platform), what, str(error) or type(error).__name__)


def _log(home: str, what: str, reason: str) -> None:
    if not os.path.isdir(home):
        return
    from memolith.hosts.hook.handover import LOG
    from memolith.store import files
    from memolith.text.secrets.veil import masked

    line = f"{time.strftime('%Y-%m-%d %H:%M:%S')} {what}: {' '.join(reason.split())}"
    fd = files.open_log(home, LOG)
    try:
        os.write(fd, f"{masked(line)[:_MAX_LINE]}\n".encode("utf-8", "replace"))
    finally:
        os.close(fd)
