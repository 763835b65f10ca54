"""Several files are changed as one: kill -9, hand edits and lost leases leave the whole old or new set."""

import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from prove.lines import kept

from memolith import ConflictError, Mem
from memolith.base.errors import StorageError
from memolith.care.doctor import examine, repair
from memolith.edges.cli import main
from memolith.env.paths import Tree
from memolith.memory.document import MARKER
from memolith.store import files, writeset
from memolith.store.writeset import Edit, base_of
from tests.ledger import proves

ABOVE = "# Mine\n\n- by hand\n"
OLD = {"memory_summary.md": "old summary\n", "skills/a/SKILL.md": "old skill\n", "raw_memories.md": "old\n"}
NEW = {"memory_summary.md": "new summary\n", "skills/b/SKILL.md": "new skill\n", "raw_memories.md": "new\n"}


def texts(store: Path) -> dict[str, str]:
    """Return the files of a project but for its identity."""
    return {
        str(path.relative_to(store)): path.read_text(encoding="utf-8")
        for path in sorted(store.rglob("*"))
        if path.is_file() and path.name != "project.yml"
    }


def edits(mem: Mem, store: Path) -> list[Edit]:
    """Return the changes from what is there to the new set."""
    now = texts(store)
    top = f"projects/{mem.project}"
    rows = [
        Edit(path=f"{top}/{name}", marker="", base=base_of(now.get(name)), new=NEW.get(name))
        for name in sorted({*OLD, *NEW})
    ]
    below = base_of(now.get("MEMORY.md"), MARKER)
    return [Edit(path=f"{top}/MEMORY.md", marker=MARKER, base=below, new="- new\n"), *rows]


@pytest.fixture
def old(mem: Mem, store: Path) -> Path:
    """Return the directory of a project that holds the old set."""
    mem.register()
    for name, text in {**OLD, "MEMORY.md": f"{ABOVE}{MARKER}\n- old\n"}.items():
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text(text, encoding="utf-8")
    return store


AFTER = {**NEW, "MEMORY.md": f"{ABOVE}{MARKER}\n- new\n"}
BEFORE = {**OLD, "MEMORY.md": f"{ABOVE}{MARKER}\n- old\n"}


def test_a_set_is_written_and_nothing_is_left_over(mem: Mem, old: Path) -> None:
    done = mem.gate.commit(mem.project, edits(mem, old))
    assert texts(old) == AFTER
    assert len(done.changed) == 5
    assert not (old / "skills" / "a").exists()
    assert list(mem.root.rglob(".tmp/*")) == []
    assert {b"old summary\n", b"old skill\n"} <= kept(mem)
    assert mem.gate.commit(mem.project, edits(mem, old)).changed == []


def test_one_undo_takes_back_the_whole_set(mem: Mem, old: Path, work: Path) -> None:
    mem.gate.commit(mem.project, edits(mem, old))
    assert main(["undo", "--project", str(work)]) == 0
    assert texts(old) == BEFORE


def test_a_file_that_is_not_what_the_set_was_made_from_stops_all_of_it(mem: Mem, old: Path) -> None:
    wanted = edits(mem, old)
    (old / "raw_memories.md").write_text("a person was here\n")
    with pytest.raises(ConflictError, match=r"raw_memories\.md"):
        mem.gate.commit(mem.project, wanted)
    assert texts(old) == {**BEFORE, "raw_memories.md": "a person was here\n"}
    assert list(mem.root.rglob(".tmp/*")) == []


# ---------------------------------------------------------------- crashes


CALLS = ("open", "write", "fsync", "rename", "unlink", "mkdir", "rmdir", "link")


