"""`doctor` finds what is wrong, says nothing about a clean store, and repairs only what is safe."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.care.doctor import examine, repair
from memolith.edges.cli import main
from memolith.store import layout
from memolith.store.locks import locked
from tests.ledger import proves

Break = Callable[[Mem, Path], object]


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


def stray(_: Mem, store: Path) -> None:
    (store / ".tmp" / "notes%2Fa-note.md.0").write_text("half a thought")


def orphan_lock(mem: Mem, _: Path) -> None:
    (Path(mem.home) / "state" / "locks" / "gone-12345678.lock").touch()


def config(text: str) -> Break:
    return lambda mem, _: Path(mem.settings.path).write_text(text)


REPEATED = "- Uses tabs.\n- uses   TABS!\n"
FAULTS: dict[str, tuple[Break, tuple[str, str], bool]] = {
    "a line without its note": (
        write("notes/MEMORY.md", "- [A note](a-note.md)\n- [Gone](gone.md)\n"),
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
    "lines that say the same": (
        lambda mem, _: (mem.root / "MEMORY.md").write_text(REPEATED),
        ("duplicate", "MEMORY.md"),
        False,
    ),
    "lines that differ in little words": (
        write("MEMORY.md", "- My machine has 16 GB of RAM\n- The machine has 16 GB RAM.\n"),
        ("duplicate", "MEMORY.md"),
        False,
    ),
    "two notes with the same text": (
        lambda _, store: [(store / "notes" / name).write_text("Same.\n") for name in ("b.md", "c.md")],
        ("duplicate", "c.md"),
        False,
    ),
    "lines of a project that say the same": (write("MEMORY.md", REPEATED), ("duplicate", "MEMORY.md"), False),
    "a lock of a project that is gone": (orphan_lock, ("lock", "gone-12345678.lock"), True),
    "a lock that is no file": (
        lambda mem, _: (Path(mem.home) / "state" / "locks" / "odd.lock").mkdir(),
        ("lock", "odd.lock"),
        False,
    ),
    "a file others can read": (
        lambda _, store: (store / "SCRATCHPAD.md").chmod(0o644),
        ("permissions", "SCRATCHPAD.md"),
        True,
    ),
    "a leftover of a crash": (stray, ("stray", "notes%2Fa-note.md.0"), True),
    "a symbolic link": (
        lambda _, store: os.symlink("/etc/hostname", store / "notes" / "host.md"),
        ("link", "host.md"),
        False,
    ),
    "a pipe": (lambda _, store: os.mkfifo(store / "pipe.md", 0o600), ("special", "pipe.md"), False),
    "a file that is not UTF-8": (
        lambda _, store: (store / "notes" / "a-note.md").write_bytes(b"caf\xe9\n"),
        ("encoding", "a-note.md"),
        False,
    ),
    "a project whose directory is gone": (
        lambda mem, _: Path(mem.identity.root).rmdir(),
        ("orphan", "project.yml"),
        False,
    ),
    "a project without identity": (
        lambda _, store: (store / "project.yml").unlink(),
        ("project", "project.yml"),
        False,
    ),
    "a broken identity": (write("project.yml", "paths: {x\n"), ("project", "project.yml"), False),
    "notes in a folder": (
        lambda _, store: (store / "notes" / "deep").mkdir(0o700),
        ("folder", "deep"),
        False,
    ),
    "names that differ in case only": (write("notes/A-Note.md", "x\n"), ("twin", "a-note.md"), False),
    "an unknown setting": (config("indentity: cwd\n"), ("config", "config.yml"), False),
    "a bad value": (config("identity: maybe\n"), ("config", "config.yml"), False),
    "a broken config": (config("a: [\n"), ("config", "config.yml"), False),
}


@proves("X.18")
def test_a_clean_store_has_no_findings(full: Mem) -> None:
    assert examine(full) == []


def test_the_lock_of_the_hooks_worker_is_ours(full: Mem) -> None:
    """Found by `prove leaks`: `doctor` said that it belongs to nobody."""
    assert main(["hook", "--work"]) == 0
    assert (Path(full.home) / "state" / "locks" / "hook-worker.lock").exists()
    assert not [kind for kind, _ in kinds(full) if kind == "lock"]


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


def test_a_store_kept_in_git_has_no_findings_in_it_and_none_is_fixed(full: Mem, store: Path) -> None:
    for place in (full.root / ".git", store / ".git", full.root / "projects" / ".git"):
        (place / "hooks").mkdir(parents=True)
        (place / "hooks" / "x.md").write_text("password = hunter2hunter2\n")
        (place / "hooks" / "x.md").chmod(0o755)
        (place / "hooks").chmod(0o755)
    assert examine(full) == []
    (store / "SCRATCHPAD.md").chmod(0o644)
    repair(full)
    assert (store / ".git" / "hooks" / "x.md").stat().st_mode & 0o777 == 0o755
    assert (full.root / ".git" / "hooks").stat().st_mode & 0o777 == 0o755
    assert examine(full) == []


def test_only_real_directories_with_the_name_of_a_project_are_projects(full: Mem, tmp_path: Path) -> None:
    projects = full.root / "projects"
    (projects / ".hidden").mkdir()
    (projects / "not a slug").mkdir()
    (projects / "file-12345678").touch()
    (projects / "link-12345678").symlink_to(tmp_path)
    assert layout.projects(full.home) == [full.project]


def test_one_scope_that_cannot_be_repaired_does_not_stop_the_others(
    full: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for notes in (full.root / "notes", store / "notes"):
        (notes / "MEMORY.md").write_text("- [Gone](gone.md)\n")
        (notes / "new.md").write_text("x\n")
    monkeypatch.setenv("MEMOLITH_LOCK_SECONDS", "0.1")
    monkeypatch.setattr(os, "chmod", refuse)
    told: list[str] = []
    with locked(full.home, "user", 1.0):
        fixed = repair(full, told.append)
    assert [(each.kind, each.path) for each in fixed] == [("index", f"projects/{store.name}/notes/MEMORY.md")]
    assert ("index", "notes/MEMORY.md") in [(each.kind, each.path) for each in examine(full)]
    assert any("lock.seconds" in each for each in told), told
    assert any("Operation not permitted" in each for each in told)


def refuse(*_: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_lock_that_is_held_is_not_removed(full: Mem, store: Path) -> None:
    orphan_lock(full, store)
    path = Path(full.home) / "state" / "locks" / "gone-12345678.lock"
    with locked(full.home, "gone-12345678", 1.0):
        assert repair(full) == []
        assert path.exists()
    assert len(repair(full)) == 1
    assert not path.exists()


def test_what_was_once_written_without_a_working_directory_is_told(full: Mem) -> None:
    directory = Path(full.home) / "memory" / "projects" / "default"
    directory.mkdir(mode=0o700)
    (directory / "MEMORY.md").write_text("x\n")
    (directory / "MEMORY.md").chmod(0o600)
    assert [each.kind for each in examine(full) if "project adopt default" in each.message] == ["orphan"]


@pytest.mark.timeout(60)
def test_a_huge_file_with_many_secrets_is_looked_at_in_part_and_quickly(full: Mem, store: Path) -> None:
    secret = "key AKIA" + "QYLPMN5HFIQR7XYA\n"
    note = store / "notes" / "a-note.md"
    note.write_text(secret + "é" * 1_000_000 + "\n" + secret)
    note.chmod(0o600)
    found = {each.kind: each.message for each in examine(full) if each.path.endswith("a-note.md")}
    assert "the first 1,048,576 only" in found["oversize"]
    assert "encoding" not in found  # the part ends in the middle of a character
    assert [each.message[:6] for each in examine(full) if each.kind == "secret"] == ["line 1"]
    note.write_text(secret * 5_000)
    lines = [each.message.partition(":")[0] for each in examine(full) if each.kind == "secret"]
    assert len(lines) == 5_000
    assert set(lines) == {f"line {number + 1}" for number in range(len(lines))}


@pytest.mark.timeout(20)
def test_a_huge_index_is_looked_at_quickly(full: Mem, store: Path) -> None:
    write("notes/MEMORY.md", "".join(f"- [x](gone-{n}.md)\n" for n in range(10_000)))(full, store)
    assert len([each for each in examine(full) if each.kind == "index"]) == 10_000


def test_fixing_a_leftover_keeps_its_text_in_the_history(full: Mem, store: Path) -> None:
    stray(full, store)
    repair(full)
    assert not list((store / ".tmp").iterdir())
    keeper = full.gate.history
    newest = keeper.versions(full.find("a-note").path)[0]
    assert newest.op == "unfinished"
    assert keeper.read(newest.filename, newest.id) == b"half a thought"


def test_doctor_on_an_empty_home_creates_nothing(mem: Mem) -> None:
    assert examine(mem) == []
    assert not Path(mem.home).exists()


def test_a_file_of_many_repeated_lines_is_one_matter(mem: Mem) -> None:
    path = mem.root / "projects" / mem.project / "notes" / "log.md"
    mem.write("note", "first", name="log")
    path.write_text("".join(f"The job number {number % 50} has ended well.\n" for number in range(100)))
    said = [each.message for each in mem.doctor().findings if each.kind == "duplicate"]
    assert len(said) == 6
    assert "says 45 more lines twice" in said


@proves("S4.15")
def test_near_duplicates_are_found_among_notes_and_records_and_inside_a_note_or_a_log(mem: Mem) -> None:
    mem.remember("We deploy on Fridays.", "Deploy")
    mem.remember("we deploy on Fridays!", "Third")
    mem.write("note", "Ann owns the API.\nSome more.\n- ann owns the API", name="owners")
    mem.append_daily("h", "All tests are green now.\nMerged it.\nAll the tests are green now")
    mem.records.add("Deploy from main branch only.", category="procedures", scope="project")
    twin = mem.records.add("Deploy from staging.", category="procedures", scope="project")
    path = Path(twin.filename)
    path.write_text(path.read_text().replace("Deploy from staging.", "deploy from the main branch only"))
    found = [(Path(each.path).name, each.message) for each in examine(mem) if each.kind == "duplicate"]
    assert sorted(found) == sorted(
        [
            ("third.md", "says the same as deploy.md; keep one"),
            ("owners.md", "says twice: '- ann owns the API'; keep one"),
            (f"{mem.today}.md", "says twice: 'All the tests are green now'; keep one"),
            (path.name, found_same(path)),
        ]
    )


def found_same(path: Path) -> str:
    """Return what is said of the later of two records of a folder."""
    other = next(each for each in path.parent.iterdir() if each != path)
    return f"says the same as procedures/{other.name}; keep one"


@proves("S4.15")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The build is broken.", "the build is broken"),
        ("Always use yarn.", "always use yarn"),
        ("数据库监听端口六千三百八十号。", "数据库监听端口六千三百八十号"),
        ("Der Rechner hat 16 GB RAM", "Mein Rechner hat 16 GB RAM"),
        ("Wir nutzen Redis auf Port 6380", "wir nutzen das Redis auf dem Port 6380."),
        ("La machine a 16 Go", "Ma machine a 16 Go."),
        ("La máquina tiene 16 GB", "Mi máquina tiene 16 GB."),
    ],
)
def test_little_words_count_for_a_line_and_make_no_other_in_any_language(
    mem: Mem, one: str, other: str
) -> None:
    mem.write("note", f"{one}\nAnn.\n{other}", name="a")
    (found,) = (each for each in examine(mem) if each.kind == "duplicate")
    assert found.message.startswith("says twice:")


@proves("S4.15")
def test_what_repeats_itself_by_its_nature_is_no_duplicate(mem: Mem) -> None:
    mem.write("note", "## Run\n```\nmake all the things\nmake all the things\n```\n- yes\n- yes", name="a")
    mem.write("note", "Run:\n\n    make all the things\n\n    make all the things\n", name="d")
    mem.write("note", "Hers:\nHer machine has 16 GB.\nHis machine has 16 GB.\n通过\n通过", name="e")
    mem.write("note", "It is `a + b`.", name="b")
    mem.write("note", "It is `a - b`.", name="c")
    old = mem.records.add("Deploy from main.", category="procedures", scope="project")
    path = Path(old.filename)
    (path.parent / "ended.md").write_text(path.read_text().replace("status: active", "status: superseded"))
    assert [each for each in examine(mem) if each.kind == "duplicate"] == []


@proves("S4.15")
def test_lines_that_say_something_else_are_no_duplicates(mem: Mem) -> None:
    said = ["Use tabs", "Do not use tabs", "16 GB of RAM", "32 GB of RAM", "Ann asks Bob", "Bob asks Ann"]
    mem.root.mkdir(parents=True)
    (mem.root / "MEMORY.md").write_text("\n".join([*said, "---", "---", ""]))
    assert [each for each in mem.doctor().findings if each.kind == "duplicate"] == []


def test_a_directory_above_the_home_in_which_others_can_replace_it_is_named(mem: Mem) -> None:
    mem.write("long_term", "- here")
    above = Path(mem.home).parent
    above.chmod(0o1777)  # as /tmp is: only the owner can replace what is in it
    assert not [each for each in examine(mem) if each.path == str(above)]
    above.chmod(0o777)
    assert [each.message for each in examine(mem) if each.path == str(above)] == [
        f"other users can replace what is in it, your memory too; `chmod o-w {above}`"
    ]


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_what_other_users_can_change_in_a_home_is_named_with_the_command_that_ends_it(
    mem: Mem, work: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    mem.remember("x", "X")
    home, note = Path(mem.home), next(mem.root.rglob("x.md"))
    note.chmod(0o666)
    said = {}
    for mode in (0o700, 0o755):
        for place in (home, *(each for each in note.parents if home in each.parents)):
            place.chmod(mode)
        for command in ("doctor", "status"):
            main([command, "--project", str(work)])
            said[mode, command] = f"chmod -R go-w {home}" in capfd.readouterr().out
    assert said == {
        (0o700, "doctor"): False,
        (0o700, "status"): False,
        (0o755, "doctor"): True,
        (0o755, "status"): True,
    }
