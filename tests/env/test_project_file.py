"""How a project is written down: origins, `project.yml`, slugs, and what happens without a directory."""

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import InputError, NotFoundError
from memolith.edges.mcp.tools import Tools
from memolith.env import project
from memolith.env.git import mark_of, normalise
from memolith.env.project import free_slug, slug_of
from memolith.store import registry
from tests.env.repos import ORIGIN, WORD, clone, git, repo, sees, slug, tell
from tests.ledger import proves
from tests.shared import LONG, rows, without_privileges


def config(tmp: Path, text: str) -> None:
    (tmp / "home").mkdir(exist_ok=True)
    (tmp / "home" / "config.yml").write_text(text, encoding="utf-8")


def identity_file(tmp: Path, name: str) -> Path:
    return tmp / "home" / "memory" / "projects" / name / "project.yml"


# ---------------------------------------------------------------- the origin


@pytest.mark.parametrize(("origin", "spellings"), rows("env/origins"))
def test_all_spellings_of_an_origin_are_one(origin: str, spellings: list[str]) -> None:
    assert {normalise(url, "/") for url in spellings} == {origin}


@pytest.mark.parametrize("value", rows("env/git_values"))
def test_a_setting_is_read_as_git_reads_it(value: str, tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app", ORIGIN))
    again = clone(tmp_path / "app", tmp_path / "again", ORIGIN)
    (again / ".git/config").write_text(
        f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {value}\n[x]\n\ty = z\n'
    )
    assert git(again, "config", "remote.origin.url") == ORIGIN
    assert slug(again) == written


def test_a_local_origin_is_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    spellings = [f"file://{tmp_path}/link", "../link", "../real/.git", f"{tmp_path}/real/"]
    root = str(tmp_path / "app")
    assert {normalise(url, root) for url in spellings} == {os.path.realpath(tmp_path / "real")}


@pytest.mark.parametrize("url", rows("env/origins_with_tokens"))
def test_a_token_in_the_origin_is_never_stored(
    url: str, tmp_path: Path, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    tell(repo(tmp_path / "app", url))
    mem = Mem.open(clone(tmp_path / "app", tmp_path / "again", url))
    mem.write("scratchpad", "- [ ] more")
    assert "hunter2x" not in mem.identity.notice
    stored = snapshot(tmp_path / "home")
    assert any(b"/acme/shop" in data for data in stored.values())
    assert not [name for name, data in stored.items() if b"hunter2x" in data or "hunter2x" in name]


# ---------------------------------------------------------------- identity: cwd


@proves("X.12")
def test_identity_cwd_keeps_every_directory_apart(tmp_path: Path) -> None:
    config(tmp_path, "identity: cwd\n")
    app = repo(tmp_path / "app", ORIGIN)
    (app / "src").mkdir()
    git(app, "worktree", "add", "-q", "../tree")
    places = [app, app / "src", tmp_path / "tree", clone(app, tmp_path / "again", ORIGIN)]
    assert tell(app) == slug_of(os.path.realpath(app))
    assert [sees(place) for place in places] == [True, False, False, False]
    assert [slug(place) for place in places] == [slug_of(os.path.realpath(place)) for place in places]


@proves("X.12")
def test_identity_cwd_uses_what_was_written_at_that_path_before(tmp_path: Path) -> None:
    app = repo(tmp_path / "app", ORIGIN)
    (app / "src").mkdir()
    written = tell(app)
    config(tmp_path, "identity: cwd\n")
    assert Mem.open(app).identity.notice == ""
    assert (sees(app), slug(app)) == (True, written)
    assert not sees(app / "src")


# ---------------------------------------------------------------- project.yml


@proves("X.12")
@pytest.mark.parametrize("below", ["", "src"])
def test_a_store_made_without_an_identity_is_adopted(below: str, tmp_path: Path) -> None:
    place = repo(tmp_path / "app") / below
    place.mkdir(exist_ok=True)
    tell(tmp_path / "app")
    directory = identity_file(tmp_path, slug(tmp_path / "app")).parent
    (directory / "project.yml").unlink()
    directory.rename(directory.with_name(slug_of(os.path.realpath(place))))
    assert sees(place)
    Mem.open(place).write("scratchpad", "- [ ] more")
    assert sees(place)
    assert identity_file(tmp_path, slug_of(os.path.realpath(place))).exists()


@pytest.mark.parametrize(
    "text", ["paths: [", "\0", "- a\n- b\n", "paths: {a: b}\n", "paths:\n  a: b\n", "é\tü:"]
)
def test_a_broken_identity_does_not_crash_and_is_left_alone(text: str, tmp_path: Path) -> None:
    app = repo(tmp_path / "app")
    file = identity_file(tmp_path, tell(app))
    file.write_text(text, encoding="utf-8")
    assert not sees(app)
    own = tell(app)
    assert sees(app)
    assert own != file.parent.name
    assert file.read_text(encoding="utf-8") == text


def test_a_person_is_told_of_a_broken_identity_and_its_repair_brings_the_memory_back(tmp_path: Path) -> None:
    app = repo(tmp_path / "app")
    file = identity_file(tmp_path, tell(app))
    good = file.read_text(encoding="utf-8")
    file.write_text("paths: [\n", encoding="utf-8")
    assert f"projects/{file.parent.name}/project.yml:1:" in Mem.open(app).identity.notice
    for answer in (Mem.open(app).recall(WORD), Mem.open(app).search(WORD), Mem.open(app).list()):
        assert (answer.complete, "project.yml:1" in "".join(answer.missing)) == (False, True)
    assert "Not all memory could be read: projects/" in (Mem.open(app).context_block() or "")
    with pytest.raises(InputError, match=r"project.yml:1: .*repair the file"):
        registry.link(Mem.open(app).gate, file.parent.name, str(app))
    file.write_text(good, encoding="utf-8")
    assert sees(app)


def test_what_people_add_to_an_identity_stays(tmp_path: Path) -> None:
    app = repo(tmp_path / "app")
    file = identity_file(tmp_path, tell(app))
    file.write_text(file.read_text(encoding="utf-8") + "owner: me\n", encoding="utf-8")
    git(app, "remote", "add", "origin", ORIGIN)
    tell(app)
    text = file.read_text(encoding="utf-8")
    assert "owner: me" in text
    assert "example.org/acme/shop" in text


@pytest.mark.parametrize(
    "name", ["a: b", "# x", "- y", " 'q' \"d\" ", "[l]", "{m}", "*s", "a\nb", "a\tb", "~", "é"]
)
def test_any_directory_name_is_found_again(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    tell(tmp_path / name)
    assert sees(tmp_path / name)


def test_a_build_machine_with_ever_new_paths_does_not_break_the_identity(tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app", ORIGIN))
    gate = Mem.open(tmp_path / "app").gate
    gone = [str(tmp_path / ("x" * 60) / str(number)) for number in range(registry.MAX_PATHS + 20)]
    earlier = "".join(f"  - {path}\n" for path in gone[:-25])
    file = identity_file(tmp_path, written)
    file.write_text(file.read_text().replace("paths:\n", f"paths:\n{earlier}"))
    for path in gone[-25:]:
        registry.register(gate, project.Project(written, path, None, known=True))
    known = project.read_identity(str(tmp_path / "home" / "memory" / "projects"), written)
    assert known is not None
    assert known.problem == ""
    assert len(known.paths) == registry.MAX_PATHS
    assert str(tmp_path / "app") in known.paths
    assert known.paths[-1] == gone[-1]


# ---------------------------------------------------------------- without a directory


def vanish(place: Path) -> None:
    """Work in a directory that is gone."""
    place.mkdir()
    os.chdir(place)
    place.rmdir()


@proves("S0.9")
def test_without_a_directory_only_what_is_for_all_projects_is_read_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where one is again afterwards
    (tmp_path / "home/memory/projects/default/notes").mkdir(parents=True)  # as it was written once
    (tmp_path / "home/memory/projects/default/SCRATCHPAD.md").write_text(f"- [ ] {WORD}\n")
    for name in ("one", "two"):
        vanish(tmp_path / name)
        with Mem.open() as mem:
            assert WORD not in (mem.context_block() or "")
            assert "there is no project here" in mem.identity.notice
            for target in ("scratchpad", "daily"):
                with pytest.raises(InputError, match="go to another directory"):
                    mem.write(target, f"- [ ] {WORD} of {name}")
                for ask in (mem.read, mem.edit):
                    with pytest.raises(InputError, match="go to another directory"):
                        ask(target, "x")
            calls: list[Callable[[Mem], object]] = [
                lambda mem: mem.read("note", "x"),
                lambda mem: mem.edit("note", name="x"),
                lambda mem: mem.remove("scratchpad", "note"),
                lambda mem: mem.find("today", "note"),
                lambda mem: mem.learning.withdraw(),
            ]
            for call in calls:
                with pytest.raises(InputError, match="go to another directory"):
                    call(mem)
            with pytest.raises(NotFoundError):
                mem.forget("nobody said this")
            said = Tools(mem).call("memory_read", {"target": "list"}).text
            assert said.splitlines()[-1].startswith("note: there is no project here, because")
            assert "no-project" not in mem.guidance()
            mem.write("long_term", f"- everybody knows {name}")
            assert f"everybody knows {name}" in (mem.context_block() or "")
    assert [each.name for each in (tmp_path / "home/memory/projects").iterdir()] == ["default"]
    assert [each.name for each in (tmp_path / "home").rglob("no-project*")] == []


@proves("S0.9")
@pytest.mark.parametrize("place", ["a\0b", "/nowhere/at/all"])
def test_a_path_that_leads_nowhere_is_no_project(place: str) -> None:
    assert slug(place) == "no-project"
    with pytest.raises(InputError, match="there is no project here"):
        tell(place)


@proves("S0.9")
def test_a_working_directory_that_may_not_be_read_is_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "getcwd", refuse)
    assert slug(None) == "no-project"


ASK = """
import os, sys
from memolith import Mem
os.chmod(sys.argv[1], 0)
known = Mem.open().identity
print(known.slug, known.notice)
"""


def asked_as_a_user(place: Path, closed: Path) -> str:
    """Return what a process whose rights are limited says of its place, once a directory is closed to it."""
    try:
        run = [*without_privileges(), sys.executable, "-c", ASK, str(closed)]
        return subprocess.run(run, cwd=place, capture_output=True, text=True, check=True).stdout
    finally:
        closed.chmod(0o755)


@proves("S0.9")
@pytest.mark.parametrize("kind", ["repository", "folder"])
def test_a_known_place_that_is_closed_is_no_project_and_gets_no_second_memory(
    tmp_path: Path, kind: str
) -> None:
    place = repo(tmp_path / "app") if kind == "repository" else tmp_path / "app"
    place.mkdir(exist_ok=True)
    known = tell(place)
    said = asked_as_a_user(place, place)
    assert said.startswith("no-project there is no project here, because the working directory")
    assert slug(place) == known


def test_a_repository_that_may_not_be_read_is_a_plain_folder_that_says_so(tmp_path: Path) -> None:
    outer = repo(tmp_path / "outer")
    inner = repo(outer / "inner")
    here, around = tell(inner), tell(outer)
    said = asked_as_a_user(inner, inner / ".git")
    assert said.startswith(f"{slug_of(str(inner), 16)} the .git here cannot be read")
    assert slug(inner) == here != around


def test_reading_never_creates_a_file(tmp_path: Path) -> None:
    app = repo(tmp_path / "app", ORIGIN)
    for place in (app, tmp_path):
        assert not sees(place)
        assert Mem.open(place).guidance()
    assert not (tmp_path / "home").exists()
    assert git(app, "status", "--porcelain") == ""


# ---------------------------------------------------------------- slugs


@proves("S0.6", "S0.7", "S0.8")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/u/app", "app-59a4a65d"),
        ("/home/v/app", "app-af2038f0"),
        ("/home/u/My App", "My-App-31c582f3"),
        ("/", "root-860189fe"),
        ("/home/u/項目", "---315a6712"),
    ],
)
def test_slug_vectors(path: str, expected: str) -> None:
    assert slug_of(path) == expected


def fuzzed_paths(count: int) -> set[str]:
    """Return paths that are hard to tell apart: few names, and separators that look alike."""
    source = random.Random(7)
    names = ["app", "a", "b", "a-b", "b-c", "-", "a b", "a_b", "項目", "é", "x" * 60, "app.git", "c"]
    paths = {"/a/b-c", "/a-b/c", "/a/b/c", "/a-b-c", "/"}
    while len(paths) < count:
        parts = source.choices(names, k=source.randint(1, 8))
        paths.add("/" + "/".join([*parts, source.choice(names)]))
    return paths


@proves("S0.6", "X.14")
def test_paths_that_are_hard_to_tell_apart_have_slugs_of_their_own() -> None:
    count = 100_000 if LONG else 5_000
    taken: set[str] = set()
    shape = re.compile(r"[A-Za-z0-9_-]{1,40}-([0-9a-f]{8}|[0-9a-f]{16,})")
    for path in sorted(fuzzed_paths(count)):
        name = free_slug(path, taken.__contains__)
        assert name not in taken
        assert name == slug_of(path) or slug_of(path) in taken
        assert shape.fullmatch(name)
        taken.add(name)
    assert len(taken) == count


@proves("X.14")
def test_paths_that_differ_in_a_separator_only_have_different_slugs() -> None:
    assert slug_of("/a/b-c") != slug_of("/a-b/c")
    assert len({slug_of(path) for path in ("/a/b/app", "/a-b/app", "/a_b/app", "/a b/app", "/ab/app")}) == 5


def test_a_slug_that_is_taken_gets_longer_until_it_is_free() -> None:
    taken: set[str] = set()
    for _ in range(4):
        taken.add(free_slug("/home/u/app", taken.__contains__))
    assert sorted(len(each) for each in taken) == [12, 20, 21, 21]


@proves("X.14")
def test_a_directory_whose_slug_another_project_has_gets_a_store_of_its_own(tmp_path: Path) -> None:
    app, other = repo(tmp_path / "app"), repo(tmp_path / "other")
    # As if both paths had the same hash: the other project lives under the slug of `app`.
    file = identity_file(tmp_path, tell(other))
    file.parent.rename(file.parent.with_name(slug_of(os.path.realpath(app))))
    assert sees(other)
    assert not sees(app)
    assert tell(app) == slug_of(os.path.realpath(app), 16)


def test_a_slug_that_is_taken_at_the_last_moment_is_not_shared(tmp_path: Path) -> None:
    app, other = repo(tmp_path / "app"), repo(tmp_path / "other")
    late = Mem.open(app)
    assert late.project == slug_of(os.path.realpath(app))
    taken = project.Project(late.project, str(other), None)
    registry.register(Mem.open(other).gate, taken)
    late.write("scratchpad", f"- [ ] {WORD}")
    assert late.project == slug_of(os.path.realpath(app), 16)


def test_a_disk_that_ignores_case_finds_a_plain_directory_in_any_spelling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "app").mkdir()
    written = tell(tmp_path / "app")
    monkeypatch.setattr(os.path, "samefile", lambda first, second: first.lower() == second.lower())
    assert slug(tmp_path / "App") == written