def killed_at(count: int, work: Path, act: Callable[[Mem], object], *, before: bool) -> bool:
    """Run `act` in a child that is killed at its `count`th file call; tell whether it came so far."""
    child = os.fork()
    if child:
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])
    try:
        mem = Mem.open(work)
        left = [count]

        def trap(real: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **more: object) -> object:
                left[0] -= 1
                if left[0] == 0 and before:
                    os.kill(os.getpid(), signal.SIGKILL)
                try:
                    return real(*arguments, **more)
                finally:
                    if left[0] == 0:
                        os.kill(os.getpid(), signal.SIGKILL)

            return call

        _ = mem.gate.history, mem.identity
        for name in CALLS:
            setattr(os, name, trap(getattr(os, name)))
        real = files._rename_with
        setattr(files, "_rename_with", trap(real))  # noqa: B010 - the exchange, which is not in `os`
        act(mem)
    finally:
        os._exit(0)


def seed(old: Path) -> Callable[[], None]:
    """Return what brings the old set back, with nothing else in the project."""
    home = old.parents[2]
    copy = home.parent / "seed"
    shutil.copytree(home, copy)

    def again() -> None:
        shutil.rmtree(home)
        shutil.copytree(copy, home)

    return again


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@proves("S2.48")
def test_a_kill_at_any_file_call_leaves_the_whole_old_or_the_whole_new_set(
    old: Path, work: Path, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each in a long run, else at every eleventh; a kill does not ask what the disk has, so no sync."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    again = seed(old)
    seen = []
    step = 1 if settings.get_current_profile_name() == "long" else 11
    for count in range(1 + before, 2000, step):
        reached = killed_at(
            count, work, lambda mem: mem.gate.commit(mem.project, edits(mem, old)), before=before
        )
        Mem.open(work).context_block()  # any reader finishes what was begun
        found = texts(old)
        assert found in (BEFORE, AFTER) or not reached, (count, found)
        if not reached:
            assert found == AFTER
            break
        seen.append(found == AFTER)
        next_one = Mem.open(work)
        next_one.write("scratchpad", "- next\n")
        assert texts(old) == {**found, "SCRATCHPAD.md": "- next\n"}
        assert list(next_one.root.rglob(".tmp/*")) == []
        again()
    assert len(seen) > 60 // step
    assert seen == sorted(seen)  # old up to one moment, new from there on
    assert set(seen) == {True, False}


@proves("S2.48", "X.6")
def test_what_a_person_saved_after_a_crash_is_never_written_over(mem: Mem, old: Path, work: Path) -> None:
    with mem.gate.scope(mem.project):
        writeset.stage(Tree(str(mem.root)), mem.project, edits(mem, old), "learn")
    assert texts(old).keys() > BEFORE.keys()
    (old / "memory_summary.md").write_text("a person's\n")
    (old / "MEMORY.md").write_text(f"# Changed above\n{MARKER}\n- old\n")
    Mem.open(work).read()
    Mem.open(work).context_block()
    expected = {
        **AFTER,
        "memory_summary.md": "a person's\n",
        "MEMORY.md": f"# Changed above\n{MARKER}\n- new\n",
    }
    assert texts(old) == expected
    assert b"new summary\n" in kept(mem)


def test_a_reader_does_not_wait_for_a_live_writer(old: Path, work: Path) -> None:
    child = os.fork()
    if child == 0:
        try:
            live = Mem.open(work)
            with live.gate.scope(live.project):
                (old / ".tmp" / "set").mkdir(parents=True)
                os.kill(os.getpid(), signal.SIGSTOP)
        finally:
            os._exit(0)
    os.waitpid(child, os.WUNTRACED)
    try:
        assert Mem.open(work).context_block() is not None
        assert (old / ".tmp" / "set").exists()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    Mem.open(work).context_block()
    assert not (old / ".tmp" / "set").exists()


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[]",
        "{",
        '{"op": "learn-abc123", "edits": [{"path": "projects/other/x.md"}]}',
        '{"op": "learn-abc123", "edits": [{"path": "../x", "base": null, "marker": "", "new": null}]}',
        '{"op": "x", "edits": [{"path": "MEMORY.md", "base": null, "marker": "", "new": null}]}',
    ],
)
def test_a_manifest_that_is_not_ours_changes_nothing_and_goes(mem: Mem, old: Path, manifest: str) -> None:
    (old / ".tmp" / "set").mkdir(parents=True)
    (old / ".tmp" / "set" / "manifest").write_text(manifest)
    mem.write("scratchpad", "- x\n")
    assert texts(old) == {**BEFORE, "SCRATCHPAD.md": "- x\n"}


