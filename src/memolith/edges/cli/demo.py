"""`memolith demo`: the main job, played with the real commands in a home that is thrown away."""

from __future__ import annotations

import os
import subprocess
import tempfile

from memolith.edges.cli import output
from memolith.env import programs

# A session as an agent would hand it over: JSON lines, one turn each.
_SESSION = (
    '{"role": "user", "text": "run the tests", "time": "2026-11-10T10:00:00Z"}\n'
    '{"role": "assistant", "text": "Running npm test …", "time": "2026-11-10T10:00:04Z"}\n'
    '{"role": "user", "text": "No, use pnpm test instead of npm test.", "time": "2026-11-10T10:01:00Z"}\n'
    '{"role": "assistant", "text": "Understood.", "time": "2026-11-10T10:01:03Z"}\n'
)
_STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Remember something about you, for every project:", ("write", "long_term", "- I prefer short answers.")),
    (
        "Remember a fact of this project as a note. Agents see its line in the index, not its text:",
        (
            "remember",
            "The suite needs Redis on port 6380: 6379 is taken by the proxy.",
            "--title",
            "Running the tests",
        ),
    ),
    ("Keep an open item and a line of today's log:", ("write", "scratchpad", "- [ ] release 1.4")),
    ("", ("write", "daily", "Fixed the flaky login test: the clock was mocked twice.")),
    (
        "A secret that slips in is masked before it is stored:",
        ("write", "daily", "Deployed with AWS key AKIAQYLPMN5HFIQR7XYA."),
    ),
    ("This is what an agent gets to see at the start of a session:", ("context",)),
    ("Find the note again when it matters:", ("search", "redis")),
    ("Or ask; what is ranked first is what answers best:", ("recall", "which port do the tests need?")),
    (
        "Learn from a finished session. Rules do it here; a model may, if you name one:",
        ("session", "add", "-", "--agent", "claude", "--id", "demo"),
    ),
    ("", ("config", "set", "memories.enabled", "true")),
    ("", ("learn", "run", "--force", "--model", "none")),
    ("What it learned is a record with its source:", ("record", "list")),
    ("Overwrite the checklist by mistake …", ("write", "scratchpad", "oops", "--mode", "overwrite")),
    ("… and take it back:", ("undo", "scratchpad")),
)


def play(*, as_json: bool = False) -> None:
    """Run the steps; print each command, what it answered, and at the end the files it made."""
    steps: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="memolith-demo-") as base:
        home, project = os.path.join(base, "home"), os.path.join(base, "shop")
        os.mkdir(project)
        for title, command in _STEPS:
            answer = _run(command, home, project)
            shown = answer.replace(home, "$MEMOLITH_HOME").rstrip("\n")
            steps.append({"title": title, "command": ["memolith", *command], "answer": shown})
            if not as_json:
                words = [f'"{word}"' if " " in word else word for word in command]
                output.text((f"\n# {title}\n" if title else "") + f"$ memolith {' '.join(words)}\n{shown}")
        made = _files(os.path.join(home, "memory"))
        if as_json:
            output.json({"steps": steps, "files": made})
        else:
            output.text("\n# The files it made, all plain Markdown (removed again now):")
            output.text("\n".join(f"  memory/{name}" for name in made))
            output.text('\nYour own memory was not touched. Begin with: memolith write long_term "- …"')


def _run(command: tuple[str, ...], home: str, project: str) -> str:
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
