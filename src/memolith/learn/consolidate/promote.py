"""A note that became a procedure: `skills/<name>/SKILL.md` from it, and each links to the other.

Skills are kept beside the notes, in the memory: no agent loads them from there by itself. Who wants one
loaded copies its directory to where their agent looks for skills.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError, NotFoundError
from memolith.base.values import Value
from memolith.env.paths import Tree
from memolith.learn.consolidate.current import SKILLS
from memolith.learn.consolidate.skills import skill_name
from memolith.memory.notes import find_note
from memolith.store import files, layout, writeset
from memolith.store.screen import quoted, screen
from memolith.text import frontmatter, markdown
from memolith.text.secrets.cut import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home
    from memolith.text.yaml import Node

_MAX_DESCRIPTION = 1024


class Promoted(Value):
    """Which note became which skill."""

    filename: str
    message: str
    name: str
    note: str


def promote(home: Home, note: str) -> Promoted:
    """Make a skill of a note; again, the skill follows the note. One undo takes both files back."""
    relative = find_note(home, note)
    if not relative:
        raise NotFoundError(f"there is no note {quoted(note)}; `memolith list notes` shows them")
    tree = Tree(str(home.root))
    slug = layout.scope_of(relative)
    text = files.text_of(tree.read(relative) or b"")
    stem = os.path.basename(relative)[:-3]
    name = skill_name(stem) or skill_name(layout.file_name(stem))
    place = "/".join(filter(None, [layout.scope_directory(slug), SKILLS, name, "SKILL.md"]))
    data = tree.read(place)
    old = None if data is None else files.text_of(data)
    link = f"Skill: [{name}](../{SKILLS}/{name}/SKILL.md)"
    skill = screen(_page(name, f"notes/{stem}.md", text.replace(link, "").rstrip("\n") + "\n"))[0]
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


def _page(name: str, note: str, text: str) -> str:
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
