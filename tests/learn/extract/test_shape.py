"""What a model is shown of a session."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem
from memolith.env.settings import Settings
from memolith.learn.extract import extract
from memolith.text.budget import estimate_tokens
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.talk import session
from tests.ledger import proves

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


def shown(*turns: tuple[str, str], tokens: int = 100_000) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(extract.shape(session(*turns), tokens))
    return items


@proves("S2.31")
def test_speech_and_results_of_shell_eval_read_and_search_tools_are_kept_and_others_dropped() -> None:
    items = shown(
        ("system", "The workspace is /app."),
        ("user", "list the files"),
        ("Bash ok", "$ ls\nMakefile"),
        ("python ok", "1 + 1\n2"),
        ("read_file ok", "src/a.py\nx = 1"),
        ("Grep ok", "x\nsrc/a.py:1"),
        ("WebFetch ok", "https://example.org\nbuy now"),
        ("mcp__tracker__get ok", "ticket 1"),
        ("Edit ok", "src/a.py changed"),
        ("curious_tool ok", "?"),
        ("assistant", "There is a Makefile."),
        ("bash ok", "$ curl https://example.org\nbuy now"),
    )
    assert [item["turn"] for item in items] == [1, 2, 3, 4, 5, 6, 11]
    assert items[2] == {"turn": 3, "role": "tool", "tool": "Bash", "outcome": "ok", "text": "$ ls\nMakefile"}


@proves("S2.31")
def test_a_result_has_at_most_32000_characters() -> None:
    long = "$ make\n" + "line of output\n" * 5000
    text = shown(("bash ok", long))[0]["text"]
    assert len(text) <= 32_000
    assert text.startswith("$ make\n")
    assert text.endswith("line of output")
    assert "characters left out" in text


@proves("S2.32")
@pytest.mark.parametrize(
    ("window", "given", "tokens"),
    [(0, "", 4000), (200_000, "", 4000), (5000, "", 3500), (0, "50000", 11_200)],
)
def test_the_limit_is_the_smaller_of_the_setting_and_a_part_of_the_window(
    window: int, given: str, tokens: int
) -> None:
    settings = Settings("/nonexistent", {"MEMOLITH_MEMORIES_PHASE1_INPUT_TOKEN_LIMIT": given})
    assert extract.token_limit(settings, window) == tokens


@proves("S2.32")
def test_a_long_session_keeps_its_first_sixty_and_its_last_forty_percent() -> None:
    turns = [("user" if n % 2 else "assistant", f"turn {n}: " + "words " * 40) for n in range(1, 201)]
    text = extract.shape(session(*turns), 4000)
    items = json.loads(text)
    assert 3500 < estimate_tokens(text) <= 4000
    cut = next(at for at, item in enumerate(items) if "left_out" in item)
    numbers = [item["turn"] for item in items if "turn" in item]
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[-1]) == (1, 200)
    first = estimate_tokens(json.dumps(items[:cut])) / estimate_tokens(text)
    assert 0.55 < first < 0.65


def test_one_turn_that_is_too_long_is_cut_in_its_middle() -> None:
    items = shown(("user", "begin " + "x " * 40_000 + "end"), tokens=500)
    assert items[0]["text"].startswith("begin")
    assert items[-1]["text"].endswith("end")
    assert [item.get("turn") for item in items] == [1, None, 1]


def test_results_of_tools_give_way_before_what_the_user_said() -> None:
    said = "Remember that the staging cluster is in eu-west-1."
    log = "$ make\n" + "noise\n" * 4000
    items = shown(
        ("user", "build"), ("bash ok", log), ("user", said), ("bash ok", log), ("user", "bye"), tokens=4000
    )
    assert said in [item["text"] for item in items]


@given(st.lists(st.text(max_size=400), max_size=12), st.integers(30, 300))
def test_whatever_is_said_the_limit_holds_and_the_result_is_json(texts: list[str], tokens: int) -> None:
    text = extract.shape(session(*(("user", each) for each in texts)), tokens)
    assert isinstance(json.loads(text), list)
    assert estimate_tokens(text) <= tokens


@proves("S2.33")
def test_secrets_do_not_leave_with_the_session() -> None:
    text = extract.shape(
        session(("user", f"the token is {TOKEN}"), ("bash ok", f"$ env\nGH_TOKEN={TOKEN}")), 4000
    )
    assert TOKEN not in text
    assert text.count("[secret:") == 2


@proves("S2.70")
@pytest.mark.parametrize(
    "text",
    [
        f"{OPEN}\n## Long-term memory (MEMORY.md)\n- ECHO\n{CLOSE}",
        "<system-reminder>\nhook said: <memory>ECHO</memory>\n</system-reminder>",
        "# AGENTS.md instructions for /app\n\n<INSTRUCTIONS>\nECHO\n</INSTRUCTIONS>",
        "<user_instructions>\nECHO\n</user_instructions>",
        "<environment_context>ECHO</environment_context>",
        "Base directory for this skill: /skills/x\n\nECHO",
        "This session is being continued from a previous conversation that ran out of context. ECHO",
        "<memory note='cut off in the middle'>\nECHO",
        "<command-message>init is analyzing</command-message><command-contents>ECHO</command-contents>",
    ],
)
def test_what_a_host_puts_into_a_turn_is_not_shown(text: str) -> None:
    assert "ECHO" not in json.dumps(shown(("user", text), ("user", "fix the login")))


@proves("S2.70")
@pytest.mark.parametrize(
    ("who", "text"),
    [
        ("system developer", "ECHO"),
        ("assistant reasoning", "ECHO"),
        ("system compaction", "ECHO"),
        ("Read ok", "/app/CLAUDE.md\nECHO"),
        ("bash ok", "$ cat docs/AGENTS.md\nECHO"),
        ("Read ok", "skills/deploy/SKILL.md\nECHO"),
        ("bash ok", "$ memolith recall login\nECHO"),
        ("memory_search ok", "ECHO"),
    ],
)
def test_instructions_thoughts_and_memory_read_back_are_not_shown(who: str, text: str) -> None:
    assert shown((who, text), ("user", "fix the login")) == [
        {"turn": 2, "role": "user", "text": "fix the login"}
    ]


def test_a_developer_message_is_still_known_as_one_after_storing(mem: Mem) -> None:
    from memolith.memory.sessions import read_turns

    turns = list(
        read_turns(['{"role": "developer", "text": "be nice"}', '{"role": "user", "text": "hi"}'], "x")
    )
    one = session(("user", "x"))
    mem.sessions.add(type(one)(**{**{key: getattr(one, key) for key in one.__slots__}, "turns": turns}))
    assert [item["turn"] for item in json.loads(extract.shape(mem.sessions.get("s1"), 100))] == [2]


def test_the_own_words_beside_a_block_stay() -> None:
    items = shown(("user", f"{OPEN}\n- ECHO\n{CLOSE}\nfix the <b>login</b>"))
    assert items[0]["text"] == "fix the <b>login</b>"
