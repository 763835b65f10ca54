"""Records: one typed fact per file, `records/<category>/<id>.md`.

A record is current, or superseded by another, archived, or expired: the file stays, and `--as-of` finds it. A
candidate was said in one session only, and not plainly; said in another, it is current. A hand-made file
needs no head at all: its directory is the category, its name the id.
"""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.base.values import Source
from memolith.env.paths import Tree
from memolith.index.documents import MAX_TITLE
from memolith.memory import arguments, asked, entries, nearby, taken_back
from memolith.memory.record import Record, read
from memolith.memory.review import hold
from memolith.memory.sessions import Sessions
from memolith.store import files, layout
from memolith.store.entry import STATUSES
from memolith.store.layout import CATEGORIES
from memolith.store.together import Command, numbered
from memolith.text import markdown, source_label
from memolith.text.digest import sha256
from memolith.text.words import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable, Sequence

    from memolith.memory.entries import EntryResult
    from memolith.store.gate import Change

_NEAR, _LOOKED_AT = 20, 2000  # records compared with a new one, by so many characters of it


class Records(entries.Entries):
    """The records of a project and of its user."""

    _kind = "record"
    categories = CATEGORIES

    def add(
        self,
        text: str,
        *,
        category: str,
        scope: str,
        title: str | None = None,
        aliases: Sequence[str] = (),
        keywords: Sequence[str] = (),
        source: str = "",
        expires: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
        supersedes: Sequence[str] = (),
        force: bool = False,
        certain: bool = True,
        is_later: Callable[[Record], bool] | None = None,
    ) -> EntryResult:
        """Store a fact and return its id; the next recall finds it.

        If a record says the same, it is returned instead, with the source added; one with the same title or
        another value for the same thing is superseded (`force`: neither). Not `certain`: a candidate. Nothing
        is stored, and no id returned, if one of these `is_later` than the fact, or was put away later.
        """
        arguments.one_of(category, CATEGORIES, "category")
        arguments.check_fact(text)
        arguments.check_text(title or "x", "title")
        expires, begin = entries.date(expires, "expires"), entries.date(valid_from, "valid_from")
        end = _ends_after(begin, entries.date(valid_until, "valid_until"))
        if expires and (category != "incidents" or expires < self._home.today):
            last = f"only incidents can expire; {category} last until valid_until (CLI: --valid-until DATE)"
            raise InputError(f"{expires} is past; expire today or later" if category == "incidents" else last)
        own = title or nearby.own_title(text)
        name = entries.titled(own, text)
        slug = self._home.scope(scope, register=True)
        with self._home.gate.scope(slug):
            known = self._all(scope) if supersedes else []
            older = [self._pick(known, each) for each in supersedes]
            ids, found = self._near(slug, name, text)
            near = [each for each in found if self._counts(each)]
            named, fact = title is not None, (name, text)
            same = [each for each in found if nearby.repeats(fact, (each.title, each.body), named=named)]
            replaced = [each for each in near if nearby.replaces(fact, (each.title, each.body), named=named)]
            replaced = replaced if certain and not force else []
            away = [each for each in same if each not in near and not force]
            if is_later and (later := next(filter(is_later, [*replaced, *away]), None)):
                return self._done("", later.filename, f"{later.id} is later; nothing was added")
            outside = self._home.source.outside
            for record in (each for each in same if each in near and not force):
                if outside == source_label.is_outside(record.origin):
                    also = aliases if title is None or source else (*aliases, title)
                    return self._again(record, source, also, keywords, certain=certain)
                if outside:
                    return self._again(record, source, (), (), certain=False)
                older.append(record)  # the user's own statement replaces the unreviewed one
            older += replaced
            # Text from outside never supersedes the user's own.
            older = [record for record in older if not outside or source_label.is_outside(record.origin)]
            older = [record for record in older if not self._stays(record.filename, record.origin)]
            record_id = entries.new_id(name, ids)
            relative = layout.path(slug, "records", category, f"{record_id}.md")
            older = list({record.id: record for record in older}.values())
            fields: dict[str, str | Sequence[str]] = {
                "id": record_id,
                "category": category,
                "scope": "project" if slug else "user",
                "title": own,
                **dict.fromkeys(("created", "updated"), self._home.today),
                "source": source or str(self._home.source),
                "aliases": list(aliases),
                "keywords": list(keywords),
                "status": "active" if certain else "candidate",
                "temporal": "temporary" if expires else "permanent",
                "expires": expires,
                "valid_from": begin,
                "valid_until": end,
                "supersedes": [record.id for record in older],
            }
            fields = {key: value for key, value in fields.items() if value}
            op = numbered("record", sha256(text.encode())) if older else "record"  # undone as one
            change = entries.store(self._home.gate, relative, fields, text, op, self._home.source)
            for record in older:
                until = record.valid_until or begin or self._home.today
                done = {"status": "superseded", "superseded_by": record_id, "valid_until": until}
                change.warnings += self._write(record.filename, done, op=op).warnings
        asked.preference(self._home, relative, wanted=certain and not source)
        gone = [record.id for record in older]
        message = f"Recorded {record_id} in {category}" + (f" (instead of {', '.join(gone)})" if gone else "")
        others = [each.id for each in near if likeness.may_contradict(each.body, text)]
        if others and not (gone or force):
            message += f" (beside {', '.join(others)}: archive what no longer holds)"
        elif alike := [each.id for each in near if each.id not in gone and likeness.same(each.body, text)]:
            message += f" (see also {', '.join(alike)}, which says so already)"
        return self._done(record_id, relative, message, change.warnings, superseded=gone, created=True)

    def rivals(self, text: str, *, scope: str, title: str | None = None) -> builtins.list[Record]:
        """Return the current records that a new fact may replace, for a person to decide."""
        found = self._near(self._home.scope(scope), title or nearby.own_title(text), text)[1]
        near = [each for each in found if self._counts(each)]
        sure = [
            each
            for each in near
            if nearby.replaces((title or "", text), (each.title, each.body), named=title is not None)
        ]
        return [each for each in near if not sure and likeness.may_contradict(each.body, text)]

    def _near(self, slug: str, title: str, text: str) -> tuple[set[str], builtins.list[Record]]:
        """Return all ids of a scope, and the records that may say the same as a new fact.

        Uses the index (sessions may be missing in it): reading every record would get slower and slower.
        """
        index = self._home.index
        index.sync([slug], kind="record")
        catalogue = index.catalogue(slug)
        found = index.lexical([slug], f"{title}\n{text}"[:_LOOKED_AT], _NEAR, ["record"])
        paths = {unit.path for unit in index.units([match.unit_id for match in found])}
        wanted = title[:MAX_TITLE].casefold()
        paths |= {path for _, known, path in catalogue if markdown.same_line(known).casefold() == wanted}
        files = self._paths(slug, strict=True)
        # The index lacks files that are unreadable right now; one with the same name may say the same.
        name = f"/{layout.file_name(title)}.md"
        paths |= {path for path in files if path.endswith(name)}
        near = [each for path in sorted(paths) if (each := read(self._root, path, strict=True))]
        ids = {record_id for record_id, _, _ in catalogue} | {path.rpartition("/")[2][:-3] for path in files}
        return ids, near

    def _counts(self, record: Record) -> bool:
        return record.status == "candidate" or record.holds(self._home.today)

    def _paths(self, slug: str, *, strict: bool) -> builtins.list[str]:
        folders = (layout.path(slug, "records", category) for category in CATEGORIES)
        names = Tree(self._root).names if strict else Tree(self._root).listed
        return [f"{folder}/{name}" for folder in folders for name in names(folder)]

    def _again(
        self, record: Record, source: str, aliases: Sequence[str], keywords: Sequence[str], *, certain: bool
    ) -> EntryResult:
        """Add the new metadata to a record that is already known, and return it."""
        more = {
            # If it already has this source, an interrupted run is being repeated.
            "sources": [*record.sources, *([source] if source and source != record.source else [])],
            "aliases": [*record.aliases, *(each for each in aliases if each != record.title)],
            "keywords": [*record.keywords, *keywords],
        }
        changed = {key: list(dict.fromkeys(value)) for key, value in more.items()}
        fresh: entries.Fields = {key: each for key, each in changed.items() if each != getattr(record, key)}
        asked.preference(self._home, record.filename, wanted=certain and not source)
        if self._stays(record.filename, record.origin):
            return self._about(record, f"Known already as {record.id}, in the repository")
        sessions = {each.partition("#")[0] for each in (record.source, *changed["sources"])}
        if record.status == "candidate" and (certain or Sessions(self._home).are_several(sessions)):
            fresh = {**fresh, "status": "active"}
        warnings = self._set(record, fresh).warnings if fresh else ()
        return self._about(record, f"Known already as {record.id}; nothing was added twice", warnings)

    def update(
        self,
        record_id: str,
        text: str | None = None,
        *,
        title: str | None = None,
        aliases: Sequence[str] | None = None,
        keywords: Sequence[str] | None = None,
        source: str | None = None,
        expires: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
        scope: str | None = None,
    ) -> EntryResult:
        """Change a record's text or metadata; its id and creation date stay."""
        record = self.get(record_id, scope)
        entries.check_head(record.problem, self._root, record.filename)
        if expires and record.category != "incidents":
            raise InputError(f"only incidents can expire; {record.id} is in {record.category}")
        if text is not None:
            arguments.check_fact(text)
            if title is None and record.title == nearby.own_title(record.body):
                title = nearby.own_title(text)  # it was made from the text, and would still say the old one
        about = {"number": record.id, "title": title, "scope": record.scope}
        said, wide = record.body if text is None else text, record.scope == "user"
        held = hold(self._home, "records.update", said, about, user_wide=wide, apart=record.filename)
        if held:
            return self._done("", held.filename, held.message, held.warnings).but(held=held.held)
        lists = {"aliases": aliases, "keywords": keywords}
        dates = {"expires": expires, "valid_from": valid_from, "valid_until": valid_until}
        given: dict[str, str | Sequence[str] | None] = {"title": title, "source": source, **lists, **dates}
        fields = {key: value for key, value in given.items() if value is not None}
        fields |= {key: entries.date(dates[key], key) for key in dates if key in fields}
        kept = {"valid_from": record.valid_from, "valid_until": record.valid_until}
        if kept.keys() & fields.keys():
            _ends_after(*(str(fields.get(key, kept[key])) for key in ("valid_from", "valid_until")))
        if expires is not None:
            fields["temporal"] = "temporary" if expires else "permanent"
        if text is None and not fields:
            raise InputError(f"what should change about {record.id}? Give a text or an option")
        change = self._set(record, fields, text)
        if self._home.source.trusted:
            change.warnings.extend(source_label.waits(files.text_of(change.after or b"")))
        return self._about(record, f"Updated {record.id}", change.warnings)

    def reclassify(self, record_id: str, category: str, *, scope: str | None = None) -> EntryResult:
        """Move a record to another category; its id stays. Only incidents can expire."""
        arguments.one_of(category, CATEGORIES, "category")
        record = self.get(record_id, scope)
        if record.category == category:
            return self._about(record, f"{record.id} is in {category} already")
        entries.check_head(record.problem, self._root, record.filename)
        fields, warnings = {"category": category, "created": record.created}, list[str]()
        if category != "incidents" and record.temporal == "temporary":
            fields |= {"temporal": "permanent", "expires": ""}
            warnings.append(f"{record.id} does not expire any more: only incidents can")
        slug = layout.scope_of(record.filename)
        new = layout.path(slug, "records", category, f"{record.id}.md")
        with Command("reclassify"), self._home.gate.scope(slug):
            text = files.text_of(Tree(self._root).read(record.filename) or b"", files.EXACT)
            # First write the new place, then delete the old one: a crash leaves it twice, but loses nothing.
            self._home.gate.rewrite(new, lambda _: entries.with_fields(text, fields), op="reclassify")
            warnings += self._remove(record.filename, "reclassify").warnings
            self._home.gate.history.follow(new, record.filename)
        moved = self.get(record.id, record.scope)
        asked.preference(self._home, new)
        return self._about(moved, f"Moved {record.id} from {record.category} to {category}", warnings)

    def archive(self, record_id: str, *, scope: str | None = None) -> EntryResult:
        """Exclude a record from recall; its file stays."""
        return self._mark(record_id, "archived", scope)

    def restore(self, record_id: str, *, scope: str | None = None) -> EntryResult:
        """Include an archived or superseded record in recall again."""
        return self._mark(record_id, "active", scope)

    def _mark(self, record_id: str, status: str, scope: str | None) -> EntryResult:
        record, fields = self.get(record_id, scope), {"status": status}
        if record.status == status:
            return self._about(record, f"{record.id} is {status} already")
        if record.status == "superseded":  # the end that its successor gave it goes, one of its own stays
            by = [each for each in self._all(record.scope) if record.id in each.supersedes]
            own = by and all(record.valid_until not in (each.valid_from, each.created) for each in by)
            fields |= {"superseded_by": "", **({} if own else {"valid_until": ""})}
        change = self._set(record, fields)
        return self._about(record, f"{record.id} is {status} now", change.warnings)

    def delete(self, record_id: str, *, scope: str | None = None) -> EntryResult:
        """Delete a record; `memolith undo` brings it back, learning does not."""
        record = self.get(record_id, scope)
        change = taken_back.remove(self._home, record.filename, record.origin, record.body)
        return self._about(record, f"Deleted {record.id}{arguments.way_back(change)}", change.warnings)

    def forget_source(self, session: str) -> builtins.list[str]:
        """Delete the learned records that only this session supports; return their ids.

        A record with other sources stays, without this one. StorageError if one cannot be read.
        """
        gone = []
        for record in self._all(None, strict=True):
            sources = list(dict.fromkeys(filter(None, [record.source, *record.sources])))
            left = [each for each in sources if each.partition("#")[0] != session]
            if len(left) == len(sources) or not record.origin.startswith("extracted"):
                continue
            if left:
                self._set(record, {"source": left[0], "sources": left})
            else:
                self._remove(record.filename, "forget")
                gone.append(record.id)
        return gone

    def get(self, record_id: str, scope: str | None = None) -> Record:
        """Return one record; a unique prefix of its id is enough. NotFoundError if there is none."""
        return self._pick(self._all(scope), record_id)

    def list(
        self,
        category: str | None = None,
        scope: str | None = None,
        status: str | None = None,
        *,
        archived: bool = False,
        strict: bool = False,
    ) -> builtins.list[Record]:
        """Return records by category and id, put away ones on request; `strict`: none is left out."""
        if category is not None:
            arguments.one_of(category, CATEGORIES, "category")
        if status is not None:
            arguments.one_of(status, STATUSES, "status")
        return [
            record
            for record in self._all(scope, strict=strict)
            if category in (None, record.category)
            and (record.status == status if status else archived or record.status == "active")
        ]

    def _all(self, scope: str | None, *, strict: bool = False) -> builtins.list[Record]:
        found: dict[tuple[str, str], Record] = {}  # the first one with an id in its scope
        for slug in (self._home.project, layout.USER) if scope is None else (self._home.scope(scope),):
            for path in self._paths(slug, strict=strict):
                if record := read(self._root, path, strict=strict):
                    found.setdefault((slug, record.id), record)
        return list(found.values())

    def _pick(self, records: builtins.list[Record], record_id: str) -> Record:
        wanted = entries.match(record_id, (record.id for record in records), "record")
        return next(record for record in records if record.id == wanted)

    def _set(self, record: Record, fields: entries.Fields, text: str | None = None) -> Change:
        if text is not None and record.origin and self._home.source == Source("user"):
            fields = {**fields, **dict.fromkeys(source_label.KEYS, source_label.NONE)}  # now the user's own
        return self._write(record.filename, fields, text)

    def _about(self, record: Record, message: str, warnings: Sequence[str] = ()) -> EntryResult:
        return self._done(record.id, record.filename, message, warnings)


def _ends_after(begin: str, end: str) -> str:
    """Return the first day on which a record no longer holds; InputError if it would hold on none."""
    if begin and end and end <= begin:
        raise InputError(f"it would hold on no day: from {begin} until {end}; --valid-until is the later one")
    return end
