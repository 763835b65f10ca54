"""Notes and records near what a new one says: that repeat it, that it replaces, or that may contradict it."""

from __future__ import annotations

import os

from memolith.env.paths import Tree
from memolith.memory.notes import file_for, is_made_from
from memolith.store import files, layout
from memolith.text import frontmatter, markdown
from memolith.text.words import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.index import Index, Unit
    from memolith.memory.home import Home

_SUBJECT = 3  # words that say what a value is of
_LOOKED_AT = 1000  # notes from which on they are not looked at again for each new one
_NEAR = 8  # notes that may say something else about the same thing
_STATEMENT = 300  # characters


class Near:
    """Notes about what a new one says.

    `again` says it in the same words, `sure` has another value for the same thing, which the new one surely
    replaces; of `others` a person must tell: they may say otherwise, or, `alike`, nearly the same.
    """

    __slots__ = ("again", "alike", "others", "sure")

    def __init__(self) -> None:
        self.again: Unit | None = None
        self.sure: Unit | None = None
        self.others: list[Unit] = []
        self.alike: list[Unit] = []

    def told(self) -> str:
        """Return where to look, for a person; empty if nothing is near."""
        again = [self.again] if self.again else []
        otherwise = [self.sure, *self.others] if self.sure else self.others
        ways = (
            (again, "says so already"),
            (otherwise, "may say otherwise"),
            (self.alike, "says nearly the same"),
        )
        named = (
            (", ".join(layout.shown(each.path) for each in units), what) for units, what in ways if units
        )
        return "; ".join(f"see also {names}, which {what}" for names, what in named)


def rivals(home: Home, slug: str, content: str, title: str, *, is_named: bool = True) -> Near:
    """Return the notes that a new one repeats, replaces or may contradict.

    Only notes of one statement are compared: a longer one says more than what would be replaced. Who gives no
    title (`is_named`) names no other thing, if the statement itself says what it is about.
    """
    taken = Tree(home.store).stat(file_for(home.gate, slug, markdown.same_line(title))) is not None
    return Near() if taken or home.source.outside else near(home, slug, content, title, is_named=is_named)


def near(home: Home, slug: str, content: str, title: str, *, is_named: bool = True, but: str = "") -> Near:
    """Return the notes near a text, without the one in the file `but`; see `rivals`."""
    found = Near()
    if not _is_statement(content):
        return found
    try:
        many = len(Tree(home.store).folder(layout.path(slug, "notes")).names(_LOOKED_AT)) == _LOOKED_AT
    except FileNotFoundError:
        return found
    perhaps, otherwise_titled = [], []
    units = _near(home.index, slug, f"{title} {content}", many=many)
    for unit in (each for each in units if not each.source and each.path != but):
        said = unit.text or ""
        if _letters(said) == _letters(content):
            found.again = found.again or unit
            continue
        # Whoever gave both a title, each with a word of its own, has two pages: `Home`, `Search`.
        apart = is_named and not is_made_from(unit.title, said) and _each_has_its_own(unit.title, title)
        apart = apart or _differ(unit.title, title, said, content)
        if likeness.contradicts(said, content) and not apart:
            found.sure = found.sure or unit
        elif likeness.contradicts(said, content) and not is_named and _says_of_what(content):
            otherwise_titled.append(unit)
        elif likeness.contradicts(said, content) or likeness.may_contradict(said, content):
            perhaps.append(unit)
        elif same(said, content):
            found.alike.append(unit)
    if found.sure is None and len(otherwise_titled) == 1:
        found.sure, otherwise_titled = otherwise_titled[0], []
    found.others = [*otherwise_titled, *perhaps]
    return found


def kind_of(home: Home, unit: Unit) -> str:
    """Return the kind of a note."""
    data = Tree(home.store).read(unit.path)
    return frontmatter.split(files.text_of(data or b"")).get("type")


def _letters(text: str) -> str:
    """Return a statement without what does not matter for what it says: case, spaces, its last dot."""
    return markdown.same_line(text).casefold().rstrip(" .!。")


def _says_of_what(text: str) -> bool:
    """Whether a statement can do without a title: `The port is 5433.` needs one."""
    return sum(not any(map(str.isdigit, word)) for word in likeness.words(text)) >= _SUBJECT


def _near(index: Index, slug: str, text: str, *, many: bool) -> list[Unit]:
    """Return notes with the words of a text; among many, as indexed last: looking at each is slow."""
    if many and not os.path.exists(index.path):
        return []
    index.trust([slug] if many else [])
    index.sync([slug])
    found = index.lexical([slug], text, _NEAR, ["note"])
    index.trust([])
    units = index.with_text(index.units([match.unit_id for match in found]))
    return [unit for unit in units if _is_statement(unit.text or "")]


def _is_statement(text: str) -> bool:
    return len(text) <= _STATEMENT and "\n" not in text.strip()


def are_numbered(one: str, other: str) -> bool:
    """Whether two titles differ in a number that each has."""
    first, second = set(likeness.words(one)), set(likeness.words(other))
    return all(any(map(str.isdigit, "".join(names))) for names in (first - second, second - first))


def _each_has_its_own(one: str, other: str) -> bool:
    first, second = set(likeness.words(one)), set(likeness.words(other))
    return bool(first - second) and bool(second - first)


def _differ(one: str, other: str, said: str, content: str) -> bool:
    """Whether two titles name different things: `Staging` and `Production`, but not `Port` and `Port now`."""
    names = set(likeness.words(one)) ^ set(likeness.words(other))
    return not names <= {*likeness.words(said), *likeness.words(content)}


Said = tuple[str, str]  # a record's title, and its text


def own_title(text: str) -> str:
    """Return the title of a record that was given none."""
    return markdown.heading_title(text) or markdown.first_line(text, 80)


def repeats(new: Said, known: Said, *, named: bool) -> bool:
    """Whether a record says what a new one says; the text alone decides, unless both were given titles."""
    if same("\n".join(known), "\n".join(new)):
        return True
    return not (named and _is_named(*known)) and same(known[1], new[1])


def same(one: str, other: str) -> bool:
    """Whether two texts say the same, but for wording and for who says it; in code each sign counts."""
    is_code = "`" in one or "`" in other
    return likeness.same(one, other) or (not is_code and likeness.said(one) == likeness.said(other))


def replaces(new: Said, known: Said, *, named: bool) -> bool:
    """Whether a new record replaces a known one: the same title, or another value for the same thing."""
    same_title = markdown.same_line(known[0]).casefold() == new[0].casefold()
    if named and _is_named(*known):
        return same_title  # different titles mean different subjects
    return same_title or likeness.contradicts(known[1], new[1])


def _is_named(title: str, text: str) -> bool:
    """Whether somebody gave a record its title."""
    return not likeness.same(title, markdown.first_line(text, 80))
