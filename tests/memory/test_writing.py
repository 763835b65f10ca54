"""Writing, reading, editing: the targets of D0."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memolith import (
    ConflictError,
    InputError,
    LossError,
    MatchError,
    Mem,
    NotFoundError,
    TextError,
    TooLargeError,
    UnsafePathError,
    WriteMode,
    WriteTarget,
)
from memolith.base.values import MODES, TARGETS
from memolith.edges.cli import main
from memolith.edges.mcp.tools import Tools
from memolith.hosts.hook import edge
from memolith.index.index import NAME
from tests.conftest import Clock
from tests.ledger import proves

Snapshot = Callable[[Path], dict[str, bytes]]


@proves("S0.11", "S0.18")
def test_each_target_goes_to_its_own_file_and_append_is_the_default(mem: Mem, store: Path) -> None:
    mem.write("long_term", "a")
    mem.write("long_term", "b")
    assert tuple(target.value for target in WriteTarget) == TARGETS
    assert tuple(mode.value for mode in WriteMode) == MODES
    mem.write(WriteTarget.SCRATCHPAD, "- [ ] s")
    mem.write("daily", "d")
    mem.write("note", "n", name="auth")
    assert (mem.root / "MEMORY.md").read_text() == "a\nb\n"
    assert (store / "SCRATCHPAD.md").read_text() == "- [ ] s\n"
    assert (store / "daily" / "2026-11-15.md").read_text() == "d\n"
    assert (store / "notes" / "auth.md").read_text() == "n\n"


@proves("S0.11")
@pytest.mark.parametrize("mode", MODES)
def test_a_text_for_the_log_of_another_day_does_not_go_into_todays(mem: Mem, store: Path, mode: str) -> None:
    mem.write("daily", "today", name=mem.today)
    mem.write("daily", "today", mode, f"memory://root/daily/{mem.today}.md")  # type: ignore[arg-type]
    days = (mem.yesterday, f"memory://root/daily/{mem.yesterday}.md", "yesterday", "2026-11-8", "rain")
    addresses = (f"memory://root/daily/{mem.yesterday}.md", "memory://root/daily/yesterday")
    for target, name in [*(("daily", day) for day in days), *((address, None) for address in addresses)]:
        with pytest.raises(InputError, match="only today's log is written to, not '"):
            mem.write(target, "lost", mode, name)  # type: ignore[arg-type]
    assert [(each.name, each.read_text()) for each in (store / "daily").iterdir()] == [
        (f"{mem.today}.md", "today" if mode == "overwrite" else "today\ntoday\n")
    ]


@proves("S0.3", "S4.9")
def test_reading_creates_nothing_and_the_first_write_creates_what_it_needs(mem: Mem) -> None:
    home = Path(mem.home)
    mem.context_block(), mem.search("x"), mem.read(), mem.read("list"), mem.read("note", "x"), mem.list()
    assert not home.exists()
    mem.update("x")
    assert (home / "memory" / "MEMORY.md").exists()


@proves("S0.2")
def test_everything_works_while_sqlite_files_are_absent_or_garbage(mem: Mem, store: Path) -> None:
    (store / "notes").mkdir(parents=True)
    for number in range(600):  # so many that a search asks the index
        (store / "notes" / f"n{number}.md").write_text(f"word{number}\n")
    assert [hit.body for hit in mem.search("word599")] == ["word599"]
    for name in (f"cache/{NAME}", "state/state.sqlite3"):
        path = Path(mem.home) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"not a database")
    mem = Mem.open(str(mem.identity.root))
    assert [hit.body for hit in mem.search("word598")] == ["word598"]
    mem.write("long_term", "fact")
    mem.remember("body", "Title")
    mem.append_daily("heading", "body")
    assert "fact" in (mem.context_block() or "")
    assert len(mem.search("fact")) == 1
    assert (Path(mem.home) / "state/state.sqlite3").read_bytes() == b"not a database"


@proves("S0.10")
def test_a_process_that_runs_over_midnight_writes_to_the_new_day(mem: Mem, store: Path, clock: Clock) -> None:
    assert (mem.today, mem.yesterday) == ("2026-11-15", "2026-11-14")
    mem.write("daily", "before")
    clock.seconds += 12 * 3600 + 1
    mem.write("daily", "after")
    assert (mem.today, mem.yesterday) == ("2026-11-16", "2026-11-15")
    assert (store / "daily" / "2026-11-16.md").read_text() == "after\n"


@proves("X.21")
@pytest.mark.parametrize(("seconds", "year"), [(1e12, "9998-"), (1e18, "9998-"), (-1e12, "1001-")])
def test_a_clock_that_is_far_off_still_has_a_date(mem: Mem, clock: Clock, seconds: float, year: str) -> None:
    clock.seconds = seconds
    mem.write("daily", "Deployed at noon.")
    assert "Deployed at noon." in (mem.context_block() or "")
    assert mem.today.startswith(year)


@proves("S0.10", "X.21")
def test_days_follow_the_local_calendar_through_daylight_saving_and_a_change_of_time_zone(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = 1_774_746_000.0  # 2026-03-29 01:00 UTC, the hour in which Vienna's clocks go forward
    mem = Mem.open(work, now=lambda: moment)
    days = set()
    for zone in ("Europe/Vienna", "Pacific/Auckland", "America/Los_Angeles", "UTC", "Bad/Zone"):
        monkeypatch.setenv("TZ", zone)
        days.add((mem.today, mem.yesterday))
    monkeypatch.delenv("TZ")
    time.tzset()
    assert days == {("2026-03-29", "2026-03-28"), ("2026-03-28", "2026-03-27")}


@pytest.mark.parametrize("moment", [-86_400.0, 0.0, 2_147_483_648.0, 4_102_444_800.0])
@proves("X.21")
def test_a_clock_that_jumps_to_another_century_harms_nothing(work: Path, moment: float) -> None:
    mem = Mem.open(work, now=lambda: moment)
    mem.write("scratchpad", "- [ ] one")
    mem.write("scratchpad", "- [ ] two", "overwrite")
    mem.append_daily("x", "entry")
    assert "entry" in (mem.context_block() or "")
    mem.undo("scratchpad")
    assert mem.read("scratchpad") == "- [ ] one\n"


@proves("S0.12", "S0.13", "S0.50")
@pytest.mark.parametrize(
    "name",
    [
        None,
        "",
        "  ",
        "../escape",
        "sub/dir",
        "a\\b",
        ".hidden",
        "a.b",
        "x\0y",
        "x\ny",
        "/etc/passwd",
        "é" * 200,
    ],
)
def test_a_bad_note_name_is_an_error_and_creates_nothing(mem: Mem, name: str | None) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: mem.write("note", "x", name=name),
        lambda: mem.read("note", name),
        lambda: mem.edit("note", "a", "b", name),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match="name"):
            attempt()
    assert not Path(mem.home).exists()


@proves("S0.13")
def test_the_extension_of_a_note_name_is_optional(mem: Mem, store: Path) -> None:
    mem.write("note", "a", name=" good-name ")
    mem.write("note", "b", name="good-name.md")
    mem.write("note", "c", name="\tgood-name\n")
    mem.write("note", "d", name="  good-name.md")
    assert (store / "notes" / "good-name.md").read_text() == "a\nb\nc\nd\n"
    with pytest.raises(InputError, match="name"):  # on some systems that is the file of another name
        mem.write("note", "d", name="good-name.md ")


@proves("S0.14", "X.22")
@pytest.mark.parametrize("name", ["MEMORY", "memory", "Memory.md", "con", "NUL", "com1", "LPT9", "aux.md"])
def test_reserved_names_and_devices_are_refused(mem: Mem, name: str) -> None:
    with pytest.raises(InputError, match=r"reserved|device"):
        mem.write("note", "x", name=name)


@proves("X.22")
def test_names_that_differ_only_in_case_are_refused(mem: Mem) -> None:
    mem.write("note", "x", name="Auth")
    with pytest.raises(InputError, match="case"):
        mem.write("note", "x", name="auth")
    mem.write("note", "y", name="Auth")


@proves("X.22")
def test_renaming_over_an_open_file_is_tried_again_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memolith.env.paths import Place
    from memolith.store import files

    real, calls = os.replace, []

    def busy(source: str, target: str, **_: object) -> None:
        calls.append(target)
        if len(calls) < 4:
            raise PermissionError(13, "in use")
        real(source, target)

    monkeypatch.setattr(files, "_WINDOWS", True)
    monkeypatch.setattr(os, "replace", busy)
    (tmp_path / "a").write_text("new")
    files.replace(Place.of(str(tmp_path / "a")), Place.of(str(tmp_path / "b")))
    assert (tmp_path / "b").read_text() == "new"
    assert len(calls) == 4


@proves("S0.15", "S0.52")
def test_an_unknown_target_mode_source_or_scope_is_named_in_the_error(mem: Any) -> None:
    with pytest.raises(InputError, match="'longterm'"):
        mem.write("longterm", "x")
    with pytest.raises(InputError, match="'prepend'"):
        mem.write("daily", "x", "prepend")
    with pytest.raises(InputError, match="'diary'"):
        mem.read("diary")
    for call in (mem.read, lambda value: mem.write(value, "x"), lambda value: mem.edit(value, "x", "y")):
        for value in (None, 3):  # of a program in which a variable is not what it should be
            with pytest.raises(InputError, match=str(value)):
                call(value)
    with pytest.raises(InputError, match="'team'"):
        mem.write("note", "x", name="n", scope="team")
    assert not Path(mem.home).exists()


@proves("S0.16")
def test_append_adds_whole_lines(mem: Mem, store: Path) -> None:
    for target in ("scratchpad", "daily"):
        mem.write(target, "a")
        mem.write(target, "b")
        assert mem.read(target) == "a\nb\n"
    (store / "SCRATCHPAD.md").write_text("no newline")
    mem.write("scratchpad", "next")
    assert mem.read("scratchpad") == "no newline\nnext\n"


@proves("S0.17")
def test_overwrite_replaces_the_file_verbatim(mem: Mem) -> None:
    mem.write("scratchpad", "old\n")
    mem.write("scratchpad", "new", WriteMode.OVERWRITE)
    assert (mem.root / "projects" / mem.project / "SCRATCHPAD.md").read_bytes() == b"new"


@proves("S0.19")
def test_content_over_the_cap_is_refused_whole_with_its_size(mem: Mem, store: Path) -> None:
    result = mem.write("scratchpad", "x" * 65_536, "overwrite")
    assert (store / "SCRATCHPAD.md").stat().st_size == 65_536
    assert result.warnings == []
    for mode in ("overwrite", "append"):
        with pytest.raises(TooLargeError, match=r"65,538 bytes, more than the 65,536 .* nothing was written"):
            mem.write("note", "é" * 32_769, mode, mode)
        assert not (store / "notes" / f"{mode}.md").exists()
    done = mem.append_daily("heading", "y" * 65_536)
    assert (done.warnings, "y" * 65_536 in (store / "daily" / f"{mem.today}.md").read_text()) == ([], True)


@proves("S0.19")
def test_a_ticket_over_the_cap_leaves_nothing(mem: Mem) -> None:
    with pytest.raises(TooLargeError, match=r"65,537 bytes, more than the 65,536 .* nothing was written"):
        mem.tickets.add("T", "a" * 65_537)
    assert not Path(mem.home).exists()


def test_an_input_that_cannot_be_a_memory_is_refused_whole(mem: Mem) -> None:
    with pytest.raises(TooLargeError, match="52,428,800"):
        mem.write("daily", "x" * 52_428_800)
    with pytest.raises(TextError, match="NUL"):
        mem.write("daily", "a\0b")
    with pytest.raises(InputError, match="empty"):
        mem.write("daily", " \n")
    assert not Path(mem.home).exists()


HALF = "port \ud83d of caf\udce9"  # of an emoji that JavaScript cut, of a byte that is no text


def test_half_a_character_is_replaced_and_stops_nothing(mem: Mem, work: Path) -> None:
    whole = "port \ufffd of caf\ufffd"
    mem.write("daily", HALF)
    mem.append_daily(HALF, HALF)
    mem.remember(f"The {HALF} is 1.", f"The {HALF}")
    mem.records.add(f"We chose {HALF}.", category="decisions", scope="project", title=HALF)
    mem.tickets.add(HALF, HALF)
    mem.sessions.end([{"role": "user", "content": HALF}], agent="claude", session_id="1")
    assert mem.read("daily").count(whole) == 3
    assert mem.search(HALF).hits
    assert mem.recall(HALF, semantic=False).hits
    assert mem.context_block(HALF)
    tool = next(each for each in Tools(mem) if each.name == "recall")
    assert Tools(mem).call(tool.name, {"query": HALF}).data["hits"]
    for line in (["recall", HALF], ["search", HALF], ["write", "daily", HALF], ["context", HALF]):
        assert main([*line, "--project", str(work)]) == 0
    row = {"session_id": HALF, "cwd": str(work), "hook_event_name": "UserPromptSubmit", "prompt": HALF}
    assert whole in edge.answer(json.dumps(row).encode(), "pi")
    for path in Path(mem.home).rglob("*"):
        path.name.encode()
        if path.suffix == ".md" and path.is_file():
            path.read_text(encoding="utf-8")


@pytest.mark.parametrize("value", [None, 5, b"bytes", ["list"]])
def test_a_value_that_is_not_text_is_an_input_error_and_creates_nothing(mem: Mem, value: Any) -> None:
    attempts: list[Callable[[], object]] = [
        lambda: mem.write("daily", value),
        lambda: mem.write("note", "x", name=value),
        lambda: mem.remember(value, "t"),
        *([lambda: mem.remember("x", value)] if value is not None else []),
        lambda: mem.append_daily(value, "x"),
        lambda: mem.append_daily("x", value),
        lambda: mem.edit("daily", "x", value),
        lambda: mem.update(value),
        lambda: mem.update_section("A", value),
        lambda: mem.update_section(value, "a"),
        lambda: mem.search(value),
    ]
    for attempt in attempts:
        with pytest.raises(InputError):
            attempt()
    assert not Path(mem.home).exists()


def test_every_way_in_has_the_same_cap(mem: Mem) -> None:
    long = "x" * 70_000
    mem.write("note", "old", name="n")
    attempts: list[Callable[[], object]] = [
        lambda: mem.append_daily("h", long),
        lambda: mem.edit("note", "old", long, "n"),
        lambda: mem.remember(long, "T"),
        lambda: mem.remember(long),
        lambda: mem.update(long),
        lambda: mem.tickets.add("T", long),
    ]
    for attempt in attempts:
        with pytest.raises(TooLargeError, match="nothing was written"):
            attempt()
    assert mem.read("note", "n") == "old\n"


def test_the_title_of_a_section_is_screened_too(mem: Mem) -> None:
    token = "ghp_" + "a1B2" * 9
    result = mem.update_section(f"Access {token}", "text")
    assert token not in mem.read()
    assert "1 secret" in result.warnings[0]


@proves("S0.5", "S1.27")
@pytest.mark.parametrize(
    "spelling",
    ["./projects/{0}/SCRATCHPAD.md", "projects//{0}/SCRATCHPAD.md", "projects/x/../{0}/SCRATCHPAD.md"],
)
def test_no_spelling_of_a_path_reaches_another_projects_history(mem: Mem, work: Path, spelling: str) -> None:
    other = Mem.open(work.parent)
    other.write("scratchpad", "one", "overwrite")
    other.write("scratchpad", "two", "overwrite")
    with pytest.raises(NotFoundError):
        mem.undo(spelling.format(other.project))
    with pytest.raises(UnsafePathError):
        mem.gate.undo(spelling.format(other.project), None)
    assert other.read("scratchpad") == "two"


def test_a_directory_among_the_temporary_files_is_no_obstacle(mem: Mem) -> None:
    (mem.root / ".tmp" / "sub").mkdir(parents=True)
    mem.write("long_term", "x")
    assert mem.read() == "x\n"


@proves("S0.29")
def test_edit_takes_text_as_it_stands_in_a_file_of_mixed_line_endings(mem: Mem) -> None:
    mem.write("scratchpad", "a\r\nb\nc\n", "overwrite")
    mem.edit("scratchpad", "b\nc", "B\nC")
    mem.edit("scratchpad", "a\nB", "A\nB")
    path = mem.root / "projects" / mem.project / "SCRATCHPAD.md"
    assert path.read_bytes() == b"A\r\nB\nC\n"


@proves("S0.53")
def test_the_end_of_a_very_long_line_can_be_read_too(mem: Mem) -> None:
    mem.write("note", "x" * 60_000 + "END", name="long")
    seen = "".join(mem.read("note", "long", offset=n, lines=1) for n in range(11))
    assert seen.strip() == "x" * 60_000 + "END"


@proves("S0.20")
def test_the_reply_names_bytes_and_path(mem: Mem) -> None:
    result = mem.write("scratchpad", "héllo")
    assert result.bytes == 7
    assert result.path == mem.root / "projects" / mem.project / "SCRATCHPAD.md"
    assert str(mem.write("scratchpad", "again")) == f"Wrote 6 bytes to {result.path}"
    assert "7 bytes" in str(result)
    assert str(result.path) in str(result)


@proves("S0.23", "S4.15")
def test_long_term_append_skips_lines_that_are_there(mem: Mem) -> None:
    mem.write("long_term", "- likes tea\n- Likes coffee")
    result = mem.write("long_term", "-  likes\u3000tea \n\n- new\n- new\n- likes coffee")
    assert mem.read() == "- likes tea\n- Likes coffee\n\n- new\n- likes coffee\n"
    assert result.skipped == 2
    assert "2 duplicate" in result.message


@proves("S0.24")
def test_long_term_append_of_only_duplicates_changes_no_byte(mem: Mem) -> None:
    mem.write("long_term", "one\ntwo", "overwrite")
    result = mem.write("long_term", "two\n one ")
    assert (mem.root / "MEMORY.md").read_bytes() == b"one\ntwo"
    assert result.bytes == 0
    assert "Nothing was written" in result.message
    assert "2 duplicate" in result.message


@proves("S0.25")
def test_other_targets_keep_duplicates(mem: Mem) -> None:
    for target in (WriteTarget.SCRATCHPAD, WriteTarget.DAILY, WriteTarget.NOTE):
        for _ in range(2):
            path = mem.write(target, "same", name="n" if target == "note" else None).path
        assert path.read_text() == "same\nsame\n"


@proves("S0.29")
def test_edit_replaces_the_one_occurrence_and_nothing_else(mem: Mem) -> None:
    mem.write("long_term", "one two\r\nthree two", "overwrite")
    with pytest.raises(MatchError, match="2 times"):
        mem.edit("long_term", "two", "2")
    with pytest.raises(MatchError, match="does not occur"):
        mem.edit("long_term", "four", "4")
    assert (mem.root / "MEMORY.md").read_bytes() == b"one two\r\nthree two"
    mem.edit("long_term", "one two", "1 2")
    mem.edit("long_term", "three ")
    assert (mem.root / "MEMORY.md").read_bytes() == b"1 2\r\ntwo"


@proves("S0.30")
def test_edit_without_text_deletes_a_note_and_nothing_else(mem: Mem, store: Path) -> None:
    mem.write("note", "x", name="gone")
    mem.write("scratchpad", "- [ ] stays")
    mem.edit("note", name="gone")
    assert not (store / "notes" / "gone.md").exists()
    with pytest.raises(NotFoundError, match="'gone'"):
        mem.edit("note", name="gone")
    for target in ("long_term", "scratchpad", "daily"):
        with pytest.raises(InputError, match="old"):
            mem.edit(target)
    assert mem.read("scratchpad") == "- [ ] stays\n"


@proves("S0.30")
def test_the_tool_deletes_a_record_by_its_address_and_refuses_every_other_target(
    mem: Mem, store: Path
) -> None:
    mem.records.add("We use pnpm", category="decisions", scope="project", title="Use pnpm")
    mem.tickets.add("Fix it", ticket_id="t1")
    tools, address = Tools(mem), "memory://root/records/decisions/use-pnpm.md"
    for target in ("memory://root/tickets/t1.md", "memory://root/MEMORY.md", "daily", "long_term"):
        assert tools.call("memory_edit", {"target": target}).error
    assert not tools.call("memory_edit", {"target": address}).error
    assert tools.call("memory_edit", {"target": address}).error  # it is gone
    assert not (store / "records" / "decisions" / "use-pnpm.md").exists()
    assert (store / "tickets" / "t1.md").exists()


@proves("S0.31", "S0.49")
def test_a_day_of_the_log_is_named_by_its_date(mem: Mem, store: Path) -> None:
    (store / "daily").mkdir(parents=True)
    (store / "daily" / "2026-10-01.md").write_text("old day\n")
    mem.write("daily", "new day")
    mem.edit("daily", "old", "past", "2026-10-01")
    assert mem.read("daily", "2026-10-01") == "past day\n"
    assert mem.read("daily") == "new day\n"
    for bad in ("../../x", "2026-13-99x", "2026-02-30", "yesterday"):
        with pytest.raises(InputError, match="date"):
            mem.read("daily", bad)
        with pytest.raises(InputError, match="date"):
            mem.edit("daily", "a", "b", bad)


@proves("S0.48", "S4.6", "S4.7")
def test_reading_a_missing_or_empty_file_says_empty(mem: Mem, store: Path) -> None:
    store.mkdir(parents=True)
    for text in (mem.read(), mem.read("scratchpad"), mem.read("daily"), mem.read("note", "x")):
        assert text == "(empty)"
    (store / "SCRATCHPAD.md").write_text(" \n\n")
    assert mem.read("scratchpad") == "(empty)"
    mem.write("long_term", "all of it")
    assert mem.read() == "all of it\n"


@proves("S0.51", "X.23")
def test_the_list_names_this_projects_markdown_and_the_global_file(mem: Mem, store: Path, work: Path) -> None:
    mem.write("long_term", "g")
    mem.write("daily", "d")
    mem.write("note", "n", name="b")
    mem.write("note", "n", name="a")
    (store / "notes" / "data.txt").write_text("no")
    (store / "notes" / ".hidden.md").write_text("no")
    other = Mem.open(work.parent)
    other.write("note", "foreign", name="foreign")
    here = f"projects/{mem.project}"
    assert mem.read("list").splitlines() == [
        "MEMORY.md",
        f"{here}/daily/2026-11-15.md",
        f"{here}/notes/a.md",
        f"{here}/notes/b.md",
    ]


@proves("S0.53", "S4.27", "S2.74")
@pytest.mark.parametrize("filler", ["x" * 60, "語" * 60])
def test_a_long_file_is_read_in_pages_each_of_which_says_what_comes_next(mem: Mem, filler: str) -> None:
    lines = [f"line {n} {filler}" for n in range(50_000 // len(filler.encode()))]
    mem.write("note", "\n".join(lines), name="long")
    got, offset = "", 0
    while True:
        text = mem.read("note", "long", offset=offset)
        assert len(text.encode()) <= 32_768
        text, cut, hint = text.partition("\n…[memory truncated] (lines ")
        got += text
        if not cut:
            break
        offset = int(hint.partition("offset ")[2].split()[0])
    assert got.replace("\n", "") == "".join(lines)


@proves("S0.53", "S4.27", "S2.74")
def test_a_page_of_a_long_file_has_the_lines_that_were_asked_for(mem: Mem) -> None:
    lines = [f"line {n} {'x' * 60}" for n in range(800)]
    mem.write("note", "\n".join(lines), name="long")
    said = Tools(mem).call("memory_read", {"target": "note", "name": "long", "offset": 3, "lines": 2}).text
    assert said.splitlines()[2] == "…[memory truncated] (lines 4 to 5 of 800; offset 5 has the next)"
    assert mem.read("note", "long", offset=790).splitlines() == lines[790:]
    assert mem.read("note", "long", offset=3, lines=2).splitlines() == lines[3:5]
    with pytest.raises(InputError):
        mem.read("note", "long", lines=0)


def test_each_page_of_somebody_elses_note_says_so(mem: Mem) -> None:
    mem.from_source("imported", "web").write("note", "\n".join(f"line {n}" for n in range(50)), name="theirs")
    label = "[source: imported, web]"
    assert mem.read("note", "theirs", offset=40, lines=2).splitlines()[0] == label
    assert mem.read("note", "theirs", lines=1).splitlines() == [label, "---"]


@proves("S4.27")
def test_the_error_of_a_tool_stays_within_its_limit_whatever_would_be_lost(mem: Mem) -> None:
    mem.write("long_term", "".join(f"- fact {n} {'x' * 60}\n" for n in range(800)))
    for call in (
        ("memory_write", {"target": "long_term", "content": "- q", "mode": "overwrite"}),
        ("memory_update", {"content": "- q", "mode": "rewrite"}),
    ):
        answer = Tools(mem).call(*call)
        assert answer.error
        assert "-- fact 0" in answer.text
        assert len(answer.text.encode()) <= 32_768
    with pytest.raises(LossError) as found:
        mem.update("- q", "rewrite")
    assert len(str(found.value)) < 5_000 < len(found.value.diff)


@proves("X.20")
def test_a_write_with_a_stale_hash_is_a_conflict_and_the_file_stays(mem: Mem) -> None:
    seen = mem.write("scratchpad", "mine", "overwrite").sha256
    path = mem.root / "projects" / mem.project / "SCRATCHPAD.md"
    path.write_text("theirs")
    attempts: list[Callable[[], object]] = [
        lambda: mem.write("scratchpad", "new", "overwrite", if_sha256=seen),
        lambda: mem.write("scratchpad", "new", if_sha256=seen),
        lambda: mem.edit("scratchpad", "theirs", "new", if_sha256=seen),
    ]
    for attempt in attempts:
        with pytest.raises(ConflictError, match="read it again"):
            attempt()
    assert path.read_text() == "theirs"
    again = mem.write("scratchpad", "theirs", "overwrite", if_sha256=seen)
    assert "Nothing was written" in again.message


def test_a_mem_shows_where_it_is(mem: Mem) -> None:
    assert mem.project in repr(mem)
    assert mem.root == Path(mem.home) / "memory"


@proves("X.21")
def test_a_file_that_is_not_utf8_keeps_its_bytes_and_is_shown(mem: Mem, store: Path) -> None:
    store.mkdir(parents=True)
    (store / "SCRATCHPAD.md").write_bytes(b"- [ ] caf\xe9\n")
    mem.write("scratchpad", "- [ ] next")
    assert (store / "SCRATCHPAD.md").read_bytes() == b"- [ ] caf\xe9\n- [ ] next\n"
    assert "- [ ] caf�" in (mem.context_block() or "")
    assert "caf�" in mem.read("scratchpad")


@pytest.mark.parametrize(
    ("stored", "added"),
    [
        (b"a\r\nb\r\n", b"a\r\nb\r\nc\r\nd\r\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfa\nc\nd\n"),
        (b"a\r\nb", b"a\r\nb\r\nc\r\nd\r\n"),
    ],
)
def test_line_endings_and_byte_order_marks_survive_an_append(
    mem: Mem, store: Path, stored: bytes, added: bytes
) -> None:
    store.mkdir(parents=True)
    (store / "SCRATCHPAD.md").write_bytes(stored)
    mem.write("scratchpad", "c\nd")
    assert (store / "SCRATCHPAD.md").read_bytes() == added
