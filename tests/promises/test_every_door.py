"""What holds alike through library, command line, tools and `/memory`."""

import subprocess
import sys
from pathlib import Path

import pytest

from memolith import Mem, Tools, WriteMode, WriteTarget, slash
from tests.ledger import proves
from tests.recall.made import session

SECRET = "AKIA" + "QYLPMN5HFIQR7XYA"
MASK = "[secret:aws-key-id]"
BOM = b"\xef\xbb\xbf"


def memolith(work: Path, *words: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "memolith", *words], cwd=work, capture_output=True, text=True, check=True
    )
    return run.stdout


@proves("X.8")
def test_a_secret_typed_by_hand_is_masked_through_every_door(mem: Mem, store: Path, work: Path) -> None:
    mem.remember("x", "One")
    text = f"deploy with {SECRET} ok\n"
    (store / "notes" / "deploy.md").write_text(text)
    with (store / "notes" / "MEMORY.md").open("a") as page:
        page.write(f"- mine: {SECRET}\n")
    tools = Tools(mem)
    shown = {
        "read": mem.read("note", "deploy"),
        "block": mem.context_block() or "",
        "search": mem.search("deploy").render(),
        "recall": "\n".join(hit.text for hit in mem.recall("deploy")),
        "tool": tools.call("memory_read", {"source": "note", "name": "deploy"}).text,
        "address": tools.call("memory_read", {"source": "memory://root/notes/deploy.md"}).text,
        "index": tools.call("memory_read", {"source": "memory://root/notes/MEMORY.md"}).text,
        "tool search": tools.call("memory_search", {"query": "deploy"}).text,
        "/memory": slash(mem).text,
        "/memory deploy": slash(mem, "deploy").text,
        "memory": memolith(work, "memory"),
        "memory deploy": memolith(work, "memory", "deploy"),
        "read note": memolith(work, "read", "note", "deploy"),
        "show": memolith(work, "read", "note", "deploy", "--json"),
    }
    assert {door for door, said in shown.items() if SECRET in said or MASK not in said} == set()
    assert (store / "notes" / "deploy.md").read_text() == text


@proves("X.8")
def test_a_secret_typed_into_a_record_or_a_ticket_is_masked_in_lists_and_pages(
    mem: Mem, store: Path, work: Path
) -> None:
    for place in (store / "records" / "decisions" / "rx.md", store / "tickets" / "tx.md"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"deploy with {SECRET} ok\n")
    lines = ["show rx", "show tx", "show rx --text", "record show rx", "ticket show tx", "memory show rx"]
    lines += ["record list", "record list --json", "list records", "ticket list", "ticket list --json"]
    shown = {line: memolith(work, *line.split()) for line in lines}
    shown["library"] = f"{mem.records.get('rx')}{mem.tickets.list()}"
    assert {door for door, said in shown.items() if SECRET in said or MASK not in said} == set()
    memolith(work, "edit", "rx", "--old", f" with {SECRET}", "--new", "")
    assert mem.records.get("rx").body == "deploy ok\n"


