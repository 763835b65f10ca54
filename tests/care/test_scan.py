"""`memolith scan`: what it finds, what it never shows, and that a purge leaves nothing behind."""

import gzip
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from prove.lines import kept, line, save, tokens

from memolith import Mem
from memolith.care.doctor import examine
from memolith.care.erase import purge, quote_markers
from memolith.care.scan import MAX_BYTES, scan_home
from memolith.edges.cli import main
from memolith.text.yaml import parse
from tests.ledger import proves

Capture = pytest.CaptureFixture[str]


def canary(name: str) -> str:
    """Return a token of its own for each place, so that a leak tells where it came from."""
    source = random.Random(name)
    return "ghp_" + "".join(source.choice("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNP23456789") for _ in range(36))


def hits(home: Path, values: list[str]) -> list[str]:
    """Search every byte and every name of a home."""
    found = []
    for path in home.rglob("*"):
        data = str(path.relative_to(home)).encode() + (path.read_bytes() if path.is_file() else b"")
        if path.name.endswith(".gz"):
            data += gzip.decompress(path.read_bytes())
        found += [f"{path}: {value}" for value in values if value.lower().encode() in data.lower()]
    return found


def run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "memolith", *arguments], input=data, capture_output=True, check=False
    )


@pytest.fixture
def leaky(mem: Mem, store: Path) -> dict[str, str]:
    """Return a memory with a secret in every place that there is, by the name of the place."""
    secrets: dict[str, str] = {}

    def put(name: str) -> str:
        secrets[name] = canary(name)
        return secrets[name]

    mem.write("scratchpad", "- [ ] one")
    mem.remember("Body", "A note")
    mem.remember("Body", "All", scope="user")
    mem.write("note", "x", name="plain")
    mem.append_daily("heading", "text")
    mem.write("long_term", "# Me\n\n- fact")

    def add(path: Path, text: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)

    add(mem.root / "MEMORY.md", f"- {put('long term')}\n")
    add(store / "MEMORY.md", f"- {put('project memory')}\n")
    add(store / "SCRATCHPAD.md", f"- [ ] {put('scratchpad')}\n")
    add(next((store / "daily").iterdir()), f"- {put('daily')}\n")
    add(store / "notes" / "a-note.md", f"- {put('note')}\n")
    add(store / "notes" / "MEMORY.md", f"- [Mine](plain.md) {put('index')}\n")
    add(mem.root / "notes" / "all.md", f"- {put('user note')}\n")
    (store / "notes" / f"{put('file name')}.md").write_text("x\n")
    (store / "notes" / "titled.md").write_text(f"---\nname: {put('title')}\ntype: user\n---\nx\n")
    add(store / "project.yml", f"# {put('identity')}\nother: {put('identity value')}\n")
    (Path(mem.home) / "config.yml").write_text(f"# {put('config')}\nother: {put('config value')}\n")
    (Path(mem.home) / "config.yml.99.tmp").write_text(f"identity: git\n# {put('config leftover')}\n")
    (store / ".tmp").mkdir(exist_ok=True)
    (store / ".tmp" / "notes%2Fa-note.md.0").write_text(put("leftover"))
    (store / ".tmp" / f"notes%2F{put('leftover name')}.md.0").write_text("x")
    (mem.root / ".tmp").mkdir(exist_ok=True)
    (mem.root / ".tmp" / "MEMORY.md.3").write_text(put("user leftover"))
    (store / "notes" / "old.md").write_text(put("version of a deleted note"))
    mem.edit("note", name="old")
    (store / "notes" / "was.md").write_text(put("version of an edit") + "\nkeep\n")
    mem.edit("note", secrets["version of an edit"], "gone", "was")
    (store / "notes" / f"{put('name in the history')}.md").write_text("x\n")
    mem.edit("note", name=secrets["name in the history"])
    (mem.root / "projects" / "other-00000000" / "notes").mkdir(parents=True)
    (mem.root / "projects" / "other-00000000" / "notes" / "n.md").write_text(put("other project"))
    for kind in ("records/decisions", "tickets", "inbox"):
        (store / kind).mkdir(parents=True)
        (store / kind / "x.md").write_text(f"---\ntitle: {put(kind + ' title')}\n---\n{put(kind)}\n")
    (Path(mem.home) / "cache").mkdir(exist_ok=True)
    (Path(mem.home) / "cache" / "index-0.sqlite3").write_text(put("cache"))
    sessions = Path(mem.home) / "sessions" / mem.project
    sessions.mkdir(parents=True)
    lines = [{"agent": "a", "id": "1"}, {"turn": 1, "role": "user", "text": f'it is "{put("session")}"'}]
    packed = gzip.compress("\n".join(map(json.dumps, lines)).encode())
    (sessions / "a-1.jsonl.gz").write_bytes(packed)
    (store / "wide.md").write_bytes(f"\ufeff- {put('utf-16')}\n".encode("utf-16-le"))
    (store / "notes" / "latin.md").write_bytes(b"caf\xe9 " + put("latin-1").encode() + b"\n")
    return secrets


