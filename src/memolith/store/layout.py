"""Where things are: file names in the store, and which names are allowed.

Every path handled inside memolith is relative to the store, with `/`; only this module and
`files` turn one into a place on disk. A name is checked before a path is built from it.
"""

from __future__ import annotations

import os

from memolith.base.errors import InputError, MemolithError
from memolith.base.lean import suppress
from memolith.env.paths import Tree
from memolith.text import names
from memolith.text.safe import lookalikes
from memolith.text.secrets.veil import masked_name

STORE = "memory"
PARTS = (STORE, "history", "sessions")  # of a home: each has a folder for every project
MEMORY = "MEMORY.md"
INDEX = "notes/MEMORY.md"
ASKED = "asked.md"
ACCEPTED = "accepted.txt"  # what a person decided about entries in the repository (`env/mount`)
SUMMARY = "memory_summary.md"
SCRATCHPAD = "SCRATCHPAD.md"
TEMPORARY = ".tmp"  # see `temporary`
_TICK, _COARSE_TICK = 25_000_000, 2_100_000_000
STAGED = ".tmp/set"  # exists while several files change as one, and after a crash (`writeset`)
USER = ""  # the user-wide scope; a project's scope is its slug
CATEGORIES = ("decisions", "procedures", "principles", "incidents", "preferences")  # of records
# A proposal of a consolidation, waiting in the inbox for a decision (`learn/consolidate/proposals`).
PROPOSAL = "consolidate"


class Kind:
    """A kind of memory: where its files are in a scope, and how they are treated."""

    __slots__ = ("adopted", "has_address", "is_file", "path", "recalled_as", "user_wide")

    def __init__(self, path: str, recalled_as: str = "", what: str = "") -> None:
        """Describe a kind; `what` lists its other properties."""
        self.path, self.recalled_as = path, recalled_as
        self.is_file = path.endswith(".md")
        words = what.split()
        self.user_wide = "user" in words  # also exists user-wide
        self.has_address = "address" in words  # memory://root/<path> leads there
        self.adopted = "adopt" in words  # `project adopt` copies it


# Everything that a scope may contain, in display order.
KINDS = (
    Kind(MEMORY, "memory", "user address adopt"),
    Kind(SCRATCHPAD, "", "address adopt"),
    Kind(SUMMARY, "", "address"),
    Kind("raw_memories.md", "", "address"),
    Kind("notes", "note", "user address adopt"),
    Kind("daily", "daily", "user address adopt"),
    Kind("tickets", "ticket", "user address adopt"),
    Kind("inbox", "inbox", "user"),  # texts that wait for a person
    Kind("records", "record", "user address adopt"),
    Kind("lessons", "note", "address adopt"),  # lessons
    Kind("items", "note", "address adopt"),  # values of a program, by namespace and key
    Kind("memories", "note", "address adopt"),  # an agent's files, by a memory tool
    Kind("rollout_summaries", "", "address"),
    Kind("skills", "", "address"),
    Kind("conversations"),  # that go on
    Kind(ASKED, "", "user"),  # records that the block shows
    Kind("taken_back.md", "", "user"),  # what learning must not bring back
)

# Note names share the directory with the index.
_CHARACTERS = "letters, digits, spaces, - and _"
_RESERVED = frozenset(["memory"])


def path(slug: str, *parts: str) -> str:
    """Return a path in a scope: first its kind, then names; without any, the scope itself."""
    return "/".join(filter(None, ("projects", slug, *parts) if slug else parts))


def scopes(home: str, parts: tuple[str, ...] = PARTS) -> list[str]:
    """Return the user-wide scope, and every project with a folder in one of these parts of a home."""
    found = {USER}
    for part in parts:
        try:
            entries = Tree(f"{home}/{part}").folder("" if part == "sessions" else "projects").entries()
        except (FileNotFoundError, MemolithError):
            continue  # missing or unreadable; `doctor` reports it
        found |= {entry.name for entry in entries if entry.is_dir(follow_symlinks=False)}
    return sorted(slug for slug in found if not slug.startswith("."))


def projects(home: str) -> list[str]:
    """Return the projects that have a memory: real folders with a valid project name."""
    from memolith.env.project import exists  # imported late: few callers need the projects

    return [slug for slug in scopes(home, (STORE,)) if exists(f"{home}/{STORE}/projects", slug)]


