"""Skills, `skills/<name>/SKILL.md` with its files: proposed by a consolidation, or made from a note.

Names and heads follow the rules of Agent Skills, so that any agent can load them. The head is written here: a
model cannot give a skill tools or claim an author. Skills are kept next to the notes, where no agent loads
them by itself; to load one, copy its directory to where your agent looks for skills.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from memolith.base.errors import InputError
from memolith.base.values import MAX_WRITE_BYTES, Value
from memolith.env.paths import Tree
from memolith.learn.consolidate.current import SKILLS
from memolith.memory.find import find
from memolith.store import files, layout, writeset
from memolith.store.screen import screen
from memolith.text import fences, frontmatter, markdown
from memolith.text.names import DEVICES
from memolith.text.secrets.veil import cut
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memolith.learn.consolidate.current import Current
    from memolith.memory.home import Home
    from memolith.text.yaml import Node

MAX_SKILLS = 50
MAX_FILES = 50
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
KINDS = ("scripts", "templates", "examples")
_PART = re.compile(r"[A-Za-z0-9._-]+")


def files_of(skills: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the files of all usable skills, by their path in the project's directory.

    A skill without a name or text is skipped, and so is a file whose path could lead elsewhere. Of two with
    the same name, the first stays.
    """
    found: dict[str, str] = {}
    names: set[str] = set()
    for skill in skills:
        name, content = skill_name(skill["name"]), skill["content"]
        if not name or name in names or not frontmatter.split(content).body.strip():
            continue
        if len(names) == MAX_SKILLS:
            break
        names.add(name)
        found[f"{SKILLS}/{name}/SKILL.md"] = page(name, content)
        found.update(_extras(name, skill))
    return found


def skill_name(text: str) -> str:
    """Return a valid Agent Skills name: at most 64 of a-z, 0-9 and single inner hyphens; or nothing."""
    masked = screen(text.replace("\0", ""))[0]
    plain = re.sub(r"[^a-z0-9]+", "-", masked.lower()).strip("-")[:_MAX_NAME].strip("-")
    return f"{plain}-skill" if plain in DEVICES else plain


def page(name: str, content: str) -> str:
    """Return a SKILL.md: our head with the name of its directory, then the model's text."""
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


def page_of_steps(name: str, steps: Sequence[str]) -> str:
    """Return a SKILL.md of facts, in their order; a name that they do not support is replaced."""
    said = {word for step in steps for word in likeness.naming(step)}
    words = likeness.naming(name.replace("-", " "))
    name = name if words <= said else skill_name(markdown.first_line(steps[0], 48))
    return page(name, f"# {name}\n\n" + "".join(f"- {step}\n" for step in steps))


def name_of(text: str) -> str:
    """Return the name that a SKILL.md has in its head."""
    return str(frontmatter.split(text).get("name"))


def body_of(content: str) -> str:
    """Return what a SKILL.md says: its description and its text."""
    parsed = frontmatter.split(content)
    if parsed.problem:
        return content
    return f"{parsed.get('description') or ''}\n{parsed.body}"


def lines_of(path: str, text: str) -> list[str]:
    """Return the lines of a skill's page that say something."""
    return frontmatter.split(text).body.split("\n") if path.endswith("/SKILL.md") else []


