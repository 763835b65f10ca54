"""Links, swaps, special files and modes: nothing outside is read or written, whatever lies in the store."""

import contextlib
import gc
import gzip
import itertools
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import MemolithError, UnsafePathError
from memolith.care.doctor import examine, repair
from memolith.edges.cli import main
from memolith.edges.cli.app import cli, load_commands
from memolith.env import folders
from memolith.env.paths import Tree
from memolith.store import files
from tests.ledger import proves
from tests.shared import DATA, LONG, crossed
from tests.store import intruder

SECRET = "OUTSIDE-SECRET"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="swaps names with renameat2")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Return a directory that nothing may read or change."""
    path = tmp_path / "outside"
    path.mkdir()
    (path / "secret.md").write_text(f"- needle {SECRET}\n")
    return path


def state(directory: Path) -> dict[str, tuple[bytes, int, int]]:
    """Return everything in a directory: bytes, mode and time of the last change."""
    found = {}
    for path in sorted([directory, *directory.rglob("*")]):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(directory))] = (data, status.st_mode, status.st_mtime_ns)
    return found


def everything(mem: Mem) -> bytes:
    """Return the bytes of all regular files of a home, without those that are names of an outside file."""
    paths = [path for path in Path(mem.home).rglob("*") if path.is_file() and not path.is_symlink()]
    return b"\n".join(path.read_bytes() for path in paths if path.stat().st_nlink == 1)


# ---------------------------------------------------------------- swaps between check and use


def fill(mem: Mem) -> None:
    mem.write("long_term", "- a needle\n")
    mem.write("scratchpad", "- [ ] a needle\n")
    mem.write("daily", "a needle")
    for name in ("topic", "other"):
        mem.write("note", "- one needle\n", name=name)
        mem.write("note", "- another needle\n", "overwrite", name=name)
        mem.write("note", "- a needle\n", name=name, scope="user")
        mem.write("note", "- new needle\n", "overwrite", name=name, scope="user")


def operations(mem: Mem) -> Iterator[Callable[[], object]]:
    """Yield all that can be done with a memory, again and again."""
    for number in itertools.count():
        line = f"- needle {number}\n"
        for scope in ("project", "user"):
            yield partial(mem.write, "note", line, name="topic", scope=scope)
            yield partial(mem.read, "note", "topic", scope=scope)
            yield partial(mem.edit, "note", "needle", "pin", name="topic", scope=scope)
            yield partial(mem.write, "note", line, "overwrite", "topic", scope=scope)
            yield partial(mem.write, "note", "x", name=f"new-{number}", scope=scope)
            yield partial(mem.edit, "note", name=f"new-{number}", scope=scope)
            yield partial(mem.remember, "needle", f"Fact {number}", scope=scope)
        yield partial(mem.write, "daily", line)
        yield partial(mem.write, "scratchpad", line, "overwrite")
        yield partial(mem.write, "long_term", line, "overwrite")
        yield partial(mem.read, "scratchpad")
        yield mem.context_block
        yield lambda: [hit.body for hit in mem.search("needle secret")]
        yield partial(mem.undo, "topic")
        yield partial(mem.undo, "scratchpad")
        yield mem.list
        yield partial(examine, mem)
        yield partial(repair, mem)


def work_on(mem: Mem, count: int) -> tuple[int, int]:
    """Do many things; return how many went well and how many were refused. No outside byte may be seen."""
    went_well = refused = 0
    answers: list[object] = []
    for operation in itertools.islice(operations(mem), count):
        try:
            answers.append(operation())
            went_well += 1
        except MemolithError as error:
            answers.append(str(error))  # the error itself would hold on to all it saw
            refused += 1
    assert not [answer for answer in answers if SECRET in str(answer)]
    return went_well, refused


DIRECTORIES = ["memory", "memory/notes", "memory/.tmp", "memory/projects", "memory/projects/{}"]
DIRECTORIES += [f"memory/projects/{{}}/{name}" for name in ("notes", "daily", ".tmp")]
DIRECTORIES += ["history", "history/projects/{}/notes", "history/notes/topic.md", "state", "state/locks"]


def lookalike(real: Path, outside: Path) -> Path:
    """Return a directory outside with the names of a real one, and other bytes in each file."""
    copy = outside / "copy"
    shutil.copytree(real, copy)
    for path in copy.rglob("*"):
        if path.is_file() and path.suffix != ".lock":
            path.write_text(f"- needle {SECRET}\n")
            path.chmod(0o644)  # what `doctor` would like to change
    return copy


@linux
@pytest.mark.parametrize("place", DIRECTORIES)
def test_a_directory_that_is_swapped_for_a_link_all_the_time_leads_nowhere(
    mem: Mem, outside: Path, tmp_path: Path, place: str
) -> None:
    fill(mem)
    real = Path(mem.home, place.format(mem.project))
    real.mkdir(exist_ok=True)
    link = tmp_path / "link"
    link.symlink_to(lookalike(real, outside))
    before = state(outside)
    with intruder.swapping(real, link) as swaps:
        went_well, refused = work_on(mem, 10_000 // len(DIRECTORIES) + 1 if LONG else 50)
    assert state(outside) == before
    if real.is_symlink():
        intruder.exchange(str(real), str(link))
    assert SECRET.encode() not in everything(mem)
    assert swaps[0] > 100
    assert went_well > 0
    assert refused > 0
    mem.write("note", "- afterwards\n", name="topic")
    assert "afterwards" in mem.read("note", "topic")


@linux
@pytest.mark.parametrize(
    ("place", "kind"),
    crossed(["notes/topic.md", "SCRATCHPAD.md", "notes/MEMORY.md", "project.yml"], ["symbolic", "hard"]),
)
def test_a_file_that_is_swapped_for_a_link_all_the_time_leads_nowhere(
    mem: Mem, store: Path, outside: Path, place: str, kind: str
) -> None:
    fill(mem)
    before = state(outside)
    link = store / "link"
    (os.symlink if kind == "symbolic" else os.link)(outside / "secret.md", link)
    with intruder.swapping(store / place, link) as swaps:
        work_on(mem, 1250 if LONG else 50)
    assert state(outside) == before
    assert swaps[0] > 100
    assert SECRET.encode() not in everything(mem)


# ---------------------------------------------------------------- what may lie in a store

Make = Callable[[Path, Path], None]


def directory(path: Path, _: Path) -> None:
    path.mkdir()
    (path / "inside.md").write_text("x\n")


def unix_socket(path: Path, _: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def device(path: Path, _: Path) -> None:
    with contextlib.suppress(PermissionError):
        os.mknod(path, 0o20600, os.makedev(1, 5))


def foreign_owner(path: Path, _: Path) -> None:
    path.write_text("of somebody else\n")
    with contextlib.suppress(PermissionError):
        os.chown(path, 12_345, 12_345)


def sparse(path: Path, _: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10 << 30)


def deep_tree(path: Path, _: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)
    for _level in range(200):
        os.mkdir("a-rather-long-name-of-a-directory", dir_fd=here)
        below = os.open("a-rather-long-name-of-a-directory", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("x.md", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


def unreadable(path: Path, _: Path) -> None:
    path.write_text("x\n")
    path.chmod(0)


def text(content: Callable[[], str]) -> Make:
    def make(path: Path, _: Path) -> None:
        path.write_text(content(), encoding="latin-1")

    return make


def case_twins(path: Path, _: Path) -> None:
    for name in ("Deploy.md", "deploy.md"):
        path.with_name(name).write_text(f"needle of {name}\n")


def conflict_copies(path: Path, _: Path) -> None:
    for name in ("x.md", "x (conflicted copy).md", "x.sync-conflict-20260101.md", "x 2.md", "x.md.orig"):
        path.with_name(name).write_text(f"copy {name}\n")


def hidden(path: Path, _: Path) -> None:
    for name in (".x.md", "._x.md", ".x.md.swp", "x.md~", ".DS_Store", "#x.md#"):
        path.with_name(name).write_text(f"needle {SECRET}\n")


MANY = 1_000_000 if LONG else 300_000  # lines; both are more than a memory may have
HOSTILE: dict[str, Make] = {
    "symlink_outside": lambda path, outside: path.symlink_to(outside / "secret.md"),
    "symlink_dangling": lambda path, outside: path.symlink_to(outside / "new.md"),
    "symlink_loop": lambda path, _: path.symlink_to(path.name),
    "symlink_dir": lambda path, outside: path.symlink_to(outside),
    "dev_zero_link": lambda path, _: path.symlink_to("/dev/zero"),
    "hardlink_outside": lambda path, outside: path.hardlink_to(outside / "secret.md"),
    "fifo": lambda path, _: os.mkfifo(path),
    "socket": unix_socket,
    "device": device,
    "directory": directory,
    "unreadable": unreadable,
    "foreign_owner": foreign_owner,
    "sparse_10gb": sparse,
    "million_lines": text(lambda: "".join(f"line {number}\n" for number in range(MANY))),
    "short_lines": text(lambda: "x\n" * MANY),
    "one_long_line": text(lambda: "needle " * 1_000_000),
    "all_bytes": text(lambda: "".join(map(chr, range(256))) * 4096),
    "deep_tree": deep_tree,
    "case_twins": case_twins,
    "conflict_copies": conflict_copies,
    "hidden": hidden,
}
PLACES = ["projects/{}/notes/x.md", "MEMORY.md", "projects/{}/SCRATCHPAD.md", "projects/{}/notes/MEMORY.md"]
COMMANDS = [
    ["context"],
    ["search", "needle", "line", SECRET],
    ["list"],
    ["read", "note", "x"],
    ["read", "scratchpad"],
    ["read", "long_term"],
    ["status"],
    ["doctor"],
    ["write", "note", "x", "more"],
    ["write", "note", "x", "other", "--mode", "overwrite"],
    ["edit", "x", "--old", "line 7\n", "--new", "y"],
    ["write", "scratchpad", "- [ ] more"],
    ["write", "long_term", "- more"],
    ["rm", "x"],
    ["history"],
    ["undo", "x"],
    ["doctor", "--fix"],
    ["write", "note", "good", "still works"],
    ["read", "note", "good"],
    ["search", "pin"],
    ["context"],
]


@linux
@pytest.mark.parametrize(("kind", "place"), crossed(HOSTILE, PLACES))
def test_whatever_lies_in_the_store_leads_nowhere_and_takes_neither_time_nor_memory(
    mem: Mem, work: Path, outside: Path, kind: str, place: str
) -> None:
    mem.write("note", "- a pin\n", name="good")
    path = mem.root / place.format(mem.project)
    path.unlink(missing_ok=True)
    HOSTILE[kind](path, outside)
    before = state(outside)
    probe = intruder.Probe(Path(mem.home), work, COMMANDS)
    assert state(outside) == before
    assert not [command for command, out in probe.output.items() if SECRET in out and command[:6] != "search"]
    assert f"needle {SECRET}" not in "".join(probe.output.values())
    assert {code for code in probe.codes.values() if code not in (*range(14), 16)} == set()
    assert "Traceback" not in "".join(probe.output.values())
    assert "still works" in probe.output["read note good"]
    assert "a pin" in probe.output["search pin"]
    assert probe.codes["context"] in (0, 16)  # 16: it says that it is not whole
    assert max(probe.working.values()) < 1
    assert max(probe.waiting.values()) < 5  # opening a pipe would wait for ever
    assert probe.megabytes < 100


def test_every_kind_of_file_in_the_hostile_corpus_is_made_by_these_tests() -> None:
    corpus = DATA / "hostile" / "corpus.jsonl.gz"
    if not corpus.is_file():
        pytest.skip(f"there is no {corpus}; set MEMOLITH_DATA")
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    assert {row["gen"] for row in rows if row["cat"] == "E"} <= set(HOSTILE)


@proves("S0.76")
def test_a_file_that_is_too_large_to_be_a_memory_is_named_and_never_rewritten(mem: Mem, store: Path) -> None:
    mem.write("note", "needle", name="good")
    for name, text, reason in (
        ("bytes", "needle\n" + "x" * 5_000_000, "5,000,007 bytes, more than the 4,194,304"),
        ("lines", "needle\n" + "\n" * 300_000, "300,001 lines, more than the 200,000"),
    ):
        path = store / "notes" / f"{name}.md"
        path.write_text(text)
        for ask in (lambda n=name: mem.write("note", "more", name=n), lambda n=name: mem.read("note", n)):
            with pytest.raises(MemolithError, match=f"{name}.md: has {reason} of a memory; split it"):
                ask()
        assert path.read_text() == text
    found = mem.search("needle")
    assert [hit.name.rpartition("/")[2] for hit in found] == ["good.md"]
    assert [each.partition(": ")[0].rpartition("/")[2] for each in found.missing] == ["bytes.md", "lines.md"]


@proves("S0.76")
@pytest.mark.parametrize("text", ["x" * 4_194_303 + "\n", "x\n" * 200_000])
def test_a_file_that_is_as_large_as_a_memory_may_be_is_not_made_larger(
    mem: Mem, store: Path, text: str
) -> None:
    path = store / "notes" / "full.md"
    mem.write("note", "x", name="full")
    path.write_text(text)
    with pytest.raises(
        MemolithError, match=r"full.md: would have 4,194,30|full.md: would have 200,001 lines"
    ):
        mem.write("note", "more", name="full")
    assert path.read_text() == text
    assert mem.read("note", "full").startswith("x")
    mem.write("note", "less", "overwrite", "full")


@proves("S0.76")
def test_an_edit_that_makes_more_lines_of_fewer_bytes_is_refused_too(mem: Mem, store: Path) -> None:
    path = store / "notes" / "full.md"
    mem.write("note", "x", name="full")
    path.write_text(text := "x\n" * 199_999 + "needleword\n")
    with pytest.raises(MemolithError, match=r"full.md: would have 200,001 lines"):
        mem.edit("note", "needleword", "a\nb", "full")
    assert path.read_text() == text
    assert mem.edit("note", "needleword", "a", "full").bytes


def test_a_file_that_is_cut_short_while_it_is_read_is_read_again(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store / "notes" / "topic.md"
    mem.write("note", "long " * 10_000, name="topic")
    real = os.fstat

    def shrink(fd: int) -> os.stat_result:
        found = real(fd)
        if found.st_ino == path.stat().st_ino and found.st_size > 100:
            os.truncate(path, 4)
        return found

    monkeypatch.setattr(os, "fstat", shrink)
    assert mem.read("note", "topic") == "long"
    assert path.stat().st_size == 4


# ---------------------------------------------------------------- hard links


@proves("S2.12")
def test_a_hard_link_to_a_file_elsewhere_is_refused_with_the_way_out(
    mem: Mem, store: Path, outside: Path
) -> None:
    mem.write("note", "needle", name="good")
    path = store / "notes" / "x.md"
    path.hardlink_to(outside / "secret.md")
    before = state(outside)
    for operation in (
        lambda: mem.read("note", "x"),
        lambda: mem.write("note", "more", name="x"),
        lambda: mem.write("note", "more", "overwrite", name="x"),
        lambda: mem.edit("note", "needle", "pin", name="x"),
        lambda: mem.edit("note", name="x"),
    ):
        with pytest.raises(
            UnsafePathError, match=r"x\.md: has 2 names .* cp x\.md x\.md~ && mv x\.md~ x\.md"
        ):
            operation()
    assert [hit.name for hit in mem.search("needle")] == [f"projects/{mem.project}/notes/good.md"]
    assert SECRET not in (mem.context_block() or "")
    assert [each.kind for each in examine(mem) if "has 2 names" in each.message] == ["unreadable"]
    assert state(outside) == before
    shutil.copy(path, store / "notes" / "x.md~")
    (store / "notes" / "x.md~").rename(path)
    mem.write("note", "more", name="x")
    assert SECRET in mem.read("note", "x")
    assert state(outside) == before


def has_attributes(directory: Path) -> bool:
    """Tell whether the file system can hold the mark."""
    probe = directory / "probe"
    probe.touch()
    try:
        os.setxattr(probe, "user.memolith", b"")
    except (OSError, AttributeError):
        return False
    return True


def test_a_backup_that_shares_its_files_with_the_store_by_hard_links_costs_nothing(
    mem: Mem, tmp_path: Path
) -> None:
    if not has_attributes(tmp_path):
        pytest.skip("this file system holds no attributes")
    fill(mem)
    backup = tmp_path / "backup"
    shutil.copytree(mem.home, backup, copy_function=os.link)  # cp -al
    saved = {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()}
    assert "needle" in mem.read("note", "topic")
    assert len(mem.search("needle")) == 7
    assert not [each for each in examine(mem) if each.kind == "unreadable"]
    mem.write("note", "- later\n", name="topic")
    mem.write("note", "- other\n", "overwrite", name="topic")
    mem.edit("note", name="other")
    mem.undo("topic")
    assert {path: path.read_bytes() for path in saved} == saved


def test_a_second_name_that_an_interrupted_write_left_does_not_hide_the_memory(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where names cannot be exchanged, the old text has a second name for a moment."""
    if not has_attributes(Path(mem.home).parent):
        pytest.skip("this file system holds no attributes")
    path = store / "notes" / "topic.md"
    mem.write("note", "needle\n", name="topic")
    path.write_text("by hand\n")  # a file that memolith did not write
    path.with_name("new").write_text("by hand\n")
    path.with_name("new").rename(path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files, "exchange", lambda _one, _other: False)
        patch.setattr(files, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            mem.write("note", "more\n", name="topic")
    assert path.stat().st_nlink == 2
    assert mem.read("note", "topic") == "by hand\n"
    mem.write("note", "more\n", name="topic")
    assert mem.read("note", "topic") == "by hand\nmore\n"
    assert path.stat().st_nlink == 1
    assert not list(mem.root.rglob(".tmp/*"))


@proves("S0.27")
@pytest.mark.parametrize("attributes", [True, False])
def test_where_nothing_can_be_exchanged_no_memory_has_two_names_without_the_mark(
    mem: Mem, monkeypatch: pytest.MonkeyPatch, *, attributes: bool
) -> None:
    def refuse(*_: object, **_more: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(files, "_renames", [None])
    if not attributes:
        monkeypatch.setattr(os, "setxattr", refuse, raising=False)
        monkeypatch.setattr(os, "link", refuse)
    mem.write("long_term", "one\n")
    mem.write("long_term", "two\n", "overwrite")
    assert mem.read() == "two\n"
    mem.undo("MEMORY.md")
    assert mem.read() == "one\n"
    assert not list(mem.root.rglob(".tmp/*"))
    assert all(path.stat().st_nlink == 1 for path in Path(mem.home).rglob("*") if path.is_file())


# ---------------------------------------------------------------- the root, and paths in it


@proves("S2.12")
def test_a_memory_directory_that_is_a_link_is_refused_but_its_home_may_lie_behind_one(
    work: Path, tmp_path: Path
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "user").symlink_to("disk")
    mem = Mem.open(work, home=tmp_path / "user" / "home")
    mem.write("note", "needle", name="n")
    assert mem.read("note", "n") == "needle\n"
    mem.root.rename(tmp_path / "elsewhere")
    mem.root.symlink_to(tmp_path / "elsewhere")
    before = state(tmp_path / "elsewhere")
    for operation in (lambda: mem.write("long_term", "x"), lambda: mem.read("note", "n")):
        with pytest.raises(UnsafePathError, match="home/memory: is a symbolic link"):
            operation()
    block = mem.context_block() or ""
    assert "is a symbolic link" in block
    assert "needle" not in block
    assert len(mem.search("needle")) == 0
    assert [each.kind for each in examine(mem)] == ["link"]
    assert state(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("place", ["history", "history/MEMORY.md", "state", "state/locks"])
def test_a_link_in_the_rest_of_the_home_leads_nowhere_either(mem: Mem, outside: Path, place: str) -> None:
    mem.write("long_term", "one\n")
    shutil.rmtree(Path(mem.home, place))
    Path(mem.home, place).symlink_to(outside)
    before = state(outside)
    with contextlib.suppress(UnsafePathError):
        assert mem.write("long_term", "two\n", "overwrite").warnings
    with pytest.raises(MemolithError):
        mem.undo("MEMORY.md")
    examine(mem)
    assert state(outside) == before


@pytest.mark.parametrize("held_open", [True, False])
@pytest.mark.parametrize("linked", ["notes", ".tmp", "."])
def test_links_are_found_whether_or_not_directories_can_be_held_open(
    mem: Mem, store: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, linked: str, *, held_open: bool
) -> None:
    monkeypatch.setattr(folders, "_HELD_OPEN", held_open)
    fill(mem)
    work_on(mem, 60)
    assert "needle" in (mem.context_block() or "")
    mem.undo("SCRATCHPAD.md")
    (store / linked).rename(store.parent / "away")
    (store / linked if linked != "." else store).symlink_to(outside)
    before = state(outside)
    with pytest.raises(UnsafePathError, match="is a symbolic link"):
        mem.write("note", "x", name="topic")
    assert SECRET not in (mem.context_block() or "")
    assert state(outside) == before


@pytest.mark.parametrize("path", ["", ".", "..", "a//b", "/a", "a/", "a/./b", "a/../b", "a\0b"])
def test_a_path_has_one_spelling(path: str, tmp_path: Path) -> None:
    with pytest.raises(UnsafePathError, match="is not a path in the memory"):
        Tree(str(tmp_path)).read(path)


def test_no_directory_stays_open_when_an_operation_is_done(mem: Mem, outside: Path, store: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("there is no /proc")
    fill(mem)
    (store / "notes" / "link.md").symlink_to(outside / "secret.md")
    work_on(mem, 60)  # the index stays open from its first question on
    gc.collect()  # what other tests left open may be closed at any moment
    before = len(os.listdir("/proc/self/fd"))
    work_on(mem, 60)
    assert len(os.listdir("/proc/self/fd")) == before


# ---------------------------------------------------------------- modes

RUNS = {
    "write": [["write", target, "text"] for target in ("long_term", "scratchpad", "daily")]
    + [
        ["write", "note", "n", "text"],
        ["write", "note", "n", "new", "--mode", "overwrite"],
    ],
    "edit": [["edit", "n", "--old", "new", "--new", "newer"]],
    "remember": [
        ["remember", "text", "--title", "T"],
        ["remember", "text", "--title", "U", "--scope", "user"],
    ],
    "config": [["config", "set", "history.days", "9"]],
    "undo": [["undo"]],
    "doctor": [["doctor"], ["doctor", "--fix"]],
    "project": [["project", "list"], ["project", "unlink"]],
    "update": [["update", "--text", "# Facts\n\n- one\n"]],
}


@pytest.mark.parametrize("umask", [0o000, 0o027])
def test_whatever_a_command_makes_is_private_under_any_umask(
    umask: int, tmp_path: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "deep" / "home"
    load_commands()
    ran = 0
    before = os.umask(umask)
    try:
        for name in cli.commands:
            for words in RUNS.get(name, [[name]]):
                ran += main([*words, "--home", str(home), "--project", str(work)]) == 0
        ran += main(["rm", "n", "--home", str(home), "--project", str(work)]) == 0
    finally:
        os.umask(before)
    capsys.readouterr()
    assert ran > 15
    made = [tmp_path / "deep", home, *home.rglob("*")]
    wrong = [
        (str(path), oct(path.stat().st_mode))
        for path in made
        if path.stat().st_mode & 0o7777 != (0o700 if path.is_dir() else 0o600)
    ]
    assert wrong == []
    assert {"config.yml", "history", "state", "memory"} <= {path.name for path in home.iterdir()}
