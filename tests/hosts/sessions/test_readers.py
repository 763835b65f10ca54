"""Every reader finds the same talk in its agent's form, and nothing that nobody said."""

import glob
import json
from pathlib import Path

import pytest

from memolith import Mem
from memolith.base.errors import TextError
from memolith.edges.cli import main
from memolith.hosts.sessions import AGENTS, files, guess
from memolith.memory.sessions import LEFT_OUT, Session
from tests.hosts.sessions import written
from tests.ledger import proves

FORMS = {
    "claude": (written.claude(), "s1.jsonl", "claude-s1"),
    "codex": (written.codex(), "rollout-1.jsonl", "codex-c1"),
    "codex flat": (written.codex_flat(), "rollout-2.jsonl", "codex-c1"),
    "gemini": (written.gemini(), "session-1.jsonl", "gemini-g1"),
    "copilot": (written.copilot(), "p1/events.jsonl", "copilot-p1"),
    "pi": (written.pi(), "2026_i1.jsonl", "pi-i1"),
    "omp": (written.pi(), ".omp/agent/sessions/x/i1.jsonl", "omp-i1"),
    "generic": (written.generic(), "talk.jsonl", "generic-talk"),
}


def shown(session: Session) -> list[tuple[str, ...]]:
    """Return the turns in the form of `written.TALK`."""
    return [
        (each.role, each.outcome, each.text) if each.role == "tool" else (each.role, "", "", each.text)
        for each in session.turns
    ]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_talk_is_read_from_every_form(form: str, tmp_path: Path) -> None:
    rows, name, wanted = FORMS[form]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(written.lines(*rows) + '{"type": "user", "mess')
    agent = guess(str(path))
    assert agent.name == form.split(maxsplit=1)[0]

    session = next(agent.read(str(path)))
    assert shown(session) == written.TALK
    assert [turn.number for turn in session.turns] == [1, 2, 3, 4, 5]
    assert (session.name, session.source, session.status) == (wanted, "interactive", "completed")
    assert session.cwd == ("" if form == "gemini" else "/w")
    # A bare item has no time.
    assert session.started == written.AT
    assert agent.head(str(path)).name == wanted


@pytest.mark.parametrize("form", FORMS)
def test_records_of_any_shape_are_passed_over(form: str, tmp_path: Path) -> None:
    """Each value of each record, and of what is in it, is replaced by one of another kind."""
    rows, name, _ = FORMS[form]
    agent = AGENTS[form.split(maxsplit=1)[0]]
    path = tmp_path / Path(name).name
    odd: list[object] = [None, 7, "text", [], {}, [7], {"a": 1}, True]
    broken = []
    for row in rows:
        for key in row:
            broken += [{**row, key: value} for value in odd]
            if isinstance(row[key], dict):
                broken += [{**row, key: {**row[key], inner: value}} for inner in row[key] for value in odd]
    path.write_text("null\n[1]\n\n\x00\n" + written.lines(*broken))
    for session in agent.read(str(path)):
        assert all(turn.text.strip() for turn in session.turns)


def test_what_claudes_sub_agents_did_is_a_session_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(written.lines(*written.claude()))
    sides = [each for each in AGENTS["claude"].read(str(path)) if each.source == "subagent"]
    assert [(each.name, each.turns[0].text) for each in sides] == [("claude-s1.sidechain", "Look at it")]

    inside = tmp_path / "s1" / "subagents" / "agent-7.jsonl"
    inside.parent.mkdir(parents=True)
    inside.write_text(written.lines(*[{**row, "isSidechain": True} for row in written.claude()]))
    (found,) = AGENTS["claude"].read(str(inside))
    assert (found.name, found.source) == ("claude-s1.agent-7", "subagent")


@pytest.mark.parametrize(
    ("source", "wanted"),
    [("cli", "interactive"), ("exec", "automation"), ({"subagent": {"other": "x"}}, "subagent")],
)
def test_who_talked_with_codex_is_known(source: object, wanted: str, tmp_path: Path) -> None:
    path = tmp_path / "rollout-1.jsonl"
    rows = written.codex()
    rows[0]["payload"]["source"] = source
    path.write_text(written.lines(*rows))
    assert next(AGENTS["codex"].read(str(path))).source == wanted


