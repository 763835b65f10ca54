"""Why the block is as it is: which file gave which bytes, what was cut, what it costs."""

import json
from pathlib import Path

import pytest

from memolith import InputError, Mem
from memolith.edges.cli import main
from memolith.prompt.explain import FRAME, WHOLE
from tests.ledger import proves


def fill(mem: Mem) -> None:
    mem.write("long_term", "- a fact of some length that is repeated\n" + "- x\n" * 12_000, "overwrite")
    mem.write("scratchpad", "".join(f"- [ ] item {n}\n" for n in range(900)))
    mem.write("daily", "- did something\n")
    mem.remember("The suite needs Redis.", "Running the tests")


@proves("X.4")
def test_the_parts_of_an_explanation_name_their_files_and_add_up_to_the_block(mem: Mem) -> None:
    fill(mem)
    for limit in (None, 900, 9_500):
        found = mem.explain(max_chars=limit)
        assert found.block == mem.context_block(max_chars=limit)
        assert sum(part.bytes for part in found.parts) == found.bytes == len((found.block or "").encode())
        assert {part.file for part in found.parts} >= {"MEMORY.md", FRAME}


def test_what_was_cut_is_explained_with_the_limit_that_cut_it(mem: Mem) -> None:
    fill(mem)
    parts = {part.file.removeprefix(f"projects/{mem.project}/"): part for part in mem.explain().parts}
    assert parts["SCRATCHPAD.md"].why == "cut: its own limit of 4,096 bytes"
    assert parts["SCRATCHPAD.md"].cut > 8_000
    assert parts[f"daily/{mem.today}.md"].why == WHOLE
    whole = len((mem.root / "MEMORY.md").read_bytes())
    assert parts["MEMORY.md"].cut > whole - 32_768
    small = {part.file: part for part in mem.explain(max_chars=500).parts}
    assert not small["MEMORY.md"].shown
    assert "the host's limit of 500 characters" in small["MEMORY.md"].why


def test_an_index_that_is_too_long_says_how_many_notes_it_does_not_show(mem: Mem, store: Path) -> None:
    mem.remember("x", "First")
    for number in range(400):
        (store / "notes" / f"n{number}.md").write_text("text of some length, for the index", "utf-8")
    part = next(part for part in mem.explain().parts if part.file.endswith("notes/MEMORY.md"))
    assert part.why.endswith("older notes are not shown")


def test_the_command_explains_in_text_and_json_and_counts_the_cost(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["context", "--explain", "--project", str(work)]) == 0
    assert "Nothing is injected" in capfd.readouterr().out
    fill(mem)
    assert main(["context", "--explain", "--price", "3", "--per-day", "200", "--project", str(work)]) == 0
    told = capfd.readouterr().out
    assert "SCRATCHPAD.md" in told
    assert "200 prompts a day" in told
    assert main(["context", "--explain", "--json", "--price", "2", "--project", str(work)]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["cost_per_day"] == pytest.approx(printed["tokens"] * 2 * 100 / 1_000_000)
    assert printed["parts"][-1]["file"] == FRAME


def test_a_price_alone_or_a_negative_one_is_refused_with_the_next_step(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fill(mem)
    assert main(["context", "--price", "3", "--project", str(work)]) == 2
    assert "need --explain" in capfd.readouterr().err
    assert main(["context", "--explain", "--per-day", "3", "--project", str(work)]) == 2
    assert "needs --price" in capfd.readouterr().err
    with pytest.raises(InputError, match="negative"):
        mem.explain().cost(-1, 1)
