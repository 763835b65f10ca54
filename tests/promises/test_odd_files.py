"""A file of the memory that is no regular file is read by nobody, and named by every answer that lacks it."""

import gzip
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from prove import ask

from memolith import Mem
from memolith.base.whole import NOT_TEXT, NOT_WRITTEN
from memolith.edges.cli import main
from memolith.edges.mcp import handlers, tools
from memolith.memory.sessions import Session, Turn
from tests.ledger import proves


def link(path: Path) -> None:
    path.symlink_to(path.parents[1] / "elsewhere")


def lost(path: Path) -> None:
    path.symlink_to("/nowhere/x.md")


def bound(path: Path) -> None:
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)  # the path of a socket is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


ODD = [link, lost, os.mkfifo, bound, os.mkdir]
PLACES = [
    "notes/odd.md",
    "records/decisions/odd.md",
    "records/preferences/odd.md",
    "tickets/odd.md",
    "daily/2020-01-01.md",
    "SCRATCHPAD.md",
    "daily",
]
RECALL = next(each for each in tools.offered(read_only=True) if each["name"] == "recall")
IN_BLOCK = ("notes/odd.md", "records/preferences/odd.md", "SCRATCHPAD.md", "daily")


@proves("S0.80")
@pytest.mark.parametrize("odd", ODD, ids=lambda made: str(made.__name__))
@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_regular_file_is_named_by_every_answer(
    place: str, odd: Callable[[Path], None], mem: Mem, store: Path
) -> None:
    mem.write("long_term", "- zebras have stripes")
    path = store / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if (place, odd) == ("daily", os.mkdir):
        return  # as it should be
    odd(path)
    for _ in range(2):  # also when nothing has changed since
        found = {
            "search": mem.search("zebras").missing,
            "recall": mem.recall("zebras").missing,
            "list": mem.list().missing,
            "server": [str(handlers.call(lambda: mem, RECALL, {"query": "zebras"}))],
        }
        if place in IN_BLOCK:
            found["block"] = [mem.context_block() or ""]
        assert [where for where, said in found.items() if path.name not in "\n".join(said)] == []


