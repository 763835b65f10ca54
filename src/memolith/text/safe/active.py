"""Taking the life out of Markdown: what a renderer would fetch, run or hide becomes text that names it.

Images become `[image: alt] (host/path)`. A link that tells nobody anything stays; any other
becomes `[text] (host/path?…)`. HTML loses its `<`, the definitions behind `[text][label]` their meaning, and
long queries of bare addresses are cut. Code stays as it is: no renderer makes anything of it.
"""

from __future__ import annotations

from memolith.text.fences import MARKS, Code, outside, spans_of
from memolith.text.patterns import sections

_SPECIAL = frozenset("<]!\\")
_TAG_STARTS = ("/", "!", "?")
_LOOK_AHEAD = 8
_MAX_URL = 600
_LONGEST_SCHEME = 33
_FAR = 40  # no list or quotation is so deep that its marks are longer
_TAGS = sections("safe/tags.txt")
_DANGEROUS, _ELEMENTS = frozenset(_TAGS["dangerous"]), frozenset(_TAGS["elements"])


def defuse(text: str) -> str:
    """Return `text` without anything that a renderer fetches, runs or hides; doing it twice is the same."""
    lines = text.split("\n")
    code = Code() if "`" in text or "~~~" in text else None
    for number, line in enumerate(lines):
        new = line
        spans: list[tuple[int, int]] = []
        if code is not None:
            is_code = code.takes(line)
            new = lines[number] = code.line
            if is_code:
                continue
            if "`" in new:
                spans = code.spans(new)
        if "?" in new and "://" in new:
            new = _shorten_queries(new, spans)
            spans = spans and spans_of(new)[0]
        if not _is_tame(new):
            new = _Line(new, spans, lines, number, has_code=code is not None).defused()
        lines[number] = new
    return "\n".join(lines)


def _is_tame(line: str) -> bool:
    """Tell quickly that nothing in a line is active, code or not; most lines have nothing or a plain link."""
    if "]:" in line or "![" in line or "<" in line:
        return False
    at = line.find("](")
    while at >= 0:
        end = line.find(")", at)
        target = line[at + 2 : end]
        if end < 0 or "(" in target or not target or not _is_harmless(target):
            return False
        at = line.find("](", end)
    return True


