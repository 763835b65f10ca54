"""A file that the disk gives no answer about is not taken for missing. All found by `prove faults`."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem, StorageError, import_memory
from memolith.base.errors import PartialError
from memolith.edges.cli import main
from memolith.learn import run
from memolith.memory.sessions import Session, Turn

FACT = "Please remember: the gateway listens on port 4431."


@contextlib.contextmanager
def unanswered(name: str, only: int | None = None, folder: Path | None = None) -> Iterator[None]:
    """Let every look into a file with this name (in a folder) fail, or the one of that number.

    As if too many files were open.
    """
    real, looks = os.open, [0]

    def refuse(path: Any, *arguments: Any, **more: Any) -> int:
        is_there = folder is None or os.path.samestat(os.stat(more.get("dir_fd") or "."), folder.stat())
        if os.path.basename(os.fspath(path)) == name and is_there:
            looks[0] += 1
            if only in (None, looks[0]):
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), path)
        return real(path, *arguments, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        yield


@pytest.fixture
def learned(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> Mem:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    turn = Turn(number=1, role="user", text=FACT, time="2026-11-01T10:00:00Z")
    mem.sessions.add(Session(agent="claude", id="s1", started=turn.time, turns=[turn]))
    run.run(mem, force=True, model="none")
    assert len(mem.records.list()) == 1
    return mem


def test_clearing_tells_that_a_record_cannot_be_read_and_takes_nothing_back(
    learned: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = os.path.basename(learned.records.list()[0].filename)
    command = ["memory", "clear", "--yes", "--project", str(work)]
    with unanswered(name):
        assert main(command) == StorageError.exit_code
    assert name in capsys.readouterr().err
    assert "4431" in (learned.context_block() or "")
    assert main(command) == 0
    assert learned.records.list() == []


def test_a_session_that_cannot_be_read_is_told_and_learned_from_by_the_next_run(
    learned: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["learn", "run", "--force", "--model", "none", "--project", str(work)]
    with unanswered("claude-s1.jsonl.gz"):
        # 16 if a run could go on with the others, 8 if not even the first look was answered.
        assert main(command) in (PartialError.exit_code, StorageError.exit_code)
    capsys.readouterr()
    assert main(command) == 0
    assert len(learned.records.list()) == 1


def test_lines_of_ours_do_not_become_somebody_elses(learned: Mem, work: Path) -> None:
    with unanswered("generated.txt", only=1), pytest.raises(StorageError):
        run.run(learned, force=True, model="none")
    assert main(["memory", "clear", "--yes", "--project", str(work)]) == 0
    assert "4431" not in (learned.context_block() or "")


def test_a_session_is_forgotten_by_the_next_run_if_its_record_could_not_be_read(learned: Mem) -> None:
    (record,) = learned.records.list()
    learned.sessions.delete("claude-s1")
    with unanswered(os.path.basename(record.filename)):
        assert run.run(learned, force=True, model="none").failed == 1
    assert [each.id for each in learned.records.list()] == [record.id]
    run.run(learned, force=True, model="none")
    assert learned.records.list() == []


def test_a_record_that_cannot_be_read_is_not_added_a_second_time(mem: Mem) -> None:
    first = mem.records.add("We use pnpm.", category="decisions", scope="project", title="Packages")
    with unanswered(os.path.basename(first.filename)), pytest.raises(StorageError):
        mem.records.add("We use pnpm.", category="decisions", scope="project", title="Packages")
    assert [record.id for record in mem.records.list()] == [first.id]


def test_nothing_is_imported_while_the_list_of_what_was_forgotten_cannot_be_read(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    mem.write("long_term", "- The door is called zebrafish7731.\n- Tea.")
    assert main(["forget", "zebrafish7731", "--yes", "--project", str(work)]) == 0
    (tmp_path / "CLAUDE.md").write_text("# Rules\n\n- The door is called zebrafish7731.\n- Use tabs.\n")
    with unanswered("forgotten.txt"), pytest.raises(StorageError):
        import_memory(mem, tmp_path / "CLAUDE.md")
    import_memory(mem, tmp_path / "CLAUDE.md")
    assert not [path for path in Path(mem.root).rglob("*.md") if b"zebrafish" in path.read_bytes()]


@pytest.mark.parametrize("name", ["topic.md", "notes"])
def test_an_archive_without_what_could_not_be_read_is_not_taken_for_whole(
    mem: Mem, work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    mem.write("note", "zebra", name="topic")
    with unanswered(name):
        code = main(["export", str(tmp_path / "out.tar.gz"), "--project", str(work)])
    told = capsys.readouterr()
    assert (code, "export again" in told.err) == (PartialError.exit_code, True)
    assert name in told.out


def test_a_path_is_not_given_to_a_second_project_while_its_owner_cannot_be_read(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    mem.write("note", "zebra", name="topic")
    (tmp_path / "other").mkdir()
    with Mem.open(tmp_path / "other") as other:
        other.write("note", "horse", name="topic")
    owner = Path(mem.root) / "projects" / mem.project / "project.yml"
    command = ["project", "link", other.project, "--project", str(work)]
    with unanswered("project.yml", folder=owner.parent):
        assert main(command) == StorageError.exit_code
    assert main(command) == 0
    assert str(work) not in owner.read_text().partition("apart:")[0]


def test_a_set_of_files_that_cannot_be_read_back_is_not_thrown_away(mem: Mem, work: Path) -> None:
    mem.write("note", "Run make.", name="topic")
    with unanswered("manifest"):
        assert main(["learn", "promote", "topic", "--project", str(work)]) == StorageError.exit_code
    mem.write("scratchpad", "- [ ] next")  # whoever comes next finishes it
    assert list(Path(mem.root).rglob("skills/topic/SKILL.md"))
    assert "SKILL.md" in mem.read("note", "topic")


def test_adopting_says_when_a_note_could_not_be_read(mem: Mem, tmp_path: Path) -> None:
    mem.remember("The gateway listens on 4431.", "Gateway")
    mem.remember("Deploys go out on Tuesdays.", "Deploys")
    other = tmp_path / "other"
    other.mkdir()
    place = ["--home", str(mem.home), "--project", str(other)]
    with unanswered("gateway.md"):
        assert main([*place, "project", "adopt", mem.project]) == PartialError.exit_code
    new = Mem.open(other, home=mem.home)
    assert [os.path.basename(path) for path in new.list()] == ["deploys.md"]
    assert main([*place, "project", "adopt", mem.project]) == 0
    assert [os.path.basename(path) for path in new.list()] == ["deploys.md", "gateway.md"]
