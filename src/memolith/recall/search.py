"""Literal keyword search over the files themselves: deterministic, always up to date.

Ranked recall has a different contract (see docs/design.md); this module answers "which files contain these
words" and nothing else.
"""

from __future__ import annotations

import os
from errno import EILSEQ

from memolith.base.errors import InputError, StorageError, UnsafePathError
from memolith.base.values import MAX_INJECT_BYTES, OfFile
from memolith.base.whole import Watch, note
from memolith.env.paths import Tree
from memolith.memory.strays import report_strays
from memolith.recall import covered, matching
from memolith.recall.covered import without_secrets
from memolith.recall.matching import CONTEXT_LINES, Match
from memolith.store import entry, files, layout
from memolith.text import frontmatter
from memolith.text.budget import head, plural, utf8_len
from memolith.text.safe import hygiene
from memolith.text.source_label import label, of_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import TypedDict

    from memolith.index.texts import Stamp
    from memolith.memory.home import Home

    class How(TypedDict, total=False):
        """What `Mem.search` may be told besides the words: the arguments of `find`."""

        within: int | None
        context: int
        loose: bool
        offset: int
        limit: int | None
        sessions: bool


MAX_WINDOWS = 5
MAX_TERMS = 200
_MANY = 500  # notes from which on asking the index is cheaper than reading them
_SECONDS = 1.0  # to bring the index up to date; longer than that, the files are read
_GAP = "⋯"
_PUT_AWAY = ("archived", "quarantined")  # records that only `record list` shows


class SearchHit(OfFile):
    """The search results of one file."""

    body: str
    date: str | None
    filename: str
    filename_only: bool
    is_memory_md: bool
    matched_terms: list[str]
    name: str
    source: str  # where the note came from, if not from the user or their agent
    total_hits: int


class SearchResults:
    """Hits, best first, the number of matching lines for each term, and what could not be read.

    Of `files` in all, a page has those after the first `offset`.
    """

    __slots__ = ("files", "hits", "missing", "offset", "terms")

    def __init__(self, terms: list[tuple[str, int]], hits: list[SearchHit]) -> None:
        self.terms, self.hits, self.files, self.offset = terms, hits, len(hits), 0
        self.missing: list[str] = []  # "<path>: <why>"

    @property
    def complete(self) -> bool:
        """Whether everything could be read."""
        return not self.missing

    def keep(self, offset: int, limit: int | None) -> None:
        """Keep one page of the hits."""
        if offset < 0 or (limit is not None and limit < 1):
            raise InputError("offset must be 0 or more, limit 1 or more")
        self.hits = self.hits[offset : None if limit is None else offset + limit]
        self.offset = offset

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[SearchHit]:
        return iter(self.hits)

    def as_dict(self) -> dict[str, object]:
        """Return the results ready for JSON."""
        return {
            "terms": [{"term": term, "lines": count} for term, count in self.terms],
            "hits": [hit.as_dict() for hit in self.hits],
            "files": self.files,
            "complete": self.complete,
            "missing": self.missing,
        }

    def render(self, max_bytes: int = MAX_INJECT_BYTES, next_: str = "offset") -> str:
        """Return the results as text of at most `max_bytes`; the lowest-ranked files are dropped first.

        `next_` is what the reader gives to see the next ones.
        """
        if not self.hits:
            return head("No memory matched.", max_bytes)
        # Stop when the space is used up: a hundred thousand files may match.
        blocks: list[str] = []
        ends = [0]
        for hit in self.hits:
            if ends[-1] > max_bytes:
                break
            blocks.append(_block(hit))
            ends.append(ends[-1] + utf8_len(blocks[-1]))
        for shown in range(len(blocks), 0, -1):
            first, last = self._summary(shown), self._left_out(shown, next_)
            if utf8_len(first) + ends[shown] + utf8_len(last) <= max_bytes:
                return first + "".join(blocks[:shown]) + last
        # Not even the best hit fits: show its beginning.
        first, last = self._summary(1), self._left_out(1, next_)
        left = max_bytes - utf8_len(first) - utf8_len(last) - utf8_len(f"\n{_GAP}")
        if left < 40:
            return head(self._summary(0), max_bytes)
        return f"{first}{head(blocks[0], left)}\n{_GAP}{last}"

    def _summary(self, shown: int) -> str:
        counts = " ".join(f"{term}({count})" for term, count in self.terms)
        return f"{plural(len(self.terms), 'term')}: {counts} — {plural(self.files, 'file')}, {shown} shown"

    def _left_out(self, shown: int, next_: str) -> str:
        until = self.offset + shown
        left = plural(self.files - until, "more file")
        advice = f"{next_} {until} has the next, or search for fewer or rarer words"
        return f"\n\n…[{left} not shown; {advice}]" if until < self.files else ""