class _Line:
    """One line of text, taken apart at the signs that can begin or end something active."""

    def __init__(
        self, line: str, spans: list[tuple[int, int]], lines: list[str], number: int, *, has_code: bool
    ) -> None:
        self._line, self._lines, self._number, self._has_code = line, lines, number, has_code
        self._signs = [at for at, char in enumerate(line) if char in _SPECIAL]
        if spans:
            self._signs = outside(self._signs, spans)
        self._code = [start for start, _ in reversed(spans)]
        self._found: dict[str, int] = {}
        self._closing: dict[int, int] | None = None
        self._opening: dict[int, int] = {}
        self._pieces: list[str] = []
        self._done = 0

    def defused(self) -> str:
        """Return the line with everything active named instead."""
        line = self._line
        images: set[int] = set()
        skip = 0
        for at in self._signs:
            if at < skip:
                continue
            char, after = line[at], line[at + 1 : at + 2]
            skip = at + 1
            if char == "\\":
                # Not every renderer lets a backslash take the meaning from these.
                skip = skip if after in _SPECIAL and after != "\\" else at + 2
            elif char == "<":
                skip = self._tag(at) if after.isalpha() or after in _TAG_STARTS else skip
            elif char == "!" and after == "[":
                skip = self._image(at, images)
            elif char == "]" and after == "(":
                skip = self._target(at, is_image=at in images)
            elif char == "]" and after == ":" and self._is_definition(at):
                skip = self._replace(at, at + 2, "]\\:")
        return "".join([*self._pieces, line[self._done :]])

    def _replace(self, start: int, end: int, text: str) -> int:
        self._pieces += [self._line[self._done : start], text]
        self._done = end
        return end

    def _find(self, sign: str, at: int) -> int:
        """Return where `sign` comes next; answers are kept, so that all calls together take one pass."""
        found = self._found.get(sign, -1)
        if found < at:
            found = self._line.find(sign, at)
            self._found[sign] = found = found if found >= 0 else len(self._line)
        return found

    def _pairs(self) -> dict[int, int]:
        """Return the closing bracket of each opening one, code and escapes left aside."""
        if self._closing is None:
            self._closing = {}
            stack: list[int] = []
            skip = 0
            marks = [at for at, char in enumerate(self._line) if char in "[]\\"]
            spans = spans_of(self._line)[0] if self._code else []
            for at in outside(marks, spans) if spans else marks:
                if at < skip:
                    continue
                if self._line[at] == "\\":
                    skip = at + 2
                elif self._line[at] == "[":
                    stack.append(at)
                elif stack:
                    self._opening[at] = stack.pop()
                    self._closing[self._opening[at]] = at
        return self._closing

    def _image(self, at: int, images: set[int]) -> int:
        close = self._pairs().get(at + 1, -1)
        if close >= 0 and self._line.startswith("(", close + 1):
            images.add(close)
            return self._replace(at, at + 2, "[image: " if close > at + 2 else "[image")
        if close < 0 or "`" in self._line or self._find("](", at) < len(self._line):
            return self._replace(at, at + 2, "!\\[")
        return at + 2  # it refers to a definition, and none of those works

    def _target(self, at: int, *, is_image: bool) -> int:
        line = self._line
        start = at + 2
        while line[start : start + 1] in (" ", "\t"):
            start += 1
        while self._code and self._code[-1] < start:
            self._code.pop()
        limit = self._code[-1] if self._code else len(line)
        angled = line.startswith("<", start)
        if angled:
            end = self._find(">", start)
            target, after = line[start + 1 : min(end, start + _MAX_URL)], end + 1
        else:
            end = after = _target_end(line, start, limit)
            target = line[start:end]
        if start >= limit or after > limit or end == len(line) == after - 1 or "`" in target:
            # It goes on in the next line, or code is in it: no link that we can name.
            return self._replace(at, at + 2, "]\\(")
        bare = target.replace(" ", "%20") if angled else target
        if not is_image and _is_harmless(bare) and (not angled or self._is_note(at, target)):
            return after
        return self._replace(at, after, f"] ({_shown(target)}")

    def _is_note(self, at: int, target: str) -> bool:
        """Whether `<a name.md>` is surely the target of a link, not a tag."""
        self._pairs()
        start = self._opening.get(at, -1)
        return start >= 0 and target.endswith(".md") and "=" not in target and self._find("|", start) > at

    def _is_definition(self, at: int) -> bool:
        line = self._line
        self._pairs()
        start = self._opening.get(at, 0)
        if start > _FAR or line[:start].strip(MARKS + "!"):
            return False
        target = line[at + 2 : at + 202].strip(" \t")
        if not target:
            target = "".join(self._below(1))[:200].strip(" \t>")
        target = target.partition(" ")[0]
        return target.startswith("//") or any(sign in target for sign in ":&<[]!\\")

    def _tag(self, at: int) -> int:
        if self._is_tag(at):
            return self._replace(at, at + 1, "&lt;")
        colon, close = self._find(":", at), self._find(">", at)
        if colon - at > _LONGEST_SCHEME or colon > close or close >= len(self._line):
            return at + 1
        url = self._line[at + 1 : min(close, at + _MAX_URL)]
        if not _is_address(url):
            return at + 1
        if close - at < _MAX_URL and _is_harmless(url):
            return close + 1
        place, mark, _ = url.partition("?")
        return self._replace(at, at + 1 + len(url), f"&lt;{place}{mark and '?…'}")

    def _is_tag(self, at: int) -> bool:
        line = self._line
        first = line[at + 1 : at + 2]
        if first == "!":
            return line[at + 2 : at + 3] in ("-", "[") or line[at + 2 : at + 3].isalpha()
        if first == "?":
            # `List<?>` and `List<? extends T>` are types.
            is_type = line.startswith((">", ",", " extends ", " super "), at + 2)
            ends = self._find("?>", at + 2) < len(line) or any(
                "?>" in each for each in self._below(_LOOK_AHEAD)
            )
            return not is_type or ends or self._is_first(at)
        start = at + 2 if first == "/" else at + 1
        end = start
        while end < len(line) and end - start < 40 and (line[end].isalnum() or line[end] == "-"):
            end += 1
        name = line[start:end].lower()
        after = line[end : end + 1]
        if not name[:1].isalpha() or not name.isascii():
            return False
        if name in _DANGEROUS:
            return True
        if after not in ("", " ", "\t", "/", ">"):
            return False
        close = self._find(">", at)
        if name in _ELEMENTS:
            # `List<Object>` is a type.
            return not (after == ">" and first != "/" and line[at - 1 : at].isalnum() and at > 0)
        if close >= len(line):
            return self._goes_on(at)
        if self._find("=", at) < close or (self._has_code and self._find("`", at) < close):
            return True
        # Alone on its line it would begin a block of HTML that goes on below.
        alone = self._is_first(at) and not line[close + 1 :].strip()
        return alone and any(map(str.strip, self._below(1)))

    def _is_first(self, at: int) -> bool:
        return at <= _FAR and not self._line[:at].strip(MARKS)

    def _goes_on(self, at: int) -> bool:
        """Whether a tag may end in a line below, with something in it."""
        has_value = min(self._find("=", at), self._find("`", at)) < len(self._line)
        below = self._below(_LOOK_AHEAD)
        for line in below:
            if not line.strip():
                return False
            close = line.find(">")
            has_value = has_value or "=" in line[:close] or "`" in line[:close]
            if close >= 0:
                return has_value
        return len(below) == _LOOK_AHEAD

    def _below(self, count: int) -> list[str]:
        return self._lines[self._number + 1 : self._number + 1 + count]


