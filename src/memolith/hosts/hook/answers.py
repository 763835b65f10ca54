"""What a session gets: the block at its start, a brief for its first task, later only what is new.

The block is a snapshot. It is not injected again, in any form, until the model has lost it, so that the text
before the first prompt never changes and stays in the provider's prompt cache. Unneeded text makes agents
worse, so a later prompt gets nothing unless a file has changed or something probably answers it.
"""

from __future__ import annotations

import os
from zlib import crc32

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.base.values import TRUNCATED
from memolith.base.whole import Watch
from memolith.env.paths import Tree
from memolith.hosts.hook import gone
from memolith.hosts.hook.injections import Injection, hash_of, mark_of
from memolith.memory import asked, note_index
from memolith.prompt import block, brief
from memolith.prompt.block import MIN_CHARS
from memolith.store import ignore, layout, receipts
from memolith.text.budget import estimate_tokens
from memolith.text.safe import hygiene, structure
from memolith.text.safe.structure import CLOSE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.base.values import Hit
    from memolith.hosts.hook.injections import SessionReceipts
    from memolith.hosts.hook.payload import Call
    from memolith.mem import Mem
    from memolith.text.budget import Section

LIMIT = 9_500  # characters; Claude Code shows no more than 10,000 of a hook
TOKENS = 2_400  # Codex takes at most 2,500 from a hook
_WRAPPED = "<memory-context>\n{}\n</memory-context>"
_LIKELY = 0.5  # a later prompt gets only what is more likely an answer than not
_FEW = 3  # hits for a later prompt
_NOTICE = 400  # characters of the notice about how the project was found
_SAID = 12  # characters; a shorter text may be in a transcript by chance
_NEW_LINES, _NEW_CHARS = 12, 1_600
_SYNC_SECONDS = 0.6
_TRUSTED_SECONDS = 600.0


_MAX_TROUBLE = 300  # characters
_LOOK = 262_144  # bytes at the start and the end of a transcript that are searched for our own words


class IndexBehindError(Exception):
    """The index could not be updated within the time limit of a prompt."""


