"""Every way to ask a project's memory, and every way to ask it for what belongs to another project."""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.promises import test_leak as leak

from memolith import Mem, MemolithError, export_memory
from memolith.care import status
from memolith.care.why import why
from memolith.edges.cli import main
from memolith.edges.slash import slash
from memolith.memory import addresses, review

# Commands that show something; {name} is the word of the project that is asked. Not `doctor`: it looks after
# the whole home, and says which files need it, in whatever project they are.
SHOWN = (
    *("context", "context --explain", "list", "status", "history", "history --all"),
    *("search gateway", "search {name}", "recall gateway", "index status", "review", "config", "allow"),
    *("read", "read list", "read scratchpad", "read daily", "read note --name gateway-{name}", "scan"),
    *("record list --all", "record get old-{name}", "ticket list", "ticket get gateway-of-{name}"),
    *("session list", "session show x-s-{name}", "session import --dry-run", "why gateway-{name}"),
    *("learn status", "learn why", "learn cost", "project show", "project list"),
    *("memory", "memory view", "memory read", "memory note gateway-{name}", "memory help"),
    *("forget gateway --dry-run", "init --dry-run --agent claude"),
)
SLASHED = (
    *("", "view", "list", "status", "search gateway", "recall gateway", "read scratchpad"),
    *("record list", "gateway-{name}", "why gateway-{name}"),
)
# What names a thing of another project; nothing of it may be shown.
FOREIGN = (
    *("read note --name gateway-{name}", "record get old-{name}", "ticket get gateway-of-{name}"),
    *("session show x-s-{name}", "why gateway-{name}", "why old-{name}", "memory gateway-{name}"),
    *("history gateway-{name}", "undo gateway-{name}", "search {name}", "recall {name}", "context {name}"),
    *("why session:x-s-{name}#1", "learn why x-s-{name}", "forget {name} --dry-run"),
    *("recall --ticket gateway-of-{name}", "read memory://root/notes/gateway-{name}.md"),
    *("read memory://project/{slug}/notes/gateway-{name}.md", "read memory://root/../{slug}/SCRATCHPAD.md"),
    *("history projects/{slug}/SCRATCHPAD.md", "why projects/{slug}/notes/gateway-{name}.md"),
)


def printed(command: list[str]) -> tuple[int, str]:
    """Run a command in this process; return its exit code and what it printed."""
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(command)
    out.flush()
    data = out.detach()
    return code, data.getvalue().decode() if isinstance(data, io.BytesIO) else ""


def surfaces(mem: Mem, own: str, base: Path) -> dict[str, Iterator[str]]:
    """Return what a project says of itself, by the way that it is asked."""
    work = mem.identity.root or ""
    found = {
        "library": leak.in_process(mem),
        "MCP": leak.over_mcp(mem),
        "hook": leak.through_hooks(mem, work),
        "command line": _commands(own, work),
        "history, why, overview": _looked(mem, own),
        "memory://": _addressed(mem),
        "slash": (slash(mem, each.format(name=own)).text for each in SLASHED),
        "export": _exported(mem, base / "out.tar.gz"),
        "review": (f"{held.text} {held.arguments}" for held in review.waiting(mem)),
    }
    if importlib.util.find_spec("textual"):
        found["terminal app"] = _on_shelves(mem)
    return found


def foreign(work: str, other: str, slug: str) -> Iterator[tuple[str, str]]:
    """Yield what a project answers when it is asked for a thing of another, without what was asked."""
    for each in FOREIGN:
        asked = each.format(name=other, slug=slug)
        said = printed([*asked.split(), "--project", work])[1]
        for word in (*sorted(asked.split(), key=len, reverse=True), f"x-s-{other}"):
            said = said.replace(word, "…")
        yield asked, said


def _commands(own: str, work: str) -> Iterator[str]:
    for each in SHOWN:
        yield printed([*each.format(name=own).split(), "--project", work])[1]


def _looked(mem: Mem, own: str) -> Iterator[str]:
    for relative in mem.gate.history.files(mem.project):
        for version in mem.gate.history.versions(relative):
            yield relative + mem.gate.history.read(relative, version.id).decode()
    for ref in (f"gateway-{own}", f"old-{own}", f"session:x-s-{own}#1"):
        yield str(why(mem, ref))
    yield str(status.overview(mem).as_dict()) + status.page(mem)
    yield str(mem.explain(leak.QUESTION).as_dict())


def _addressed(mem: Mem) -> Iterator[str]:
    for start in ("memory://", "memory://root/", "memory://project/", "memory://user/", "memory://session/"):
        for uri in addresses.complete(mem, start):
            with contextlib.suppress(MemolithError):
                yield uri + addresses.resolve(mem, uri).text


def _exported(mem: Mem, path: Path) -> Iterator[str]:
    export_memory(mem, path)
    with tarfile.open(path) as archive:
        for each in archive:
            data = (archive.extractfile(each) or io.BytesIO()).read()
            data = gzip.decompress(data) if each.name.endswith(".gz") else data
            yield each.name + data.decode("utf-8", "replace")
    path.unlink()


def _on_shelves(mem: Mem) -> Iterator[str]:
    from memolith.edges.tui import shelves

    left = shelves.shelves(mem)
    while left:
        shelf = left.pop()
        left += shelf.children
        if shelf.kind not in shelves.PAGES and not shelf.children:
            yield repr([[getattr(row, slot) for slot in row.__slots__] for row in shelves.rows(mem, shelf)])
