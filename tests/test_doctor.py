"""`doctor` finds what is wrong, says nothing about a clean store, and repairs only what is safe."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.doctor import examine, repair
from tests.ledger import proves

Break = Callable[[Mem, Path], None]


def kinds(mem: Mem) -> list[tuple[str, str]]:
    return [(finding.kind, finding.path.rpartition("/")[2]) for finding in examine(mem)]


@pytest.fixture
def full(mem: Mem) -> Mem:
    mem.write("long_term", "- a fact\n- another fact")
    mem.remember("body", "A note")
    mem.remember("body", "User note", scope="user")
    mem.write("scratchpad", "- [ ] x")
    mem.write("scratchpad", "- [ ] y", "overwrite")
    mem.append_daily("h", "b")
    mem.edit("note", "---\nbody", "---\ntext", "a-note")
    return mem


def write(name: str, text: str) -> Break:
    def apply(_: Mem, store: Path) -> None:
        path = store / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)

    return apply


def loosen(_: Mem, store: Path) -> None:
    (store / "SCRATCHPAD.md").chmod(0o644)


def stray(_: Mem, store: Path) -> None:
    (store / ".tmp" / "notes%2Fa-note.md.0").write_text("half a thought")


def symlink(_: Mem, store: Path) -> None:
    os.symlink("/etc/hostname", store / "notes" / "host.md")


def fifo(_: Mem, store: Path) -> None:
    os.mkfifo(store / "pipe.md", 0o600)


def orphan(mem: Mem, _: Path) -> None:
    Path(mem.identity.root).rmdir()


def nameless(_: Mem, store: Path) -> None:
    (store / "project.yml").unlink()


def repeat(mem: Mem, _: Path) -> None:
    (mem.root / "MEMORY.md").write_text("- Uses tabs.\n- uses   TABS!\n")


def config(text: str) -> Break:
    def apply(mem: Mem, _: Path) -> None:
        Path(mem.settings.path).write_text(text)

    return apply


FAULTS: dict[str, tuple[Break, tuple[str, str], bool]] = {
    "a note without a line": (write("notes/new.md", "x\n"), ("index", "MEMORY.md"), True),
    "a line without its note": (
        write("notes/MEMORY.md", "- [A note](a-note.md)\n- [Gone](gone.md)\n"),
        ("index", "MEMORY.md"),
        True,
    ),
    "a note listed twice": (
        write("notes/MEMORY.md", "- [A note](a-note.md)\n- [A](a-note.md)\n"),
        ("index", "MEMORY.md"),
        True,
    ),
    "broken frontmatter": (
        write("notes/a-note.md", "---\na: [b\n---\nx\n"),
        ("frontmatter", "a-note.md"),
        False,
    ),
    "an open frontmatter": (write("notes/a-note.md", "---\nname: x\n"), ("frontmatter", "a-note.md"), False),
    "a secret typed by hand": (
        write("notes/a-note.md", "x\nkey AKIA" + "QYLPMN5HFIQR7XYA\n"),
        ("secret", "a-note.md"),
        False,
    ),
    "an oversize file": (write("notes/a-note.md", "x\n" * 40_000), ("oversize", "a-note.md"), False),
    "merge conflict markers": (
        write("SCRATCHPAD.md", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"),
        ("conflict", "SCRATCHPAD.md"),
        False,
    ),
    "lines that say the same": (repeat, ("duplicate", "MEMORY.md"), False),
    "a file others can read": (loosen, ("permissions", "SCRATCHPAD.md"), True),
    "a leftover of a crash": (stray, ("stray", "notes%2Fa-note.md.0"), True),
    "a symbolic link": (symlink, ("link", "host.md"), False),
    "a pipe": (fifo, ("special", "pipe.md"), False),
    "a project whose directory is gone": (orphan, ("orphan", "project.yml"), False),
    "a project without identity": (nameless, ("project", "project.yml"), False),
    "a broken identity": (write("project.yml", "paths: {x\n"), ("project", "project.yml"), False),
    "names that differ in case only": (write("notes/A-Note.md", "x\n"), ("twin", "a-note.md"), False),
    "an unknown setting": (config("indentity: cwd\n"), ("config", "config.yml"), False),
    "a bad value": (config("identity: maybe\n"), ("config", "config.yml"), False),
    "a broken config": (config("a: [\n"), ("config", "config.yml"), False),
}


@proves("X.18")
def test_a_clean_store_has_no_findings(full: Mem) -> None:
    assert examine(full) == []


@proves("X.18", "S1.19", "S4.15")
@pytest.mark.parametrize("fault", FAULTS)
def test_doctor_finds_a_fault_and_fixes_it_if_that_is_safe(full: Mem, store: Path, fault: str) -> None:
    apply, expected, fixable = FAULTS[fault]
    apply(full, store)
    fresh = Mem.open(full.identity.root)
    assert expected in kinds(fresh)
    if "config" in fault or "value" in fault or "setting" in fault:
        return
    repair(fresh)
    assert (expected in kinds(fresh)) is not fixable
    after = kinds(fresh)
    assert repair(fresh) == []
    assert kinds(fresh) == after


def test_a_file_that_is_not_utf8_is_reported(full: Mem, store: Path) -> None:
    (store / "notes" / "a-note.md").write_bytes(b"caf\xe9\n")
    assert ("encoding", "a-note.md") in kinds(full)


def test_fixing_a_leftover_keeps_its_text_in_the_history(full: Mem, store: Path) -> None:
    stray(full, store)
    repair(full)
    assert not list((store / ".tmp").iterdir())
    keeper = full.gate.history
    newest = keeper.versions(full.find_file("a-note"))[0]
    assert newest.op == "unfinished"
    assert keeper.read(newest.filename, newest.id) == b"half a thought"


def test_the_secret_itself_is_never_printed(full: Mem, store: Path) -> None:
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    (store / "notes" / "a-note.md").write_text(f"one\ntwo {key}\n")
    (found,) = [finding for finding in examine(full) if finding.kind == "secret"]
    assert "line 2" in found.message
    assert key not in repr(found)


def test_doctor_on_an_empty_home_creates_nothing(mem: Mem) -> None:
    assert examine(mem) == []
    assert not Path(mem.home).exists()
