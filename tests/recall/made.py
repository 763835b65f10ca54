"""Making records, tickets and sessions as files, the way another program or a person would."""

import gzip
import json

from memolith import Mem


def put(mem: Mem, relative: str, text: str, *, user: bool = False) -> None:
    """Write a file into the project's part of the store, or into the user's."""
    mem.register()
    base = mem.root if user else mem.root / "projects" / mem.project
    path = base / relative
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def record(mem: Mem, name: str, text: str, *, user: bool = False, **fields: str) -> None:
    """Make a decision with the given frontmatter."""
    head = "".join(f"{key}: {value}\n" for key, value in fields.items())
    put(mem, f"records/decisions/{name}.md", f"---\nid: {name}\n{head}---\n{text}\n", user=user)


def session(mem: Mem, name: str, *turns: str, started: str = "2026-11-01T10:00:00Z") -> None:
    """Make a session in which user and assistant speak in turn."""
    mem.register()
    lines: list[dict[str, object]] = [{"agent": "x", "id": name, "project": mem.project, "started": started}]
    for number, text in enumerate(turns, 1):
        role = "user" if number % 2 else "assistant"
        lines.append({"turn": number, "role": role, "time": started, "text": text})
    path = mem.root.parent / "sessions" / mem.project / f"x-{name}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
