"""Agents as programs: how each is started without a terminal, pointed at our model, and told to compress.

`programs.json` says what `./dev agents` installs.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.hosts.real.model import Model

# Its npm package, how it is asked (`line`), the files that the person had before us, variables. Gemini CLI
# leaves out tools that ask where nobody can be asked, but for one mode.
TABLE = json.loads(Path(__file__).with_name("programs.json").read_text(encoding="utf-8"))
# Read before the tests' own environment is set up.
CLIS = Path(os.environ.get("MEMOLITH_CLIS") or "/nowhere")
MEMOLITH = str(Path(sys.executable).parent / "memolith")
KEY = "a-key-that-opens-nothing-0123456789"  # long: Copilot takes its text out of everything it prints
SECONDS = 240.0  # opencode needs two minutes on a busy machine


@dataclass
class Program:
    """One agent in a home of its own."""

    name: str
    user: Path
    work: Path
    model: Model
    line: str  # how it is asked: {prompt}, and where {resume} goes if a session is named
    resume: str
    had: dict[str, str] = field(default_factory=dict)  # files that the person had before us
    more: dict[str, str] = field(default_factory=dict)  # variables
    stderr: str = ""  # of the last command

    @property
    def env(self) -> dict[str, str]:
        """The variables it is started with; none of those that this process has."""
        node = os.path.dirname(shutil.which("node") or "")
        path = os.pathsep.join([str(CLIS), *filter(None, [node]), "/usr/local/bin", "/usr/bin", "/bin"])
        quiet = {"NO_COLOR": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
        mine = {"HOME": str(self.user), "PATH": path, "LANG": "C.UTF-8", "MEMOLITH_SEMANTIC_PROVIDER": "none"}
        return {**mine, **quiet, **self.more}

    def run(self, *command: str, cwd: Path | None = None) -> str:
        """Run a command to its end and return what it printed."""
        done = subprocess.run(
            command,
            cwd=cwd or self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
        self.stderr = done.stderr
        return done.stdout

    def told(self, *command: str) -> str:
        """Run a command to its end and return all that a person sees of it."""
        return self.run(*command) + self.stderr

    def memolith(self, *arguments: str) -> str:
        """Run our command as the person would."""
        return self.run(MEMOLITH, *arguments)

    def ask(self, prompt: str, session: str = "", cwd: Path | None = None) -> str:
        """Ask one thing in a session, a new one unless it is named; return its id."""
        return _session(self.run(str(CLIS / self.name), *self.asks(prompt, session), cwd=cwd))

    def asks(self, prompt: str, session: str) -> list[str]:
        """Return the arguments with which it is asked."""
        line = self.line.replace("{resume}", self.resume if session else "")
        return [word.format(prompt=prompt, session=session) for word in line.split()]

    @property
    def home(self) -> Path:
        """Where memory is."""
        return self.user / ".local" / "share" / "memolith"

    def ours(self) -> dict[int, str]:
        """Return the processes of ours that were started in this home, with their commands."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                env = (entry / "environ").read_bytes().split(b"\0")
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if f"HOME={self.user}".encode() in env and "memolith" in command.partition(str(self.user))[0]:
                found[int(entry.name)] = command
        return found

    def finish(self) -> None:
        """Wait for what follows the end of a session; without a terminal, Qwen Code tells of none."""
        self.settle()
        if self.name == "qwen":
            self.memolith("hook", "--work")

    def settle(self) -> None:
        """Wait until no process of ours is left: hooks nobody waits for, and the worker."""
        end = time.monotonic() + SECONDS
        while left := self.ours():
            assert time.monotonic() < end, f"still running: {left}"
            for pid in left:
                try:
                    watched = os.pidfd_open(pid)
                except ProcessLookupError:
                    continue
                select.select([watched], [], [], max(0.0, end - time.monotonic()))
                os.close(watched)


def _session(told: str) -> str:
    """Return the id of the session that a program names in its output: a JSON object, or one in each line."""
    rows = []
    for text in (told, *told.splitlines()):
        try:
            rows.append(json.loads(text))
        except ValueError:
            continue
    for row in rows:
        if isinstance(row, dict) and row.get("type") == "session":  # pi
            return str(row["id"])
        for name in ("session_id", "thread_id", "sessionID", "sessionId"):
            if isinstance(row, dict) and isinstance(row.get(name), str):
                return str(row[name])
    return ""


def program(name: str, user: Path, work: Path, model: Model) -> Program:
    """Return an agent in a home of its own, pointed at our model."""

    def filled(text: str) -> str:
        return text.replace("@URL@", model.url).replace("@KEY@", KEY).replace("@WORK@", str(work))

    row = TABLE[name]
    had = {path: filled("\n".join(lines)) for path, lines in row["had"].items()}
    more = {key: filled(value) for key, value in row["more"].items()}
    return Program(name, user, work, model, row["line"], row["resume"], had=had, more=more)


def trust_codex_hooks(program: Program) -> None:
    """Do what a person does at Codex's first start: trust the hooks as they are now."""
    rows = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(program.work)]}},
    ]
    with subprocess.Popen(
        [str(CLIS / "codex"), "app-server"],
        cwd=program.work,
        env=program.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        server.stdin.flush()
        answer = next(row for line in server.stdout if (row := json.loads(line)).get("id") == 2)
        server.stdin.close()
        server.stdout.read()
    hooks = answer["result"]["data"][0]["hooks"]
    with (program.user / ".codex" / "config.toml").open("a", encoding="utf-8") as file:
        for hook in hooks:
            key, value = json.dumps(hook["key"]), json.dumps(hook["currentHash"])
            file.write(f"\n[hooks.state.{key}]\ntrusted_hash = {value}\n")


def is_here(name: str) -> bool:
    """Whether a program is in the directory that MEMOLITH_CLIS names."""
    return shutil.which(name, path=str(CLIS)) is not None


def packages(*, newest: bool = False) -> list[str]:
    """Return what is installed from npm: the versions that were tried, or the newest."""
    pinned = [each for row in TABLE.values() for each in row["package"].split()]
    if not newest:
        return pinned
    # What pi runs on is no agent.
    return [each if each.startswith("node@") else f"{each.rpartition('@')[0]}@latest" for each in pinned]


def changes(directory: Path) -> Iterator[str]:
    """Yield for each agent which version is installed in a directory, and which one was tried."""
    for each in packages():
        name, _, tried = each.rpartition("@")
        try:
            about = json.loads((directory / "node_modules" / name / "package.json").read_text("utf-8"))
        except OSError:
            yield f"{name}: {tried} was tried; the newest cannot be installed here"
            continue
        is_same = about["version"] == tried
        yield f"{name}: {tried} {'is the newest' if is_same else '-> ' + about['version']}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--changes"]:
        print("\n".join(changes(Path(sys.argv[2]))))
    else:
        print(" ".join(packages(newest=sys.argv[1:] == ["--newest"])))
