"""A secret that a limit cuts in two: nothing of it is left, wherever it stands."""

import base64
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prove.attack.secrets import leaks

from memolith import Mem
from memolith.base.values import MAX_WRITE_BYTES
from memolith.hosts.sessions import gemini, transcript
from memolith.learn.extract import extract
from memolith.memory.sessions import Session, Turn
from memolith.prompt import compaction
from memolith.text import markdown
from memolith.text.secrets import veil
from memolith.text.secrets.redact import redact
from tests.hosts.hook.conftest import Host, host, no_worker

__all__ = ["host", "no_worker"]
PARTS = ("kBTy8AXdFaSs7rT99DxaxTGPUqb8zBPwp2yn", "S3cretPassw0rd9Zq", "QKZ7MX2WJVT5RHPD")
SECRETS = (
    f"ghp_{PARTS[0]}",
    f"postgres://bob:{PARTS[1]}@db.example/x",
    f"AKIA{PARTS[2]}",
    f"password = {PARTS[1]}",
)
_LEFT = 8  # characters of a secret that nobody may find


def _told(text: str) -> list[str]:
    """Return the pieces of the secrets that are in a text."""
    pieces = {part[at : at + _LEFT] for part in PARTS for at in range(len(part) - _LEFT + 1)}
    return sorted(piece for piece in pieces if piece in text)


def _placed(secret: str, limit: int, offset: int, fill: str = "word ") -> str:
    """Return a long text in which a secret ends so many characters behind a limit."""
    before = max(0, limit - len(secret) + offset - 1)
    return f"{(fill * (before // len(fill) + 1))[:before]} {secret} {fill * 2_000}"


def _said(text: str, role: str = "assistant", left_out: int = 0) -> str:
    into = transcript.Transcript("claude-code", "x")
    if left_out:
        into.leave_out(left_out)
    into.say(role, text)
    return json.dumps([turn.as_dict() for turn in into.session("x").turns])


def _parts(text: str) -> str:
    into = transcript.Transcript("claude-code", "x")
    into.say("assistant", "word " * 6_000, key="k")
    into.say("assistant", text, key="k")
    return json.dumps([turn.as_dict() for turn in into.turns])


def _named(text: str) -> str:
    into = transcript.Transcript("claude-code", "x")
    into.result(1, "", ok=True, tool=text)
    return json.dumps([turn.as_dict() for turn in into.session("x").turns])


def _result(text: str, spent: int = 0) -> str:
    into = transcript.Transcript("claude-code", "x")
    into._spent = spent
    into.call(1, "Bash", {"command": "cat log"})
    into.result(1, text, ok=True)
    return json.dumps([turn.as_dict() for turn in into.session("x").turns])


def _shaped(text: str) -> str:
    turn = Turn(number=1, role="tool", text=f"$ cat\n{text}", tool="Bash", outcome="ok")
    return extract.shape(Session(agent="a", id="x", turns=[turn]), 100_000)