def _target_end(line: str, start: int, limit: int) -> int:
    """Return where a target ends: at white space, or at the parenthesis that closes the link."""
    depth = 0
    for at in range(start, limit):
        char = line[at]
        if char == "(":
            depth += 1
        elif char == ")":
            if not depth:
                return at
            depth -= 1
        elif char <= " " or (char > "~" and char.isspace()):
            return at
    return limit


def _is_address(text: str) -> bool:
    """Whether `<text>` is an address: a scheme, a colon, no spaces. `std::string` is not."""
    scheme, colon, rest = text.partition(":")
    return (
        bool(colon)
        and 2 <= len(scheme) <= 32
        and scheme.replace("+", "").replace(".", "").replace("-", "").isalnum()
        and not rest.startswith(":")
        and " " not in rest
        and "<" not in rest
        and "\t" not in rest
    )


# The targets of links: does following one tell anybody anything, and how to name it if so.
_LONG_TARGET = 300
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


def _is_harmless(target: str) -> bool:
    """Whether a link can stay a link: relative, or an ordinary address that carries no data."""
    if len(target) > _LONG_TARGET or not _SIGNS.isdisjoint(target) or target.startswith("//"):
        return False
    # Joiners are part of names in many languages.
    if " " in target or not target.replace("\u200c", "").replace("\u200d", "").isprintable():
        return False
    scheme, rest = _split(target)
    if not scheme:
        return True  # also it's.md: a quotation mark begins a title after a space only
    if "'" in target:
        return False
    if scheme in ("http", "https"):
        return rest.startswith("//") and _is_plain_place(rest[2:])
    return scheme in ("mailto", "memory") and "?" not in rest


def _split(target: str) -> tuple[str, str]:
    """Split off the scheme, in lower case; empty if the colon belongs to a path."""
    before, colon, rest = target.partition(":")
    scheme = before.lower()
    return (scheme, rest) if colon and _SCHEME.issuperset(scheme) else ("", target)


def _is_plain_place(rest: str) -> bool:
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


def _shown(target: str) -> str:
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


def _shorten_queries(line: str, spans: list[tuple[int, int]]) -> str:
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