def session_start(mem: Mem, call: Call, past: SessionReceipts) -> Injection:
    """Return the block. On a resume, only if the session does not have it already.

    The session has what was injected since, and its own summary; these do not make a block new. The summary
    is not in it.
    """
    with suppress(MemolithError):  # receipts are written, and a checkout may have been made around the home
        if os.path.isdir(mem.home):
            ignore.keep_out(mem.home)
    root = Tree(mem.store)
    revision = _revision(mem, root)  # before the files are read: what is saved meanwhile counts as new
    whole = block.of(mem, own=call.signature, root=root)
    notice = [*_notice(mem), *(_files(mem) if whole.text else [])]
    shown, text, room = whole, _tagged(with_lines(whole.text, notice)), LIMIT - sum(map(len, notice))
    while len(text) > LIMIT or (call.host == "codex" and estimate_tokens(text) > TOKENS):
        shown = block.of(mem, max_chars=room, own=call.signature, root=root)
        text = _tagged(with_lines(shown.text, notice))
        room = max(room * 9 // 10, MIN_CHARS)
    injection = Injection(text, shown.sources, revision, (line for _, line in whole.lines()))
    if call.source in ("resume", "fork") and past.has(injection):
        injection.text, injection.refs = "", []
        return injection
    if call.source in ("resume", "fork"):  # what it was shown before is still in front of it
        gone.tell(mem, call, past, whole, injection, LIMIT - len(injection.text))
    gone.keep(mem, call, shown.lines(), anew=True)
    return injection


def prompt(mem: Mem, call: Call, past: SessionReceipts, room: int) -> Injection:
    """Return what is new since the snapshot, and what is recalled for this prompt."""
    from memolith.recall import working

    injection = _news(mem, call, past, room)
    try:
        injection.problem = _look(mem)
        known = _known(mem, call, past.lines | injection.lines)
        hits = brief.untold(_recalled(mem, call, past), known, Tree(mem.store))
    except IndexBehindError as error:
        hits, injection.problem = [], f"nothing was recalled: {error}"
    # How work is done here is for a session that begins with a task of this project.
    worked = working.lines(mem, call.prompt) if past.prompts == 0 and not injection.problem else []
    while (hits or worked) and len(injection.text) + len(brief.prompt(hits, worked)) + 4 > room:
        (hits or worked).pop()
    injection.text = "\n\n".join(filter(None, [injection.text, brief.prompt(hits, worked)]))
    injection.refs += [hit.id for hit in hits]
    injection.mark = mark_of(injection.text)
    return injection


def _notice(mem: Mem) -> list[str]:
    """Return the notice about how the project was found, if any, as one harmless line."""
    if not mem.identity.notice:
        return []
    from memolith.text.secrets.veil import masked

    line = " ".join(hygiene.for_block(masked(mem.identity.notice)).split())
    return [f"memolith: {line[:_NOTICE]}"]


def _files(mem: Mem) -> list[str]:
    """Return a line that says where the files are: an agent that has hooks can open and edit files."""
    place = " ".join(hygiene.for_block(mem.store).split())
    if mem.is_nowhere:
        return [f"{structure.FILES}{place})"]
    also = layout.also_in(mem.store, mem.project)
    return [f"{structure.FILES}{place}, of this project in projects/{layout.harmless(mem.project)}{also})"]


def is_new(call: Call, past: SessionReceipts) -> bool:
    """Whether a session has no block: it started before the hook was installed, or the hook failed.

    Where notes cannot be written, its transcript tells. If another hook is answering this session, the block
    is in that answer.
    """
    if past.block is not None or past.receipts.under_way:
        return False
    return past.receipts.can_write() or not was_told(call, OPEN)


def was_told(call: Call, text: str) -> bool:
    """Whether a text of ours is in the searched parts of a session's transcript."""
    from memolith.env.paths import Place

    # JSON escapes some characters; the words between those are unchanged.
    words = max(text.replace("…", '"').replace("\\", '"').split('"'), key=len).encode("utf-8", "replace")
    place = Place.of(call.transcript)
    with Watch(aside=True), suppress(MemolithError, ValueError):
        return any(words in place.read_part(_LOOK, end=end, shared=True)[0] for end in (False, True))
    return False


def trouble(home: str, problem: BaseException | str) -> str:
    """Return the line that reports a failure, without the path of the home."""
    from memolith.text.secrets.veil import masked

    reason = masked(" ".join((str(problem) or type(problem).__name__).replace(f"{home}/", "").split()))
    return f"{structure.TROUBLE}{hygiene.for_block(reason[:_MAX_TROUBLE].rstrip('.'))}.)"


def with_lines(text: str, lines: list[str]) -> str:
    """Return a text with lines about what is missing added to its last block."""
    if not lines:
        return text
    before, found, after = text.rpartition(CLOSE)
    more = "\n".join(lines)
    return f"{before}{more}\n{found}{after}" if found else f"{OPEN}\n{more}\n{CLOSE}"


def _tagged(text: str) -> str:
    """Return a block inside one tag, by which readers of transcripts recognize and drop it."""
    return text if not text or text.startswith(OPEN) else _WRAPPED.format(text)


def _revision(mem: Mem, tree: Tree) -> str:
    """Return a value that changes with the files that make up the block; costs some `stat` calls."""
    project = mem.project
    paths = [layout.path(project, layout.SCRATCHPAD), layout.daily(project, mem.today)]
    notes: list[object] = []
    for scope in dict.fromkeys((layout.USER, project)):
        paths += [layout.path(scope, each) for each in (layout.MEMORY, layout.INDEX, "notes")]
        notes += [note_index.revision(tree, scope), asked.revision(tree, scope)]
    if mem.summary_tokens:
        paths.append(layout.path(project, layout.SUMMARY))
    seen = [tree.stat(path) for path in paths]
    known = [(each.st_ino, each.st_size, each.st_mtime_ns) if each else None for each in seen]
    return f"{crc32(repr([known, notes]).encode()):08x}"


def _news(mem: Mem, call: Call, past: SessionReceipts, room: int) -> Injection:
    """Return the lines of the current block that this session has not been shown, and those that are gone."""
    root = Tree(mem.store)
    revision = _revision(mem, root)
    if revision == past.revision or past.block is None:  # the latter: unknown what it was shown
        return Injection(revision=revision)
    injection = Injection(revision=revision)
    now = block.of(mem, own=call.signature, root=root)
    new = [(section, line) for section, line in now.lines() if hash_of(line) not in past.lines]
    own = [row for row in new if hash_of(row[1]) not in past.taken_back and _is_own(call, row[1])]
    new = [row for row in new if row not in own]
    if new:
        _add_new(injection, new)
        gone.keep(mem, call, new, anew=False)
    if own:  # it has them from its own calls
        injection.lines.update(hash_of(line) for _, line in own)
        gone.keep(mem, call, own, anew=False)
    gone.tell(mem, call, past, now, injection, room - len(injection.text))
    return injection


def _is_own(call: Call, line: str) -> bool:
    """Whether a session wrote a line itself, or was told it: its text is in the session's transcript."""
    said = line.rpartition(" — ")[2] if line.startswith("- [") and "](" in line else line
    return len(said := said.strip(" -*[]x")) >= _SAID and was_told(call, said)


def _add_new(injection: Injection, new: list[tuple[Section, str]]) -> None:
    shown, last, size = [f"## {structure.NEW}"], "", 0
    for number, (section, line) in enumerate(new):
        title = section.title
        size += len(line)
        if number == _NEW_LINES or (number and size > _NEW_CHARS):
            shown.append(f"{TRUNCATED} ({len(new) - number} more lines; `memory_read` has them)")
            break
        shown += [f"### {title}"] if title != last else []
        shown.append(line[:_NEW_CHARS])
        injection.lines.add(hash_of(line))
        last = title
    injection.text = "\n".join([OPEN, *shown, CLOSE])
    injection.refs = list(dict.fromkeys(section.source for section, _ in new))


def _recalled(mem: Mem, call: Call, past: SessionReceipts) -> list[Hit]:
    """Return what is known about a first prompt, or what very likely answers a later one."""
    from memolith.recall.recall import for_block

    hits = [
        hit
        for hit in for_block(mem, call.prompt).hits
        # A session's own turns are not news to it.
        if hit.id not in past.refs and f"-{call.session.lower()}." not in f"{hit.record.lower()}."
    ]
    return hits if past.prompts == 0 else [hit for hit in hits if hit.score >= _LIKELY][:_FEW]


def _known(mem: Mem, call: Call, lines: set[str]) -> Iterator[str]:
    """Yield the lines of the block that a session has; the block is made only if somebody asks for them."""
    yield from (line for _, line in block.of(mem, own=call.signature).lines() if hash_of(line) in lines)


def _look(mem: Mem) -> str:
    """Update the index, unless no directory has changed since the last update.

    Return which file could not be read: the rest is recalled nevertheless.

    memolith and most editors save by renaming, which changes the time of the directory. What is saved in
    place is found after ten minutes, or when something else updates the index.
    """
    left_out = ""
    slugs = list(dict.fromkeys((layout.USER, mem.project)))
    name, now = f"looked-{mem.project}", mem.index.directories(slugs)
    if receipts.age(mem.home, name) > _TRUSTED_SECONDS or receipts.read_stamp(mem.home, name)[1] != now:
        state = mem.index.sync(slugs, seconds=_SYNC_SECONDS)
        left_out = "; ".join(state.missing[:1])
        if state.is_behind or (state.notes and state.missing):
            raise IndexBehindError("; ".join([*state.missing[:1], *state.notes]))
        with suppress(MemolithError):  # on a full disk, the next prompt looks again
            receipts.stamp(mem.home, name, now)
    mem.index.trust(slugs)
    return left_out
