"""The helpers for hosts that compress their sessions."""

import logging
from pathlib import Path
from typing import Any

import pytest

from memolith import (
    Mem,
    append_memory_block,
    compaction_heading,
    effective_reserve,
    flush_compaction_summary,
)
from tests.conftest import Clock
from tests.ledger import proves


@proves("S0.65")
def test_daily_entries_have_a_time_and_stay_in_order(mem: Mem, clock: Clock) -> None:
    mem.append_daily("first\nheading", "  body one \n\n")
    clock.seconds += 61
    mem.append_daily("second", "body two")
    assert mem.read("daily") == "### 12:00 — first heading\nbody one\n\n### 12:01 — second\nbody two\n"


@proves("S0.65")
def test_an_entry_after_a_hand_written_line_has_a_blank_line_before_it(mem: Mem, store: Path) -> None:
    (store / "daily").mkdir(parents=True)
    (store / "daily" / "2026-11-15.md").write_text("by hand")
    mem.append_daily("h", "b")
    assert mem.read("daily") == "by hand\n\n### 12:00 — h\nb\n"


@proves("S0.66")
def test_the_heading_counts_the_messages() -> None:
    assert compaction_heading(12) == "compaction summary (12 msgs)"
    assert compaction_heading(None) == "compaction summary"
    assert compaction_heading() == "compaction summary"


@proves("S0.67")
def test_a_flushed_summary_is_in_the_next_block(mem: Mem) -> None:
    assert flush_compaction_summary(mem, "we chose sqlite", 7)
    label = "[source: extracted, agent]"
    assert f"compaction summary (7 msgs) {label}\nwe chose sqlite" in (mem.context_block() or "")


def test_a_summary_of_a_session_that_fetched_something_waits_for_a_person(mem: Mem) -> None:
    assert flush_compaction_summary(mem.from_source("extracted", "web"), "we chose sqlite", 7)
    assert mem.context_block() is None
    (hit,) = mem.recall("what did we choose, sqlite?")
    assert hit.origin == "extracted, web"


@proves("S0.67")
def test_a_failing_flush_is_logged_and_stops_nothing(
    mem: Mem, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "home").write_text("a file where the directory should be")
    with caplog.at_level(logging.WARNING, "memolith"):
        assert not flush_compaction_summary(mem, "summary")
    assert "was not kept" in caplog.text


@proves("S0.67")
@pytest.mark.parametrize("summary", [None, 5, "a\0b"])
def test_a_summary_that_is_not_text_stops_nothing(mem: Mem, summary: Any) -> None:
    assert not flush_compaction_summary(mem, summary, 3)


@proves("S0.67")
def test_a_huge_summary_keeps_its_beginning_and_says_that_it_was_cut(mem: Mem, store: Path) -> None:
    assert flush_compaction_summary(mem, "the beginning " + "x" * 2_000_000)
    log = (store / "daily" / "2026-11-15.md").read_text()
    assert "the beginning" in log
    assert "\n…[cut: this had 2,000,014 bytes]" in log
    assert "[cut: this had 2,000,014 bytes]" in (mem.context_block() or "")


@proves("S0.68")
def test_the_reserve_counts_the_block() -> None:
    assert effective_reserve(1000, None) == 1000
    assert effective_reserve(1000, "") == 1000
    assert effective_reserve(1000, "x" * 400) == 1100
    assert effective_reserve(1000, "項" * 100) == 1090
    assert effective_reserve(1000, "x") == 1001


@proves("S0.69")
def test_the_block_is_appended_after_a_rule() -> None:
    assert append_memory_block("BASE", "<memory>x</memory>") == "BASE\n\n---\n\n<memory>x</memory>"
    assert append_memory_block("BASE", None) == "BASE"
    assert append_memory_block("BASE", "") == "BASE"
