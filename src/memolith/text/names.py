"""What a name may not contain: that of a note, or one part of a path in an address."""

from __future__ import annotations

from memolith.text.safe import hygiene

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
    bad = sorted(
        {char for char in name if char in _FORBIDDEN or char in _ALIKE or char in also or _is_hidden(char)}
    )
    if bad:
        return " ".join(repr(char)[1:-1] for char in bad)
    if hygiene.inert(name) != name:
        return "characters that nobody can see"
    size = len(name.encode("utf-8"))
    if size > MAX_BYTES:
        return f"{size} bytes, more than {MAX_BYTES}"
    return (
        "a device on Windows; choose another" if name.partition(".")[0].rstrip().casefold() in DEVICES else ""
    )


def _is_hidden(char: str) -> bool:
    # Joiners are part of Persian, Indic and emoji names; `inert` decides about those.
    return not char.isprintable() and char not in _JOINERS


def problem_if_new(name: str) -> str:
    """Return why nothing new should be called so, although a file that a person made may be."""
    if name.startswith(("-", "~", "'")):  # an option, a home, a quotation
        return f"{name[0]} at the beginning"
    return " ".join(sorted(_SHELL.intersection(name)))
