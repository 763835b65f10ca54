"""`memolith demo`: the main job, played with the real commands (`demo.txt`) in a home that is thrown away."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from importlib.resources import files
from typing import TYPE_CHECKING

from memolith.env import programs

if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.edges.cli.output import Answer

# A session as an agent would hand it over: JSON lines, one turn each.
_SESSION = (
    '{"role": "user", "text": "run the tests", "time": "2026-11-10T10:00:00Z"}\n'
    '{"role": "assistant", "text": "Running npm test …", "time": "2026-11-10T10:00:04Z"}\n'
    '{"role": "user", "text": "No, use pnpm test instead of npm test.", "time": "2026-11-10T10:01:00Z"}\n'
    '{"role": "assistant", "text": "Understood.", "time": "2026-11-10T10:01:03Z"}\n'
)


def play(tell: Callable[[str], None]) -> Answer:
    """Run the steps; tell each command and what it answered, and return that with the files it made."""
    steps: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="memolith-demo-") as base:
        home, project = os.path.join(base, "home"), os.path.join(base, "shop")
        os.mkdir(project)
        title = ""
        script = files("memolith").joinpath("edges/cli/demo.txt").read_text("utf-8")
        for line in filter(None, script.splitlines()):
            if line.startswith("#"):
                title = line
                continue
            command = shlex.split(line)
            answer = _run(command[1:], home, project).replace(home, "$MEMOLITH_HOME").rstrip("\n")
            steps.append({"title": title.removeprefix("# "), "command": command, "answer": answer})
            tell((f"\n{title}\n" if title else "") + f"$ {line}\n{answer}")
            title = ""
        made = _files(os.path.join(home, "memory"))
    listed = "\n".join(f"  memory/{name}" for name in made)
    end = 'Your own memory was not touched. Begin with: memolith write long_term "- …"'
    text = f"\n# The files it made, all plain Markdown (removed again now):\n{listed}\n\n{end}"
    return {"steps": steps, "files": made}, text


def _run(command: list[str], home: str, project: str) -> str:
    done = subprocess.run(
        programs.ourselves(*command, "--home", home, "--project", project),
        capture_output=True,
        input=_SESSION if "-" in command else None,
        encoding="utf-8",
        check=False,
        # The temporary directory may be inside a repository; the demo's project is not part of it.
        env={**programs.environment(), "GIT_CEILING_DIRECTORIES": os.path.dirname(project)},
    )
    return done.stdout + done.stderr


def _files(root: str) -> list[str]:
    found = []
    for directory, _, names in os.walk(root):
        found += [os.path.relpath(os.path.join(directory, name), root) for name in names]
    return sorted(found)
