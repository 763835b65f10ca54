"""Ten projects, every way to ask one for its memory, and every way to ask it for what is another's."""

import contextlib
import gzip
import importlib.util
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.edges.mcp.test_mcp import READERS
from tests.recall.made import record, session

from memolith import Mem, MemolithError, export_memory, slash
from memolith.care import status
from memolith.care.why import why
from memolith.edges.cli import main
from memolith.edges.mcp.protocol import Protocol
from memolith.hosts.hook import edge
from memolith.memory import addresses, review

QUESTION = "Which port does the gateway listen on?"
NAMES = [f"walrus{letter}" for letter in "abcdefghij"]  # what is planted, one name in each project
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
    server = Protocol(lambda: mem, settings=mem.settings)

    def ask(method: str, **params: object) -> Any:
        answer = server.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return json.loads(json.dumps(answer))

    for question in (QUESTION, *NAMES):
        for tool in sorted(READERS - {"memory_read"}):
            yield str(ask("tools/call", name=tool, arguments={"query": question})["result"])
    for target in ("long_term", "scratchpad", "daily"):
        yield str(ask("tools/call", name="memory_read", arguments={"target": target}))
    for each in ask("resources/list")["result"]["resources"]:
        yield str(ask("resources/read", uri=each["uri"]))
    yield str(ask("prompts/get", name="memory", arguments={"topic": QUESTION}))


def _through_hooks(mem: Mem, work: str) -> Iterator[str]:
    """Yield what a session is told, also one that goes on after another project's."""
    for event in ({"hook_event_name": "SessionStart"}, {"hook_event_name": "UserPromptSubmit"}):
        row = {"session_id": f"s-{mem.project}", "cwd": work, "prompt": QUESTION, **event}
        yield edge.answer(json.dumps(row).encode())


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
    yield str(mem.explain(QUESTION).as_dict())


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