def test_doctor_names_an_interrupted_set_and_finishes_it(mem: Mem, old: Path) -> None:
    folder = old / ".tmp" / "set"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "0").write_text("half")
    assert [each.kind for each in examine(mem) if "interrupted" in each.message] == ["stray"]
    repair(mem)
    assert not folder.exists()


# ---------------------------------------------------------------- the marker


@proves("X.6")
@pytest.mark.parametrize(
    "above",
    [
        "",
        "# Mine\n",
        "no newline at the end",
        "\ufeff# Mine\r\n\r\n- x\r\n",
        f"see `{MARKER}` there\n",
        "a\x0c\u2028b\n",
    ],
)
def test_text_above_the_marker_stays_byte_for_byte(mem: Mem, store: Path, above: str) -> None:
    mem.register()
    store.mkdir(parents=True, exist_ok=True)
    page = store / "MEMORY.md"
    page.write_bytes(above.encode())
    before = page.read_bytes()
    path = f"projects/{mem.project}/MEMORY.md"
    base = None
    for text in ("- one\n- two\n", "- three\n", ""):
        mem.gate.commit(mem.project, [Edit(path=path, marker=MARKER, base=base, new=text)])
        now = page.read_bytes() if page.exists() else b""
        assert now.startswith(before)
        assert (b"- three" in now) == ("three" in text)
        base = base_of(now.decode(), MARKER)
    assert now.rstrip() == before.rstrip()


def test_adopting_adds_above_the_marker_and_leaves_generated_text_behind(
    mem: Mem, store: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "work" / "other"
    elsewhere.mkdir()
    other = Mem.open(elsewhere)
    for each, text in ((mem, "- here"), (other, "- there")):
        each.register()
        page = each.root / "projects" / each.project / "MEMORY.md"
        page.write_text(f"{text}\n{MARKER}\n- generated {text}\n")
    mem.projects.adopt(other.project)
    assert (store / "MEMORY.md").read_text() == f"- here\n- there\n{MARKER}\n- generated - here\n"


@proves("X.6")
def test_an_editor_that_saves_all_the_time_loses_nothing_to_consolidations(
    mem: Mem, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line that was saved above the marker is in the file or in its history afterwards."""
    monkeypatch.setenv("MEMOLITH_HISTORY_VERSIONS", "100000")  # on a busy machine there are hundreds of saves
    page, path = old / "MEMORY.md", f"projects/{mem.project}/MEMORY.md"
    done = threading.Event()
    saved: list[str] = []

    def edit() -> None:
        while not done.is_set():
            line = f"- hand {len(saved):04}\n"
            text = page.read_text()
            if len(saved) % 2:
                page.write_text(line + text)
            else:
                (old / "x~").write_text(line + text)
                (old / "x~").rename(page)
            saved.append(line)

    editor = threading.Thread(target=edit)
    editor.start()
    try:
        for number in range(30):
            try:
                now = page.read_text()
                below = [Edit(path=path, marker=MARKER, base=base_of(now, MARKER), new=f"- set {number}\n")]
                mem.gate.commit(mem.project, below)
            except (ConflictError, StorageError):
                continue  # the editor put an older text back, or is too quick
    finally:
        done.set()
        editor.join()
    everything = page.read_text() + "".join(each.decode() for each in kept(mem))
    assert [line for line in saved if line not in everything] == []
    assert len(saved) > 5
    assert page.read_text().count(MARKER) == 1
