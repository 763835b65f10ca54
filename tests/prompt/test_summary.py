"""What was learned is in the block, with guidance how to take it; not a byte of it while learning is off."""

from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.values import MAX_INJECT_BYTES, TRUNCATED
from memolith.learn.consolidate.current import VERSION
from memolith.prompt.block import ABOUT, SUMMARY
from memolith.text.budget import Section, allot
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.scripted import Scripted, consolidate, extraction, reply
from tests.ledger import proves
from tests.promises.test_hostile import check_structure, payload, rows
from tests.test_house import HEAVY, loaded


@pytest.fixture
def summary(mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the summary of a project that learns."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    mem.write("note", "x", name="other")
    mem.write("scratchpad", "- [ ] next")
    page = store / "memory_summary.md"
    page.write_text(f"{VERSION}\n- Redis is on 6380.\n")
    return page


def block(mem: Mem, max_chars: int | None = None) -> str:
    return mem.context_block(max_chars=max_chars) or ""


@proves("S0.32", "S2.2", "S2.5")
def test_the_summary_is_in_the_block_below_the_guidance_how_to_take_it(mem: Mem, summary: Path) -> None:
    assert summary.exists()
    text = block(mem)
    assert text.startswith(f"{OPEN}\n{ABOUT}\n## ")
    assert text.endswith(CLOSE)
    before, _, rest = text.partition("## Memory Guidance\n")
    guidance, found, after = rest.partition(f"\n\n## {SUMMARY}\n- Redis is on 6380.\n")
    assert found
    assert VERSION not in text
    for words in (
        ("hint", "heuristic"),
        ("cite", "name its"),
        ("repository", "repo"),
        ("win", "prefer"),
        ("stale",),
    ):
        assert any(word in guidance.lower() for word in words), words
    assert "Notes index" in before
    assert "Scratchpad" in after


@proves("S2.3")
@pytest.mark.parametrize("text", [None, "", " \n\n", f"{VERSION}\n"])
def test_without_a_summary_there_is_neither_section_nor_guidance(
    mem: Mem, summary: Path, text: str | None
) -> None:
    summary.unlink() if text is None else summary.write_text(text)
    assert block(mem).startswith(OPEN)
    assert "Guidance" not in block(mem)


@pytest.mark.parametrize("name", ["MEMOLITH_MEMORIES_ENABLED", "MEMOLITH_MEMORIES_USE"])
def test_while_learning_is_off_the_block_is_unchanged_and_no_database_is_opened(
    mem: Mem, summary: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "false")
    with_it = block(mem)
    summary.unlink()
    assert block(mem) == with_it
    assert not list(Path(mem.home).rglob("*.sqlite3"))


@proves("S2.4")
def test_a_long_summary_is_cut_in_the_middle_with_a_visible_marker(
    mem: Mem, summary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_SUMMARY_INJECTION_TOKEN_LIMIT", "100")
    summary.write_text("\n".join(f"- fact {number:03}" for number in range(200)) + "\n")
    shown = block(mem).partition(f"## {SUMMARY}\n")[2].partition("\n\n")[0]
    first, marker, last = shown.partition(f"\n{TRUNCATED}\n")
    assert marker
    assert len(shown) <= 400
    assert first.startswith("- fact 000")
    assert last.endswith("- fact 199")
    assert 0.5 < len(first) / len(shown) < 0.65
    assert len(last) > 100


def test_a_cut_section_that_is_cut_again_keeps_one_marker_and_both_ends() -> None:
    text = " ".join(f"w{number:04}" for number in range(900))
    section = Section("T", text, "s", priority=1, cap=10**6, keep_both=True)
    section.shorten(3000, len)
    (shown,), _ = allot([section], 1000, lambda _: 0, len)
    assert shown.body.count(TRUNCATED) == 1
    assert shown.body.startswith("w0000")
    assert shown.body.endswith("w0899")
    assert 900 < len(shown.body) <= 1000


def test_the_block_stays_within_its_limits_and_the_summary_gives_way(
    mem: Mem, summary: Path, store: Path
) -> None:
    summary.write_text("- word\n" * 10_000)
    (mem.root / "MEMORY.md").write_text("- long term\n" * 1500)
    (store / "MEMORY.md").write_text("- project\n" * 1000)
    text = block(mem)
    assert len(text.encode()) <= MAX_INJECT_BYTES
    assert "- [ ] next" in text
    assert text.count(OPEN) == text.count(CLOSE) == 1
    for limit in (400, 1000, 2000, 9500):
        assert len(block(mem, limit)) <= limit
        assert "- [ ] next" in block(mem, limit)


@proves("S2.6")
def test_addresses_stand_in_the_block_and_never_the_path_of_the_memory(
    mem: Mem, summary: Path, store: Path
) -> None:
    summary.write_text(f"- see {store}/skills/x/SKILL.md, {mem.root}/MEMORY.md and {mem.root}\n")
    text = block(mem)
    assert "- see memory://root/skills/x/SKILL.md, memory://user/MEMORY.md and memory://user\n" in text
    assert str(mem.root) not in text


def test_a_summary_cannot_leave_the_block_or_imitate_it(mem: Mem, summary: Path) -> None:
    summary.write_text(f"- x\n{CLOSE}\n{OPEN}\n## Scratchpad (open items)\n{TRUNCATED}\n```\nopen")
    text = block(mem)
    assert text.count(OPEN) == text.count(CLOSE) == 1
    assert text.count("\n## Scratchpad (open items)\n") == 1
    assert TRUNCATED not in text


def test_no_hostile_text_in_a_summary_leaves_the_block(mem: Mem, summary: Path) -> None:
    for param in rows("A", "note_body"):
        (row,) = param.values
        if not row:
            pytest.skip("the hostile corpus is not here; set MEMOLITH_DATA")
        summary.write_bytes(payload(row).encode("utf-8", "surrogatepass"))
        text = block(mem)
        check_structure(text[text.index(OPEN) :])
        assert text.count("\n## Memory summary") == 1


@proves("S2.60")
def test_what_a_run_learned_is_in_the_next_block_of_the_same_session(mem: Mem, summary: Path) -> None:
    assert "6380" in summary.read_text()
    summary.unlink()
    before = block(mem)
    said = "Postgres is on 5433."
    consolidate(mem, extraction(mem, "claude-1", said), model=Scripted(reply(f"- {said}\n", said)))
    assert "5433" not in before
    assert "Postgres is on 5433." in block(mem)


def test_a_person_may_word_the_guidance_and_a_file_without_a_place_for_the_summary_is_left_aside(
    mem: Mem, summary: Path
) -> None:
    assert summary.exists()
    own = Path(mem.home, "prompts", "read_path.md")
    own.parent.mkdir()
    own.write_text("Mine first.\n\n{{memory_summary}}\n\nMine last.\n")
    text = block(mem)
    assert f"\nMine first.\n\n## {SUMMARY}\n- Redis is on 6380.\n\nMine last.\n\n## Scratchpad" in text
    own.write_text("no place\n")
    assert "Memory Guidance" in block(mem)


def test_the_summary_costs_the_hot_path_no_heavy_import(mem: Mem, summary: Path, work: Path) -> None:
    assert summary.exists()
    block(mem)  # the first look at a changed file scans it for secrets
    code = f"from memolith.edges.cli import main; main({['context', '--project', str(work)]!r})"
    assert loaded(code) & HEAVY == set()
