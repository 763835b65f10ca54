"""What every adapter can be asked, and the loop that answers: JSON lines on standard input and output.

Only the standard library, as this runs in each rival's own environment. What a rival prints goes to standard
error, so that it cannot disturb the answers.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAIN = "main"  # the one scope that most jobs use


class Memory:
    """A rival. What it cannot do raises Unable with the reason; the table then says so."""

    def __init__(self, home: str) -> None:
        self.home = Path(home)

    def ready(self) -> None:
        """Open it, so far as it opens anything."""

    def folder(self, scope: str) -> str:
        """Return where files of a scope are put before `sync`; the directory is made."""
        place = self.home / "files" / scope
        place.mkdir(parents=True, exist_ok=True)
        return str(place)

    def sync(self, scope: str) -> None:
        """Take in the files that were put into the folder of a scope."""
        raise NotImplementedError

    def fill(self, scope: str, rows: list[list[str]]) -> None:
        """Take in texts, each under a name, in the way that suits it best."""
        folder = Path(self.folder(scope))
        for name, text in rows:
            (folder / f"{name}.md").write_text(text + "\n", encoding="utf-8")
        self.sync(scope)

    def write(self, name: str, text: str) -> str:  # noqa: ARG002
        """Store one text; return what `read` knows it by once the rival says that it has it."""
        raise Unable("it does not write")

    def read(self, handles: list[str]) -> list[str | None]:  # noqa: ARG002
        """Return the texts of what was written, None for what is not there."""
        raise Unable("it does not write")

    def find(self, query: str, top: int, scope: str = MAIN) -> list[str]:
        """Return the names of what answers a question, best first."""
        raise NotImplementedError

    def files(self) -> int | None:
        """Return how many Markdown files hold what was written; None if it does not keep such files."""
        return None

    def hammer(self, prefix: str, count: int, text: str) -> Iterable[dict[str, str]]:
        """Write one text after the other; say each one as soon as the rival has acknowledged it."""
        for number in range(count):
            name = f"{prefix}-{number:05}"
            try:
                handle = self.write(name, body(text, name))
            except Exception as error:  # noqa: BLE001 - whatever a rival raises is what is counted
                yield {"error": told(error)}
            else:
                yield {"name": name, "handle": handle}


class Unable(Exception):  # noqa: N818 - it is no error, it is a result
    """Something that is not offered."""


def body(text: str, name: str) -> str:
    """Return a text of its own for each name, which shows where it was cut."""
    return f"{name} {text} end-of-{name}"


def told(error: BaseException) -> str:
    """Return an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300].removeprefix("Unable: ")


def spent() -> float:
    """Return the seconds of the processor that this process and those it waited for have used."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def names(found: Iterable[str | None]) -> list[str]:
    """Return the names of files, each once."""
    return list(dict.fromkeys(Path(each).stem for each in found if each))


def serve(rival: Callable[[str], Memory]) -> None:
    """Answer until standard input ends; with a question as third argument, answer that and end."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    memory = rival(sys.argv[1])
    if len(sys.argv) > 2:
        print(*memory.find(sys.argv[2], 10), sep="\n", file=out, flush=True)
        return
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        job = asked.pop("do")
        start, used = time.perf_counter(), spent()
        answer: dict[str, Any] = {}
        try:
            if job == "hammer":
                for each in memory.hammer(**asked):
                    print(json.dumps(each), file=out, flush=True)
            else:
                answer["value"] = getattr(memory, job)(**asked)
        except Exception as error:  # noqa: BLE001 - the harness says what went wrong
            answer = {"failed": told(error)}
        answer |= {"seconds": time.perf_counter() - start, "cpu": spent() - used}
        print(json.dumps(answer), file=out, flush=True)
    # Nothing of what a rival does at the end is measured, and some do not end.
    out.flush()
    os._exit(0)