def test_every_place_of_a_home_is_looked_at(mem: Mem, leaky: dict[str, str]) -> None:
    assert len(hits(Path(mem.home), list(leaky.values()))) >= len(leaky) - 1  # UTF-16 is not found by bytes
    report = scan_home(mem)
    assert len(report.leaks) >= len(leaky) - 1  # derived files are dropped, not reported
    assert {leak.kind for leak in report.leaks} == {"github-token"}
    assert not [leak for leak in report.leaks for value in leaky.values() if value in str(leak)]


def test_after_a_purge_no_byte_of_any_secret_is_left(mem: Mem, leaky: dict[str, str], work: Path) -> None:
    assert main(["scan", "--purge", "--project", str(work)]) == 0
    assert hits(Path(mem.home), list(leaky.values())) == []
    assert scan_home(mem).leaks == []
    assert not [finding for finding in examine(mem) if finding.kind in {"secret", "frontmatter"}]


SAID = {
    "quoted": [{"turn": 1, "role": "tool", "text": '{"name": "DB_PASSWORD",\n "value": "Xk7wombatQ2"}'}],
    "numbered": [{"turn": 1, "role": "tool", "text": "  1→- name: DB_PASSWORD\n  2→  value: Xk7wombatQ2"}],
    "of another": [{"turn": 1, "role": "user", "text": "x", "more": {"password": "Xk7wombatQ2"}}],
    "two turns": [{"turn": 1, "role": "user", "text": "Password:"}, {"turn": 2, "text": "Xk7wombatQ2"}],
    "no turn": ["password=Xk7wombatQ2"],
}


@pytest.mark.parametrize("rows", SAID.values(), ids=SAID)
def test_what_is_found_in_a_session_is_also_taken_out(
    mem: Mem, work: Path, capfd: Capture, rows: list[object]
) -> None:
    """It was looked for as JSON writes it, and taken out of what it says: any number of purges left it."""
    path = Path(mem.home) / "sessions" / mem.project / "claude-1.jsonl.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, [{"agent": "claude"}, *rows])).encode()))
    found = [leak.kind for leak in scan_home(mem).leaks]
    assert len([each for each in examine(mem) if each.kind == "secret"]) == len(found)
    assert main(["scan", "--purge", "--project", str(work)]) == 0
    assert ("masked" in capfd.readouterr().out) == bool(found)
    assert not (found and "wombat" in gzip.decompress(path.read_bytes()).decode())


def test_what_a_purge_cannot_take_out_is_named_with_the_reason(mem: Mem, work: Path, capfd: Capture) -> None:
    mem.remember("Body", "A note")
    (Path(mem.home) / "mine.txt").write_text(f"{canary('mine')}\n")
    assert main(["scan", "--purge", "--project", str(work)]) == 1
    printed = capfd.readouterr()
    assert "mine.txt:1:1 github-token" in printed.out
    assert "memolith does not change the files below; delete them" in printed.err


@pytest.mark.usefixtures("leaky")
def test_a_purge_keeps_everything_but_the_secrets(mem: Mem, store: Path) -> None:
    purge(mem)
    assert (mem.root / "MEMORY.md").read_text() == "# Me\n\n- fact\n- [secret:github-token]\n"
    assert (store / "notes" / "was.md").read_text() == "gone\nkeep\n"
    (renamed,) = (store / "notes").glob("secret-github-token*.md")
    assert renamed.read_text() == "x\n"
    assert (store / "notes" / "latin.md").read_bytes() == b"caf\xe9 [secret:github-token]\n"
    wide = (store / "wide.md").read_bytes().decode("utf-16-le")
    assert wide == "\ufeff- [secret:github-token]\n"
    assert 'name: "[secret:github-token]"\ntype: user\n' in (store / "notes" / "titled.md").read_text()
    assert parse((store / "project.yml").read_text())["other"] == "[secret:github-token]"
    assert mem.settings.text("identity") == "git"
    versions = mem.gate.history.versions(mem.find("was").path, markers=True)
    assert [each.op for each in versions] == ["edit", "save"]  # the trail is there
    assert mem.gate.history.read(mem.find("was").path, versions[0].id) == b"[secret:github-token]\nkeep\n"