def daily(slug: str, date: str) -> str:
    """Return the log of one day. InputError if `date` is not a calendar date."""
    if not is_date(date):
        raise InputError(f"{_quoted(date)} is not a date; write it as YYYY-MM-DD")
    return path(slug, "daily", f"{date}.md")


def note(slug: str, name: str | None) -> str:
    """Return the file of a note. InputError if the name is missing or not allowed."""
    return path(slug, "notes", f"{note_name(name)}.md")


def is_note(relative: str) -> bool:
    """Whether a path is a note's; the notes' index counts as one."""
    return os.path.dirname(relative) == path(scope_of(relative), "notes")


_SAID = 3  # a folder name with more words could be a sentence


def harmless(slug: str) -> str:
    """Return the folder of a project for a prompt: of a name with many words, only the hash is shown."""
    name, _, number = slug.rpartition("-")
    # `RunThisFirst` has three words, too.
    humps = zip(f"-{name}", name, strict=False)
    words = "".join(f" {b}" if b.isupper() and not a.isupper() else b for a, b in humps)
    many = len(words.replace("_", " ").replace("-", " ").split()) > _SAID
    return f"…-{number}" if many else slug


_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def shown(relative: str) -> str:
    """Return the place of a file for a prompt: the address by which the tools read it.

    So a prompt does not hold the name of the project's folder: the author of a repository chose it, and it
    could be an instruction.
    """
    if "://" in relative:
        return relative
    slug = scope_of(relative)
    parts = relative.split("/")
    space, parts = ("root", parts[2:]) if slug else ("user", parts)
    return "/".join([f"memory://{space}", *(_encoded(part) for part in parts)])


def _encoded(part: str) -> str:
    if not part.isascii() or _PLAIN.issuperset(part):
        return part
    return "".join(char if char in _PLAIN else f"%{ord(char):02X}" for char in part)


def scope_of(relative: str) -> str:
    """Return the scope that a path belongs to: a slug, or the user-wide scope."""
    parts = relative.split("/")
    return parts[1] if parts[0] == "projects" and len(parts) > 2 else USER


def is_date(text: str) -> bool:
    """Whether `text` is a date that exists, as YYYY-MM-DD."""
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        return False
    digits = text[:4] + text[5:7] + text[8:]
    if not digits.isdigit():
        return False
    year, month, day = int(text[:4]), int(text[5:7]), int(text[8:])
    if not (1 <= month <= 12 and 1 <= day <= 31 and year > 0):
        return False
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def note_name(name: str | None) -> str:
    """Return the normalised name of a note (trimmed, NFC, without `.md`); InputError if it is not allowed.

    No dots, slashes, invisible characters or characters that some file system forbids, no device names, not
    the name of the index.
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"a note needs a name, as in note:NAME: {_CHARACTERS}")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"note name {_quoted(name)} is not valid text; choose another") from None
    bare = lookalikes.composed(name.strip())
    if bare[-3:].lower() == ".md" and bare == lookalikes.composed(name.lstrip()):
        bare = bare[:-3]
    wrong = names.problem(bare, also=".") if bare else "nothing before .md"
    if wrong:
        raise InputError(f"note name {_quoted(name)} is not allowed ({wrong}); use {_CHARACTERS}")
    if bare.casefold() in _RESERVED:
        raise InputError(f"note name {_quoted(name)} is reserved: MEMORY.md is the index of the notes")
    return bare


def check_new_note(name: str, others: list[str]) -> list[str]:
    """Refuse a new note's name that looks like an existing one or that a shell acts on; return warnings."""
    wrong = names.problem_if_new(name)
    if wrong:
        raise InputError(f"note name {_quoted(name)} is not allowed ({wrong}); use {_CHARACTERS}")
    seen = lookalikes.look(name)
    for other in others:
        if lookalikes.look(other) == seen:
            raise InputError(
                f"the note {_quoted(other)} exists, and {_quoted(name)} looks the same; write to "
                "that note, or choose a name that differs in more than case and look-alike letters"
            )
    word = lookalikes.mixed_word(name)
    return (
        [f"the note's name mixes alphabets within {word!r}; check that it is the one you mean"]
        if word
        else []
    )


def is_note_file(name: str) -> bool:
    """Whether a file in a notes directory is a note: not the index, not hidden, a name without newlines."""
    return (
        name.endswith(".md")
        and not name.startswith(".")
        and (name.isprintable() or not names.problem(name[:-3]))
        and name.casefold() != "memory.md"
    )