# ---------------------------------------------------------------- several processes


def test_first_writes_of_several_processes_register_one_project(tmp_path: Path) -> None:
    app = repo(tmp_path / "app", ORIGIN)
    (app / "src").mkdir()
    git(app, "worktree", "add", "-q", "../tree")
    places = [app, app / "src", tmp_path / "tree"] * 2
    command = [sys.executable, "-m", "memolith", "write", "scratchpad"]
    writers = [
        subprocess.Popen([*command, f"- [ ] item {n}"], cwd=place, stdout=subprocess.PIPE)
        for n, place in enumerate(places)
    ]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0] * 6
    assert [each.name for each in (tmp_path / "home" / "memory" / "projects").iterdir()] == [slug(app)]
    text = Mem.open(app).read("scratchpad")
    assert sorted(text.splitlines()) == [f"- [ ] item {n}" for n in range(6)]
    identity = identity_file(tmp_path, slug(app)).read_text(encoding="utf-8")
    assert identity.count(f"- {app}\n") == 1


def test_a_pipe_in_place_of_an_identity_does_not_hang(mem: Mem, store: Path) -> None:
    mem.write("daily", "x")
    (store / "project.yml").unlink()
    os.mkfifo(store / "project.yml")
    assert Mem.open(mem.identity.root).project


