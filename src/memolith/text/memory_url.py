"""Addresses of memory: `memory://root/notes/deploy.md` names a place, not a path on a disk.

Strict, because models and strangers write them: one way to write each address, percent-encoding is decoded
once, and whatever could leave the place it names is an error. Nothing is read here.
"""

from __future__ import annotations

from memolith.base.errors import InputError
from memolith.text import names
from memolith.text.safe.lookalikes import composed

SCHEME = "memory://"
NAMESPACES = ("root", "project", "user")
MAX_CHARS = 1024
MAX_DEPTH = 8
_HEX = frozenset("0123456789abcdefABCDEF")


def parse(url: str) -> tuple[str, tuple[str, ...]]:
    """Return the namespace of an address and the parts of the path in it; InputError says what is wrong.

    The parts are NFC, not empty, not hidden, and without dot segments.
    """
    if not isinstance(url, str) or not url.startswith(SCHEME):
        raise InputError(f"{_short(url)} is not an address of memory; it begins with {SCHEME}root/")
    if len(url) > MAX_CHARS:
        raise InputError(f"{_short(url)}: an address has at most {MAX_CHARS} characters")
    if "?" in url or "#" in url:
        raise InputError(f"{_short(url)}: an address has no ? and no #; write them as %3F and %23")
    namespace, slash, path = url[len(SCHEME) :].partition("/")
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
    wrong = "an empty part" if not name.strip() else names.problem(name)
    if not wrong and name.startswith("."):
        wrong = "a part that begins with a dot"
    if not wrong and (name != name.strip() or name.endswith(".")):
        wrong = "a part with a space around it or a dot at its end"
    if wrong:
        raise InputError(f"{_short(url)} is not allowed ({wrong}); use the addresses that memory shows")
    return name


def _decoded(encoded: str, url: str) -> str:
    if "%" not in encoded:
        return encoded
    first, *rest = encoded.split("%")
    if not all(len(piece) > 1 and _HEX.issuperset(piece[:2]) for piece in rest):
        raise InputError(f"{_short(url)}: broken percent-encoding in {encoded[:40]!r}")
    try:
        return b"".join([first.encode(), *(bytes.fromhex(p[:2]) + p[2:].encode() for p in rest)]).decode()
    except UnicodeError:
        raise InputError(f"{_short(url)}: {encoded[:40]!r} is not UTF-8") from None


def _short(url: object) -> str:
    shown = repr(url)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
