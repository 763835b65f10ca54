"""Ten projects, every way to ask one for its memory, and every way to ask it for what is another's."""

import contextlib
import gzip
import importlib.util
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.edges.mcp.test_mcp import READERS
from tests.recall.made import record, session

from memolith import Mem, MemolithError, export_memory, slash
from memolith.care import status
from memolith.care.why import why
from memolith.memory import addresses, review
from prove import ask
from prove.texts import parts

QUESTION = "Which port does the gateway listen on?"
NAMES = [f"walrus{letter}" for letter in "abcdefghij"]  # what is planted, one name in each project
_LINES = parts(Path(__file__).with_suffix(".txt"))
SHOWN = _LINES["shown"]


def plant(base: Path) -> dict[str, Mem]:
    """Make ten projects of one home; return the memories by the name that everything in them has."""
    found = {}
    for name in NAMES:
        work = base / "work" / name.removeprefix("walrus") / "shop"  # nearly the same slug
        work.mkdir(parents=True)
        mem = found[name] = Mem.open(work)
        mem.write("scratchpad", f"- [ ] ask {name} about the gateway")
        mem.append_daily("Gateway", f"The gateway of {name} was moved.")
        mem.remember(f"The gateway of {name} listens on a port of its own.", f"Gateway {name}")
        mem.records.add(f"The gateway restarts as {name} says.", category="decisions", scope="project")
        record(mem, f"old-{name}", f"The gateway port was chosen by {name}.")
        mem.tickets.add(f"Gateway of {name}", description=f"The port of the gateway, see {name}.")
        rule = f"Remember: always restart the gateway with {name} before a release."
        session(mem, f"s-{name}", rule, f"The gateway of {name} listens on its port.")
    return found


def surfaces(mem: Mem, own: str, base: Path) -> dict[str, Iterator[str]]:
    """Return what a project says of itself, by the way that it is asked."""
    work = mem.identity.root or ""
    found = {
        "library": _in_process(mem),
        "MCP": _over_mcp(mem),
        "hook": _through_hooks(mem, work),
        "command line": _commands(own, work),
        "history, why, overview": _looked(mem, own),
        "memory://": _addressed(mem),
        "slash": (slash(mem, each.format(name=own)).text for each in ("", *_LINES["slash"])),
        "export": _exported(mem, base / "out.tar.gz"),
        "review": (f"{held.text} {held.arguments}" for held in review.waiting(mem)),
    }
    if importlib.util.find_spec("textual"):
        found["terminal app"] = _on_shelves(mem)
    return found


def foreign(work: str, other: str, slug: str) -> Iterator[tuple[str, str]]:
    """Yield what a project answers when it is asked for a thing of another, without what was asked."""
    for each in _LINES["foreign"]:
        asked = each.format(name=other, slug=slug)
        said = ask.command(*asked.split(), "--project", work).said
        for word in (*sorted(asked.split(), key=len, reverse=True), f"x-s-{other}"):
            said = said.replace(word, "…")
        yield asked, said


def _in_process(mem: Mem) -> Iterator[str]:
    """Yield what the library says: block, search, recall, lists, addresses, the prompt."""
    yield mem.context_block() or ""
    yield mem.context_block(QUESTION) or ""
    for question in (QUESTION, *NAMES):
        yield repr(mem.search(question))
        yield repr([(hit.id, hit.text, hit.also) for hit in mem.recall(question)])
    yield repr([mem.list(), mem.sessions.stored(), mem.guidance()])
    yield repr([mem.records.list(), mem.tickets.list()])
    for uri in addresses.complete(mem, "memory://root/"):
        yield addresses.resolve(mem, uri).text


def _over_mcp(mem: Mem) -> Iterator[str]:
    """Yield what a server says to an agent that asks for everything."""
    for question in (QUESTION, *NAMES):
        for tool in sorted(READERS - {"memory_read"}):
            yield str(ask.tool(mem, tool, query=question)["result"])
    for target in ("long_term", "scratchpad", "daily"):
        yield str(ask.tool(mem, "memory_read", target=target))
    for each in ask.server(mem, "resources/list")["result"]["resources"]:
        yield str(ask.server(mem, "resources/read", uri=each["uri"]))
    yield str(ask.server(mem, "prompts/get", name="memory", arguments={"topic": QUESTION}))


def _through_hooks(mem: Mem, work: str) -> Iterator[str]:
    """Yield what a session is told, also one that goes on after another project's."""
    for event in ("SessionStart", "UserPromptSubmit"):
        yield ask.hook(event, work, f"s-{mem.project}", prompt=QUESTION)


def _commands(own: str, work: str) -> Iterator[str]:
    for each in SHOWN:
        yield ask.command(*each.format(name=own).split(), "--project", work).said


def _looked(mem: Mem, own: str) -> Iterator[str]:
    for relative in mem.gate.history.files(mem.project):
        for version in mem.gate.history.versions(relative):
            yield relative + mem.gate.history.read(relative, version.id).decode()
    for ref in (f"gateway-{own}", f"old-{own}", f"session:x-s-{own}#1"):
        yield str(why(mem, ref))
    yield str(status.overview(mem).as_dict()) + status.page(mem)
    yield str(mem.explain(QUESTION).as_dict())


def _addressed(mem: Mem) -> Iterator[str]:
    for start in ("memory://", "memory://root/", "memory://project/", "memory://user/", "memory://session/"):
        for uri in addresses.complete(mem, start):
            with contextlib.suppress(MemolithError):
                yield uri + addresses.resolve(mem, uri).text


def _exported(mem: Mem, path: Path) -> Iterator[str]:
    export_memory(mem, path, everything=False)
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