def find_note(root: str, slug: str, name: str | None) -> str:
    """Return the file of a note by its name on disk: another system may have decomposed its accents."""
    relative = note(slug, name)
    tree = Tree(root)
    try:
        if relative.isascii() or tree.stat(relative) is not None:
            return relative
        directory, wanted = os.path.split(relative)
        present = tree.names(directory)
    except MemolithError:
        return relative  # reading it reports the error
    same = [each for each in present if lookalikes.composed(each) == wanted]
    return f"{directory}/{same[0]}" if same else relative


def _quoted(value: str) -> str:
    """Quote a value for an error; masking is loaded only when there is an error."""
    from memolith.store.screen import quoted

    return quoted(value)


def file_name(title: str) -> str:
    """Return the file name for a title: its letters and digits in lower case and `-`, in any script.

    A title without any gets a name from its hash, so that it is stable too. Secrets are masked first, as they
    could not be recognised afterwards.
    """
    title = lookalikes.composed(masked_name(title))
    name, size = "", 0
    for char in title.lower():
        sign = (
            char
            if (char.isalnum() and char.isprintable()) or (name and _is_mark(char) and name[-1] != "-")
            else _SPELLED.get(char, "")
            if name[-1:].isalnum()
            else ""
        )
        sign = sign or ("-" if name and name[-1] != "-" else "")
        size += len(sign.encode())
        if size > _NAME_BYTES or len(name) + len(sign) > _NAME_CHARS:
            # A word or a number is not cut in the middle, unless there is hardly another.
            whole = name if sign == "-" else name.rpartition("-")[0]
            name = whole if len(whole) >= len(name) // 2 else name
            break
        name += sign
    bare = name.strip("-")
    if not bare or names.problem(bare, also="."):
        from memolith.text.digest import fnv1a64

        number = fnv1a64(title.encode("utf-8", "replace")) & 0xFFFFFFFF
        bare = f"note-{number:08x}" if any(map(str.isalnum, title)) else "note"
    if bare in _RESERVED:
        bare += "-note"
    return bare


def _is_mark(char: str) -> bool:
    """Whether a character belongs to the letter before it, such as a vowel sign of Hindi."""
    if char.isascii() or "\ufe00" <= char <= "\ufe0f":  # those only choose how a sign looks
        return False
    from unicodedata import category

    return category(char) in ("Mn", "Mc")


_NAME_CHARS, _NAME_BYTES = 48, 117
_SPELLED = {"+": "plus", "#": "sharp"}  # after a letter: C++ and C# are not C


# Names that do not depend on contents.
_OWN = frozenset([MEMORY, "SKILL.md", f"{PROPOSAL}.md", *CATEGORIES])


def is_own_name(relative: str) -> bool:
    """Whether memolith chose the name of a file or folder, not derived from its text or somebody's id."""
    name = os.path.basename(relative)
    stem = name.removesuffix(".md")
    is_hash = f"/inbox/{name}" in f"/{relative}" and set(stem) <= set("0123456789abcdef")
    return name in _OWN or is_hash or is_date(stem)


def locate(root: str, relative: str) -> str:
    """Return the location on disk of a path in the store, or in a home."""
    top, rest = root, relative
    if relative.startswith(f"{STORE}/"):
        top, rest = os.path.join(root, STORE), relative[len(STORE) + 1 :]
    tree = Tree(top)
    if tree.mount(rest) is not None:
        with suppress(FileNotFoundError, MemolithError):  # else it would be in the home, if anywhere
            return tree.place(rest).path
    return os.path.join(root, *relative.split("/"))


def also_in(root: str, slug: str) -> str:
    """Return where else a project has files, for whoever looks for them; nothing if it is not shared."""
    return "" if Tree(root).mount(path(slug, "notes")) is None else " and in .memolith/ of its checkout"


def below(root: str, location: str, slug: str) -> str:
    """Return the path in the store of a location on disk, or inside the repository of a project."""
    mount = Tree(root).mount(path(slug, "notes"))
    top, inside = root, ""
    if mount is not None and location.startswith(f"{mount.path}{os.sep}"):
        top, inside = mount.path, path(slug)
    return f"{inside}/{location.removeprefix(top).replace(os.sep, '/').lstrip('/')}".lstrip("/")


def is_settled(changed: int, now: int) -> bool:
    """Whether a file changed so long ago, in nanoseconds, that another change would have another time.

    The clock of a file system ticks every few milliseconds, that of some only every two seconds.
    """
    return changed < now - (_TICK if changed % 1_000_000 else _COARSE_TICK)