@proves("S0.80")
def test_records_and_tickets_behind_a_link_hide_no_others_and_are_named(
    mem: Mem, store: Path, tmp_path: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.records.add("Zebras have stripes.", category="decisions", scope="user")
    for folder in ("records", "tickets"):
        (tmp_path / folder / "decisions").mkdir(parents=True)
        (store / folder).parent.mkdir(parents=True, exist_ok=True)
        (store / folder).symlink_to(tmp_path / folder)
    assert [record.title for record in mem.records.list()] == ["Zebras have stripes."]
    assert mem.tickets.list() == []
    for line in (["record", "list"], ["ticket", "list"], ["status"], ["list", "records"]):
        code = main(["--project", str(work), *line])
        said = capfd.readouterr()
        assert (line, code, "symbolic link" in said.err) == (line, 16, True)


@proves("S0.80")
def test_a_link_in_the_place_of_a_category_is_named(mem: Mem, store: Path, tmp_path: Path) -> None:
    mem.records.add("Zebras have stripes.", category="decisions", scope="project")
    (store / "records/decisions").rename(tmp_path / "decisions")
    (store / "records/decisions").symlink_to(tmp_path / "decisions")
    for found in (mem.search("zebras"), mem.recall("zebras"), mem.list()):
        assert not found.complete
        assert "records/decisions" in "".join(found.missing)


@proves("S0.80")
def test_a_file_that_became_a_link_costs_the_log_its_own_lines_alone(
    mem: Mem, store: Path, work: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    mem.write("long_term", "- zebras have stripes")
    mem.write("scratchpad", "- [ ] feed the zebras")
    (store / "SCRATCHPAD.md").unlink()
    link(store / "SCRATCHPAD.md")
    assert main(["log", "--days", "3650"]) == 16
    said = capfd.readouterr()
    assert "zebras have stripes" in said.out
    assert "SCRATCHPAD.md: is a symbolic link" in said.err


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "not gzip": lambda _: b"\0garbage",
    "truncated": lambda data: data[:40],
    "one bit": lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
    "empty": lambda _: b"",
    "no session": lambda _: gzip.compress(b"[1]\n"),
}


@proves("S0.80")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_copy_of_a_session_is_named_by_every_answer_and_read_once(
    damage: str, mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    turns = [Turn(number=1, role="user", text="The zebra service listens on port 6380.")]
    for name in ("bad", "good"):
        made = mem.sessions.add(Session(agent="claude", id=name, turns=turns))
    bad = Path(made.filename).with_name("claude-bad.jsonl.gz")
    bad.write_bytes(DAMAGE[damage](bad.read_bytes()))
    for _ in range(2):
        for found in (mem.recall("zebra port", semantic=False), mem.search("zebra", sessions=True)):
            assert (found.complete, [str(bad) in each for each in found.missing]) == (False, [True])
    assert str(bad.name) in str(handlers.call(lambda: mem, RECALL, {"query": "zebra port"}))
    assert (mem.index.sync([mem.project]).changed, mem.index.status([mem.project]).changed) == (0, 0)
    place = ["--project", str(work)]
    for line in (["recall", "zebra port"], ["session", "list"], ["session", "show"], ["status"], ["doctor"]):
        code, said = main([*line, *place, "--json"]), capfd.readouterr()
        assert (line, code, str(bad) in said.err, '"complete": false' in said.out) == (line, 16, True, True)
    assert bad.name in ask.hook("UserPromptSubmit", work, home=Path(mem.home), prompt="zebra port?")
    assert main(["session", "rm", "bad", "--yes", *place]) == 0
    assert mem.recall("zebra port", semantic=False).complete


@proves("S0.80")
@pytest.mark.parametrize("odd", ODD[:3], ids=lambda made: str(made.__name__))
@pytest.mark.parametrize("place", ["notes/odd.md", "daily/2020-01-01.md"])
def test_what_looks_through_everything_names_what_it_could_not_look_into(
    place: str,
    odd: Callable[[Path], None],
    mem: Mem,
    store: Path,
    work: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    mem.remember("The zebra port is 6380.", "Port")
    (store / place).parent.mkdir(exist_ok=True)
    odd(store / place)
    name = (store / place).name
    here = ["--project", str(work)]
    for line in (
        ["scan", "--json"],
        ["scan"],
        ["export", str(tmp_path / "a.tar.gz")],
        ["forget", "zebra", "--dry-run"],
        ["forget", "zebra", "--yes"],
        ["forget", "zebra", "--yes"],
    ):
        code, said = main([*line, *here]), capfd.readouterr()
        assert (line, code, name in said.out + said.err) == (line, 16, True)
        assert not said.out.startswith("No secrets in 0")
        assert "--json" not in line or '"complete": false' in said.out


@proves("S0.80")
def test_a_file_of_zeros_which_a_power_loss_may_leave_is_named(mem: Mem, store: Path) -> None:
    mem.remember("The zebra port is 6380.", "Port")
    (store / "notes/port.md").write_bytes(bytes(60))
    assert f"notes/port.md: {NOT_WRITTEN}" in (mem.context_block() or "")
    for found in (mem.recall("zebra", semantic=False), mem.search("zebra")):
        assert [each.rpartition("/")[2] for each in found.missing] == [f"port.md: {NOT_WRITTEN}"]


@proves("X.21", "S0.80")
def test_a_file_that_is_not_utf8_is_shown_and_named(
    mem: Mem, store: Path, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.remember("The zebra port is 6380.", "Port")
    (store / "notes/odd.md").write_bytes("zebras like caf\u00e9s and ".encode() + b"caf\xe9\n")
    (store / "notes/whole.md").write_text("zebras like cafes")
    for _ in range(3):  # what is known of a note is kept once its time is settled
        assert f"notes/odd.md: {NOT_TEXT}" in (mem.context_block() or "")
        for found in (mem.recall("zebras", semantic=False), mem.search("zebras")):
            assert [each.rpartition("/")[2] for each in found.missing] == [f"odd.md: {NOT_TEXT}"]
    for line in (["show", "odd"], ["search", "zebras"], ["recall", "zebras"]):
        code, said = main([*line, "--json", "--project", str(work)]), capfd.readouterr()
        assert (code, "caf\ufffd" in said.out, '"complete": false' in said.out) == (16, True, True)
