"""The programs at a terminal, as a person uses them: what is typed there is that person's."""

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hosts.real.model import Reply
from tests.hosts.real.programs import CLIS, KEY, Program

SECONDS = 60.0
QUIET = 2.5  # without output for so long, a program waits for its person
OPTIONS = {"codex": ["--no-daemon"]}  # the daemon would outlive it
# What each asks before the first prompt; "\r" is yes.
FIRST = {"codex": ["\r"]}
# What it shows once it reads keys, if what is typed before that is lost.
READY = {"qwen": b"Type your message"}
CANNOT = {
    "gemini": "asks a second model first, which ours is not",
    "opencode": "asks the terminal what it can, and this one does not answer",
    "droid": "wants an account",
}


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, program: Program) -> None:
        self.fd, inner = pty.openpty()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            [CLIS / program.name, *OPTIONS.get(program.name, ())],
            cwd=program.work,
            env={**program.env, "TERM": "xterm-256color"},
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        self.shown = b""

    def wait(self, until: Callable[[], object] | None = None) -> None:
        """Read what it shows until something holds; without that, until it has been quiet for a while."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not (until and until()):
            if not select.select([self.fd], [], [], QUIET)[0]:
                if not until:
                    return
                continue
            try:
                self.shown += os.read(self.fd, 65_536)
            except OSError:  # it has ended
                return

    def type(self, keys: str) -> None:
        """Type as a person does: Enter by itself, for what comes at once may be taken for a paste."""
        self.wait()
        os.write(self.fd, keys.encode())


@contextlib.contextmanager
def terminal(program: Program) -> Iterator[Terminal]:
    """Start a program at a terminal; afterwards the terminal is closed, as by a person who leaves."""
    at = Terminal(program)
    try:
        yield at
    finally:
        os.killpg(at.process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            at.process.wait(QUIET)
        at.process.kill()
        at.process.wait()
        os.close(at.fd)


def answered(path: Path, work: Path) -> None:
    """Leave Claude Code's settings as they are when its first questions were answered."""
    about = json.loads(path.read_text("utf-8")) if path.exists() else {}
    about |= {"hasCompletedOnboarding": True, "theme": "dark"}
    about["customApiKeyResponses"] = {"approved": [KEY[-20:]], "rejected": []}
    about["projects"] = {str(work): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}}
    path.write_text(json.dumps(about), encoding="utf-8")


def test_what_is_typed_at_a_terminal_is_the_persons_and_the_answer_is_the_agents_own(agent: Program) -> None:
    if why := CANNOT.get(agent.name):
        pytest.skip(f"{agent.name} {why}")
    agent.run("git", "init", "-q")
    if agent.name == "claude":
        answered(agent.user / ".claude.json", agent.work)
    agent.model.say(Reply("Noted."))
    with terminal(agent) as at:
        at.wait(lambda: READY.get(agent.name, b"") in at.shown)
        for keys in [*FIRST.get(agent.name, ()), "We always use pnpm here.", "\r"]:
            at.type(keys)
        at.wait(lambda: agent.model.asked)
        assert agent.model.asked, at.shown.decode(errors="replace")[-3_000:]
        at.wait()
    agent.settle()
    agent.memolith("session", "import")
    told = json.loads(agent.memolith("session", "show", "--json"))
    # Some read the AGENTS.md of the checkout that this runs in.
    turns = [(each["role"], each["text"], each["taint"].replace("repository", "")) for each in told["turns"]]
    assert (told["source"], turns[0]) == ("interactive", ("user", "We always use pnpm here.", ""))
    assert ("assistant", "Noted.", "") in turns
