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
from memolith.hosts.sessions import calls, gemini, transcript
from memolith.learn.extract import shown as show
from memolith.memory.sessions import Session, Turn
from memolith.prompt import compaction
from memolith.text import markdown
from memolith.text.secrets import veil
from memolith.text.secrets.redact import redact
from tests.hosts.hook.conftest import Host, host, no_worker
from tests.shared import LONG, crossed

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


def _kept(*steps: Callable[[transcript.Transcript], object]) -> str:
    """Return the turns of a transcript after some steps."""
    into = transcript.Transcript("claude-code", "x")
    for step in steps:
        step(into)
    return json.dumps([turn.as_dict() for turn in into.session("x").turns])


def _said(text: str, role: str = "assistant", key: str = "") -> Callable[[transcript.Transcript], object]:
    return lambda into: into.say(role, text, key=key)


def _result(text: str, tool: str = "Bash") -> Callable[[transcript.Transcript], object]:
    return lambda into: into.result(1, text, ok=True, tool=tool)


def _session(text: str, role: str = "tool", time: str = "") -> Session:
    """Return a session of one turn."""
    turn = Turn(number=1, role=role, text=text, time=time, tool="Bash" if role == "tool" else "")
    return Session(agent="a", id="x", turns=[turn])


CUTS: dict[str, tuple[int, Callable[[str], str]]] = {
    "speech": (64_000, lambda text: _kept(_said(text))),
    "speech behind reminders": (
        256_000,
        lambda text: _kept(_said(f"<system-reminder>{text[:200_000]}</system-reminder>{text[200_000:]}")),
    ),
    "a request": (64_000, lambda text: _kept(_said(text, "user"))),
    "a message in parts": (
        64_000 - 30_002,
        lambda text: _kept(_said("word " * 6_000, key="k"), _said(text, key="k")),
    ),
    "a result": (32_000, lambda text: _kept(_result(text))),
    "a later result": (
        400,
        lambda text: _kept(lambda into: setattr(into, "_spent", 9_000_000), _result(text)),
    ),
    "one of the latest turns": (4_000, lambda text: _kept(lambda into: into.leave_out(1), _said(text))),
    "a call": (2_000, lambda text: calls.call_line("Bash", {"command": text})),
    "a tool's name": (120, lambda text: _kept(_result("", text))),
    "a session's id": (100, transcript.safe),
    "a message of Gemini": (
        64_000,
        lambda text: str(gemini._small({"content": text}, transcript.MAX_RESULT)),
    ),
    "a first line": (100, markdown.first_line),
    "for a model": (
        show.MAX_RESULT * 6 // 10,
        lambda text: "".join(show.shown(_session(f"$ cat\n{text}"), 100_000, 100_000)),
    ),
    "bytes": (4_000, lambda text: veil.in_bytes(text, 4_000)),
}


@pytest.mark.parametrize("place", CUTS)
@settings(max_examples=200 if LONG else 6)
@given(st.sampled_from(SECRETS), st.integers(-12, 50), st.sampled_from(["word ", "ééé 本 ", "a b\n"]))
def test_a_secret_at_a_limit_leaves_nothing(place: str, secret: str, offset: int, fill: str) -> None:
    limit, shown = CUTS[place]
    # As it would be stored: what is kept whole is masked only there.
    assert _told(redact(shown(_placed(secret, limit, offset, fill))).text) == []


@settings(max_examples=2_000 if LONG else 100)
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


@pytest.mark.parametrize(("secret", "offset"), crossed(SECRETS, [-1, 1, 2, 3, 13, 20]))
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
        mem.sessions.add(_session(_placed(secret, 65_536, offset), "user", secret[:40]))
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
    "a command": lambda _, text: calls.call_line("Bash", {"command": f"cat > k <<'EOF'\n{text}\nEOF"}),
    "a command in words": lambda _, text: calls.call_line("sh", {"cmd": ["bash", "-lc", f"cat <<E\n{text}"]}),
    "what a tool we do not know got": lambda _, text: calls.call_line("Write", {"a": [{"content": text}]}),
    "a text for a tool": lambda _, text: calls.call_line("apply", text),
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
        mem.sessions.add(_session(line))
        assert leaks(Path(mem.home), dict.fromkeys(parts, secret)) == []


def test_a_key_whose_lines_were_joined_once_is_found_whatever_was_masked_of_it() -> None:
    text, lines = _key()
    joined = text.replace("\n", " ⏎ ")
    halves = [joined, joined.replace(lines[0], "[secret:api-key]").replace(lines[7], "[secret:token]")]
    for each in [*halves, halves[1].partition(lines[20])[0]]:
        assert not [line for line in lines if line in redact(each).text]