def listed(files: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the address of each skill, and what it is for."""
    pages = {path: text for path, text in sorted(files.items()) if path.endswith("/SKILL.md")}
    return [
        (f"memory://root/{path}", markdown.first_line(frontmatter.split(text).get("description") or "", 160))
        for path, text in pages.items()
    ]


def _about(text: str) -> str:
    said = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "```"))]
    return markdown.first_line("\n".join(said), 300).lstrip("-* ") or markdown.heading_title(text)


def _extras(name: str, skill: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    seen: set[str] = set()
    for kind in KINDS:
        for row in skill.get(kind, ()):
            path = file_path(row["path"].removeprefix(f"{kind}/"))
            full = f"{SKILLS}/{name}/{kind}/{path}"
            if path and full.lower() not in seen and len(found) < MAX_FILES:
                seen.add(full.lower())
                text = screen(row["content"].replace("\0", ""), MAX_WRITE_BYTES)[0]
                found[full] = text if text.endswith("\n") else f"{text}\n"
    return found


def file_path(text: str) -> str:
    """Return a path that stays below its skill (relative, plain parts, nothing hidden), or nothing."""
    parts = text.split("/")
    plain = all(_PART.fullmatch(part) and not part.startswith(".") and part[-1] != "." for part in parts)
    named = any(part.partition(".")[0].lower() in DEVICES for part in parts)
    clean = len(text) <= 200 and len(parts) <= 4 and screen(text.replace("\0", ""))[0] == text
    return text if plain and not named and clean else ""


def settle(proposed: Mapping[str, str], current: Current) -> dict[str, str | None]:
    """Return the changes: files to write, and None for files to remove.

    A skill that a person made or changed stays, whatever is proposed under its name.
    """
    names = {path.split("/")[1] for path in [*proposed, *current.skills]}
    ours = {name for name in names if current.is_ours(name)}
    changes: dict[str, str | None] = {}
    for path in sorted({*proposed, *current.skills}):
        if path.split("/")[1] in ours and current.skills.get(path) != proposed.get(path):
            changes[path] = proposed.get(path)
    return changes


class Promoted(Value):
    """The note, and the skill made from it."""

    filename: str
    message: str
    name: str
    note: str


def promote(home: Home, note: str) -> Promoted:
    """Make a skill from a note, or update it from the note. One undo reverts both files."""
    relative = find(home, note, ("note",)).path
    tree = Tree(str(home.root))
    slug = layout.scope_of(relative)
    text = files.text_of(tree.read(relative) or b"")
    stem = os.path.basename(relative)[:-3]
    name = skill_name(stem) or skill_name(layout.file_name(stem))
    place = layout.path(slug, SKILLS, name, "SKILL.md")
    data = tree.read(place)
    old = None if data is None else files.text_of(data)
    link = f"Skill: [{name}](../{SKILLS}/{name}/SKILL.md)"
    skill = screen(_page_of_note(name, f"notes/{stem}.md", text.replace(link, "").rstrip("\n") + "\n"))[0]
    if old is not None and _note_of(old) != f"notes/{stem}.md":
        raise InputError(f"{place}: there is a skill of that name already; rename the note, or that skill")
    linked = text if link in text else f"{text.rstrip()}\n\n{link}\n"
    done = home.gate.commit(
        slug,
        [
            writeset.Edit(path=place, base=writeset.base_of(old), new=skill, marker=""),
            writeset.Edit(path=relative, base=writeset.base_of(text), new=linked, marker=""),
        ],
        op="promote",
    )
    path = layout.locate(str(home.root), place)
    message = f"Made {path} from {relative}" if done.changed else f"{path} is up to date"
    return Promoted(name=name, note=relative, filename=path, message=message)


def _page_of_note(name: str, note: str, text: str) -> str:
    parsed = frontmatter.split(text)
    body = text if parsed.problem else parsed.body
    about = parsed.get("description") or markdown.first_line(body) or name
    whence: dict[str, Node] = {"note": note}
    whence |= {key: parsed.get(key) for key in ("origin", "taint") if parsed.get(key) not in ("", "none")}
    head: dict[str, Node] = {
        "name": name,
        "description": cut(markdown.same_line(about), _MAX_DESCRIPTION),
        "metadata": whence,
    }
    title = parsed.get("name") or name
    body = body.strip("\n") + f"\n\nFrom the note [{title}](../../{note}).\n"
    return frontmatter.compose(head, body if body.startswith("# ") else f"# {title}\n\n{body}")


def _note_of(skill: str) -> str:
    about = frontmatter.split(skill).fields.get("metadata")
    return str(about.get("note", "")) if isinstance(about, dict) else ""
