"""Which project am I in? Each test uses real git repositories and looks through the public API."""

import shutil
from pathlib import Path

import pytest

from memolith import Mem
from tests.env.repos import ORIGIN, SITUATIONS, clone, git, places, repo, sees, slug, tell
from tests.ledger import proves


@proves("S0.5", "S1.2", "S1.27", "X.12")
@pytest.mark.parametrize("situation", SITUATIONS["together"])
def test_the_memory_is_found_and_does_not_leak(situation: str, tmp_path: Path) -> None:
    found = places(situation, tmp_path / "world")
    written = tell(next(found))
    there = next(found)
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


@proves("S0.5", "S0.8", "S1.2", "S1.27")
@pytest.mark.parametrize("situation", [*SITUATIONS["apart"], *SITUATIONS["replaced"]])
def test_two_projects_have_two_memories(situation: str, tmp_path: Path) -> None:
    found = places(situation, tmp_path / "world")
    written = tell(next(found))
    there = next(found)
    assert not sees(there)
    assert slug(there) != written
    if situation in SITUATIONS["replaced"]:  # and a person is told
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
