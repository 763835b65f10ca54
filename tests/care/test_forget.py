"""`memolith forget`: no byte of a fact is left, nothing else is lost, no import brings it back."""

import gzip
import json
from pathlib import Path

import pytest

from memolith import Mem, WriteMode, import_memory
from memolith.base.errors import PartialError, StorageError
from memolith.care import erase
from memolith.edges.cli import main
from memolith.hosts.hook import edge
from memolith.learn import run as learning
from memolith.learn.queue.queue import Queue
from memolith.memory.sessions import Session, Turn
from memolith.store import receipts

FACT = "The vault door opens with zebrafish7731."
MARK = b"zebrafish7731"


def session(mem: Mem, number: str = "1") -> None:
    turns = [
        Turn(number=1, role="user", text=f"Hello.\nRemember: {FACT}\nThanks.", time="", tool="", outcome=""),
        Turn(number=2, role="assistant", text=FACT, time="", tool="bash", outcome="ok"),
    ]
    fields = dict.fromkeys(("cwd", "mode", "project", "source", "started", "status", "ticket"), "")
    mem.sessions.add(Session(agent="claude", id=number, turns=turns, **fields))


def bytes_of(home: Path) -> list[str]:
    """Return the files of a home that have the mark, whatever they are."""
    found = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b""
            if MARK in (data + plain).lower():
                found.append(str(path.relative_to(home)))
    return found


@pytest.fixture
def planted(mem: Mem, tmp_path: Path) -> Mem:
    mem.write("long_term", f"- I like tea.\n- {FACT}\n- I like cake.")
    mem.write("scratchpad", f"- [ ] {FACT}\n- [ ] other")
    mem.write("daily", FACT)
    mem.remember(FACT, "The door")
    mem.remember(f"Some facts.\n\n- {FACT.upper()}\n- Water is wet.", "Facts")
    mem.write("note", f"{FACT}\nstays", name="edited")
    mem.write("note", "stays", WriteMode.OVERWRITE, name="edited")
    mem.records.add(FACT, category="principles", scope="project", title="Vault", keywords=["zebrafish7731"])
    mem.tickets.add("Open it", FACT)
    session(mem)
    (tmp_path / "CLAUDE.md").write_text(f"# Rules\n\n- {FACT}\n- Use tabs.\n")
    import_memory(mem, tmp_path / "CLAUDE.md")
    return mem


def forget(*arguments: str) -> int:
    return main(["forget", *arguments])


