"""Sessions, directories and remotes called after a secret: it is nowhere below the home, and all works."""

import json
from pathlib import Path

import pytest
from prove.attack.secrets import leaks

from memolith import Mem
from memolith.hosts.hook import edge, handover, worker
from memolith.store import receipts
from memolith.text.secrets.veil import masked_name, unveiled, veiled
from tests.hosts.sessions import written

TOKEN = "kBTy8AXdFaSs7rT99DxaxTGPUqb8zBPwp2yn"
SECRET = "ghp_" + TOKEN


def test_a_veiled_name_is_the_same_again_and_only_its_secret_is_gone() -> None:
    told = veiled(f"/home/bob/{SECRET}/shop")
    assert told.startswith("/home/bob/[secret:github-token]/shop~")
    assert (veiled(f"/home/bob/{SECRET}/shop"), unveiled(told)) == (told, f"/home/bob/{SECRET}/shop")
    assert veiled(f"/home/bob/{SECRET[:-1]}x/shop") != told
    for name in ("/home/bob/src/shop-2", "github.com/acme/shop", "C:\\src\\shop", "", "keycloak24", "tokens"):
        assert (veiled(name), masked_name(name)) == (name, name)


@pytest.mark.parametrize(
    ("directory", "remote"),
    [
        (SECRET, ""),
        ("shop", f"https://git.example.org/acme/shop.git?private_token={TOKEN}"),
        ("shop", f"https://git.example.org/{SECRET}/shop.git"),
        (f"token={TOKEN}", f"git@{SECRET}.example.org:acme/shop"),
    ],
)
def test_a_project_called_after_a_secret_is_found_again(directory: str, remote: str, tmp_path: Path) -> None:
    work, home = tmp_path / "src" / directory, tmp_path / "home"
    (work / ".git").mkdir(parents=True)
    (work / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (work / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n' if remote else "")
    (work / "docs").mkdir()
    with Mem.open(work, home=home) as mem:
        mem.remember("The suite needs Redis.", "Tests")
        slug = mem.project
    for place in (work, work / "docs"):
        with Mem.open(place, home=home) as mem:
            assert (mem.project, mem.identity.known) == (slug, True)
            mem.remember("And Postgres.", "More tests")
    assert leaks(home, {TOKEN: directory}) == []


@pytest.mark.parametrize("session", ["plain", SECRET])
def test_a_transcript_whose_path_tells_a_secret_is_read_all_the_same(
    session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, home, user = tmp_path / SECRET, tmp_path / "home", tmp_path / "user"
    work.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "true")
    receipts.stamp(str(home), "worker")  # the last one ran a moment ago: the turn starts none
    transcript = user / ".claude" / "projects" / SECRET / f"{session}.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(json.dumps(row) + "\n" for row in written.claude(str(work), session)))
    with Mem.open(work, home=home) as mem:
        mem.remember("The suite needs Redis.", "Tests")
        row = {"hook_event_name": "Stop", "session_id": session, "cwd": str(work)}
        edge.answer(json.dumps({**row, "transcript_path": str(transcript)}).encode(), home=str(home))
        (todo,) = receipts.names(str(home), handover.TODO)
        assert TOKEN not in todo + receipts.read_stamp(str(home), todo)[1]
        said = list(worker.work(mem))
        if session == "plain":
            assert (len(mem.sessions.list()), receipts.names(str(home), handover.TODO)) == (2, []), said
    assert leaks(home, {TOKEN: "any"}) == []