def test_geminis_directory_is_found_by_the_short_id_it_gave_it(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "tmp" / "shop" / "chats" / "session-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(written.lines(*written.gemini()))
    (tmp_path / ".gemini" / "projects.json").write_text('{"projects": {"/work/shop": "shop"}}')
    assert list(AGENTS["gemini"].places({}, str(tmp_path))) == [str(path)]
    assert next(AGENTS["gemini"].read(str(path))).cwd == "/work/shop"


def test_opencodes_database_is_read_without_writing_to_it(tmp_path: Path) -> None:
    path = written.opencode(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    before = path.read_bytes()
    agent = AGENTS["opencode"]
    first, second = agent.places({}, str(tmp_path))
    assert first == f"{path}#ses_1"
    (session,) = agent.read(first)
    assert shown(session) == written.TALK
    assert (session.name, session.cwd, session.source) == ("opencode-ses_1", "/w", "interactive")
    assert agent.head(second).source == "subagent"
    assert len(list(agent.read(str(path)))) == 2
    assert path.read_bytes() == before
    assert agent.changed(first) == 1_794_000_000_001_000_000


def test_what_aider_passes_on_of_an_answer_is_not_what_a_person_typed(tmp_path: Path) -> None:
    plan = ["Use a queue for all mails that go out to customers.", "Then drop the old table of jobs."]
    echo = "".join(f"#### {line}  \n" for line in plan)
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(
        "# aider chat started at 2026-11-15 10:00:00\n\n#### Plan it  \n\n"
        + "\n".join(plan)
        + f"\n\n> Tokens: 1k  \n\n{echo}\nDone.\n\n> Tokens: 1k  \n\n#### Now the tests  \n"
    )
    (session,) = AGENTS["aider"].read(str(path))
    assert [turn.text for turn in session.turns if turn.role == "user"] == ["Plan it", "Now the tests"]


def test_aiders_chats_are_read_one_by_one_newest_first(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(written.AIDER)
    agent = AGENTS["aider"]
    assert guess(str(path)) is agent
    newest, older = agent.places({}, str(tmp_path))
    (session,) = agent.read(newest)
    assert shown(session) == [
        ("user", "", "", "Why does the build fail?\nIt did not yesterday."),
        ("assistant", "", "", "The target is called app:\n\n#### Remember: a heading is nobody's order"),
        ("tool", "ok", "src/Makefile\nApplied edit to src/Makefile"),
        ("user", "", "", "thanks"),
    ]
    assert (session.name, session.cwd) == ("aider-2026-11-15T10-00-00", str(path.parent))
    assert [turn.text for turn in next(agent.read(older)).turns] == ["hello", "Hi."]
    assert agent.head(older).id == "2026-11-14T09-00-00"


def test_sessions_are_found_where_the_agents_keep_them_newest_first(tmp_path: Path) -> None:
    kept = {
        "claude": [".claude/projects/-w/s1.jsonl", ".claude/projects/-w/s1/subagents/agent-1.jsonl"],
        "codex": [".codex/sessions/2026/11/15/rollout-1.jsonl", ".codex/archived_sessions/rollout-0.jsonl"],
        "copilot": [".copilot/session-state/p1/events.jsonl"],
        "pi": [".pi/agent/sessions/--w--/1_i1.jsonl"],
        "omp": [".omp/agent/sessions/-w/1_i1.jsonl"],
        "cursor": [".cursor/projects/w/agent-transcripts/1.jsonl"],
    }
    import os

    for names in kept.values():
        for age, name in enumerate(names):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}\n")
            os.utime(path, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / ".claude" / "projects" / "-w" / "memory.jsonl").mkdir()  # no file
    for name, wanted in kept.items():
        found = list(AGENTS[name].places({}, str(tmp_path)))
        assert found == [str(tmp_path / each) for each in wanted]
    elsewhere = {"CODEX_HOME": str(tmp_path / ".codex")}
    assert len(list(AGENTS["codex"].places(elsewhere, "/nowhere"))) == 2
    assert [list(agent.places({}, str(tmp_path / "empty"))) for agent in AGENTS.values()] == [[]] * len(
        AGENTS
    )


def test_a_database_whose_damage_cannot_even_be_decoded_is_told(tmp_path: Path) -> None:
    """Found by `prove fuzz`: a UnicodeDecodeError came out."""
    path = written.opencode(tmp_path / "opencode.db")
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE session", b"CREA\xd4E TABLE session"))
    with pytest.raises(TextError, match="cannot be read"):
        list(AGENTS["opencode"].read(f"{path}#ses_1"))


@pytest.mark.parametrize(
    "pattern",
    [
        "*.jsonl",
        "a/*.jsonl",
        "a/**/r-*.jsonl",
        "**/*.jsonl",
        "[!.]*/[!.]*/x.jsonl",
        "*/*/x.jsonl",
        "a/none/*",
    ],
)
def test_files_are_found_by_a_pattern_as_glob_finds_them(pattern: str, tmp_path: Path) -> None:
    for place in ["", "a", "a/b", "a/b/c", ".h", "a/.h", "[x]/y"]:
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        for name in ["x.jsonl", "r-1.jsonl", ".r-2.jsonl", "x.txt"]:
            (tmp_path / place / name).touch()
    wanted = glob.glob(f"{glob.escape(str(tmp_path))}/{pattern}", recursive=True, include_hidden=True)
    assert sorted(files.newest(str(tmp_path), pattern)) == sorted(wanted)


@proves("S2.30")
def test_a_session_file_gives_id_and_directory_after_an_optional_title_and_skips_what_is_broken(
    tmp_path: Path,
) -> None:
    lines = [
        '{"title": "Fix the login"}',
        '{"id": "ab12", "cwd": "/home/u/app", "started": "2026-11-15T10:00:00Z"}',
        '{"role": "user", "content": "hello"}',
        '{"role": "user", "te',
        "not json",
        '{"role": "narrator", "content": "?"}',
        '{"role": "assistant", "content": "hi", "id": "m7"}',
    ]
    path = tmp_path / "2026-11-15_x.jsonl"
    path.write_text("\n".join(lines))
    (found,) = AGENTS["generic"].read(str(path))
    assert (found.id, found.cwd, found.started) == ("ab12", "/home/u/app", "2026-11-15T10:00:00Z")
    assert [(turn.role, turn.text[:5]) for turn in found.turns if turn.tool != LEFT_OUT] == [
        ("user", "hello"),
        ("assistant", "hi"),
    ]
    path.write_text(lines[2])
    (headless,) = AGENTS["generic"].read(str(path))
    assert (headless.id, headless.cwd, len(headless.turns)) == ("2026-11-15_x", "", 1)


@pytest.mark.parametrize(
    "row",
    ["not json", json.dumps({"role": "user", "content": "so so " * 1_600_000}), "[" * 100_000],
    ids=["broken", "long", "deep"],
)
@proves("S2.30")
def test_a_row_that_cannot_be_read_is_said_and_taints_what_follows(
    row: str, work: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s1.jsonl"
    said = [json.dumps({"role": "assistant", "content": text, "cwd": str(work)}) for text in ("one", "two")]
    path.write_text(f"{said[0]}\n{row}\n{row}\n{said[1]}\n")
    assert main(["session", "import", str(path), "--mine", "--agent", "generic"]) == 16
    assert "a turn in between says what is left out" in capfd.readouterr().err
    session = Mem.open(work).sessions.get("generic-s1")
    assert [(turn.role, turn.taint) for turn in session.turns] == [
        ("assistant", ""),
        ("system", ""),
        ("assistant", "tool"),
    ]


@pytest.mark.parametrize("before", ["", "data:image/png;base64,"])
def test_a_long_row_is_read_without_its_picture(before: str, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    picture = {"type": "image", "source": {"type": "base64", "data": before + "iVBO+/" * 2_000_000}}
    asked = [picture, {"type": "text", "text": "what does this say?"}]
    rows = [{"type": "user", "sessionId": "s1", "message": {"role": "user", "content": asked}}]
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Always push."}]}
    path.write_text(written.lines(*rows, {"type": "assistant", "sessionId": "s1", "message": answer}))
    (session,) = AGENTS["claude"].read(str(path))
    assert [(turn.text, turn.taint) for turn in session.turns] == [
        ("what does this say?", ""),
        ("Always push.", "tool"),
    ]
