"""Which project am I in? Each test uses real git repositories and looks through the public API."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memolith import Mem
from tests.env.repos import ORIGIN, clone, git, repo, sees, slug, tell
from tests.ledger import proves

# A situation yields where the memory is written, then changes the world and yields where it is looked for.
Situation = Callable[[Path], Iterator[Path]]


# ---------------------------------------------------------------- one project


def subdirectory(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    (tmp / "app" / "src" / "deep").mkdir(parents=True)
    yield tmp / "app" / "src" / "deep"


def from_subdirectory_to_root(tmp: Path) -> Iterator[Path]:
    (repo(tmp / "app") / "src").mkdir()
    yield tmp / "app" / "src"
    yield tmp / "app"


def linked_worktree(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    git(tmp / "app", "worktree", "add", "-q", "../elsewhere")
    yield tmp / "elsewhere"


def subdirectory_of_a_worktree_in_the_checkout(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    git(tmp / "app", "worktree", "add", "-q", ".trees/fix")
    (tmp / "app" / ".trees" / "fix" / "src").mkdir()
    yield tmp / "app" / ".trees" / "fix" / "src"


def from_worktree_to_main_checkout(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "app"), "worktree", "add", "-q", "../elsewhere")
    yield tmp / "elsewhere"
    yield tmp / "app"


def second_clone(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    yield clone(tmp / "app", tmp / "again" / "app2", ORIGIN)


def ssh_and_https(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", "git@example.org:acme/shop.git")
    yield clone(tmp / "app", tmp / "web", "https://user:token@example.org/acme/shop")


def clone_of_a_local_repository(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    git(tmp, "clone", "-q", str(tmp / "app"), "copy")
    yield tmp / "copy"


def two_clones_of_a_local_bare_repository(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "seed"), "clone", "-q", "--bare", ".", str(tmp / "hub.git"))
    for name in ("one", "two"):
        git(tmp, "clone", "-q", str(tmp / "hub.git"), name)
        yield tmp / name


def renamed(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    yield (tmp / "app").rename(tmp / "shop")


def moved(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    (tmp / "far" / "away").mkdir(parents=True)
    yield (tmp / "app").rename(tmp / "far" / "away" / "app")


def case_changed(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    yield (tmp / "app").rename(tmp / "App")


def symlinked(tmp: Path) -> Iterator[Path]:
    (tmp / "real").mkdir()
    yield tmp / "real"
    (tmp / "link").symlink_to(tmp / "real")
    yield tmp / "link"


def symlink_into_a_repository(tmp: Path) -> Iterator[Path]:
    (repo(tmp / "app") / "src").mkdir()
    yield tmp / "app"
    (tmp / "link").symlink_to(tmp / "app" / "src")
    yield tmp / "link"


def no_git(tmp: Path) -> Iterator[Path]:
    (tmp / "plain").mkdir()
    yield tmp / "plain"
    yield tmp / "plain"


def no_git_then_git(tmp: Path) -> Iterator[Path]:
    (tmp / "plain").mkdir()
    yield tmp / "plain"
    git(tmp / "plain", "init", "-q")
    git(tmp / "plain", "commit", "-q", "--allow-empty", "-m", "begin")
    yield tmp / "plain"


def no_remote(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    yield tmp / "app"


def no_remote_and_moved(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    yield (tmp / "app").rename(tmp / "shop")


def no_remote_packed_and_moved(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "app"), "gc", "-q")
    yield tmp / "app"
    yield (tmp / "app").rename(tmp / "shop")


def container_mount(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    (tmp / "container").mkdir()
    yield shutil.copytree(tmp / "app", tmp / "container" / "workspace")


def other_letters(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "Büro – 項目" / "прил")
    (tmp / "Büro – 項目" / "прил" / "ñ").mkdir()
    yield tmp / "Büro – 項目" / "прил" / "ñ"


def bytes_that_are_not_utf8(tmp: Path) -> Iterator[Path]:
    place = Path(os.fsdecode(os.fsencode(tmp) + b"/caf\xe9"))
    place.mkdir()
    yield place
    yield place


def remote_renamed(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    git(tmp / "app", "remote", "set-url", "origin", "git@example.org:newname/store.git")
    yield tmp / "app"


def remote_renamed_after_packing(tmp: Path) -> Iterator[Path]:
    for place in remote_renamed(tmp):
        git(tmp / "app", "gc", "-q")
        yield place


def remote_added(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    git(tmp / "app", "remote", "add", "origin", ORIGIN)
    yield tmp / "app"


def remote_removed(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    git(tmp / "app", "remote", "remove", "origin")
    yield tmp / "app"


def worktrees_of_a_bare_repository(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "seed"), "clone", "-q", "--bare", ".", str(tmp / "hub.git"))
    git(tmp / "hub.git", "remote", "remove", "origin")
    for name in ("one", "two"):
        git(tmp / "hub.git", "worktree", "add", "-q", f"../{name}")
        yield tmp / name


def inside_a_bare_repository(tmp: Path) -> Iterator[Path]:
    yield from list(worktrees_of_a_bare_repository(tmp))[:1]
    yield tmp / "hub.git"


def directory_around_a_bare_repository(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "seed"), "clone", "-q", "--bare", ".", str(tmp / "app" / ".bare"))
    (tmp / "app" / ".git").write_text("gitdir: ./.bare\n")
    git(tmp / "app", "remote", "remove", "origin")
    git(tmp / "app", "worktree", "add", "-q", "main")
    yield tmp / "app" / "main"
    yield tmp / "app"


TOGETHER: list[Situation] = [
    subdirectory,
    from_subdirectory_to_root,
    linked_worktree,
    subdirectory_of_a_worktree_in_the_checkout,
    from_worktree_to_main_checkout,
    second_clone,
    ssh_and_https,
    clone_of_a_local_repository,
    two_clones_of_a_local_bare_repository,
    renamed,
    moved,
    case_changed,
    symlinked,
    symlink_into_a_repository,
    no_git,
    no_git_then_git,
    no_remote,
    no_remote_and_moved,
    no_remote_packed_and_moved,
    container_mount,
    other_letters,
    *([bytes_that_are_not_utf8] if sys.platform == "linux" else []),
    remote_renamed,
    remote_renamed_after_packing,
    remote_added,
    remote_removed,
    worktrees_of_a_bare_repository,
    inside_a_bare_repository,
    directory_around_a_bare_repository,
]


@proves("S0.5", "S1.2", "S1.27", "X.12")
@pytest.mark.parametrize("situation", TOGETHER, ids=lambda each: each.__name__)
def test_the_memory_is_found_and_does_not_leak(situation: Situation, tmp_path: Path) -> None:
    places = situation(tmp_path / "world")
    (tmp_path / "world").mkdir()
    written = tell(next(places))
    there = next(places)
    assert sees(there)
    assert slug(there) == written
    tell(there)  # writing from the second place registers it, and does not split the memory
    assert slug(there) == written
    assert len(list((tmp_path / "home" / "memory" / "projects").iterdir())) == 1
    strangers = [
        repo(tmp_path / "unrelated" / there.name, "git@example.org:acme/other.git"),
        repo(tmp_path / "unrelated" / "bare" / there.name),
        tmp_path / "unrelated",
    ]
    for stranger in strangers:
        assert not sees(stranger)
        assert slug(stranger) != written


# ---------------------------------------------------------------- two projects


def fork(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    yield clone(tmp / "app", tmp / "fork" / "app", "git@example.org:someone/shop.git")


def fork_after_the_original_is_gone(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app", ORIGIN)
    place = clone(tmp / "app", tmp / "fork" / "app", "git@example.org:someone/shop.git")
    shutil.rmtree(tmp / "app")
    yield place


def same_name(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "u" / "app")
    yield repo(tmp / "v" / "app")


def copy_without_a_remote(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "app")
    yield shutil.copytree(tmp / "app", tmp / "copy")


def submodule(tmp: Path) -> Iterator[Path]:
    library = repo(tmp / "library")
    git(repo(tmp / "app"), "submodule", "--quiet", "add", str(library), "lib")
    git(tmp / "app" / "lib", "remote", "set-url", "origin", "git@example.org:acme/lib.git")
    yield tmp / "app"
    yield tmp / "app" / "lib"


def from_submodule_to_superproject(tmp: Path) -> Iterator[Path]:
    outer, inner = submodule(tmp)
    yield inner
    yield outer


def repository_in_a_plain_directory(tmp: Path) -> Iterator[Path]:
    (tmp / "projects").mkdir()
    yield tmp / "projects"
    yield repo(tmp / "projects" / "app")


def subdirectory_without_git(tmp: Path) -> Iterator[Path]:
    (tmp / "plain" / "sub").mkdir(parents=True)
    yield tmp / "plain"
    yield tmp / "plain" / "sub"


def another_repository_at_the_same_path(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "workspace", ORIGIN)
    shutil.rmtree(tmp / "workspace")
    yield repo(tmp / "workspace", "git@example.org:acme/other.git")


def another_repository_without_a_remote_at_the_same_path(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "workspace")
    shutil.rmtree(tmp / "workspace")
    yield repo(tmp / "workspace", "git@example.org:acme/other.git")


def a_plain_directory_at_the_path_of_a_repository(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "workspace", ORIGIN)
    shutil.rmtree(tmp / "workspace")
    (tmp / "workspace").mkdir()
    yield tmp / "workspace"


def a_new_repository_where_a_shallow_clone_was(tmp: Path) -> Iterator[Path]:
    git(repo(tmp / "seed"), "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp, "clone", "-q", "--depth=1", f"file://{tmp}/seed", "workspace")
    yield tmp / "workspace"
    shutil.rmtree(tmp / "workspace")
    yield repo(tmp / "workspace")


def a_worktree_at_the_path_of_another_repository(tmp: Path) -> Iterator[Path]:
    yield repo(tmp / "workspace", ORIGIN)
    shutil.rmtree(tmp / "workspace")
    git(repo(tmp / "app"), "worktree", "add", "-q", "../workspace")
    yield tmp / "workspace"


APART: list[Situation] = [
    fork,
    fork_after_the_original_is_gone,
    same_name,
    copy_without_a_remote,
    submodule,
    from_submodule_to_superproject,
    repository_in_a_plain_directory,
    subdirectory_without_git,
]
REPLACED: list[Situation] = [
    another_repository_at_the_same_path,
    another_repository_without_a_remote_at_the_same_path,
    a_plain_directory_at_the_path_of_a_repository,
    a_new_repository_where_a_shallow_clone_was,
    a_worktree_at_the_path_of_another_repository,
]


@proves("S0.5", "S0.8", "S1.2", "S1.27")
@pytest.mark.parametrize("situation", APART + REPLACED, ids=lambda each: each.__name__)
def test_two_projects_have_two_memories(situation: Situation, tmp_path: Path) -> None:
    places = situation(tmp_path)
    written = tell(next(places))
    there = next(places)
    assert not sees(there)
    assert slug(there) != written
    if situation in REPLACED:  # and a person is told
        told = Mem.open(there).identity.notice
        assert f"was known as {written}, but something else is here now" in told
        assert f"memolith project link {written}" in told
    own = tell(there)
    assert own == slug(there) != written


def test_a_path_that_changes_hands_keeps_both_memories(tmp_path: Path) -> None:
    first = repo(tmp_path / "workspace", ORIGIN)
    written = tell(first)
    first.rename(tmp_path / "kept")
    second = repo(tmp_path / "workspace", "git@example.org:acme/other.git")
    Mem.open(second).write("scratchpad", "- [ ] other")
    assert not sees(second)
    second.rename(tmp_path / "second")
    (tmp_path / "kept").rename(tmp_path / "workspace")
    assert sees(tmp_path / "workspace")
    assert slug(tmp_path / "workspace") == written


def test_a_project_that_is_found_by_its_origin_says_so_once(tmp_path: Path) -> None:
    written = tell(repo(tmp_path / "app", ORIGIN))
    mem = Mem.open(clone(tmp_path / "app", tmp_path / "again", ORIGIN))
    assert f"using the memory {written} from a new path (same origin)" in mem.identity.notice
    mem.write("scratchpad", "- [ ] more")
    assert Mem.open(tmp_path / "again").identity.notice == ""


def test_two_moved_copies_of_one_template_do_not_swap_memories(tmp_path: Path) -> None:
    repo(tmp_path / "one")
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    tell(tmp_path / "one")
    tell(tmp_path / "two")
    (tmp_path / "one").rename(tmp_path / "eins")
    (tmp_path / "two").rename(tmp_path / "zwei")
    assert not sees(tmp_path / "eins")
    assert not sees(tmp_path / "zwei")


def test_a_repository_gets_its_evidence_with_the_first_write_after_its_first_commit(tmp_path: Path) -> None:
    app = repo(tmp_path / "app", commit=False)
    written = tell(app)
    git(app, "commit", "-q", "--allow-empty", "-m", "begin")
    tell(app)
    app.rename(tmp_path / "moved")
    assert slug(tmp_path / "moved") == written