def test_no_undo_brings_a_purged_secret_back(mem: Mem, leaky: dict[str, str]) -> None:
    purge(mem)
    values = list(leaky.values())
    from memolith.base.errors import HistoryError
    from memolith.memory.undo import files_with_history

    for name in files_with_history(mem):
        for version in mem.gate.history.versions(name, markers=True):
            try:
                mem.undo(name, version.id)
            except HistoryError:
                continue
            assert hits(Path(mem.home), values) == []


def test_a_purge_does_not_lose_what_a_person_saves_meanwhile(mem: Mem, store: Path) -> None:
    mem.write("scratchpad", line("first"))

    def type_secrets() -> None:
        for number in range(60):
            with (store / "SCRATCHPAD.md").open("a", encoding="utf-8") as file:
                file.write(f"- {canary(str(number))}\n")
            save(str(store / "SCRATCHPAD.md"), "rename", f"hand{number}")

    person = threading.Thread(target=type_secrets)
    person.start()
    while person.is_alive():
        purge(mem)
    purge(mem)
    there = mem.read("scratchpad") + b"\n".join(kept(mem)).decode()
    assert {f"hand{number}" for number in range(60)} <= set(tokens(there))
    assert hits(Path(mem.home), [canary(str(number)) for number in range(60)]) == []


def test_a_second_purge_changes_nothing(
    mem: Mem, leaky: dict[str, str], snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    assert sum(done.secrets for done in purge(mem)) >= len(leaky) - 2
    before = snapshot(Path(mem.home))
    assert purge(mem) == []
    assert snapshot(Path(mem.home)) == before


def test_a_dry_run_changes_nothing_and_says_what_would_be_masked(
    mem: Mem,
    leaky: dict[str, str],
    work: Path,
    capfd: Capture,
    snapshot: Callable[[Path], dict[str, bytes]],
) -> None:
    before = snapshot(Path(mem.home))
    assert main(["scan", "--purge", "--dry-run", "--project", str(work)]) == 1
    assert snapshot(Path(mem.home)) == before
    printed = capfd.readouterr()
    assert "MEMORY.md:4:3 github-token" in printed.out
    assert "without --dry-run" in printed.out
    assert not [value for value in leaky.values() if value in printed.out + printed.err]


def test_what_scan_prints_names_place_and_kind_and_never_the_value(
    leaky: dict[str, str], work: Path, capfd: Capture
) -> None:
    outputs = []
    for command in (["scan"], ["scan", "--json"], ["doctor"], ["doctor", "--json"], ["scan", "--purge"]):
        main([*command, "--project", str(work)])
        printed = capfd.readouterr()
        outputs.append(printed.out + printed.err)
    for value in leaky.values():
        # Not even a part of it: eight characters would already help somebody who guesses.
        assert not [text for text in outputs for at in range(4, 32) if value[at : at + 8] in text]
    report = json.loads(outputs[1])
    assert {"path", "line", "column", "kind"} == set(report["findings"][0])


@proves("S3.11")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("akiaz7qx2m4n6p8r1t3v-is-the-deploy-key-id", "aws-key-id"),
        ("rotate-ghp-ab3de5fg7hi9jk1lm3no5pq7rs9tu1vw3xy5", "github-token"),
        ("bot-xoxb-2812345678-k3v9x2q7w4r8t1", "slack-token"),
        ("key-akia" + "iosfodnn7examplq", "aws-key-id"),
        ("key-glpat-" + "abcdefghijklmnopqrst", "gitlab-token"),
        ("key-akia" + "iosfodnn7example", ""),
        ("the-password-tr0ub4dor3xyzzy-is-for-the-db", "password"),
        ("sk-learn-pipeline-for-tickets-2026", ""),
        ("asia-pacific-regions2026", ""),
        ("secret-github-token", ""),
        ("key-decisions-of-2026-11-15", ""),
        ("eaac3f9b2c1d4e5f60718293a4b5c6d7", ""),
    ],
)
def test_a_secret_is_recognised_in_a_name_that_was_made_of_a_text(
    mem: Mem, store: Path, name: str, kind: str
) -> None:
    mem.tickets.add("Something else")
    (store / "tickets" / f"{name}.md").write_text("x\n")
    found = mem.scan().leaks
    assert [leak.kind for leak in found] == ([kind] if kind else [])
    assert not kind or name not in str(found[0])