def _block(hit: SearchHit) -> str:
    said = f" {label(hit.source)}" if hit.source else ""
    return f"\n\n### {hit.name} ({', '.join(hit.matched_terms)}){said}\n{hit.body}"


def find(
    home: Home,
    query: str,
    *,
    within: int | None = None,
    context: int = CONTEXT_LINES,
    loose: bool = False,
    offset: int = 0,
    limit: int | None = None,
    sessions: bool = False,
) -> SearchResults:
    """Find the files of a memory by keywords: `limit` files after the first `offset`; see `Match`.

    Its `sessions` are looked through on request.
    """
    if not isinstance(query, str):
        raise InputError(f"query must be text, not {type(query).__name__}")
    with Watch() as watch:
        home.identity.report_unopened(home.store)
        match, more = Match(within, context, loose=loose), covered.sessions(home) if sessions else ()
        found = search(home.store, home.project, query, home, match, more)
        found.keep(offset, limit)
        found.missing = watch.missing
        return found


def search(
    root: str,
    slug: str,
    query: str,
    home: Home | None = None,
    match: Match | None = None,
    more: Iterable[tuple[str, str]] = (),
) -> SearchResults:
    """Search the user-wide memory and one project's; any term may match, as a substring, ignoring case.

    Files with a line that has the whole query come first, then those with a line that has all terms.
    With a home, its index says which of many notes need not be read. `more` are texts with their addresses.
    """
    match = match or Match()
    terms: dict[str, str] = {}
    words = matching.typed(hygiene.whole(query))
    for word in words:
        if len(terms) == MAX_TERMS:
            break
        if key := match.fold(word):
            terms.setdefault(key, word)
    if not terms:
        return SearchResults([], [])
    match.several = len(terms) > 1
    match.phrase = match.fold(" ".join(words))
    counts = dict.fromkeys(terms, 0)
    near: list[tuple[int, SearchHit]] = []
    tree = Tree(root)
    waiting = set(covered.waiting(tree, slug))
    likely = _likely(home, tree, slug, terms) if home and not match.loose else None
    files_ = ((each, None) for each in (*covered.searchable(root, slug), *waiting))
    for relative, clean in files_ if likely is None else likely:
        hit = _search_file(tree, relative, terms, counts, match, held=relative in waiting, clean=clean)
        if hit is not None:
            near.append(hit)
    found = (_search_text(uri, text, terms, counts, match) for uri, text in more)
    near += [hit for hit in found if hit is not None]
    near.sort(key=lambda each: each[1].name)
    near.sort(key=lambda each: each[1].date or "", reverse=True)
    near.sort(
        key=lambda each: (
            -each[0],
            not each[1].is_memory_md,
            -len(each[1].matched_terms),
            each[1].filename_only,
            -each[1].total_hits,
        )
    )
    counted = [(word, counts[key]) for key, word in terms.items()]
    return SearchResults(counted, [hit for _, hit in near])


