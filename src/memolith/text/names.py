"""What a name may not contain, and the addresses that are made of names: `memory://root/notes/deploy.md`.

An address is no path on a disk. It is strict, because models and strangers write it: there is one way to
write each, percent-encoding is decoded once, and whatever could leave the place it names is an error.
"""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.text.safe import hygiene
from memolith.text.safe.lookalikes import composed

MAX_BYTES = 120
# Names that Windows gives to devices, whatever the extension.
DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{name}{n}" for name in ("com", "lpt") for n in "123456789¹²³"]
)
# What some file system forbids, and `%`, which stands for `/` in the names of temporary files.
_FORBIDDEN = frozenset('/\\:*?"<>|%')
# Dots and slashes that are not ours but look so.
_ALIKE = frozenset("․‥﹒．∕⁄⧸╱／＼∖⧵﹨")
# What a shell would act on.
_SHELL = frozenset("&;$`[]{}")
_JOINERS = "\u200c\u200d"


def problem(name: str, also: str = "") -> str:
    """Return what is wrong with a name, or nothing if it can be used; `also` forbids more characters."""
    # Joiners are part of Persian, Indic and emoji names; `inert` decides about those.
    hidden = {char for char in name if not char.isprintable() and char not in _JOINERS}
    bad = sorted(hidden | {char for char in name if char in _FORBIDDEN or char in _ALIKE or char in also})
    if bad:
        return " ".join(repr(char)[1:-1] for char in bad)
    if hygiene.inert(name) != name:
        return "characters that nobody can see"
    size = len(name.encode("utf-8"))
    if size > MAX_BYTES:
        return f"{size} bytes, more than {MAX_BYTES}"
    if name != name.strip() or name.endswith("."):
        return "a space around it or a dot at its end"
    return (
        "a device on Windows; choose another" if name.partition(".")[0].rstrip().casefold() in DEVICES else ""
    )


def problem_if_new(name: str) -> str:
    """Return why nothing new should be called so, although a file that a person made may be."""
    if name.startswith(("-", "~", "'")):  # an option, a home, a quotation
        return f"{name[0]} at the beginning"
    return " ".join(sorted(_SHELL.intersection(name)))


SCHEME = "memory://"
NAMESPACES = ("root", "project", "user")
MAX_CHARS = 1024
MAX_DEPTH = 8


def addressed(text: str, root: str, project: str) -> str:
    """Return a text with addresses instead of paths in a store; `project` is the path of its own part."""
    text = text.replace(f"{root}/{project}/", f"{SCHEME}root/")
    return text.replace(f"{root}/", f"{SCHEME}user/").replace(root, f"{SCHEME}user")


def parse_address(url: str) -> tuple[str, tuple[str, ...]]:
    """Return the namespace of an address and the parts of the path in it; InputError says what is wrong.

    The parts are NFC, not empty, not hidden, and without dot segments.
    """
    if not isinstance(url, str) or not url.startswith(SCHEME):
        raise InputError(f"{_short(url)} is not an address of memory; it begins with {SCHEME}root/")
    if len(url) > MAX_CHARS:
        raise InputError(f"{_short(url)}: an address has at most {MAX_CHARS} characters")
    if "?" in url or "#" in url:
        raise InputError(f"{_short(url)}: an address has no ? and no #; write them as %3F and %23")
    # The address of a directory may end in a slash, as people write them.
    namespace, slash, path = url[len(SCHEME) :].removesuffix("/").partition("/")
    if namespace not in NAMESPACES:
        raise InputError(
            f"{_short(url)}: unknown namespace {namespace[:40]!r}; one of {', '.join(NAMESPACES)}"
        )
    if not slash:
        return namespace, ()
    parts = tuple(_part(part, url) for part in path.split("/"))
    if len(parts) > MAX_DEPTH:
        raise InputError(f"{_short(url)}: an address has at most {MAX_DEPTH} parts")
    return namespace, parts


def _part(encoded: str, url: str) -> str:
    name = composed(_decoded(encoded, url))
    wrong = "an empty part" if not name.strip() else ""
    wrong = wrong or ("a part that begins with a dot" if name.startswith(".") else problem(name))
    if wrong:
        raise InputError(f"{_short(url)} is not allowed ({wrong}); use the addresses that memory shows")
    return name


def _decoded(encoded: str, url: str) -> str:
    if "%" not in encoded:
        return encoded
    from urllib.parse import unquote

    try:
        return unquote(encoded, errors="strict")  # what is no encoding keeps its `%`, which no name may have
    except UnicodeError:
        raise InputError(f"{_short(url)}: {encoded[:40]!r} is not UTF-8") from None


def _short(url: object) -> str:
    shown = repr(url)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