@proves("X.8")
def test_commands_about_records_and_tickets_mask_what_was_typed_into_their_files(
    mem: Mem, store: Path, work: Path, capfd: Capture
) -> None:
    mem.tickets.add("Other")
    for place in ("records/decisions/typed.md", "tickets/typed.md"):
        (store / place).parent.mkdir(parents=True, exist_ok=True)
        (store / place).write_text(f"by hand {canary(place)}\n")
    commands = ["record show typed", "record list", "list records", "show record:typed"]
    for asked in (*commands, "ticket show typed", "ticket list", "show ticket:typed"):
        for form in ((), ("--json",)):
            assert main(["--project", str(work), *asked.split(), *form]) == 0
            said = capfd.readouterr().out
            assert (asked, "ghp_" in said, "[secret:github-token]" in said) == (asked, False, True)


@proves("S3.11")
def test_a_list_shows_no_secret_that_somebody_put_into_a_name(
    mem: Mem, store: Path, work: Path, capfd: Capture
) -> None:
    name = f"{canary('named')}.md"
    mem.remember("x", "Other")
    (store / "notes" / name).write_text("x\n")
    for asked in (["list"], ["list", "notes", "--json"], ["read", "list"], ["read", "list", "--json"]):
        assert main(["--project", str(work), *asked]) == 0
        assert name[:-3] not in capfd.readouterr().out, asked


def test_a_secret_that_only_a_marker_is_left_of_is_quoted_in_yaml() -> None:
    text = "a: [secret:x]\nb:\n  - [secret:x] y\nc: z [secret:x]\n"
    assert parse(quote_markers(text, whole=True)) == {
        "a": "[secret:x]",
        "b": ["[secret:x] y"],
        "c": "z [secret:x]",
    }
    note = "---\nname: [secret:x]\n---\nbody: [secret:x]\n"
    assert quote_markers(note) == '---\nname: "[secret:x]"\n---\nbody: [secret:x]\n'


def test_any_folder_can_be_scanned(tmp_path: Path, work: Path, capfd: Capture) -> None:
    folder = tmp_path / "folder"
    (folder / ".git").mkdir(parents=True)
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / ".git" / "config").write_text(canary("git"))
    (folder / "deep" / "er" / "x.env").write_text(f"A=1\n  TOKEN={canary('env')}\n")
    (folder / "binary").write_bytes(b"\0" + canary("binary").encode())
    (folder / "private.html").write_text("<private>x</private>")
    with (folder / "huge.log").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
        file.write(b"a" * 10_000)
    (tmp_path / "outside").write_text(canary("outside"))
    (folder / "link").symlink_to(tmp_path / "outside")
    os.mkfifo(folder / "pipe")
    assert main(["scan", str(folder), "--project", str(work)]) == 1
    assert capfd.readouterr().out == (
        f"{folder}/deep/er/x.env:2:9 github-token\n"
        "1 secret in 1 of 2 files (not read: 1 binary, 1 large, 1 link, 1 special)\n"
    )
    assert main(["scan", str(folder / "private.html"), "--project", str(work)]) == 0
    assert not (tmp_path / "home").exists()  # scanning a folder makes nothing


def test_standard_input_can_be_scanned() -> None:
    done = run("scan", "-", data=f"one\ntwo {canary('x')}\n".encode())
    assert (done.returncode, done.stdout) == (1, b"-:2:5 github-token\n1 secret in 1 of 1 file\n")
    assert run("scan", "-", data=b"nothing here\n").returncode == 0
    assert run("scan", "-", data=b"a" * (MAX_BYTES + 1)).returncode == 6


def test_a_home_that_is_not_there_has_no_secrets_and_is_not_made(work: Path, tmp_path: Path) -> None:
    assert main(["scan", "--purge", "--project", str(work)]) == 0
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("leaky")
def test_progress_is_told_on_a_terminal_only() -> None:
    assert run("scan").stderr == b""


# ---------------------------------------------------------------- false alarms