CUTS: dict[str, tuple[int, Callable[[str], str]]] = {
    "speech": (64_000, _said),
    "speech behind reminders": (
        256_000,
        lambda text: _said(f"<system-reminder>{text[:200_000]}</system-reminder>{text[200_000:]}"),
    ),
    "a request": (64_000, lambda text: _said(text, "user")),
    "a message in parts": (64_000 - 30_002, _parts),
    "a result": (32_000, _result),
    "a later result": (400, lambda text: _result(text, 9_000_000)),
    "one of the latest turns": (4_000, lambda text: _said(text, left_out=1)),
    "a call": (2_000, lambda text: transcript.call_line("Bash", {"command": text})),
    "a tool's name": (120, _named),
    "a session's id": (100, transcript.safe),
    "a message of Gemini": (
        64_000,
        lambda text: str(gemini._small({"content": text}, transcript.MAX_RESULT)),
    ),
    "a first line": (100, markdown.first_line),
    "for a model": (extract.MAX_RESULT * 6 // 10, _shaped),
    "bytes": (4_000, lambda text: veil.in_bytes(text, 4_000)),
}


@pytest.mark.parametrize("place", CUTS)
@settings(max_examples=25)
@given(st.sampled_from(SECRETS), st.integers(-12, 50), st.sampled_from(["word ", "ééé 本 ", "a b\n"]))
def test_a_secret_at_a_limit_leaves_nothing(place: str, secret: str, offset: int, fill: str) -> None:
    limit, shown = CUTS[place]
    # As it would be stored: what is kept whole is masked only there.
    assert _told(redact(shown(_placed(secret, limit, offset, fill))).text) == []


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(["word ", *SECRETS, " ", "x" * 300, "\n", "本"]), max_size=60),
    st.integers(0, 900),
    st.booleans(),
)
def test_a_cut_text_is_short_enough_and_ends_outside_of_a_marker(
    pieces: list[str], most: int, exact: bool
) -> None:
    text = "".join(pieces)
    for part in (veil.cut(text, most, exact=exact), veil.in_bytes(text, most)):
        assert len(part) <= most
        assert part.rfind("[secret:") <= part.rfind("]")


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("offset", [-1, 1, 2, 3, 13, 20])
def test_no_byte_below_the_home_has_a_part_of_it(host: Host, work: Path, secret: str, offset: int) -> None:
    home = work.parent.parent / "home"
    host.tell("PostCompact", compact_summary=_placed(secret, 4_000, offset))
    with Mem.open(work) as mem:
        compaction.flush_compaction_summary(mem, _placed(secret, MAX_WRITE_BYTES, offset))
        mem.records.add(_placed(secret, 80, offset)[:3_000], category="decisions", scope="project")
        mem.remember(_placed(secret, 100, offset)[:3_000], "Port")
        note = next(Path(mem.home).rglob("notes/port.md"))
        note.with_name("typed.md").write_text(_placed(secret, 100, offset)[:3_000] + "\n")
        mem.remember("It is another.", "Other")  # the index gets a line for what was typed
        turns = [
            Turn(
                number=1,
                role="user",
                text=_placed(secret, 65_536, offset),
                time=secret[:40],
                tool="",
                outcome="",
            )
        ]
        mem.sessions.add(Session(agent="a", id="x", turns=turns))
        note.with_name("typed.md").unlink()
    found = {part[at : at + _LEFT]: "cut" for part in PARTS for at in range(len(part) - _LEFT + 1)}
    assert leaks(home, found) == []


def _key(seed: int = 1) -> tuple[str, list[str]]:
    """Return a private key in its armour, and its lines."""
    code = base64.b64encode(random.Random(seed).randbytes(1_190)).decode()
    lines = [code[at : at + 64] for at in range(0, len(code), 64)]
    return "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"]), lines


# What is known by its lines: a key, a value below its name.
BY_LINES = {
    "key": (_key()[0], _key()[1]),
    "yaml": ("db:\n  password:\n    swordfish77x\n", ["swordfish77x"]),
    "told": ("The staging password is:\nblue-monkey-77\n", ["blue-monkey-77"]),
    "login": ("machine api.example\nlogin bob\npassword hunter2zz9\n", ["hunter2zz9"]),
}
JOINED: dict[str, Callable[[Mem, str], object]] = {
    "a command": lambda _, text: transcript.call_line("Bash", {"command": f"cat > k <<'EOF'\n{text}\nEOF"}),
    "a command in words": lambda _, text: transcript.call_line(
        "sh", {"cmd": ["bash", "-lc", f"cat <<E\n{text}"]}
    ),
    "what a tool we do not know got": lambda _, text: transcript.call_line(
        "Write", {"a": [{"content": text}]}
    ),
    "a text for a tool": lambda _, text: transcript.call_line("apply", text),
    "a ticket's note": lambda mem, text: mem.tickets.note(mem.tickets.add("Port").id, text),
    "a heading": lambda mem, text: mem.append_daily(text, "x"),
    "a title": lambda mem, text: mem.records.add("x", title=text, category="decisions", scope="project"),
    "a checklist": lambda mem, text: mem.write("scratchpad", f"- [ ] {veil.in_one_line(text)}"),
}


@pytest.mark.parametrize("place", JOINED)
@pytest.mark.parametrize("secret", BY_LINES)
def test_a_secret_that_is_known_by_its_lines_is_masked_before_they_are_joined(
    place: str, secret: str, work: Path
) -> None:
    text, parts = BY_LINES[secret]
    with Mem.open(work) as mem:
        line = str(JOINED[place](mem, text))
        turn = Turn(number=1, role="tool", text=line, tool="Bash", outcome="ok")
        mem.sessions.add(Session(agent="a", id="x", turns=[turn]))
        assert leaks(Path(mem.home), dict.fromkeys(parts, secret)) == []


def test_a_key_whose_lines_were_joined_once_is_found_whatever_was_masked_of_it() -> None:
    text, lines = _key()
    joined = text.replace("\n", " ⏎ ")
    halves = [joined, joined.replace(lines[0], "[secret:api-key]").replace(lines[7], "[secret:token]")]
    for each in [*halves, halves[1].partition(lines[20])[0]]:
        assert not [line for line in lines if line in redact(each).text]
