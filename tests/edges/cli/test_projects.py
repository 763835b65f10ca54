"""`memolith project …`: showing and repairing which directory belongs to which memory."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.env.project import slug_of
from tests.env.repos import ORIGIN, WORD, at, clone, git, repo, sees, slug, tell
from tests.ledger import proves


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a repository that the test directory itself may be in."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


class Shell:
    """Runs commands as if typed in a directory."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch
        self.error = ""

    def run(self, where: Path, *arguments: str, code: int = 0) -> str:
        self._monkeypatch.chdir(where)
        actual = main([*arguments])
        done = self._capsys.readouterr()
        self.error = done.err
        assert actual == code, done.err
        return done.out

    def json(self, where: Path, *arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.run(where, *arguments, "--json"))
        assert answer.pop("version") == 1
        return answer

    def refused(self, where: Path, *arguments: str, code: int) -> str:
        assert self.run(where, *arguments, code=code) == ""
        assert self.error.startswith("memolith: error: ")
        assert "Traceback" not in self.error
        return self.error


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Return a shell in the test's own process."""
    return Shell(capsys, monkeypatch)


def plain(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def projects(tmp: Path) -> Path:
    return tmp / "home" / "memory" / "projects"


# ---------------------------------------------------------------- show and list


def test_show_says_which_project_this_is(shell: Shell, tmp_path: Path) -> None:
    app = repo(tmp_path / "app", "https://me:hunter2x@example.org/acme/shop.git")
    (app / "src").mkdir()
    before = shell.json(app, "project", "show")
    written = tell(app)
    after = shell.json(app / "src", "project", "show")
    assert before == {
        "slug": written,
        "name": "",
        "root": str(app),
        "directory": str(projects(tmp_path) / written),
        "shared": "",
        "memory": "on",
        "remembered": False,
        "paths": [str(app)],
        "origins": ["example.org/acme/shop"],
        "root_commit": "",
        "notice": "",
    }
    assert after == {**before, "remembered": True, "root_commit": git(app, "rev-parse", "HEAD")}
    text = shell.run(app, "project", "show")
    assert f"slug         {written}\n" in text
    assert "remembered   yes\n" in text
    assert "hunter2x" not in text


def test_show_without_git_or_even_a_directory_has_no_empty_values(shell: Shell, tmp_path: Path) -> None:
    bare = repo(tmp_path / "app")
    assert shell.json(bare, "project", "show")["origins"] == []
    gone = plain(tmp_path / "gone")
    os.chdir(gone)
    gone.rmdir()
    assert main(["project", "show", "--json"]) == 0
    facts = json.loads(shell._capsys.readouterr().out)
    assert (facts["slug"], facts["paths"], facts["origins"]) == ("no-project", [], [])
    assert main(["project", "link", "default"]) == 2
    assert main(["project", "unlink"]) == 2


def test_list_shows_every_project_and_which_are_gone_or_broken(shell: Shell, tmp_path: Path) -> None:
    assert shell.run(tmp_path, "project", "list") == ""
    assert "no project has a memory yet" in shell.error
    assert shell.json(tmp_path, "project", "list") == {"projects": []}
    here, gone, broken = (tell(plain(tmp_path / name)) for name in ("here", "lost", "torn"))
    (tmp_path / "lost").rmdir()
    (projects(tmp_path) / broken / "project.yml").write_text("paths: [\n")
    rows = {row["slug"]: row for row in shell.json(tmp_path, "project", "list")["projects"]}
    assert set(rows) == {here, gone, broken}
    assert rows[here]["paths"] == [str(tmp_path / "here")]
    assert (rows[here]["notes"], rows[here]["gone"], rows[here]["problem"]) == (1, False, "")
    assert rows[gone]["gone"] is True
    assert "project.yml:1" in rows[broken]["problem"]
    text = shell.run(tmp_path, "project", "list")
    assert re.search(rf"{gone} +1 +gone +{tmp_path / 'lost'}", text)
    assert re.search(rf"{broken} +1 +broken: .+ path unknown", text)


@proves("S0.5", "S1.27")
def test_context_and_search_show_only_this_project(shell: Shell, tmp_path: Path) -> None:
    app, other = repo(tmp_path / "app"), repo(tmp_path / "other")
    tell(app)
    (app / "src").mkdir()
    for arguments in (["context"], ["search", "zebra"], ["read", "list"], ["list", "--json"]):
        assert WORD in shell.run(app / "src", *arguments)
        assert WORD not in shell.run(other, *arguments, code=arguments[0] == "search")


def test_context_tells_a_person_about_a_changed_project_but_not_the_agent(
    shell: Shell, tmp_path: Path
) -> None:
    written = tell(repo(tmp_path / "workspace", ORIGIN))
    shutil.rmtree(tmp_path / "workspace")
    repo(tmp_path / "workspace", "git@example.org:acme/other.git")
    assert shell.run(tmp_path / "workspace", "context") == ""
    assert f"was known as {written}" in shell.error


# ---------------------------------------------------------------- link


@proves("X.13")
def test_link_lets_several_paths_share_one_memory(shell: Shell, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app", ORIGIN))
    docs, fork = plain(tmp_path / "docs"), tmp_path / "fork"
    clone(tmp_path / "app", fork, "git@example.org:someone/shop.git")
    other, unborn = repo(tmp_path / "other"), repo(tmp_path / "unborn", commit=False)
    for place in (docs, fork, other, unborn):
        assert not sees(place)
        assert shell.json(place, "project", "link", written) == {"slug": written, "path": str(place)}
        assert sees(place)
        assert Mem.open(place).identity.notice == ""
        assert tell(place) == written
    assert (
        shell.run(tmp_path, "project", "link", written, "docs") == f"{docs} now uses the memory {written}\n"
    )
    assert sees(tmp_path / "app")


@proves("X.13")
@pytest.mark.parametrize("origin", ["", ORIGIN])
def test_a_plain_directory_and_a_repository_can_share_a_memory(
    origin: str, shell: Shell, tmp_path: Path
) -> None:
    written = tell(plain(tmp_path / "plain"))
    app = repo(tmp_path / "app", origin)
    shell.run(app, "project", "link", written)
    for place in (app, tmp_path / "plain", app):
        assert sees(place)
        assert tell(place) == written


@proves("X.13")
def test_what_the_notice_says_joins_the_memories(shell: Shell, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "workspace", ORIGIN))
    shutil.rmtree(tmp_path / "workspace")
    place = repo(tmp_path / "workspace", "git@example.org:acme/other.git")
    command = Mem.open(place).identity.notice.split("`")[1].split()
    assert command[0] == "memolith"
    shell.run(place, *command[1:])
    assert (sees(place), slug(place)) == (True, written)
    shutil.rmtree(place)
    repo(place, "git@example.org:acme/third.git")
    assert not sees(place)  # the link was meant for the repository that was there


@proves("X.13")
def test_link_takes_the_path_from_the_memory_it_had(shell: Shell, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app"))
    old = repo(tmp_path / "old")
    Mem.open(old).write("scratchpad", "- [ ] old")
    shell.run(old, "project", "link", written)
    assert sees(old)
    assert "old" not in Mem.open(old).read("scratchpad")
    owners = [row for row in shell.json(old, "project", "list")["projects"] if str(old) in row["paths"]]
    assert [row["slug"] for row in owners] == [written]


def test_a_linked_subdirectory_or_worktree_is_linked_with_all_below_it(shell: Shell, tmp_path: Path) -> None:
    written = tell(plain(tmp_path / "shared"))
    app = repo(tmp_path / "app")
    git(app, "worktree", "add", "-q", "../tree")
    for place in (plain(app / "packages" / "one"), tmp_path / "tree"):
        shell.run(app, "project", "link", written, str(place))
        assert sees(place)
        assert sees(plain(place / "deep"))
    assert not sees(app)
    assert not sees(app / "packages")


@pytest.mark.parametrize("wrong", ["nothing-12345678", "", ".", "..", "../projects", "a/b", "a b"])
def test_link_and_adopt_refuse_what_is_not_a_project(
    wrong: str, shell: Shell, tmp_path: Path, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    tell(plain(tmp_path / "app"))
    Mem.open(tmp_path).write("long_term", "- everybody's")
    before = snapshot(tmp_path / "home" / "memory")
    for command in ("link", "adopt"):
        assert f"no project {wrong!r}" in shell.refused(tmp_path, "project", command, wrong, code=3)
    assert snapshot(tmp_path / "home" / "memory") == before


@pytest.mark.parametrize("slug_first", [True, False])
def test_link_refuses_a_directory_that_is_not_there_and_says_what_comes_first(
    slug_first: bool, shell: Shell, tmp_path: Path
) -> None:
    app = plain(tmp_path / "app")
    written = tell(app)
    given = [written, "../nowhere"] if slug_first else [".", written]
    told = shell.refused(app, "project", "link", *given, code=3)
    assert "no such directory" in told
    assert ("check the path" in told) is slug_first
    assert (f"the memory comes first: memolith project link {written} ." in told) is not slug_first
    assert shell.json(app, "project", "list")["projects"][0]["paths"] == [str(app)]


def test_a_clone_of_a_repository_without_an_address_is_offered_its_memory(
    shell: Shell, tmp_path: Path
) -> None:
    written = tell(repo(tmp_path / "app"))
    again = clone(tmp_path / "app", tmp_path / "again", ORIGIN)
    shell.run(again, "recall", WORD, code=1)
    assert f"`memolith project link {written}` in this directory opens it" in shell.error


def test_two_memories_of_one_repository_are_told_until_one_is_gone(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, archive = repo(tmp_path / "app", ORIGIN), str(tmp_path / "all.tar.gz")
    again = clone(app, tmp_path / "again", ORIGIN)
    written = tell(app)
    shell.run(app, "export", archive)
    shutil.rmtree(app)
    monkeypatch.setenv("MEMOLITH_HOME", str(tmp_path / "other"))  # another machine
    shell.run(again, "remember", "Koalas here.")
    way = f"`memolith project adopt {written}` in its directory copies what is there"
    shell.run(again, "import", archive, "--yes")
    assert way in shell.error
    assert way in shell.run(again, "status")
    assert way in shell.run(again, "doctor", code=1)
    shell.run(again, "recall", WORD, code=1)
    shell.run(again, "project", "adopt", written)
    assert WORD in shell.run(again, "recall", WORD)
    shell.run(again, "project", "rm", written, "--yes")
    assert "another memory" not in shell.run(again, "status") + shell.run(again, "doctor")


def test_a_clone_is_told_whose_memory_it_uses_until_that_is_recorded(shell: Shell, tmp_path: Path) -> None:
    tell(repo(tmp_path / "app", ORIGIN))
    again = clone(tmp_path / "app", tmp_path / "again", ORIGIN)
    told = []
    for command in ("list", "project show", "remember x", "list"):
        shell.run(again, *command.split())
        told.append("from a new path" in shell.error)
        assert shell.error.count("from a new path") <= 1
    assert told == [True, True, True, False]


# ---------------------------------------------------------------- unlink


@pytest.mark.parametrize("explicit", [False, True])
def test_unlink_separates_a_clone_for_good(explicit: bool, shell: Shell, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app", ORIGIN))
    again = clone(tmp_path / "app", tmp_path / "again", ORIGIN)
    assert sees(again)
    argument = [str(again)] if explicit else []
    answer = shell.json(tmp_path if explicit else again, "project", "unlink", *argument)
    assert answer == {"slug": written, "path": str(again)}
    assert not sees(again)
    own = tell(again)
    assert own == slug(again) != written
    assert slug(tmp_path / "app") == written
    shell.run(again, "project", "link", written)
    assert slug(again) == written


def test_unlink_of_the_only_path_starts_anew_and_is_not_adopted_again(shell: Shell, tmp_path: Path) -> None:
    app = repo(tmp_path / "app")
    written = tell(app)
    shell.run(app, "project", "unlink")
    copy = shutil.copytree(app, tmp_path / "copy")
    for place in (app, copy):
        assert not sees(place)
        assert tell(place) != written


def test_unlink_does_not_touch_who_had_the_path_before(shell: Shell, tmp_path: Path) -> None:
    first = repo(tmp_path / "workspace", ORIGIN)
    tell(first)
    first.rename(tmp_path / "kept")
    second = repo(tmp_path / "workspace", "git@example.org:acme/other.git")
    own = tell(second)
    assert shell.json(second, "project", "unlink")["slug"] == own
    shutil.rmtree(second)
    (tmp_path / "kept").rename(tmp_path / "workspace")
    assert sees(tmp_path / "workspace")


def test_unlink_gives_back_the_memory_that_a_directory_had_before_it_was_linked(
    shell: Shell, tmp_path: Path
) -> None:
    first, other, third = (repo(tmp_path / name, f"git@x.org:a/{name}.git") for name in ("a", "b", "c"))
    for place in (first, other, third):
        tell(place)
    own = slug(first)
    for place in (other, third):
        assert f"its own memory {own}" in shell.run(first, "project", "link", slug(place))
        assert slug(first) == slug(place)
    assert f"its own memory {own} again" in shell.run(first, "project", "unlink")
    assert slug(first) == own
    assert sees(first)
    shell.run(first, "project", "unlink")  # for good
    assert slug(first) != own


def test_unlink_of_what_has_no_memory_is_an_error(shell: Shell, tmp_path: Path) -> None:
    assert "no memory uses it" in shell.refused(tmp_path, "project", "unlink", code=3)
    assert "no memory uses it" in shell.refused(tmp_path, "project", "unlink", "nowhere", code=3)
    assert "PATH is empty" in shell.refused(tmp_path, "project", "unlink", "", code=2)


# ---------------------------------------------------------------- move


@proves("X.13")
def test_move_keeps_the_memory_of_a_plain_directory(shell: Shell, tmp_path: Path) -> None:
    written = tell(plain(tmp_path / "old"))
    (tmp_path / "old").rename(tmp_path / "new")
    assert not sees(tmp_path / "new")
    answer = shell.json(tmp_path, "project", "move", "old", str(tmp_path / "new"))
    assert answer == {"slug": written, "path": str(tmp_path / "new")}
    assert sees(tmp_path / "new")
    assert not sees(plain(tmp_path / "old"))


@proves("X.13")
def test_move_works_even_after_something_was_written_at_the_new_place(shell: Shell, tmp_path: Path) -> None:
    written = tell(plain(tmp_path / "old"))
    (tmp_path / "old").rename(tmp_path / "new")
    Mem.open(tmp_path / "new").write("scratchpad", "- [ ] too early")
    shell.run(tmp_path, "project", "move", "old", "new")
    assert (sees(tmp_path / "new"), slug(tmp_path / "new")) == (True, written)


def test_move_understands_links_on_both_sides(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(plain(tmp_path / "real"))
    tell(plain(tmp_path / "real" / "old"))
    (tmp_path / "real" / "old").rename(tmp_path / "new")
    shell.run(tmp_path, "project", "move", "alias/old", "new")
    assert sees(tmp_path / "new")
    (tmp_path / "new").rename(tmp_path / "newer")
    (tmp_path / "new").symlink_to("newer")
    shell.run(tmp_path, "project", "move", "new", "newer")
    assert sees(tmp_path / "new")
    assert sees(tmp_path / "newer")


def test_move_of_a_path_that_nobody_or_several_know_is_an_error(shell: Shell, tmp_path: Path) -> None:
    plain(tmp_path / "b")
    assert "no memory knows" in shell.refused(tmp_path, "project", "move", "a", "b", code=3)
    assert "Missing argument" in shell.refused(tmp_path, "project", "move", "a", code=2)
    first = tell(repo(tmp_path / "workspace", ORIGIN))
    shutil.rmtree(tmp_path / "workspace")
    second = tell(repo(tmp_path / "workspace", "git@example.org:acme/other.git"))
    message = shell.refused(tmp_path, "project", "move", "workspace", "b", code=2)
    assert first in message
    assert second in message
    tell(plain(tmp_path / "stays"))
    assert "no such directory" in shell.refused(tmp_path, "project", "move", "stays", "c", code=3)
    assert sees(tmp_path / "stays")


# ---------------------------------------------------------------- adopt


class Adoption:
    """Two projects with a memory: that of `place` adopts `source`; their files are `here` and `there`."""

    def __init__(self, tmp_path: Path) -> None:
        self.source, self.place = tell(plain(tmp_path / "old")), plain(tmp_path / "new")
        self.there, self.here = projects(tmp_path) / self.source, projects(tmp_path) / tell(self.place)


@pytest.fixture
def two(tmp_path: Path) -> Adoption:
    """Return what is adopted, and by whom."""
    return Adoption(tmp_path)


@proves("X.13")
def test_adopt_brings_everything_in_and_twice_changes_nothing(
    shell: Shell, tmp_path: Path, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    source = tell(plain(tmp_path / "old"))
    place = repo(tmp_path / "new")
    with Mem.open(place) as mem:
        mem.remember("Another one.", title=f"About the {WORD}")
        mem.write("scratchpad", "- [ ] mine")
        target = mem.project
    hand_made = projects(tmp_path) / source / "notes" / "by-hand.md"
    hand_made.write_bytes(b"\xef\xbb\xbfpassword = hunter2hunter2\r\nbell \x07, bad byte \xff\n")
    was = snapshot(projects(tmp_path) / source)
    answer = shell.json(place, "project", "adopt", source)
    assert answer["slug"] == target
    assert f"projects/{target}/notes/about-the-{WORD}-2.md" in answer["files"]
    assert f"projects/{target}/notes/by-hand.md" in answer["files"]
    with at(place) as mem:
        assert mem.read("scratchpad") == f"- [ ] mine\n- [ ] feed the {WORD}\n"
        assert f"Bought a {WORD}." in mem.read("daily")
        assert "Another one." in mem.read("note", f"about-the-{WORD}")
        assert f"(about-the-{WORD}-2.md)" in (mem.context_block() or "")
    after = snapshot(projects(tmp_path))
    assert shell.run(place, "project", "adopt", source) == f"Copied 0 files from {source}\n"
    assert snapshot(projects(tmp_path)) == after
    assert snapshot(projects(tmp_path) / source) == was


@proves("X.13")
def test_adopt_copies_records_and_tickets_and_says_what_stays(shell: Shell, two: Adoption) -> None:
    for place, text in ((two.there, "Use pnpm."), (two.here, "Use pnpm for the shop.")):
        (place / "records" / "decisions").mkdir(parents=True)
        (place / "records" / "decisions" / "manager.md").write_text(f"---\nid: manager\n---\n{text}\n")
    with at(two.place.parent / "old") as old:
        kept = old.records.add("Small commits.", category="preferences", scope="project")
        learned = old.from_source("extracted").records
        learned.add("Tests need Redis.", category="procedures", scope="project", source="one#1")
        old.tickets.add("Login fails")
        (Path(old.home) / "sessions" / two.source).mkdir(parents=True)
    said = shell.run(two.place, "project", "adopt", two.source)
    assert f"; its sessions, and what was learned from them, stay in {two.source}\n" in said
    with at(two.place) as here:
        found = {each.id: each.body.strip() for each in here.records.list()}
        assert found == {
            "manager": "Use pnpm for the shop.",
            "manager-2": "Use pnpm.",
            kept.id: "Small commits.",
        }
        assert [each.title for each in here.tickets.list()] == ["Login fails"]
        assert "Small commits." in (here.context_block() or "")
    assert shell.run(two.place, "project", "adopt", two.source).startswith("Copied 0 files")


def test_adopt_copies_logs_and_checklists_whole(shell: Shell, two: Adoption) -> None:
    log = "## 10:00\n- done\n\n## 11:00\n- done\n"
    (two.there / "daily" / "2026-01-01.md").write_text(log)
    (two.here / "daily" / "2026-01-01.md").write_text("## 09:00\n- done\n")
    (two.there / "SCRATCHPAD.md").write_text("- [ ] a\n  - [ ] tests\n- [ ] b\n  - [ ] tests\n")
    (two.here / "SCRATCHPAD.md").write_bytes(b"  - [ ] tests\r\n")
    (two.there / "MEMORY.md").write_text("- known\n- new\n")
    (two.here / "MEMORY.md").write_text("- known\n")
    for _ in range(2):
        shell.run(two.place, "project", "adopt", two.source)
        assert (two.here / "daily" / "2026-01-01.md").read_text() == "## 09:00\n- done\n" + log
        assert (two.here / "SCRATCHPAD.md").read_bytes() == (
            b"  - [ ] tests\r\n- [ ] a\r\n  - [ ] tests\r\n- [ ] b\r\n  - [ ] tests\r\n"
        )
        assert (two.here / "MEMORY.md").read_text() == "- known\n- new\n"


def test_adopt_takes_a_piece_of_a_line_for_no_known_text(shell: Shell, two: Adoption) -> None:
    (two.there / "SCRATCHPAD.md").write_text("- [ ] eat")
    (two.here / "SCRATCHPAD.md").write_text("- [ ] eat more\n")
    shell.run(two.place, "project", "adopt", two.source)
    assert (two.here / "SCRATCHPAD.md").read_text() == "- [ ] eat more\n- [ ] eat\n"


def test_adopt_keeps_bytes_that_are_not_utf8(shell: Shell, two: Adoption) -> None:
    (two.there / "notes" / "latin.md").write_bytes(b"caf\xe9\n")
    (two.there / "SCRATCHPAD.md").write_bytes(b"\xef\xbb\xbf- [ ] caf\xe9\n")
    (two.here / "SCRATCHPAD.md").write_bytes(b"- [ ] th\xe9\n")
    for _ in range(2):
        shell.run(two.place, "project", "adopt", two.source)
        assert (two.here / "notes" / "latin.md").read_bytes() == b"caf\xe9\n"
        assert not (two.here / "notes" / "latin-2.md").exists()
        assert (two.here / "SCRATCHPAD.md").read_bytes() == b"- [ ] th\xe9\n- [ ] caf\xe9\n"


@pytest.mark.timeout(20)
def test_adopt_skips_what_cannot_be_memory_and_brings_in_the_rest(shell: Shell, two: Adoption) -> None:
    notes = two.there / "notes"
    (notes / "a-link.md").symlink_to("/etc/passwd")
    os.mkfifo(notes / "a-pipe.md")
    (notes / "a-tome.md").write_bytes(b"x" * 1_048_577)
    (notes / "z-last.md").write_text("last\n")
    answer = shell.json(two.place, "project", "adopt", two.source)
    assert f"projects/{two.here.name}/notes/z-last.md" in answer["files"]
    reasons = {Path(row["path"]).name: row["reason"] for row in answer["skipped"]}
    assert reasons == {
        "a-link.md": "is a symbolic link; replace it by a real file",
        "a-pipe.md": "is not a regular file",
        "a-tome.md": "has 1,048,577 bytes, more than the 1,048,576 of a memory; split it",
    }
    assert not list((two.here / "notes").glob("a-[lpt]*"))
    assert shell.run(two.place, "project", "adopt", two.source) == f"Copied 0 files from {two.source}\n"
    path = f"projects/{two.source}/notes/a-link.md"
    assert f"memolith: warning: skipped {path}: is a symbolic link" in shell.error


def test_adopt_does_not_write_through_a_link_in_the_target(
    shell: Shell, two: Adoption, tmp_path: Path
) -> None:
    (two.here / "SCRATCHPAD.md").unlink()
    (two.here / "SCRATCHPAD.md").symlink_to(tmp_path / "outside.md")
    (two.there / "notes" / "z-last.md").write_text("last\n")
    answer = shell.json(two.place, "project", "adopt", two.source)
    assert [Path(row["path"]).name for row in answer["skipped"]] == ["SCRATCHPAD.md"]
    assert (two.here / "notes" / "z-last.md").exists()
    assert not (tmp_path / "outside.md").exists()


def test_adopt_of_itself_is_refused(shell: Shell, tmp_path: Path) -> None:
    own = tell(plain(tmp_path / "app"))
    assert "is this project already" in shell.refused(tmp_path / "app", "project", "adopt", own, code=2)


def test_adopt_into_a_directory_without_memory_registers_it(shell: Shell, tmp_path: Path) -> None:
    source = tell(plain(tmp_path / "old"))
    place = repo(tmp_path / "new")
    shell.run(tmp_path, "project", "adopt", source, "--project", str(place))
    assert sees(place)
    assert slug(place) == slug_of(str(place))


def test_show_and_list_create_nothing(shell: Shell, tmp_path: Path) -> None:
    for command in ("show", "list"):
        shell.run(tmp_path, "project", command)
    assert not (tmp_path / "home").exists()


# ---------------------------------------------------------------- rm


@proves("X.28")
def test_nothing_is_left_of_a_project_that_is_removed(shell: Shell, tmp_path: Path) -> None:
    gone, other = plain(tmp_path / "gone"), plain(tmp_path / "other")
    shell.run(gone, "remember", "Wombats sleep here.")
    turns = tmp_path / "turns.jsonl"
    turns.write_text('{"role": "user", "text": "Remember that wombats are nocturnal."}\n')
    shell.run(gone, "session", "add", str(turns), "--agent", "claude", "--id", "one", "--mine")
    shell.run(gone, "config", "set", "memories.enabled", "true")
    shell.run(gone, "learn", "run", "--force")
    assert "nocturnal" in shell.run(gone, "recall", "wombats")
    shell.run(other, "remember", "Koalas sleep there.")
    refused = shell.refused(other, "project", "rm", "gone", "--yes", code=2)
    assert "uses gone-" in refused
    assert f"add --project {gone}" in refused
    gone.rmdir()
    assert "for good" in shell.refused(other, "project", "rm", "gone", code=2)
    assert "Deleted all that was kept of gone-" in shell.run(other, "project", "rm", "gone", "--yes")
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert [path for path in kept if b"wombats" in path.read_bytes().lower()] == []
    assert "Koalas" in shell.run(other, "recall", "koalas")


@proves("X.28")
def test_the_memory_of_the_project_here_is_removed_after_a_question(shell: Shell, tmp_path: Path) -> None:
    here = plain(tmp_path / "here")
    shell.run(here, "remember", "Wombats sleep here.")
    assert "add --yes" in shell.refused(here, "project", "rm", "here", code=2)
    assert "Deleted all that was kept of here-" in shell.run(here, "project", "rm", "here", "--yes")
    assert "Nothing is known" in shell.run(here, "recall", "wombats", code=1)
    assert "Remembered" in shell.run(here, "remember", "Koalas sleep here.")
    assert [row["gone"] for row in shell.json(here, "project", "list")["projects"]] == [False]


@proves("X.28")
def test_a_repository_that_was_renamed_is_not_gone_where_it_is_now(shell: Shell, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "before"))
    now = (tmp_path / "before").rename(tmp_path / "now")
    assert [row["gone"] for row in shell.json(now, "project", "list")["projects"]] == [False]
    assert "from a new path" in shell.error
    assert "no directory leads here" not in shell.run(now, "doctor")
    refused = shell.refused(now, "project", "rm", written, code=2)
    assert f"{now} starts anew. `memolith export FILE.tar.gz --project {now}` keeps a copy" in refused
    assert sees(now)
    # Elsewhere nothing tells where it went.
    assert [row["gone"] for row in shell.json(tmp_path, "project", "list")["projects"]] == [True]
    assert "no directory leads here any more" in shell.run(tmp_path, "doctor")


def test_a_folder_below_one_with_a_memory_says_how_to_share_it(shell: Shell, tmp_path: Path) -> None:
    below = plain(tmp_path / "lab" / "data" / "raw")
    shell.run(tmp_path / "lab", "remember", "Zebras here.")
    shell.run(below, "list")
    way = f"project name --project {tmp_path / 'lab'}"
    assert f"no memory here, but {tmp_path / 'lab'} has one: `memolith {way}`" in shell.error
    shell.run(below, *way.split())
    assert "zebras-here" in shell.run(below, "list")


def test_edit_with_a_text_behind_the_name_says_how_a_text_is_replaced(shell: Shell, tmp_path: Path) -> None:
    shell.run(plain(tmp_path / "app"), "remember", "Port 80.", "--title", "The port")
    told = shell.refused(tmp_path / "app", "edit", "The port", "Port 81 now.", code=2)
    assert "--old TEXT --new TEXT" in told
    assert "remember --title 'The port' TEXT" in told
    assert "nothing is called" in shell.refused(tmp_path / "app", "edit", "Other", "words", code=3)
