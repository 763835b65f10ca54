"""Writing to people and programs: data on stdout, everything else on stderr, one place for errors."""

from __future__ import annotations

import os
import sys

from memolith.errors import MemolithError
from memolith.text import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

JSON_VERSION = 1


def text(value: str) -> None:
    """Print text. Control characters that a memory may contain never reach the terminal."""
    _write(sys.stdout, hygiene.inert(value) + ("" if value.endswith("\n") else "\n"))


def json(fields: dict[str, object]) -> None:
    """Print a JSON object; fields are only ever added to it while `version` stays."""
    from json import dumps

    _write(sys.stdout, dumps({"version": JSON_VERSION, **fields}, ensure_ascii=False, indent=2) + "\n")


def note(message: str, kind: str = "") -> None:
    """Tell a person something that is not the answer; `kind` is `error`, `warning` or nothing."""
    label = f"{_paint(kind + ':', _COLOURS[kind])} " if kind else ""
    _write(sys.stderr, f"memolith: {label}{hygiene.inert(message)}\n")


_COLOURS = {"error": "1;31", "warning": "1;33"}


def _paint(value: str, colour: str) -> str:
    """Colour a word for a person at a terminal; pipes, files and NO_COLOR stay plain."""
    if not sys.stderr.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return value
    return f"\x1b[{colour}m{value}\x1b[0m"


def guarded(command: Callable[[], None]) -> int:
    """Run a command; print what went wrong without a traceback; return the exit code."""
    try:
        command()
        sys.stdout.flush()
    except MemolithError as error:
        note(str(error), "error")
        return error.exit_code
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        note("interrupted")
        return 130
    except OSError as error:
        where = error.filename or "the memory directory"
        note(f"{where}: {error.strerror or error}", "error")
        return 8
    return 0


def _write(stream: object, value: str) -> None:
    # Bytes, because a terminal's encoding must not decide whether a memory can be shown.
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(value)  # type: ignore[attr-defined]
        return
    stream.flush()  # type: ignore[attr-defined]
    buffer.write(value.encode("utf-8", "replace"))
    buffer.flush()
