"""`memolith forget`: no byte of a fact is left, nothing else is lost, no import brings it back."""

import gzip
import json
import os
import re
import unicodedata
from pathlib import Path

import pytest

from memolith import Mem, WriteMode, import_memory
from memolith.adapters.files import Memories
from memolith.adapters.values import Conversation, Items
from memolith.base.errors import PartialError
from memolith.care import erase
from memolith.edges.cli import main
from memolith.hosts.hook import edge
from memolith.learn import run as learning
from memolith.learn.queue.queue import EXTRACT, Queue
from memolith.memory.sessions import Session, Turn
from memolith.store import receipts

FACT = "The vault door is called zebrafish7731."
MARK = b"zebrafish7731"


def session(mem: Mem, number: str = "1") -> None:
    turns = [
        Turn(number=1, role="user", text=f"Hello.\nRemember: {FACT}\nThanks."),
        Turn(number=2, role="assistant", text=FACT, tool="bash", outcome="ok"),
    ]
    mem.sessions.add(Session(agent="claude", id=number, turns=turns))


def bytes_of(home: Path) -> list[str]:
    """Return the files of a home that have the mark, whatever they are."""
    found = []
    for path in sorted(home.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b""
            if MARK in (data + plain).lower():
                found.append(str(path.relative_to(home)))
    return found


@pytest.fixture
def planted(mem: Mem, tmp_path: Path) -> Mem:
    mem.write("long_term", f"- I like tea.\n- {FACT}\n- I like cake.")
    mem.write("scratchpad", f"- [ ] {FACT}\n- [ ] other")
    mem.write("daily", FACT)
    mem.remember(FACT, "The door")
    mem.remember(f"Some facts.\n\n- {FACT.upper()}\n- Water is wet.", "Facts")
    mem.write("note", f"{FACT}\nstays", name="edited")
    mem.write("note", "stays", WriteMode.OVERWRITE, name="edited")
    mem.records.add(FACT, category="principles", scope="project", title="Vault", keywords=["zebrafish7731"])
    mem.tickets.add("Open it", FACT)
    session(mem)
    (tmp_path / "CLAUDE.md").write_text(f"# Rules\n\n- {FACT}\n- Use tabs.\n")
    import_memory(mem, tmp_path / "CLAUDE.md")
    return mem


def forget(*arguments: str) -> int:
    return main(["forget", *arguments])


def test_no_byte_of_a_forgotten_fact_is_left_and_the_rest_stays(planted: Mem, work: Path) -> None:
    mem = planted
    assert main(["config", "set", "memories.enabled", "true"]) == 0
    mem.settings.reload()
    learning.run(mem, force=True)
    mem.recall("vault door")
    mem.context_block()
    assert len(bytes_of(Path(mem.home))) >= 8
    assert forget("ZEBRAFISH7731", "--yes", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []
    fresh = Mem.open(work)
    assert fresh.read("long_term") == "- I like tea.\n- I like cake.\n"
    assert fresh.read("note", "facts").endswith("Some facts.\n\n- Water is wet.\n")
    assert "the-door" not in str(fresh.list())
    assert fresh.read("note", "edited") == "stays"
    assert [turn.text for turn in fresh.sessions.get("claude-1").turns] == [
        "Hello.\n[forgotten]\nThanks.",
        "[forgotten]",
    ]
    assert fresh.recall("vault door zebrafish7731").hits == []
    assert fresh.index.sync(["", fresh.project]).complete


@pytest.mark.usefixtures("planted")
def test_what_was_forgotten_does_not_come_back_by_an_undo_or_an_import(work: Path, tmp_path: Path) -> None:
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    mem = Mem.open(work)
    edited = f"projects/{mem.project}/notes/edited.md"
    for version in mem.gate.history.versions(edited):
        mem.undo(edited, version.id)
    session(mem)
    session(mem, "2")
    import_memory(mem, tmp_path / "CLAUDE.md")
    assert bytes_of(Path(mem.home)) == []
    mem.write("note", FACT, name="again")  # who writes it anew wants it
    assert FACT in mem.read("note", "again")


def test_a_log_and_a_name_that_was_cut_in_the_word_are_cleaned_too(mem: Mem, work: Path) -> None:
    log = Path(mem.home) / "state" / "log" / "hook.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("worker: claude-zebrafish7731-inator: its transcript was not found\nworker: fine\n")
    mem.remember("Water is wet.", "The very long title that speaks of the zebrafish7731inator")
    mem.remember("Ice is cold.", "The very long title that speaks of the zebra")
    named = next(mem.root.rglob("the-very-long-title-that-speaks-of-the.md"))
    named.rename(named.with_name(f"{named.stem}-zebrafish.md"))  # as older versions named it
    assert len(bytes_of(Path(mem.home))) >= 2
    assert list(mem.root.rglob("*-of-the-zebrafish.md"))
    for words in ("zebrafish7731inator", "zebrafish7731 inator"):
        assert forget(words, "--yes", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []
    assert log.read_text() == "worker: fine\n"
    names = [path.name for path in Path(mem.home).rglob("*.md*")]
    assert not [name for name in names if "zebraf" in name]
    assert [name for name in names if name.endswith("zebra.md")]


def test_a_dry_run_tells_where_it_is_and_changes_nothing(
    planted: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = bytes_of(Path(planted.home))
    assert forget("zebrafish7731", "--dry-run", "--json", "--project", str(work)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["forgotten"] is False
    assert len(told["places"]) >= 8
    assert bytes_of(Path(planted.home)) == before
    assert forget("zebrafish7731", "--project", str(work)) == 2  # nobody can be asked here
    assert bytes_of(Path(planted.home)) == before


def test_another_project_keeps_what_it_knows_unless_all_are_meant(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for each in (mem, Mem.open(other)):
        each.write("note", FACT, name="fact")
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert Mem.open(other).read("note", "fact") == f"{FACT}\n"
    assert forget("zebrafish7731", "--yes", "--all", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []


@pytest.mark.parametrize("text", ["", "abc", "two\nlines here"])
def test_a_text_that_says_too_little_is_refused(mem: Mem, work: Path, text: str) -> None:
    mem.write("note", "abc two", name="fact")
    assert forget(text, "--yes", "--project", str(work)) == 2
    assert mem.read("note", "fact") == "abc two\n"


@pytest.mark.usefixtures("mem")
def test_what_nobody_knows_cannot_be_forgotten(work: Path) -> None:
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 3


def test_what_was_extracted_and_waits_is_forgotten_too(mem: Mem, work: Path) -> None:
    with Queue(mem.home, mem.settings, mem.now) as queue:
        queue.database.update(
            "INSERT INTO outputs (project, session, source_watermark, started, raw_memory, rollout_summary,"
            " model, created) VALUES (?, 'claude-Zebrafish7731-9', '1', '', ?, 'kept', 'x', 1)",
            mem.project,
            f"one\n{FACT}\ntwo",
        )
        queue.enqueue(EXTRACT, f"{mem.project}/claude-Zebrafish7731-9")
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert bytes_of(Path(mem.home)) == []
    with Queue(mem.home, mem.settings, mem.now) as queue:
        assert [each.raw_memory for each in queue.extractions.all(mem.project)] == ["one\ntwo"]
        assert [job.session for job in queue.jobs()] == [queue.extractions.all(mem.project)[0].session]


def test_who_is_interrupted_while_forgetting_has_lost_no_hash_with_the_lines(
    planted: Mem, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove faults`: lines were gone, their hashes were not kept, an import brought them back."""
    planted.recall("anything", semantic=False)  # so that there is an index
    planted.close()
    real = os.unlink

    def killed(path: str, **more: int | None) -> None:
        if "sqlite3" in path:  # the caches, which go last
            raise KeyboardInterrupt
        real(path, **more)

    mem = Mem.open(work)
    mem.recall("which door")  # makes the index
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", killed)
        assert forget("zebrafish7731", "--yes", "--project", str(work)) == 130
    import_memory(mem, tmp_path / "CLAUDE.md")
    session(mem, "2")
    erase.drop_cache(mem.home)
    assert bytes_of(Path(mem.home)) == []


def test_a_file_that_could_not_be_cleaned_is_an_error(
    planted: Mem, work: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Found by `prove faults`: the exit code was 0, and the fact was still there."""
    by_hand = planted.root / "projects" / planted.project / "notes" / "by-hand.md"
    by_hand.write_text("The zebrafish7731 is here, too.\n")
    os.link(by_hand, tmp_path / "elsewhere.md")  # so it may be a file of somebody else
    assert forget("zebrafish7731", "--yes", "--json", "--project", str(work)) == PartialError.exit_code
    told = capsys.readouterr()
    assert json.loads(told.out)["forgotten"] is False
    assert "run forget again" in told.err
    assert bytes_of(Path(planted.home))


def test_files_that_are_called_after_what_is_forgotten_get_another_name(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `prove leaks`: a record learned from a session is named after its first words."""
    mem.remember("It opens on Mondays.", "Vault door zebrafish7731")
    mem.records.add(FACT, category="principles", scope="project")
    mem.write("note", "See [the door](vault-door-zebrafish7731.md).\nstays", name="other")
    row = {"session_id": "s", "cwd": str(work), "hook_event_name": "UserPromptSubmit"}
    edge.answer(json.dumps({**row, "prompt": "What opens the vault door on Mondays?"}).encode())
    mem.close()

    def names() -> list[Path]:
        return [path for path in Path(mem.home).rglob("*") if MARK.decode() in path.name]

    assert names()
    with monkeypatch.context() as patch:  # who tries again finds what is left
        patch.setattr(os, "rename", refuse)
        assert forget("door zebrafish7731", "--yes", "--project", str(work)) == PartialError.exit_code
    assert forget("door zebrafish7731", "--yes", "--project", str(work)) == 0
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    assert (names(), bytes_of(Path(mem.home))) == ([], [])
    fresh = Mem.open(work)
    assert fresh.read("note", "forgotten").endswith("It opens on Mondays.\n")
    assert "(forgotten.md)" in (fresh.context_block() or "")
    assert fresh.read("note", "other") == "stays\n"
    assert len(fresh.gate.history.entries(f"projects/{fresh.project}/notes/forgotten.md")) == 1


def refuse(*_: object, **_more: object) -> None:
    raise PermissionError(1, "Operation not permitted")


def test_a_note_that_came_without_a_forgotten_line_is_known_to_the_next_import(
    mem: Mem, work: Path, tmp_path: Path
) -> None:
    """Found by `prove faults`: each import made another copy of it."""
    mem.write("long_term", f"- {FACT}")
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "page.md").write_text(f"# Page\n\nText.\n\n{FACT}\n")
    import_memory(mem, vault)
    before = mem.list()
    assert [row.action for row in import_memory(mem, vault).rows] == ["known"]
    assert mem.list() == before
    assert bytes_of(Path(mem.home)) == []


@pytest.mark.parametrize("text", ["notes", "start", "memory"])
def test_words_of_a_receipt_stay_when_somebody_forgets_them(mem: Mem, text: str) -> None:
    """Only names of files are made of what was said; `start` and `notes` are our own."""
    directory = Path(mem.home) / "state" / "hooks"
    directory.mkdir(parents=True)
    line = "1.0\tstart-startup\tab.7\tcd.9\tef\t\tprojects/x/notes/a-{}-b.md\tprojects/x/notes/MEMORY.md\n"
    (directory / "s1.log").write_text(line.format(text))
    (found,) = receipts.blank_names(str(mem.home), lambda name: text in name.lower(), pytest.fail)
    assert found == (str(directory / "s1.log"), 1)
    blank = line.format(text).replace(f"a-{text}-b.md", "-" * len(f"a-{text}-b.md"))
    assert (directory / "s1.log").read_text() == blank


SAID = [
    'say "wombat\\x" loud',
    "Zürichgeheim",
    "Zu\u0308rich geheim",
    "Qwop köln/4",
    "秘密の場所",
    "a\tqwop 😀 b",
    "C:\\new\\qwop",
]


@pytest.mark.parametrize("text", SAID)
def test_whatever_signs_a_fact_has_no_kind_of_memory_keeps_it_or_is_called_after_it(
    mem: Mem, work: Path, text: str
) -> None:
    """Found by an attack: JSON escapes quotes, and only some kinds were known to have names made of text."""
    name = re.sub(r'[\\/:"\s]+', "_", text)
    agent, items = Memories(mem), Items(mem)
    for path in (
        f"{name}.md",
        f"{name}/deep.txt",
        f"x/{name}/{name}.json",
        "x/plain.yml",
        f"items/{name}.md",
    ):
        agent.create(f"/memories/{path}", f"about {text} here\n{json.dumps(text)}\nstays\n")
    agent.create(f"/memories/{name}-gone.md", text)
    agent.delete(f"/memories/{name}-gone.md")
    items.put(("ns",), "value", {"v": [text], "k": 1})
    items.put(("ns",), "nested", {"v": json.dumps({"v": text})})
    items.put(("ns", name), f"item {name}", {"k": 1})
    items.put(("ns",), "other", {"k": 1})
    conversation = Conversation(mem, f"conv {name}")
    conversation.add(
        [{"role": "user", "content": f"hello {text}\nthere"}, {"role": "user", "content": "stays"}]
    )
    mem.remember(f"- {text}\n- stays", text)
    mem.records.add(text, category="principles", scope="project", title=text)
    mem.tickets.add(text, f"{text}\nstays")
    turn = Turn(number=1, role="user", text=f"{json.dumps(text)}\nstays")
    called = re.sub("[^A-Za-z0-9]", "-", text)
    mine = Session(agent="claude", id=f"s-{called}", cwd=f"/x/{text}", turns=[turn])
    mem.sessions.add(mine)
    row = {"session_id": f"s-{called}", "cwd": str(work), "hook_event_name": "UserPromptSubmit"}
    edge.answer(json.dumps({**row, "prompt": f"What about {text}?"}).encode())
    mem.close()
    before = traces(mem, text)
    assert len(before) > 20
    assert forget(text, "--yes", "--project", str(work)) == 0
    assert traces(mem, text) == []
    fresh = Mem.open(work)
    fresh.sessions.add(mine)
    assert traces(mem, text) == []
    assert [each.turns[0].text for each in fresh.sessions.list()] == ["[forgotten]\nstays"]
    kept = Path(mem.home) / "memory" / "projects" / fresh.project
    assert {path.read_text() for path in (kept / "memories").rglob("*") if path.is_file()} == {"stays\n"}
    assert len([path for path in (kept / "memories").rglob("*") if path.is_file()]) == 5
    assert [each.key for each in Items(fresh).all()] == ["other"]
    (talk,) = (kept / "conversations").iterdir()
    assert "stays" in talk.read_text()


def traces(mem: Mem, text: str) -> list[str]:
    """Return what of a home has a text: as it is, escaped once or twice, or as names are made of it."""
    once = json.dumps(text, ensure_ascii=False)[1:-1]
    spelled = re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")
    ways = {text, once, json.dumps(once, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]}
    ways |= {spelled} if len(spelled) > 3 else set()
    ways |= {unicodedata.normalize("NFC", way) for way in ways} | {re.sub(r'[\\/:"\s]+', "_", text)}
    found = []
    for path in sorted(Path(mem.home).rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        seen = f"{path.relative_to(mem.home)} {plain.decode('utf-8', 'replace')}".lower()
        if any(way.lower() in seen for way in ways):
            found.append(str(path.relative_to(mem.home)))
    return found


def test_a_note_that_goes_on_stays_listed_when_its_line_told_what_is_forgotten(mem: Mem, work: Path) -> None:
    """Found by an attack: forty of forty notes were not in the block any more."""
    for number in range(3):
        mem.remember(f"About {FACT}\n\nIt stays {number}.", f"Door {number}")
    mem.close()
    assert forget("zebrafish7731", "--yes", "--project", str(work)) == 0
    block = Mem.open(work).context_block() or ""
    assert all(f"(door-{number}.md)" in block for number in range(3))
    assert bytes_of(Path(mem.home)) == []


def test_names_that_are_the_beginning_of_a_long_fact_go_and_so_do_links_to_them(mem: Mem, work: Path) -> None:
    fact = "The quick vault of the northern lighthouse opens with seven golden keys at noon"
    for number in range(2):
        mem.tickets.add(fact, f"stays {number}")
    mem.remember("stays", fact)
    mem.write("note", "[see](the-quick-vault-of-the-northern-lighthouse-opens.md)\nstays", name="other")
    mem.close()
    assert forget(fact, "--yes", "--project", str(work)) == 0
    assert traces(mem, "The quick vault") == []
    assert Mem.open(work).read("note", "other") == "stays\n"


def test_our_own_names_stay_when_somebody_forgets_a_word_of_them(mem: Mem, work: Path) -> None:
    mem.write("daily", "Some principles of 2026 and of memory: consolidate.")
    mem.records.add("Always use principles.", category="principles", scope="project", title="Rule")
    (day,) = (path.name for path in (Path(mem.home) / "memory/projects" / mem.project / "daily").iterdir())
    mem.write("daily", "stays")
    for word in ("principles", "2026", "memory", "decisions"):
        mem.write("long_term", f"- {word}")
        assert forget(word, "--yes", "--project", str(work)) in (0, PartialError.exit_code)
    top = Path(mem.home) / "memory/projects" / mem.project
    assert [path.name for path in (top / "daily").iterdir()] == [day]
    assert [path.name for path in (top / "records").iterdir()] == ["principles"]


def test_the_name_of_a_projects_folder_stays_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = tmp_path / "Zebrafish7731"
    here.mkdir()
    monkeypatch.chdir(here)
    with Mem.open() as mem:
        mem.write("daily", FACT)
    assert main(["forget", "zebrafish7731", "--yes"]) == PartialError.exit_code
    assert "project.yml" in capsys.readouterr().err