def _likely(home: Home, tree: Tree, slug: str, terms: Collection[str]) -> list[tuple[str, Stamp]] | None:
    """Return the files that the index says may match, and as what each is free of secrets; None: all may."""
    try:
        few = len(tree.folder(layout.path(slug, "notes")).names(_MANY)) < _MANY
    except (FileNotFoundError, UnsafePathError, StorageError):
        few = True
    scopes = (layout.USER, slug)
    if few or (state := home.index.sync(scopes, seconds=_SECONDS)).missing:
        return None
    found = home.index.containing(scopes, terms)
    if found is None:
        return None
    for scope in scopes:
        report_strays(tree.root, scope)
    for path, _, why in (each.partition(": ") for each in state.damaged):
        if path.endswith(".md"):  # sessions are looked through on request
            note(path, OSError(EILSEQ, why))
    kinds = (*covered.KINDS, "inbox")
    return [(path, clean) for kind, path, clean in found if kind in kinds and _is_searched(path)]


def _is_searched(path: str) -> bool:
    """Whether a file of the index is a note, if it stands among them; the index takes more names."""
    return not layout.is_note(path) or layout.is_note_file(path.rpartition("/")[2])


def _search_file(
    tree: Tree,
    relative: str,
    terms: dict[str, str],
    counts: dict[str, int],
    match: Match,
    *,
    held: bool,
    clean: Stamp,
) -> tuple[int, SearchHit] | None:
    """Search a file; with the fingerprint `clean` there is no secret in it."""
    try:
        place = tree.place(relative)
        data = place.read()
        seen = place.fingerprint()  # after it was read: what replaces it now is looked at as well
    except FileNotFoundError:
        return None
    except (UnsafePathError, StorageError):
        return None  # a link or an unreadable file must not hide the others; it is named
    if data is None:
        return None
    text = files.text_of(data)
    source = of_note(text)
    if "/records/" in f"/{relative}" and entry.Entry("record", "", text).status in _PUT_AWAY:
        return None
    if held:
        parsed = frontmatter.split(text)
        text = parsed.body if parsed.get("call") != layout.PROPOSAL else ""
    folded, stem = match.fold(text), match.fold(os.path.basename(relative)[:-3])
    if not any(key in folded or key in stem for key in terms):
        return None
    # A person may have typed a secret into the file; neither it nor what stands there instead is matched.
    if held or clean is None or clean != seen:
        text = without_secrets(tree.root, relative, text)
    hit = _search_text(relative, entry.said(text), terms, counts, match)
    return hit and (hit[0], hit[1].but(filename=layout.locate(tree.root, relative), source=source))


def _search_text(
    name: str, text: str, terms: dict[str, str], counts: dict[str, int], match: Match
) -> tuple[int, SearchHit] | None:
    """Return what a text called `name` has to say, and how near to each other its words are."""
    folded, stem = match.fold(text), os.path.basename(name).removesuffix(".md")
    found = {key for key in terms if match.has(key, folded)}
    lines = match.lines(folded, found, terms)
    near = match.nearness(folded, lines, terms)
    if lines:
        for key in (key for has in lines.values() for key in has):
            counts[key] += 1
        body, total, by_name = _windows(text.split("\n"), near, match.context), len(lines), False
    else:
        found = {key for key in terms if match.has(key, match.fold(stem))}
        if not found or (match.within and len(found) < len(terms)):
            return None
        said = [line.rstrip() for line in text.split("\n") if line.strip()]
        body, total, by_name = "\n".join(said[:3]), 0, True
    hit = SearchHit(
        filename=name,
        name=name,
        matched_terms=[word for key, word in terms.items() if key in found],
        total_hits=total,
        body=body,
        filename_only=by_name,
        date=stem if "/daily/" in f"/{name}" else None,
        is_memory_md=name == layout.MEMORY,
        source="",
    )
    return max(near.values(), default=0), hit


def _windows(lines: list[str], near: dict[int, int], context: int) -> str:
    spans: list[list[int]] = []  # first line, the one after the last, how near the words are
    for number, rank in near.items():
        first, last = max(0, number - context), min(len(lines), number + context + 1)
        if spans and first <= spans[-1][1]:
            spans[-1][1:] = last, max(rank, spans[-1][2])
        else:
            spans.append([first, last, rank])
    shown = sorted(sorted(spans, key=lambda span: -span[2])[:MAX_WINDOWS])
    parts = ["\n".join(line.rstrip("\r") for line in lines[a:b]).rstrip("\n") for a, b, _ in shown]
    return f"\n{_GAP}\n".join(parts)
