"""Judging the target of a link: does following it tell anybody anything, and how to name it if so."""

from __future__ import annotations

_LONG = 300
_SHOWN = 120
_LONG_FRAGMENT = 80
_LONG_QUERY = 48
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789.-_")
_HEX = frozenset("0123456789abcdefx")
_SCHEME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+.-")
# What could begin or end something else; a target with one of these is not left as it is.
_SIGNS = frozenset('<>[]`\\"&|{}^')
# Schemes whose rest is a program or data, not a place.
_OPAQUE = ("javascript", "vbscript", "data", "blob")


def is_harmless(target: str) -> bool:
    """Whether a link can stay a link: relative, or an ordinary address that carries no data."""
    if len(target) > _LONG or not _SIGNS.isdisjoint(target) or not _is_visible(target):
        return False
    if target.startswith("//"):
        return False
    scheme, rest = _split(target)
    if not scheme:
        return True  # also it's.md: a quotation mark begins a title after a space only
    if "'" in target:
        return False
    if scheme in ("http", "https"):
        return rest.startswith("//") and _is_plain(rest[2:])
    return scheme in ("mailto", "memory") and "?" not in rest


def _is_visible(target: str) -> bool:
    # Joiners are part of names in many languages.
    return target.replace("\u200c", "").replace("\u200d", "").isprintable() and " " not in target


def _split(target: str) -> tuple[str, str]:
    """Split off the scheme, in lower case; none if a colon belongs to a path."""
    before, colon, rest = target.partition(":")
    scheme = before.lower()
    return (scheme, rest) if colon and _SCHEME.issuperset(scheme) else ("", target)


def _is_plain(rest: str) -> bool:
    place, mark, fragment = rest.partition("#")
    host = place.partition("/")[0].lower()
    name, _, port = host.partition(":")
    if "?" in place or not name or not _HOST.issuperset(name) or (port and not port.isdecimal()):
        return False
    if mark and (len(fragment) > _LONG_FRAGMENT or not frozenset("=?%").isdisjoint(fragment)):
        return False
    return not _is_odd_number(name)


def _is_odd_number(host: str) -> bool:
    """Whether a host is an IP address in a form that people do not write: `2130706433`, `0x7f.1`."""
    parts = host.split(".")
    if not parts[-1][:1].isdigit() or not _HEX.issuperset(host.replace(".", "")):
        return False
    return not (len(parts) == 4 and all(part.isdecimal() and str(int(part[:4])) == part for part in parts))


def shown(target: str) -> str:
    """Name the target of a link in text that nothing makes a link of: host and path, no scheme, no query."""
    if "&" in target:
        from html import unescape

        target = unescape(target)
    target = "".join(char for char in target if char.isprintable() and char != " ").replace("\\", "/")
    scheme, rest = _split(target)
    if scheme in _OPAQUE:
        return f"{scheme} link"
    rest = rest.lstrip("/")
    place = rest.partition("?")[0].partition("#")[0]
    cut = "?…" if "?" in rest else "#…" if "#" in rest else ""
    host, slash, path = place.partition("/")
    place = host.rpartition("@")[2] + slash + path if scheme != "mailto" else place
    place = "".join(char for char in place if char not in _SIGNS and char not in "'()*~")
    if len(place) > _SHOWN:
        place, cut = place[:_SHOWN], "…"
    label = "" if scheme in ("", "http", "https", "mailto") else f"{scheme} link: "
    return (label + place.replace("://", ":/") + cut).strip()


def shorten_queries(line: str, spans: list[tuple[int, int]]) -> str:
    """Cut the long queries of the addresses in a line, except in the code at `spans`."""
    pieces: list[str] = []
    done = 0
    at = line.find("://")
    while at >= 0:
        end = at + 3
        while end < len(line) and not line[end].isspace() and line[end] not in '<>"`':
            if line[end] == "&" and line.startswith("&lt;", end):
                break  # an escaped `<` ends it, too
            end += 1
        question = line.find("?", at, end)
        if question >= 0 and not any(first <= at < last for first, last in spans):
            stop = question + 1 + len(line[question + 1 : end].rstrip(").,;:!?'*_]"))
            if stop - question > _LONG_QUERY:
                pieces += [line[done : question + 1], "…"]
                done = stop
        at = line.find("://", end)
    return "".join([*pieces, line[done:]])


def without_query(url: str) -> str:
    """Return an address without what it carries."""
    place, mark, _ = url.partition("?")
    return f"{place}?…" if mark else url
