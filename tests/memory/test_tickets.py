"""Tickets: pieces of work with notes and executions."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memolith import InputError, Mem, NotFoundError
from memolith.base.errors import TooLargeError
from memolith.edges.cli import main
from tests.ledger import proves


@proves("S3.43")
def test_a_ticket_is_a_file_with_all_its_fields(mem: Mem, store: Path) -> None:
    done = mem.tickets.add("Login fails", "Since 4.2.", type="bug", priority="high")
    path = store / "tickets" / "login-fails.md"
    assert done.filename == str(path)
    mem.tickets.note(done.id, "Cookies are fine.")
    mem.tickets.note(done.id, "It is the proxy.")
    mem.tickets.update(done.id, description="Since 4.2,\nonly Safari.", status="in_progress")
    ticket = mem.tickets.get("login")
    assert (ticket.title, ticket.type, ticket.priority, ticket.status) == (
        "Login fails",
        "bug",
        "high",
        "in_progress",
    )
    assert ticket.description == "Since 4.2,\nonly Safari."
    assert [note.split(" ", 2)[2] for note in ticket.notes] == ["Cookies are fine.", "It is the proxy."]
    assert "It is the proxy." in ticket.query
    mem.tickets.close(done.id)
    assert [each.status for each in mem.tickets.list()] == ["closed"]
    mem.tickets.delete(done.id)
    assert mem.tickets.list() == []
    mem.undo()
    assert mem.tickets.get(done.id).status == "closed"


@proves("S3.44")
def test_each_execution_of_a_ticket_is_a_source_of_its_own(mem: Mem, work: Path, tmp_path: Path) -> None:
    mem.tickets.add("Login fails")
    for attempt in ("a1", "b2"):
        turns = tmp_path / f"{attempt}.jsonl"
        turns.write_text(json.dumps({"role": "user", "text": f"attempt {attempt}"}) + "\n")
        code = main(
            [
                *f"session add {turns} --agent claude --id {attempt} --ticket login --mine".split(),
                "--project",
                str(work),
            ]
        )
        assert code == 0
    assert mem.tickets.get("login-fails").sessions == ["claude-a1", "claude-b2"]
    assert {session.ticket for session in mem.sessions.list()} == {"login-fails"}


def test_a_ticket_made_by_hand_needs_nothing_but_its_name(mem: Mem, store: Path) -> None:
    mem.write("scratchpad", "x")
    (store / "tickets").mkdir()
    (store / "tickets" / "ABC-42.md").write_text("# Retry is flaky\nSee the log.\n")
    ticket = mem.tickets.get("ABC")
    assert (ticket.id, ticket.title, ticket.status) == ("ABC-42", "Retry is flaky", "open")


def test_tickets_of_other_trackers_are_taken_over_and_updated(mem: Mem) -> None:
    rows: list[dict[str, object]] = [
        {"number": 12, "title": "One", "body": "first", "state": "OPEN"},
        {"key": "ABC-1", "summary": "Two"},
    ]
    assert [done.id for done in mem.tickets.load(rows)] == ["12", "ABC-1"]
    mem.tickets.note("12", "mine")
    mem.tickets.load([{"number": 12, "title": "One!", "state": "resolved", "type": "epic"}])
    ticket = mem.tickets.get("12")
    assert (ticket.title, ticket.status, ticket.type, ticket.description) == (
        "One!",
        "done",
        "generic",
        "first",
    )
    assert len(ticket.notes) == 1
    with pytest.raises(InputError, match="without a title"):
        mem.tickets.load([{"id": 3}])


@pytest.mark.parametrize("number", ["../x", "a/b", "", " ", "x" * 99, "con", "ü"])
def test_an_id_that_cannot_be_a_file_is_refused(mem: Mem, number: str) -> None:
    with pytest.raises(InputError):
        mem.tickets.add("Title", ticket_id=number)


def test_wrong_values_are_named_with_the_right_ones(mem: Mem) -> None:
    with pytest.raises(InputError, match="unknown type 'epic'; one of bug, feature, document, generic"):
        mem.tickets.add("T", type="epic")
    with pytest.raises(NotFoundError, match="ticket list"):
        mem.tickets.get("nothing")
    mem.tickets.add("T")
    with pytest.raises(InputError, match="what should change"):
        mem.tickets.update("t")
    with pytest.raises(InputError, match="already"):
        mem.tickets.add("Other", ticket_id="T")


def test_who_notes_something_at_the_same_time_as_others_loses_nothing(mem: Mem) -> None:
    """Found by `prove races`: a note was added to what the ticket had been before another one came."""
    mem.tickets.add("Login", ticket_id="t")
    wanted = [f"note{number}" for number in range(24)]

    def note(text: str) -> None:
        with Mem.open(mem.identity.root) as other:
            other.tickets.note("t", text)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(note, wanted))
    assert sorted(note.split()[-1] for note in mem.tickets.get("t").notes) == sorted(wanted)


@proves("S0.19")
def test_each_text_of_a_ticket_may_have_65536_bytes_and_none_has_more(mem: Mem) -> None:
    most = "w" * 65_536
    one = mem.tickets.add("One", most).id
    mem.tickets.update(one, description="d" * 65_536)
    mem.tickets.note(one, most)
    found = mem.tickets.get(one)
    assert (found.description.strip(), len(found.notes)) == ("d" * 65_536, 1)
    with pytest.raises(TooLargeError, match="65,537"):
        mem.tickets.note(one, f"{most}w")
    with pytest.raises(TooLargeError, match="65,537"):
        mem.tickets.update(one, description=f"{most}w")
    with pytest.raises(TooLargeError, match="65,537"):
        mem.tickets.replace(one, "d" * 65_536, f"{most}w")
    with pytest.raises(TooLargeError, match="65,537"):
        mem.tickets.add(f"{most}w")
    assert mem.tickets.get(one).notes == found.notes
