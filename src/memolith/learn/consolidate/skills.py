"""Skills that a consolidation proposes: `skills/<name>/SKILL.md` and the files it comes with, made harmless.

Names and heads follow the rules of Agent Skills, so that any agent can load them. What the head may say is
decided here: a model cannot give a skill tools or claim whose it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memolith.base.values import MAX_WRITE_BYTES
from memolith.learn.consolidate.current import SKILLS
from memolith.store.screen import screen
from memolith.text import fences, frontmatter, markdown
from memolith.text.names import DEVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memolith.learn.consolidate.current import Current
    from memolith.text.yaml import Node

MAX_SKILLS = 50
MAX_FILES = 50
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
_KINDS = ("scripts", "templates", "examples")
_PART = re.compile(r"[A-Za-z0-9._-]+")

_FILES = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
        "additionalProperties": False,
    },
}
SCHEMA: dict[str, object] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "content": {"type": "string"},
            **dict.fromkeys(_KINDS, _FILES),
        },
        "required": ["name", "content"],
        "additionalProperties": False,
    },
}


def problem(skills: object) -> str:
    """Return what is wrong with the form of a reply's skills; nothing if it is right."""
    if not isinstance(skills, list):
        return "skills is not a list"
    for number, skill in enumerate(skills, 1):
        where = f"skill {number}"
        if not isinstance(skill, dict):
            return f"{where} is not an object"
        unknown = set(skill) - {"name", "content", *_KINDS}
        if unknown:
            return f"{where} has the unknown key {min(map(str, unknown))[:40]!r}"
        if not isinstance(skill.get("name"), str) or not isinstance(skill.get("content"), str):
            return f"{where} needs a name and content, both text"
        for kind in _KINDS:
            rows = skill.get(kind)
            if rows is not None and not (isinstance(rows, list) and all(map(_is_file, rows))):
                return f"{where}: {kind} is not a list of {{path, content}}"
    return ""


def _is_file(row: object) -> bool:
    return (
        isinstance(row, dict)
        and set(row) == {"path", "content"}
        and all(isinstance(value, str) for value in row.values())
    )


def files_of(skills: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Return the files of all skills that can be used, by their path in the project's directory.

    A skill without a name or text is left out, and so is a file whose path could lead elsewhere. The first
    of two with the same name stays.
    """
    found: dict[str, str] = {}
    names: set[str] = set()
    for skill in skills:
        name, content = skill_name(str(skill["name"])), str(skill["content"])
        if not name or name in names or not frontmatter.split(content).body.strip():
            continue
        if len(names) == MAX_SKILLS:
            break
        names.add(name)
        found[f"{SKILLS}/{name}/SKILL.md"] = page(name, content)
        found.update(_extras(name, skill))
    return found


def skill_name(text: str) -> str:
    """Return a name as Agent Skills want it: a-z, 0-9 and single hyphens inside, at most 64; or nothing."""
    masked = screen(text.replace("\0", ""))[0]
    plain = re.sub(r"[^a-z0-9]+", "-", masked.lower()).strip("-")[:_MAX_NAME].strip("-")
    return f"{plain}-skill" if plain in DEVICES else plain


def page(name: str, content: str) -> str:
    """Return a SKILL.md: the head is ours, with the name of its directory, the text is the model's."""
    content = screen(content.replace("\0", ""), MAX_WRITE_BYTES)[0]
    parsed = frontmatter.split(content)
    text = content if parsed.problem else parsed.body
    about = parsed.get("description") or _about(text) or name
    head: dict[str, Node] = {
        "name": name,
        "description": markdown.same_line(about)[:_MAX_DESCRIPTION],
        "metadata": {"origin": "extracted", "generated-by": "memolith"},
    }
    fence = fences.open_fence(text)
    return frontmatter.compose(head, text.strip("\n") + (f"\n{fence}\n" if fence else "\n"))


def _about(text: str) -> str:
    said = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "```"))]
    return markdown.first_line("\n".join(said), 300).lstrip("-* ") or markdown.heading_title(text)


def _extras(name: str, skill: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    seen: set[str] = set()
    for kind in _KINDS:
        rows = skill.get(kind)
        for row in rows if isinstance(rows, list) else ():
            path = file_path(row["path"].removeprefix(f"{kind}/"))
            full = f"{SKILLS}/{name}/{kind}/{path}"
            if path and full.lower() not in seen and len(found) < MAX_FILES:
                seen.add(full.lower())
                text = screen(row["content"].replace("\0", ""), MAX_WRITE_BYTES)[0]
                found[full] = text if text.endswith("\n") else f"{text}\n"
    return found


def file_path(text: str) -> str:
    """Return a path that stays below its skill, or nothing: relative, plain parts, nothing hidden."""
    parts = text.split("/")
    plain = all(_PART.fullmatch(part) and not part.startswith(".") and part[-1] != "." for part in parts)
    named = any(part.partition(".")[0].lower() in DEVICES for part in parts)
    clean = len(text) <= 200 and len(parts) <= 4 and screen(text.replace("\0", ""))[0] == text
    return text if plain and not named and clean else ""


def settle(proposed: Mapping[str, str], current: Current) -> dict[str, str | None]:
    """Return what changes: files to write, and None for those to remove.

    A skill that a person made or changed stays as it is, whatever is proposed under its name.
    """
    names = {path.split("/")[1] for path in [*proposed, *current.skills]}
    ours = {name for name in names if current.is_ours(name)}
    changes: dict[str, str | None] = {}
    for path in sorted({*proposed, *current.skills}):
        if path.split("/")[1] in ours and current.skills.get(path) != proposed.get(path):
            changes[path] = proposed.get(path)
    return changes
