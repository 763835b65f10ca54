"""Whether a proposal may be written at once, and writing it: all of its files, or none.

At once is written what loses nothing that a person wrote, keeps most of what was there, and has no words of
a model's own that read like an instruction. Everything else waits for a person (`waiting`).
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from memolith.base.errors import ProviderError, UnsafePathError
from memolith.base.values import MAX_WRITE_BYTES, Value
from memolith.learn.consolidate import current as on_disk
from memolith.learn.consolidate import skills, statements
from memolith.learn.consolidate.current import MADE, RAW, ROLLOUTS, SKILLS, SUMMARY, VERSION, Made
from memolith.memory.document import MARKER
from memolith.store import layout, writeset
from memolith.store.screen import screen
from memolith.store.writeset import Edit
from memolith.text import markdown
from memolith.text.secrets.redact import redact
from memolith.text.suspicion import suspicions
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.env.settings import Settings
    from memolith.learn.consolidate.current import Current
    from memolith.learn.consolidate.propose import Proposal
    from memolith.memory.home import Home
    from memolith.store.writeset import Committed


class Verdict(Value):
    """`problems` make a proposal useless, `reasons` send it to a person."""

    problems: list[str]
    reasons: list[str]


# ---------------------------------------------------------------- checking


def refuse_links(previous: Current) -> None:
    """Refuse to build on links: what they lead to is not this memory."""
    if previous.links:
        raise UnsafePathError(
            f"{previous.links[0]} is a symbolic link; replace it by a real file or remove it "
            "(memolith doctor lists them all)"
        )


def check(proposal: Proposal, previous: Current, settings: Settings) -> Verdict:
    """Say whether a proposal can be used, and whether a person should see it first."""
    texts = {"MEMORY.md": proposal.memory_md, SUMMARY: proposal.memory_summary, **(proposal.skills or {})}
    problems = [f"{path} is a symbolic link" for path in previous.links]
    problems += [
        f"{path} has {len(text.encode())} bytes, more than the {MAX_WRITE_BYTES} of a memory"
        for path, text in texts.items()
        if len(text.encode("utf-8", "surrogatepass")) > MAX_WRITE_BYTES
    ]
    reasons = [
        *_dropped(previous.by_hand(), proposal.memory_md, "MEMORY.md"),
        *_dropped(previous.by_hand_in_summary(), proposal.memory_summary, SUMMARY),
        *_loss(proposal, previous, settings.number("memories.loss_percent")),
        *_instructions(texts, proposal, previous),
    ]
    return Verdict(problems=problems, reasons=reasons)


def _dropped(lines: list[str], text: str, where: str) -> list[str]:
    new = {markdown.same_line(line) for line in text.split("\n")}
    # A secret that somebody typed is masked, which is no loss.
    kept = screen("\n".join(lines), by_hand=True)[0].split("\n") if lines else []
    gone = [line for line in kept if line.strip() and markdown.same_line(line) not in new]
    if not gone:
        return []
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return [f"drops what a person wrote in {where}: {markdown.first_line(gone[0], 80)!r}{more}"]


def _loss(proposal: Proposal, previous: Current, percent: float) -> list[str]:
    """Return the reason if too much of what was generated before would go.

    What only forgotten sessions said has to go, and does not count.
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
    ]
    new = [statements.content(line) for line in statements.nonblank(proposal.memory_md)]
    keys = {statements.key(line) for line in new}
    words = [set(likeness.words(line)) for line in new]
    gone = [statements.content(line) for line in before if statements.key(line) not in keys]
    lost = [
        text
        for text in gone
        if not likeness.is_kept(text, words) and not any(likeness.contradicts(text, each) for each in new)
    ]
    if len(lost) * 100 <= percent * len(before):
        return []
    return [f"drops {len(lost)} of the {len(before)} lines that were learned before (limit {percent:g} %)"]


def _instructions(texts: dict[str, str], proposal: Proposal, previous: Current) -> list[str]:
    """Return the reasons to look at what reads like an instruction, unless somebody here said it."""
    old = [previous.above, previous.below, previous.summary, *previous.skills.values()]
    known = {statements.key(line) for text in [*old, *proposal.vouched] for line in statements.nonblank(text)}
    words = [set(likeness.words(each)) for each in proposal.vouched]
    found = []
    for path, text in texts.items():
        lines = [line for line in text.split("\n") if not line or statements.key(line) not in known]
        fresh = "\n".join(line for line in lines if not likeness.is_kept(statements.content(line), words))
        found += [f"{path}: {each.why} ({each.quote!r})" for each in suspicions(fresh)]
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- writing


def commit(
    home: Home,
    proposal: Proposal,
    previous: Current,
    also: Sequence[Edit] = (),
) -> Committed:
    """Write all of a proposal, or nothing; `also` is changed with it.

    ConflictError if what it replaces has changed.
    """
    home.register()
    changes = [*edits(home, proposal, previous), *also]
    done = home.gate.commit(previous.slug, changes)
    missing = verify(on_disk.read(home), proposal)
    if missing:
        raise ProviderError(f"{missing} after it was written; `memolith doctor` may know why")
    return done


def edits(home: Home, proposal: Proposal, previous: Current) -> list[Edit]:
    """Return what a proposal changes on disk."""
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
    before = {**previous.others, MADE: on_disk.stored_made(previous, home)}
    top = layout.scope_directory(previous.slug)
    marked = Edit(
        path=layout.memory(previous.slug),
        marker=MARKER,
        base=writeset.base_of(previous.memory, MARKER),
        new=proposal.memory_md,
    )
    others = [
        Edit(path=f"{top}/{path}", marker="", base=writeset.base_of(before.get(path)), new=text)
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
    return Made(
        lines=lines,
        summary=frozenset(statements.key(line) for line in statements.nonblank(proposal.memory_summary))
        - hand_too,
        forgotten=previous.forgotten() - lines,
        sessions=frozenset(proposal.sessions),
        files=kept,
    )


def verify(now: Current, proposal: Proposal) -> str:
    """Return what is missing on disk of a proposal that was written; nothing if all is there."""
    if now.links:
        return f"{now.links[0]} is a symbolic link"
    if proposal.memory_md.strip() and MARKER not in (now.memory or ""):
        return "MEMORY.md has no generated part"
    summary = now.others.get(SUMMARY, "")
    if proposal.memory_summary.strip() and not summary.startswith(VERSION):
        return f"{SUMMARY} is missing, or of another version"
    lost = [path for path in proposal.rollout_summaries or {} if path not in now.others]
    return f"{lost[0]} is missing" if lost else ""


def diff(proposal: Proposal, previous: Current) -> str:
    """Return what would change, as one unified diff."""
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
