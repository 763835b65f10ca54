"""What memolith is good for, right after it was installed: past sessions read, learned from, shown.

Whoever asks for this has agreed to the rules that learn offline, although learning is off by default: no
model is asked, nothing leaves the machine, and the setting stays as it was.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click

from memolith.edges.cli import output, progress
from memolith.edges.cli.sessions import bring
from memolith.env.settings import Settings
from memolith.hosts.sessions import gather
from memolith.prompt import brief
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from memolith.edges.cli.options import Options
    from memolith.hosts.sessions.gather import Outcome
    from memolith.mem import Mem

_HITS = 5
_QUERY = 400  # characters of a request that say what it is about


def show(options: Options, mem: Mem, *, asked: bool) -> None:
    """Import, index, learn by rules, and print a brief with a summary of two lines."""
    places = [each for each in gather.find(os.environ, os.path.expanduser("~")) if not each.problem]
    if not places:
        if asked and not options.json:
            output.text("No past sessions were found on this machine")
        return
    question = (
        f"Read {len(places):,} past session(s) into memory and learn from them by rules, on this machine?"
    )
    if not asked and not click.confirm(question, default=True, err=True):
        output.text("Later: memolith init --import")
        return
    gatherer = gather.Gatherer(mem)
    try:
        brought = bring(gatherer, places)
        mems = gatherer.memories
        mem.index.sync(list(mems), progress=progress.bar("files"))
        records = sum(_learn(each) for each in mems.values())
        text = _brief(mem, mems, brought)
    finally:
        gatherer.close()
    summary = _summary(brought, records)
    if options.json:
        output.note(" ".join(summary))  # the answer is printed already
        return
    if text:
        output.text(text)
    output.text("\n".join(summary))


def _learn(mem: Mem) -> int:
    """Learn by rules from what was finished; return how many records that gave."""
    enabled, origin = mem.settings.lookup("memories.enabled")
    if not enabled and origin != "default":
        return 0  # somebody switched it off, and meant it
    agreed = Settings(mem.home, {**os.environ, "MEMOLITH_MEMORIES_ENABLED": "true"})
    agreed.enter(mem.identity.root)
    mem.settings, kept = agreed, mem.settings
    try:
        return 0 if mem.learning.off else mem.learning.run(model="none").records
    finally:
        mem.settings = kept


def _brief(mem: Mem, mems: dict[str, Mem], brought: list[Outcome]) -> str:
    """Return what memory says about the last thing somebody worked on: here, or where most was."""
    counts = Counter(each.project for each in brought if each.action != "skipped")
    chosen = mem if counts[mem.project] else mems.get(next(iter(counts.most_common(1)), ("", 0))[0])
    if chosen is None:
        return ""
    sessions = [each for each in chosen.sessions.list() if each.source in ("", "interactive")]
    for last in reversed(sessions[-3:]):
        turns = chosen.sessions.get(last.name).turns
        request = next((turn.text.strip() for turn in turns if turn.role == "user" and turn.text.strip()), "")
        if not request:
            continue
        found = chosen.recall(request[:_QUERY], limit=_HITS * 2, semantic=False)
        others = [hit for hit in found.hits if last.name not in hit.source][:_HITS] or found.hits[:1]
        if others:
            about = " ".join(request[:_QUERY].split())
            about = about if len(about) <= 70 else f"{about[:70]}…"
            return f'What is known in {chosen.project} about "{about}":\n{veil.masked(brief.items(others))}\n'
    return ""


def _summary(brought: list[Outcome], records: int) -> list[str]:
    counts = Counter(each.action for each in brought)
    read = [each for each in brought if each.action in ("new", "grown")]
    agents = len({each.agent for each in brought if each.action != "skipped"})
    projects = len({each.project for each in brought if each.action != "skipped"})
    counted = f"{len(read):,} session(s) read, {counts['known']:,} known, {counts['skipped']:,} skipped"
    turns, masked = sum(each.added for each in read), sum(each.masked for each in read)
    hidden = f", {masked:,} secret(s) masked" if masked else ""
    return [
        f"{counted}: {turns:,} turn(s) of {agents} agent(s) in {projects} project(s){hidden}",
        f"{records:,} fact(s) learned by rules, offline; `memolith recall QUESTION` asks, and "
        "`memolith config set memories.enabled true` goes on learning",
    ]
