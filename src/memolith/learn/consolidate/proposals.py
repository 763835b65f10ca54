"""Proposals: written at once, all files or none, or held for a person.

A proposal is written at once if it loses nothing that a person wrote, keeps most of the previous text, and
has nothing in it that nobody said. Otherwise it waits as a file in `inbox/` with
the new texts, shown as a diff. Accepting writes them if the files they replace have not changed; refusing is
remembered, so that the same proposal does not come back; editing replaces the waiting texts.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from memolith.base.errors import ConflictError, InputError, MemolithError, ProviderError, UnsafePathError
from memolith.base.values import MAX_WRITE_BYTES, Source
from memolith.env.paths import Tree
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate import skills, statements
from memolith.learn.consolidate.current import MADE, RAW, ROLLOUTS, SKILLS, SUMMARY, VERSION, Made
from memolith.learn.consolidate.draft import Proposal
from memolith.memory import review, taken_back
from memolith.memory.document import MARKER
from memolith.store import files, layout, writeset
from memolith.store.layout import PROPOSAL
from memolith.store.screen import screen
from memolith.store.writeset import Edit
from memolith.text import frontmatter, markdown
from memolith.text.budget import plural, utf8_len
from memolith.text.secrets.redact import redact
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.env.settings import Settings
    from memolith.learn.consolidate.current import Current
    from memolith.memory.home import Home
    from memolith.memory.review import Held
    from memolith.store.writeset import Committed
    from memolith.text.yaml import Node


_FILE = "<!-- memolith file: "
_END = " -->"
_SESSIONS = "sessions"
_MAX_REASONS = 20
_NOBODY = "nobody said: "

# ---------------------------------------------------------------- checking


def refuse_links(previous: Current) -> None:
    """Refuse to work on links: their targets are not this memory."""
    if previous.links:
        raise UnsafePathError(
            f"{previous.links[0]} is a symbolic link; replace it by a real file or remove it "
            "(memolith doctor lists them all)"
        )


def check(proposal: Proposal, previous: Current, settings: Settings) -> list[str]:
    """Return the reasons to hold a proposal for a person. ProviderError if it cannot be used."""
    for path, text in _texts(proposal).items():
        if (size := utf8_len(text)) > MAX_WRITE_BYTES:
            raise ProviderError(f"{path} has {size} bytes, more than the {MAX_WRITE_BYTES} of a memory")
    return [
        *(f"{_NOBODY}{markdown.first_line(each, 160)}" for each in proposal.unsupported),
        *_dropped(previous.by_hand(), proposal.memory_md, "MEMORY.md"),
        *_dropped(previous.by_hand_in_summary(), proposal.memory_summary, SUMMARY),
        *_loss(proposal, previous, settings.number("memories.loss_percent")),
    ]


def _texts(proposal: Proposal) -> dict[str, str]:
    """Return the texts of a proposal that a person may want to see."""
    return {"MEMORY.md": proposal.memory_md, SUMMARY: proposal.memory_summary, **(proposal.skills or {})}


def _dropped(lines: list[str], text: str, where: str) -> list[str]:
    new = {markdown.same_line(line) for line in text.split("\n")}
    # Masking a secret that somebody typed is not a loss.
    kept = screen("\n".join(lines), by_hand=True)[0].split("\n") if lines else []
    gone = [line for line in kept if line.strip() and markdown.same_line(line) not in new]
    if not gone:
        return []
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return [f"drops what a person wrote in {where}: {markdown.first_line(gone[0], 80)!r}{more}"]


def _loss(proposal: Proposal, previous: Current, percent: float) -> list[str]:
    """Return the reason if too much of the generated text would be lost.

    Lines that only forgotten sessions support must go, and do not count.
    """
    known = set(proposal.sessions)
    if previous.made.sessions and not previous.made.sessions & known:
        return []
    before = [
        line
        for line in statements.nonblank(previous.below)
        if statements.key(line) in previous.made.lines
        and not line.startswith(("#", "<!--"))
        and statements.is_supported(line, known)
        and not taken_back.has(proposal.gone, statements.content(line))
    ]
    new = [statements.content(line) for line in statements.nonblank(proposal.memory_md)]
    keys = {statements.key(line) for line in new}
    words, was = (
        [set(likeness.words(line)) for line in each] for each in (new, map(statements.content, before))
    )
    gone = [statements.content(line) for line in before if statements.key(line) not in keys]
    lost = [
        text
        for text in gone
        if not likeness.is_kept(text, words, was)
        and not any(likeness.contradicts(text, each) for each in new)
    ]
    if len(lost) * 100 <= percent * len(before):
        return []
    return [f"drops {len(lost)} of the {len(before)} lines that were learned before (limit {percent:g} %)"]


# ---------------------------------------------------------------- writing


def commit(
    home: Home,
    proposal: Proposal,
    previous: Current,
    also: Sequence[Edit] = (),
) -> Committed:
    """Write a proposal atomically, together with the edits in `also`.

    ConflictError if the files it replaces have changed.
    """
    home.register()
    return home.gate.commit(previous.slug, [*_edits(proposal, previous), *also])


def _edits(proposal: Proposal, previous: Current) -> list[Edit]:
    """Return the edits that a proposal makes on disk."""
    summary = proposal.memory_summary
    new: dict[str, str | None] = {SUMMARY: f"{VERSION}\n{summary}" if summary.strip() else None}
    if proposal.raw_memories is not None:
        new[RAW] = proposal.raw_memories
    if proposal.rollout_summaries is not None:
        old = {path for path in previous.others if path.startswith(f"{ROLLOUTS}/")}
        new |= {path: proposal.rollout_summaries.get(path) for path in {*old, *proposal.rollout_summaries}}
    if proposal.skills is not None:
        new |= skills.settle(proposal.skills, previous)
    made = _made(proposal, previous, new)
    top = layout.path(previous.slug)
    marked = Edit(
        path=layout.path(previous.slug, layout.MEMORY),
        marker=MARKER,
        base=writeset.base_of(previous.memory, MARKER),
        new=proposal.memory_md,
    )
    others = [
        Edit(path=f"{top}/{path}", marker="", base=writeset.base_of(previous.others.get(path)), new=text)
        for path, text in sorted({**new, MADE: made.dump()}.items())
    ]
    return [marked, *others]


def _made(proposal: Proposal, previous: Current, new: dict[str, str | None]) -> Made:
    hand = {statements.key(line) for line in previous.by_hand() if line}
    hand_too = {statements.key(line) for line in previous.by_hand_in_summary() if line}
    lines = frozenset(statements.key(line) for line in statements.nonblank(proposal.memory_md)) - hand
    kept = {path: digest for path, digest in previous.made.files.items() if path.startswith(f"{SKILLS}/")}
    for path, text in new.items():
        if path.startswith(f"{SKILLS}/"):
            kept.pop(path, None)
            if text is not None:
                kept[path] = writeset.base_of(text) or ""
    pages = {path: text for path, text in {**previous.skills, **new}.items() if text and path in kept}
    return Made(
        lines=lines,
        left=frozenset(proposal.left),
        records=previous.made.records,
        skills=frozenset(_row(path, text) for path, text in pages.items() if path.endswith("/SKILL.md")),
        summary=frozenset(statements.key(line) for line in statements.nonblank(proposal.memory_summary))
        - hand_too,
        forgotten=previous.forgotten() - lines,
        sessions=frozenset(proposal.sessions),
        files=kept,
    )


def _row(path: str, text: str) -> str:
    """Return a skill as it is noted: its name, and the keys of what it says."""
    said = [line for line in skills.lines_of(path, text) if line.strip() and not line.startswith("#")]
    return " ".join([path.split("/")[1], *(statements.key(line) for line in said)])


def diff(proposal: Proposal, previous: Current) -> str:
    """Return the changes as one unified diff."""
    pairs = {
        "MEMORY.md": (previous.below, proposal.memory_md),
        SUMMARY: (previous.summary, proposal.memory_summary),
    }
    if proposal.skills is not None:
        for path, text in skills.settle(proposal.skills, previous).items():
            pairs[path] = (previous.skills.get(path, ""), text or "")
    lines: list[str] = []
    for path, (old, new) in pairs.items():
        lines += difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"before/{path}", f"after/{path}", lineterm="", n=1
        )
    return redact("\n".join(lines)).text


# ---------------------------------------------------------------- waiting for a person


class OutdatedError(ConflictError):
    """The memory has changed since the proposal was made: nothing was written."""

    def __init__(self, proposal_id: str) -> None:
        MemolithError.__init__(
            self,
            f"{proposal_id}: the memory has changed since this was proposed, so it was not applied; refuse "
            "it, and the next `memolith learn run` makes a new proposal",
        )


def hold(home: Home, proposal: Proposal, previous: Current, reasons: Sequence[str]) -> str:
    """Hold a proposal for review; return its id, or nothing if a person has refused the same before.

    It replaces an older one of the same project, which knew less.
    """
    text = pack(proposal)
    # From its texts alone: a new session that changes none of them makes no new proposal.
    about = "\n".join(proposal.unsupported) or text.partition(f"{_FILE}{_SESSIONS}{_END}")[0]
    proposal_id = review.content_id(about)
    relative = layout.path(previous.slug, "inbox", f"{proposal_id}.md")
    fields: dict[str, Node] = {
        "call": PROPOSAL,
        "arguments": {"base": previous.base()},
        **Source("extracted").as_dict(),  # type: ignore[dict-item]
        "since": home.today,
        "reasons": list(reasons[:_MAX_REASONS]),
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
    """Return the texts of a proposal as one text, for a person to read and edit."""
    texts = _texts(proposal)
    if proposal.skills is not None and not proposal.skills:
        texts[f"{SKILLS}/"] = ""  # no skills at all, as opposed to unchanged ones
    texts[_SESSIONS] = "".join(f"{name}\n" for name in proposal.sessions)
    return "".join(f"{_FILE}{path}{_END}\n{_plain(text)}" for path, text in texts.items())


def _plain(text: str) -> str:
    """Return a text in which no line looks like the start of another text."""
    text = text.replace(_FILE, _FILE.replace("memolith file", "memolith-file"))
    return text if not text or text.endswith("\n") else f"{text}\n"


def unpack(text: str) -> Proposal:
    """Return the proposal from a text of `pack`; a person may have edited it, so it is screened again."""
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
        gone=[],
        left=[],
        unsupported=[],
    )


def _is_skill(path: str) -> bool:
    _, name, inside = (*path.split("/", 2), "")[:3]
    kind, _, below = inside.partition("/")
    inside = below if kind in skills.KINDS else inside  # as it was proposed
    return bool(inside) and skills.skill_name(name) == name and skills.file_path(inside) == inside


def describe(home: Home, held: Held) -> str:
    """Return what a held proposal would change now."""
    return diff(unpack(held.text), on_disk.read(home))


def accept(home: Home, held: Held) -> str:
    """Write a held proposal; return what was done. OutdatedError if the files it replaces have changed."""
    previous = on_disk.read(home)
    refuse_links(previous)
    if previous.base() != held.arguments.get("base"):
        raise OutdatedError(held.id)
    waits = files.text_of(Tree(home.store).read(held.filename) or b"", files.EXACT)
    gone = writeset.Edit(path=held.filename, marker="", base=writeset.base_of(waits), new=None)
    # In the same set: one undo reverts the texts and holds the proposal again.
    done = commit(home, unpack(held.text), previous, also=[gone])
    return f"{plural(len(done.changed) - 1, 'file')} written; `memolith undo` takes them back"


def edit(home: Home, held: Held, text: str) -> None:
    """Replace the texts of a held proposal with a person's edited version."""
    packed = pack(unpack(text))

    def change(old: str | None) -> str | None:
        return None if old is None else frontmatter.split(old).head + packed

    home.gate.rewrite(held.filename, change, op="edit")


def is_safe(home: Home, held: Held) -> bool:
    """Whether a proposal would be written at once if it were made now."""
    previous = on_disk.read(home)
    if previous.links or previous.base() != held.arguments.get("base"):
        return False
    if any(reason.startswith(_NOBODY) for reason in held.reasons):
        return False
    try:
        return not check(unpack(held.text), previous, home.settings)
    except ProviderError:
        return False
