"""The command line.

`main` answers the commands that run on every prompt or session itself, before importing anything heavy; all
others, and every `--help`, go to click in `cli.app`.
"""

from __future__ import annotations

import gc
import os
import sys

from memolith.base import finder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.mem import Mem


# What is done at the end of a process goes through these.
_WAITING = {"atexit", "threading"}
# New objects that trigger a garbage collection, instead of 700: a command is short-lived.
_OBJECTS = 20_000


_HELP: tuple[list[str], ...] = ([], ["help"], ["-h"], ["--help"])
_COLUMNS = 80  # of the help as it is kept


def entry() -> int:
    """Run the command line as a process of its own; return its exit code."""
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    try:
        finder.install()
        code = main()
        _leave(code)
    except (ImportError, OSError) as error:  # not even our own files can be opened
        if sys.stderr is not None:
            sys.stderr.write(f"memolith: error: {error}\n")
        return 0 if sys.argv[1:2] == ["hook"] else 8
    else:
        return code
    finally:
        gc.freeze()  # at exit, the interpreter would scan every object once more


def _leave(code: int) -> None:
    """End the process, unless something waits for its end: taking the interpreter apart costs 2 ms."""
    if sys.modules.keys() & _WAITING:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return  # the interpreter reports it
    os._exit(code)


def _typed(mem: Mem, line: str) -> str:
    """Return what `/memory` shows in an agent; a line that is neither a verb nor a note is a question."""
    from memolith.edges.cli.output import renamed
    from memolith.edges.cli.slash import slash, verbs

    answer = slash(mem, line)
    verb = "".join(line.split(maxsplit=1)[:1])
    # `/memory` is a library's name for it; agents have `/memolith`, and some a `/memory` of their own.
    text = (
        answer.text.replace("/memory [NOTE | VERB …]  ", "/memory [NOTE | VERB …]")
        if verb == "help"
        else answer.text
    )
    text = renamed(text, "/memolith") if answer.error or verb in ("", "help") else text
    if answer.error and verb not in verbs():
        found = slash(mem, f"recall {line}")
        return f"{found.text}\n{text}" if found.error else found.text
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["mcp"]:  # an agent waits for it at every start
        from memolith.edges.mcp.server import run as serve

        served = serve(arguments[1:])
        if served is not None:
            return served
    if arguments[:1] == ["hook"]:  # and for this at every prompt
        from memolith.hosts.hook.edge import run as hook

        answered = hook(arguments[1:], _typed)
        if answered is not None:
            return answered
    from memolith.edges.cli.ask import run_fast
    from memolith.edges.cli.output import open_closed

    open_closed()
    code = _helped() if arguments in _HELP else run_fast(arguments)
    if code is None:
        from memolith.edges.cli.app import run

        code = run(arguments)
    return code


def _helped() -> int | None:
    """Print the help as it was generated: click would take seven times as long to lay it out."""
    from memolith.edges.cli import output

    if "_MEMOLITH_COMPLETE" in os.environ or (
        sys.stdout.isatty() and os.get_terminal_size(1).columns < _COLUMNS
    ):
        return None
    with open(os.path.join(os.path.dirname(__file__), "help.txt"), encoding="utf-8") as file:
        text = file.read()
    return output.guarded(lambda: output.text(text))
