"""What holds alike through library, command line, tools and `/memory`."""

import subprocess
import sys
from pathlib import Path

import pytest

from memolith import Mem, Tools, slash
from tests.ledger import proves

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
        "read note": memolith(work, "read", "note", "--name", "deploy"),
        "show": memolith(work, "read", "note", "--name", "deploy", "--json"),
    }
    assert {door for door, said in shown.items() if SECRET in said or MASK not in said} == set()
    assert (store / "notes" / "deploy.md").read_text() == text


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
@pytest.mark.parametrize("block", ["```py\ny = 2\n```", "| c | d |\n|---|---|\n| 1 | 2 |"])
def test_a_second_code_block_or_table_is_added_whole(mem: Mem, block: str) -> None:
    first = "```py\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    mem.write("long_term", first)
    mem.write("long_term", f"New:\n{block}")
    assert mem.read() == f"{first}New:\n{block}\n"
    assert "Nothing was written" in mem.write("long_term", f"New:\n{block}").message
