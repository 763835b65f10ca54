"""Proposals that wait for a person: a file in `inbox/` with the new texts, shown as a diff.

Accepting writes them if what they replace is still the same; refusing is remembered, so that the same
proposal does not come back; editing replaces the texts that wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memolith.base.errors import ConflictError, InputError, MemolithError
from memolith.base.values import Source
from memolith.env.paths import Tree
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate import proposals, skills
from memolith.learn.consolidate.current import SKILLS, SUMMARY
from memolith.learn.consolidate.propose import Proposal
from memolith.memory import review
from memolith.store import layout, writeset
from memolith.store.layout import PROPOSAL
from memolith.store.screen import screen
from memolith.text import frontmatter

if TYPE_CHECKING:
    from memolith.learn.consolidate.current import Current
    from memolith.learn.consolidate.proposals import Verdict
    from memolith.memory.home import Home
    from memolith.memory.review import Held
    from memolith.text.yaml import Node

_FILE = "<!-- memolith file: "
_END = " -->"
_SESSIONS = "sessions"
_MAX_REASONS = 20


class OutdatedError(ConflictError):
    """The memory is not the one that a proposal was made for: nothing was written."""

    def __init__(self, proposal_id: str) -> None:
        MemolithError.__init__(
            self,
            f"{proposal_id}: the memory has changed since this was proposed, so it was not applied; refuse "
            "it, and the next `memolith learn run` proposes anew",
        )


def hold(home: Home, proposal: Proposal, previous: Current, verdict: Verdict) -> str:
    """Let a proposal wait; return its id, or nothing if a person has refused the same before.

    An older one of the same project goes: it was made from less.
    """
    text = pack(proposal)
    # By its texts alone: one more session that changes none of them makes no other proposal.
    proposal_id = review.content_id(text.partition(f"{_FILE}{_SESSIONS}{_END}")[0])
    relative = layout.held(previous.slug, proposal_id)
    fields: dict[str, Node] = {
        "call": PROPOSAL,
        "arguments": {"base": previous.base()},
        **Source("extracted").as_dict(),  # type: ignore[dict-item]
        "since": home.today,
        "reasons": list(verdict.reasons[:_MAX_REASONS]),
    }
    home.register()
    with home.gate.scope(previous.slug):
        if review.decision(home, relative) == "refuse":
            return ""
        for older in review.waiting(home):
            if older.call == PROPOSAL and older.id != proposal_id:
                home.gate.rewrite(older.filename, lambda _: None, op="superseded")
        home.gate.rewrite(relative, lambda _: frontmatter.compose(fields, text), op="hold")
    return proposal_id


def pack(proposal: Proposal) -> str:
    """Return the texts of a proposal as one, for a person to read and edit."""
    texts = {"MEMORY.md": proposal.memory_md, SUMMARY: proposal.memory_summary, **(proposal.skills or {})}
    if proposal.skills is not None and not proposal.skills:
        texts[f"{SKILLS}/"] = ""  # none at all, which is not the same as leaving them alone
    texts[_SESSIONS] = "".join(f"{name}\n" for name in proposal.sessions)
    return "".join(f"{_FILE}{path}{_END}\n{_plain(text)}" for path, text in texts.items())


def _plain(text: str) -> str:
    """Return a text in which no line looks like the beginning of another one."""
    text = text.replace(_FILE, _FILE.replace("memolith file", "memolith-file"))
    return text if not text or text.endswith("\n") else f"{text}\n"


def unpack(text: str) -> Proposal:
    """Return the proposal that `pack` made a text of; what a person made of it is screened again."""
    texts: dict[str, str] = {}
    path = ""
    for line in text.replace("\r\n", "\n").splitlines(keepends=True):
        bare = line.strip()
        if line.startswith(_FILE) and bare.endswith(_END.strip()):
            path = bare[len(_FILE) : -len(_END)].strip()
            texts[path] = ""
        elif path:
            texts[path] += line
        elif bare:
            raise InputError(f"a proposal begins with a line `{_FILE}MEMORY.md{_END}`; this one does not")
    if "MEMORY.md" not in texts or SUMMARY not in texts:
        raise InputError(
            f"a proposal has the parts MEMORY.md and {SUMMARY}; leave their first lines as they are"
        )
    extra = {path: text for path, text in texts.items() if path.startswith(f"{SKILLS}/")}
    return Proposal(
        memory_md=screen(texts["MEMORY.md"])[0],
        memory_summary=screen(texts[SUMMARY])[0],
        skills={path: screen(text)[0] for path, text in extra.items() if _is_skill(path)} if extra else None,
        raw_memories=None,
        rollout_summaries=None,
        sessions=texts.get(_SESSIONS, "").split(),
        held=[],
        vouched=[],
    )


def _is_skill(path: str) -> bool:
    parts = path.split("/")
    inside = "/".join(parts[2:])
    return len(parts) > 2 and skills.skill_name(parts[1]) == parts[1] and skills.file_path(inside) == inside


def describe(home: Home, held: Held) -> str:
    """Return what a waiting proposal would change now."""
    return proposals.diff(unpack(held.text), on_disk.read(home))


def accept(home: Home, held: Held) -> str:
    """Write a proposal that waited; return what was done. OutdatedError if what it replaces has changed."""
    previous = on_disk.read(home)
    proposals.refuse_links(previous)
    if previous.base() != held.arguments.get("base"):
        raise OutdatedError(held.id)
    waits = (Tree(str(home.root)).read(held.filename) or b"").decode("utf-8", "surrogateescape")
    gone = writeset.Edit(path=held.filename, marker="", base=writeset.base_of(waits), new=None)
    # In the same set: one undo takes back the texts, and lets the proposal wait again.
    done = proposals.commit(home, unpack(held.text), previous, also=[gone])
    return f"{len(done.changed) - 1} file(s) written; `memolith undo` takes them back"


def edit(home: Home, held: Held, text: str) -> None:
    """Replace the texts of a proposal that waits by what a person made of them."""
    packed = pack(unpack(text))

    def change(old: str | None) -> str | None:
        return None if old is None else frontmatter.split(old).head + packed

    home.gate.rewrite(held.filename, change, op="edit")


def is_safe(home: Home, held: Held) -> bool:
    """Whether a proposal would be written at once if it came now, over what is there now."""
    previous = on_disk.read(home)
    if previous.base() != held.arguments.get("base"):
        return False
    verdict = proposals.check(unpack(held.text), previous, home.settings)
    return not verdict.problems and not verdict.reasons