# ---------------------------------------------------------------- something else at a known path


@pytest.mark.parametrize("origin", ["git@example.org:evil/shop.git", ""])
def test_a_fork_at_the_same_path_gets_no_memory_and_its_origin_is_not_believed(
    tmp_path: Path, origin: str
) -> None:
    upstream = repo(tmp_path / "upstream")
    here = clone(upstream, tmp_path / "work" / "shop", ORIGIN)
    known = tell(here)
    here.rename(tmp_path / "gone")
    clone(upstream, here, origin or ORIGIN)
    if not origin:
        git(here, "remote", "remove", "origin")
    assert not sees(here)
    with Mem.open(here) as mem:
        assert f"project link {known}" in mem.identity.notice
        mem.write("daily", "x")
        assert mem.project != known
    assert "evil" not in identity_file(tmp_path, known).read_text()


def test_the_owner_may_rename_an_origin_and_a_clone_of_the_same_takes_its_place(tmp_path: Path) -> None:
    upstream = repo(tmp_path / "upstream")
    here = clone(upstream, tmp_path / "work" / "shop", ORIGIN)
    known = tell(here)
    here.rename(tmp_path / "gone")
    clone(upstream, here, "https://example.org/acme/shop")
    assert tell(here) == known
    git(here, "remote", "set-url", "origin", "git@example.org:acme/store.git")
    assert slug(here) == known


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_folder_of_another_user_is_not_the_one_that_was_at_its_path(tmp_path: Path) -> None:
    here = tmp_path / "work"
    here.mkdir()
    known = tell(here)
    os.chown(here, 12_345, 12_345)
    assert slug(here) == known  # the very same
    here.rename(tmp_path / "gone")
    here.mkdir()
    os.chown(here, 12_345, 12_345)
    assert not sees(here)


def test_a_new_folder_at_the_path_of_one_without_git_is_asked_for(tmp_path: Path) -> None:
    here = tmp_path / "work"
    here.mkdir()
    known = tell(here)
    here.rename(tmp_path / "gone")
    here.mkdir()
    assert not sees(here)
    with Mem.open(here) as mem:
        assert f"project link {known}" in mem.identity.notice
        mem.projects.link(known)
    assert slug(here) == known


def test_a_folder_without_git_that_was_renamed_is_told_of_its_memory(tmp_path: Path) -> None:
    here, there = tmp_path / "work", tmp_path / "new"
    here.mkdir()
    if mark_of(str(here)).endswith("."):
        pytest.skip("this file system does not tell a folder from a later one")
    known = tell(here)
    here.rename(there)
    here.mkdir()
    with Mem.open(there) as mem:
        assert not mem.identity.notice  # a folder is at its place
    here.rmdir()
    assert not sees(there)
    with Mem.open(there) as mem:
        assert f"project link {known}" in mem.identity.notice
        mem.projects.link(known)
    assert slug(there) == known