def test_no_byte_of_a_forgotten_fact_is_left_and_the_rest_stays(planted: Mem, work: Path) -> None:
    mem = planted
    assert main(["config", "set", "memories.enabled", "true"]) == 0
    mem.settings.reload()
    learning.run(mem, force=True)
    mem.recall("vault door")
    mem.context_block()
    assert len(bytes_of(Path(mem.home))) >= 8
    assert forget("ZEBRAFISH7731", "--yes", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []
    fresh = Mem.open(work)
    assert fresh.read("long_term") == "- I like tea.\n- I like cake.\n"
    assert fresh.read("note", "facts").endswith("Some facts.\n\n- Water is wet.\n")
    assert "the-door" not in str(fresh.list())
    assert fresh.read("note", "edited") == "stays"
    assert [turn.text for turn in fresh.sessions.get("claude-1").turns] == [
        "Hello.\n[forgotten]\nThanks.",
        "[forgotten]",
    ]
    assert fresh.recall("vault door zebrafish7731").hits == []
    assert fresh.index.sync(["", fresh.project]).complete


@pytest.mark.usefixtures("planted")
def test_what_was_forgotten_does_not_come_back_by_an_undo_or_an_import(work: Path, tmp_path: Path) -> None:
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    mem = Mem.open(work)
    edited = f"projects/{mem.project}/notes/edited.md"
    for version in mem.gate.history.versions(edited):
        mem.undo(edited, version.id)
    session(mem)
    session(mem, "2")
    import_memory(mem, tmp_path / "CLAUDE.md")
    assert bytes_of(Path(mem.home)) == []
    mem.write("note", FACT, name="again")  # who writes it anew wants it
    assert FACT in mem.read("note", "again")


def test_a_dry_run_tells_where_it_is_and_changes_nothing(
    planted: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = bytes_of(Path(planted.home))
    assert forget("zebrafish7731", "--dry-run", "--json", "--project", str(work)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["forgotten"] is False
    assert len(told["places"]) >= 8
    assert bytes_of(Path(planted.home)) == before
    assert forget("zebrafish7731", "--project", str(work)) == 2  # nobody can be asked here
    assert bytes_of(Path(planted.home)) == before


def test_another_project_keeps_what_it_knows_unless_all_are_meant(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for each in (mem, Mem.open(other)):
        each.write("note", FACT, name="fact")
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert Mem.open(other).read("note", "fact") == f"{FACT}\n"
    assert forget("zebrafish7731", "--yes", "--all", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []


@pytest.mark.parametrize("text", ["", "abc", "two\nlines here"])
def test_a_text_that_says_too_little_is_refused(mem: Mem, work: Path, text: str) -> None:
    mem.write("note", "abc two", name="fact")
    assert forget(text, "--yes", "--project", str(work)) == 2
    assert mem.read("note", "fact") == "abc two\n"


@pytest.mark.usefixtures("mem")
def test_what_nobody_knows_cannot_be_forgotten(work: Path) -> None:
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 3


def test_what_was_extracted_and_waits_is_forgotten_too(mem: Mem, work: Path) -> None:
    with Queue(mem.home, mem.settings, mem.now) as queue:
        queue.database.update(
            "INSERT INTO outputs (project, session, source_watermark, started, raw_memory, rollout_summary,"
            " model, created) VALUES (?, 'claude-9', '1', '', ?, 'kept', 'x', 1)",
            mem.project,
            f"one\n{FACT}\ntwo",
        )
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []
    with Queue(mem.home, mem.settings, mem.now) as queue:
        assert [each.raw_memory for each in queue.extractions.all(mem.project)] == ["one\ntwo"]


@pytest.mark.usefixtures("planted")
def test_who_is_interrupted_while_forgetting_has_lost_no_hash_with_the_lines(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: lines were gone, their hashes were not kept, an import brought them back."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erase, "drop_cache", killed)
        forget("zebrafish7731", "--yes", "--project", str(work))
    mem = Mem.open(work)
    import_memory(mem, tmp_path / "CLAUDE.md")
    session(mem, "2")
    erase.drop_cache(mem.home)
    assert bytes_of(Path(mem.home)) == []


def test_a_file_that_could_not_be_cleaned_is_an_error(
    planted: Mem, work: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: the exit code was 0, and the fact was still there."""

    def full(*_: object) -> bool:
        raise StorageError("MEMORY.md", OSError(24, "Too many open files"))

    monkeypatch.setattr(erase, "PLACES", (("memory/", full), *erase.PLACES[1:]))
    assert forget("zebrafish7731", "--yes", "--json", "--project", str(work)) == PartialError.exit_code
    told = capsys.readouterr()
    assert json.loads(told.out)["forgotten"] is False
    assert "forget it again" in told.err
    assert bytes_of(Path(planted.home))


def test_files_that_are_called_after_what_is_forgotten_get_another_name(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove leaks`: a record learned from a session is named after its first words."""
    mem.remember("It opens on Mondays.", "Vault door zebrafish7731")
    mem.records.add(FACT, category="principles", scope="project")
    mem.write("note", "See [the door](vault-door-zebrafish7731.md).\nstays", name="other")
    row = {"session_id": "s", "cwd": str(work), "hook_event_name": "UserPromptSubmit"}
    edge.answer(json.dumps({**row, "prompt": "What opens the vault door on Mondays?"}).encode())
    mem.close()

    def names() -> list[Path]:
        return [path for path in Path(mem.home).rglob("*") if MARK.decode() in path.name]

    assert names()
    with monkeypatch.context() as patch:  # who is interrupted finds what is left
        patch.setattr(erase, "_in_names", lambda *_, **_more: [])
        assert forget("door zebrafish7731", "--yes", "--project", str(work)) == 0
    assert forget("door zebrafish7731", "--yes", "--project", str(work)) == 0
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert (names(), bytes_of(Path(mem.home))) == ([], [])
    fresh = Mem.open(work)
    assert fresh.read("note", "forgotten").endswith("It opens on Mondays.\n")
    assert "(forgotten.md)" in (fresh.context_block() or "")
    assert fresh.read("note", "other") == "stays\n"
    assert len(fresh.gate.history.entries(f"projects/{fresh.project}/notes/forgotten.md")) == 1


def test_a_note_that_came_without_a_forgotten_line_is_known_to_the_next_import(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    """Found by `prove faults`: each import made another copy of it."""
    mem.write("long_term", f"- {FACT}")
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "page.md").write_text(f"# Page\n\nText.\n\n{FACT}\n")
    import_memory(mem, vault)
    before = mem.list()
    assert [row.action for row in import_memory(mem, vault).rows] == ["known"]
    assert mem.list() == before
    assert bytes_of(Path(mem.home)) == []


@pytest.mark.parametrize("text", ["notes", "start", "memory"])
def test_words_of_a_receipt_stay_when_somebody_forgets_them(mem: Mem, text: str) -> None:
    """Only names of files are made of what was said; `start` and `notes` are our own."""
    directory = Path(mem.home) / "state" / "hooks"
    directory.mkdir(parents=True)
    line = "1.0\tstart-startup\tab.7\tprojects/x/notes/a-{}-b.md\tprojects/x/notes/MEMORY.md\n"
    (directory / "s1.log").write_text(line.format(text))
    (found,) = receipts.blank_name(str(mem.home), text, pytest.fail)
    assert found == (str(directory / "s1.log"), 1)
    assert (directory / "s1.log").read_text() == line.format("-" * len(text))


def test_the_name_of_a_projects_folder_stays_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "Zebrafish7731"
    here.mkdir()
    monkeypatch.chdir(here)
    with Mem.open() as mem:
        mem.write("daily", FACT)
    assert main(["forget", "zebrafish7731", "--yes"]) == PartialError.exit_code
    assert "project.yml" in capsys.readouterr().err
