"""Undo and redo as a person meets them: one command is one undo, and what they say about it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.edges.cli import main
from tests.ledger import proves
from tests.memory.test_undo import everything

Capture = pytest.CaptureFixture[str]
Said = Callable[..., str]


@pytest.fixture
def said(work: Path, capfd: Capture) -> Said:
    """Return what a command of this project prints."""

    def run(*words: str) -> str:
        assert main([*words, "--project", str(work)]) == 0
        return capfd.readouterr().out

    return run


def test_undo_and_redo_show_the_first_lines_and_count_the_others(mem: Mem, said: Said) -> None:
    mem.write("note", "\n".join(f"line {number}" for number in range(100)), name="long")
    mem.remove("long")
    for command, sign, verb in (("undo", "+", "Undid"), ("redo", "-", "Redid")):
        lines = said(command).splitlines()
        assert lines[2:31] == ["@@ -0,0 +1,100 @@" if sign == "+" else "@@ -1,100 +0,0 @@"] + [
            f"{sign}line {number}" for number in range(27)
        ] + [f"… and {103 - 30} more lines (--json has all of them)"]
        assert lines[31].startswith(f"{verb} a change of notes/long.md (delete")
    assert "+line 99" in said("undo", "--json")


@proves("X.9")
def test_several_names_are_removed_by_one_command_and_brought_back_by_one_undo(mem: Mem, said: Said) -> None:
    for name in ("aa", "bb"):
        mem.remember(name * 3, name)
    mem.records.add("Use tabs.", category="decisions", scope="project")
    before = everything(mem)
    assert said("rm", "aa", "bb", "use-tabs", "--yes").splitlines()[-1] == (
        "`memolith undo` brings all of them back"
    )
    assert len(everything(mem)) == len(before) - 3
    said("undo")
    assert everything(mem) == before
    assert said("rm", "aa").count("`memolith undo` brings it back") == 1


@proves("X.9")
@pytest.mark.parametrize("verb", ["accept", "refuse"])
def test_a_review_of_several_is_one_undo(verb: str, mem: Mem, said: Said) -> None:
    outside = mem.from_source("imported", "web")
    for text in ("The server is db1.", "The port is 5432."):
        outside.write("long_term", text)
    held = [each.id for each in mem.review.list()]
    assert len(held) == 2
    before = everything(mem)
    said("review", verb, *held, "--yes")
    after = everything(mem)
    assert mem.review.list() == []
    assert after != before
    said("undo")
    assert everything(mem) == before
    said("redo")
    assert everything(mem) == after


@proves("X.9", "S3.34")
def test_a_record_with_a_new_text_and_category_is_one_undo(mem: Mem, said: Said) -> None:
    mem.records.add("Use tabs.", category="decisions", scope="project")
    before = everything(mem)
    said("record", "edit", "use-tabs", "Use spaces.", "--category", "principles")
    assert not any("decisions" in name for name in set(everything(mem)) - set(before))
    said("undo")
    assert everything(mem) == before


def test_the_other_file_of_a_move_is_told_with_whose_it_is(mem: Mem, said: Said) -> None:
    mem.remember("A plan.", "Plan")
    said("mv", "plan", "--to", "user")
    whose = "notes/plan.md for all projects"
    assert said("undo").splitlines()[-1].endswith(f"what was {whose} is notes/plan.md again")
    assert said("redo").splitlines()[-1].endswith(f"what was notes/plan.md is {whose} again")