@proves("X.8")
def test_what_memolith_moves_by_itself_is_screened_too(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_LONG_TERM_OVERFLOW", "archive")
    monkeypatch.setenv("MEMOLITH_LONG_TERM_SOFT_LIMIT", "100")
    mem.write("long_term", "- a first line")
    page = mem.root / "MEMORY.md"
    page.write_text(f"- the key is {SECRET}\n" + page.read_text())
    mem.write("long_term", f"- {'a long line ' * 8}")
    archive = (mem.root / "notes" / "memory-archive.md").read_text()
    assert SECRET not in archive
    assert f"- the key is {MASK}\n" in archive
    record = mem.records.add("We sign with a key.", category="decisions", scope="project")
    with open(record.filename, "a", encoding="utf-8") as file:
        file.write(f"It is {SECRET}.\n")
    mem.records.reclassify(record.id, "procedures")
    assert MASK in (store / "records" / "procedures" / f"{record.id}.md").read_text()


@proves("S0.73", "S0.34", "S0.23", "S4.19", "S1.6")
def test_a_byte_order_mark_hides_nothing(mem: Mem, store: Path) -> None:
    mem.remember("x", "One")
    (store / "SCRATCHPAD.md").write_bytes(BOM + b"- [ ] first\n- [ ] second\n")
    (store / "notes" / "saved.md").write_bytes(BOM + b"---\nname: Saved\ndescription: by hand\n---\nbody\n")
    (store / "notes" / "MEMORY.md").write_bytes(BOM + b"- [One](one.md) - mine\n")
    page = mem.root / "MEMORY.md"
    page.write_bytes(BOM + b"## About Me\n- Ann\n")
    assert mem.status().open_items == 2
    block = mem.context_block() or ""
    assert "- [ ] first\n" in block
    assert "- [Saved](saved.md) — by hand" in block
    assert block.count("(one.md)") == 1
    mem.update_section("About Me", "- Bob")
    assert mem.write("long_term", "- Bob").skipped == 1
    assert mem.read().count("About Me") == 1
    assert mem.read().startswith("## About Me")
    assert mem.write("long_term", "## About Me").skipped == 1
    assert page.read_bytes().startswith(BOM + b"## About Me\n")
    assert page.read_bytes().count(BOM) == 1
    mem.write("scratchpad", "new", "overwrite")
    assert (store / "SCRATCHPAD.md").read_bytes() == b"new"


@proves("S0.24")
@pytest.mark.parametrize(
    "block",
    ["```py\ny = 2\n```", "| c | d |\n|---|---|\n| 1 | 2 |", "h | i\n--- | :-:\n1 | 2\n7 | 8"],
)
def test_a_second_code_block_or_table_is_added_whole(mem: Mem, block: str) -> None:
    first = "```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nh | i\n--- | :-:\n1 | 2\n5 | 6\n"
    mem.write("long_term", first)
    mem.write("long_term", f"New:\n{block}")
    assert mem.read() == f"{first}New:\n{block}\n"
    assert "Nothing was written" in mem.write("long_term", f"New:\n{block}").message


@proves("X.10", "S0.60", "S0.51", "X.11")
def test_what_is_written_by_one_verb_is_found_by_every_search_and_listed(mem: Mem, work: Path) -> None:
    mem.write("long_term", "zebra one")
    mem.write("scratchpad", "- [ ] zebra two")
    mem.write("daily", "zebra three")
    mem.write("note", "zebra four", name="four")
    mem.remember("zebra five", "Five", scope="user")
    mem.records.add("zebra six", category="decisions", scope="project")
    mem.records.add("zebra seven", category="preferences", scope="user")
    mem.tickets.add("zebra eight")
    away = mem.records.add("zebra nine", category="incidents", scope="project")
    mem.records.archive(away.id)
    here = f"projects/{mem.project}"
    names = [
        "MEMORY.md",
        "notes/five.md",
        f"{here}/SCRATCHPAD.md",
        f"{here}/daily/2026-11-15.md",
        f"{here}/notes/four.md",
        f"{here}/records/decisions/zebra-six.md",
        f"{here}/tickets/zebra-eight.md",
        "records/preferences/zebra-seven.md",
    ]
    assert sorted(hit.name for hit in mem.search("zebra")) == sorted(names)
    listed = sorted([*names, f"{here}/records/incidents/zebra-nine.md"])
    assert list(mem.list()) == listed
    assert memolith(work, "memory", "read", "list").splitlines() == listed
    tools = Tools(mem)
    assert len(tools.call("memory_read", {"source": "list"}).text.splitlines()) == len(listed)
    assert tools.call("memory_search", {"query": "zebra"}).data["files"] == len(names)
    recalled = {Path(hit.filename).relative_to(mem.root).as_posix() for hit in mem.recall("zebra", limit=20)}
    assert recalled == set(names)
    printed = memolith(work, "search", "zebra")
    assert [name for name in names if f"### {name} " not in printed] == []


@proves("X.10")
def test_sessions_are_searched_on_request(mem: Mem, work: Path) -> None:
    session(mem, "s1", f"Where is the zebra? The key is {SECRET}.")
    assert not mem.search("zebra").hits
    (hit,) = mem.search("zebra", sessions=True)
    assert hit.name == "memory://root/sessions/x-s1"
    assert hit.body == f"[1] user: Where is the zebra? The key is {MASK}."
    assert "sessions/x-s1" in memolith(work, "search", "zebra", "--sessions")


@proves("S0.63", "S4.27")
@pytest.mark.parametrize("text", ["kw short", "kw " + "pad " * 12_000])
def test_the_tool_counts_every_file_and_stays_within_its_limit(mem: Mem, store: Path, text: str) -> None:
    (store / "notes").mkdir(parents=True)
    for number in range(60):
        (store / "notes" / f"n{number}.md").write_text(text)
    said = Tools(mem).call("memory_search", {"query": "kw"}).text
    assert len(said.encode()) <= 32_768
    first, shown = said.partition("\n")[0], said.count("\n### ")
    assert 0 < shown <= 20
    assert first == f"1 term: kw(60) — 60 files, {shown} shown"
    assert f"…[{60 - shown} more files not shown; offset {shown} has the next" in said


@proves("S0.17")
def test_an_overwrite_with_nothing_leaves_an_empty_file(mem: Mem, store: Path, work: Path) -> None:
    mem.write("scratchpad", "- [ ] x")
    assert mem.write("scratchpad", "", "overwrite").bytes == 0
    assert (store / "SCRATCHPAD.md").read_bytes() == b""
    mem.write("note", "x", name="n")
    memolith(work, "write", "note", "n", "", "--mode", "overwrite")
    assert mem.read("note", "n") == "(empty)"
    answer = Tools(mem).call("memory_write", {"target": "daily", "content": "", "mode": "overwrite"})
    assert not answer.error


@proves("S0.74")
def test_a_memory_has_the_fields_of_the_design(mem: Mem, store: Path) -> None:
    assert (mem.root, mem.today, mem.yesterday) == (store.parent.parent, "2026-11-15", "2026-11-14")
    assert store.name == mem.project
    mem.write(WriteTarget.NOTE, "a", WriteMode.OVERWRITE, "n")
    mem.write("note", "b", WriteMode.APPEND, "n")
    mem.edit(WriteTarget.NOTE, "a", "c", "n")
    assert (store / "notes" / "n.md").read_text() == "c\nb\n"
    call = {"target": WriteTarget.NOTE, "content": "d", "mode": WriteMode.APPEND, "name": "n"}
    assert not Tools(mem).call("memory_write", call).error
    assert (store / "notes" / "n.md").read_text() == "c\nb\nd\n"
    assert {each.value for each in WriteTarget} == {"long_term", "scratchpad", "daily", "note"}
    assert {each.value for each in WriteMode} == {"append", "overwrite"}


@proves("S0.75")
def test_memory_is_on_until_it_is_switched_off(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mem.context_block() is None
    mem.write("long_term", "x")
    assert mem.context_block()
    monkeypatch.setenv("MEMOLITH_ENABLED", "false")
    assert mem.context_block() is None