def test_an_allowed_value_is_stored_in_its_project_and_masked_in_others(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    assert main(["scan", "--allow", "correct-horse9", "--project", str(work)]) == 0
    assert mem.write("scratchpad", "password: correct-horse9").warnings == []
    assert mem.read("scratchpad") == "password: correct-horse9\n"
    assert mem.remember("x", "password: correct-horse9").warnings == []
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = Mem.open(other)
    assert "1 secret" in elsewhere.write("scratchpad", "password: correct-horse9").warnings[0]
    assert "1 secret" in mem.write("long_term", "password: correct-horse9").warnings[0]
    assert scan_home(mem).leaks == []
    assert [finding for finding in examine(mem) if finding.kind == "secret"] == []


def test_a_value_allowed_for_the_user_is_allowed_everywhere(mem: Mem, work: Path) -> None:
    assert (
        main(["scan", "--allow", "the password: correct-horse9!", "--scope", "user", "--project", str(work)])
        == 0
    )
    assert mem.write("long_term", "password: correct-horse9!").warnings == []
    assert mem.write("scratchpad", "password: correct-horse9!").warnings == []


def test_an_allowed_value_is_kept_as_a_hash_and_can_be_taken_back(
    mem: Mem, work: Path, store: Path, capfd: Capture
) -> None:
    options = ["--project", str(work)]
    assert main(["scan", "--allow", "correct-horse9", *options]) == 0
    assert "horse" not in (store / "project.yml").read_text() + capfd.readouterr().out
    assert main(["scan", "--allowed", *options]) == 0
    known = capfd.readouterr().out.strip()
    assert len(known) == 64
    assert main(["scan", "--disallow", known[:10], *options]) == 0
    assert main(["scan", "--allowed", *options]) == 0
    assert known not in (store / "project.yml").read_text()
    assert "1 secret" in mem.write("scratchpad", "password: correct-horse9").warnings[0]


def test_a_value_can_be_read_from_standard_input(mem: Mem, work: Path) -> None:
    assert run("scan", "--allow", "-", "--project", str(work), data=b"correct-horse9\n").returncode == 0
    assert mem.write("scratchpad", "password: correct-horse9").warnings == []


def test_comments_and_other_keys_of_the_file_stay(mem: Mem, work: Path, store: Path) -> None:
    mem.write("scratchpad", "x")
    path = store / "project.yml"
    path.write_text(path.read_text() + "# mine\nallow:\n  - abc  # why\nmore: 1\n")
    assert main(["scan", "--allow", "correct-horse9", "--project", str(work)]) == 0
    text = path.read_text()
    assert "# mine\nallow:\n  - abc  # why\n  - " in text
    assert text.endswith("\nmore: 1\n")
    mem.register()


def test_a_list_is_no_secret_itself(work: Path, store: Path) -> None:
    assert main(["scan", "--allow", "correct-horse9", "--project", str(work)]) == 0
    path = store / "project.yml"
    path.write_text(path.read_text().replace("allow:", "allow:  # our secret key"))
    before = path.read_text()
    assert main(["scan", "--purge", "--project", str(work)]) == 0
    assert path.read_text() == before


def test_a_list_in_somebodys_repository_has_no_effect(mem: Mem, work: Path, store: Path) -> None:
    assert main(["scan", "--allow", "correct-horse9", "--project", str(work)]) == 0
    text = (store / "project.yml").read_text()
    assert main(["scan", "--disallow", "correct-horse9", "--project", str(work)]) == 0
    for name in ("project.yml", "allow.yml", "memory/allow.yml", ".memolith/project.yml", "config.yml"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text)
    assert "1 secret" in mem.write("scratchpad", "password: correct-horse9").warnings[0]


def test_a_list_behind_a_link_has_no_effect(mem: Mem, work: Path, tmp_path: Path) -> None:
    assert main(["scan", "--allow", "correct-horse9", "--scope", "user", "--project", str(work)]) == 0
    path = mem.root / "allow.yml"
    path.rename(tmp_path / "allow.yml")
    path.symlink_to(tmp_path / "allow.yml")
    assert "1 secret" in mem.write("scratchpad", "password: correct-horse9").warnings[0]


def test_an_ordinary_write_does_not_read_the_list(mem: Mem) -> None:
    mem.write("scratchpad", "x")
    (mem.root / "allow.yml").mkdir()  # reading it would fail
    assert mem.write("scratchpad", "y").warnings == []


def test_a_private_part_is_not_called_a_secret(mem: Mem) -> None:
    assert mem.write("scratchpad", "a <private>b</private>").warnings == ["a private part was left out"]
    result = mem.write("scratchpad", "<private>b</private> <private>c</private> password: correct-horse9")
    assert result.warnings == [
        "masked 1 secret (password); to keep a false alarm, give the value to `memolith scan --allow`",
        "2 private parts were left out",
    ]


def test_only_who_may_write_the_mark_is_told_of_it(mem: Mem) -> None:
    (told,) = mem.from_source("user").write("scratchpad", "password: correct-horse9").warnings
    assert "memolith:allow in its line" in told
