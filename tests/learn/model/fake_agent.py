"""A stand-in for `claude`, `codex`, `gemini` or any command: a real process that answers as scripted.

    agent = install(tmp_path, "claude", {"say": {"a": 1}})
    …run it with agent.env…
    agent.calls[0]["argv"]

What a step may have: `say` (text, or an object as JSON), `print` (this and nothing around it), `envelope` and
`events` (changes to what is around it), `exit`, `error` (standard error), `hang`, `deaf` (ignores SIGTERM),
`helper` (leaves a process behind), `flood`.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any


class Agent:
    """An installed stand-in, and what it was called with."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "calls"
        self.env = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}

    @property
    def calls(self) -> list[dict[str, Any]]:
        paths = sorted(self._log.iterdir(), key=lambda path: int(path.stem))
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def install(folder: Path, name: str, *steps: dict[str, Any]) -> Agent:
    """Put an executable of that name into a folder; it takes one step per call, and the last one again."""
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "calls").mkdir(exist_ok=True)
    (folder / "steps.json").write_text(json.dumps(steps), encoding="utf-8")
    path = folder / "bin" / name
    start = f'exec {sys.executable} -I -S {__file__} {folder} {name} "$@"'
    path.write_text(f"#!/bin/sh\n{start}\n", encoding="utf-8")
    path.chmod(0o755)
    return Agent(folder)


def main(folder: Path, name: str, argv: list[str]) -> int:
    """Be the agent."""
    calls = folder / "calls"
    number = _next_number(calls)
    steps = json.loads((folder / "steps.json").read_text(encoding="utf-8"))
    step = steps[min(number, len(steps) - 1)]
    files = {
        str(path.relative_to(".")): path.read_text(encoding="utf-8")
        for path in Path().rglob("*")
        if path.is_file()
    }
    call = {
        "argv": argv,
        "input": sys.stdin.read(),
        "env": dict(os.environ),
        "cwd": str(Path.cwd()),
        "files": files,
        "pid": os.getpid(),
        "leads": os.getpgid(0) == os.getsid(0) == os.getpid(),
        "tty": os.isatty(0) or os.isatty(1) or os.isatty(2),
    }
    if step.get("helper"):
        call["helper"] = subprocess.Popen(["/bin/sleep", "60"]).pid
    (calls / f"{number}.json").write_text(json.dumps(call), encoding="utf-8")
    if step.get("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while step.get("hang"):
        signal.pause()
    while step.get("flood"):
        print("word " * 10_000)
    sys.stderr.write(step.get("error", ""))
    said = step.get("say", "")
    text = said if isinstance(said, str) else json.dumps(said)
    print(step["print"] if "print" in step else ENVELOPES.get(name, _plain)(text, step))
    return int(step.get("exit", 0))


def _next_number(calls: Path) -> int:
    """Take a number; several may be called at once."""
    number = len(list(calls.iterdir()))
    while True:
        try:
            (calls / f"{number}.json").touch(exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return number


def _plain(text: str, step: dict[str, Any]) -> str:
    del step
    return text


def _claude(text: str, step: dict[str, Any]) -> str:
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 90, "output_tokens": 7}
    said = {"type": "result", "is_error": False, "result": text, "usage": usage}
    if isinstance(step.get("say"), dict):
        said |= {"result": "Here it is.", "structured_output": step["say"]}
    return json.dumps(said | step.get("envelope", {}))


def _codex(text: str, step: dict[str, Any]) -> str:
    usage = {"input_tokens": 95, "cached_input_tokens": 3, "output_tokens": 7}
    events: list[dict[str, Any]] = [
        {"type": "thread.started", "thread_id": "1"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "One moment."}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        *step.get("events", [{"type": "turn.completed", "usage": usage}]),
    ]
    return "\n".join(["a line that is no event", *map(json.dumps, events)])


def _gemini(text: str, step: dict[str, Any]) -> str:
    tokens = {"prompt": 95, "candidates": 4, "thoughts": 3}
    said = {"response": f"```json\n{text}\n```", "stats": {"models": {"gemini-x": {"tokens": tokens}}}}
    return "Loaded cached credentials.\n" + json.dumps(step.get("envelope", said))


ENVELOPES = {"claude": _claude, "codex": _codex, "gemini": _gemini}

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
