"""Code in Markdown: which fence is open after a line, and which parts of a text are code to every renderer.

Renderers differ in where a list ends or a paragraph begins. So a part counts as code only if that does not
matter: a stray backtick makes the rest of its paragraph text, a fence that may be a list's all that follows.
"""

from __future__ import annotations

_BULLETS = ("- ", "* ", "+ ", *(f"{number}{sign} " for number in range(10) for sign in ".)"))
_BULLET_SIGNS = "-*+0123456789.) "


def open_fence(text: str) -> str:
    """Return the code fence that `text` leaves open, or the empty string."""
    fence = ""
    for line in text.split("\n"):
        fence = fence_after(fence, line)
    return fence


def fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after `line`, when `fence` was open before it."""
    bare = line.lstrip(" ")
    if not fence and bare.startswith(_BULLETS):
        bare = bare.lstrip(_BULLET_SIGNS)  # an item of a list that begins with code
    # Four spaces make it a line of code, which neither opens nor closes anything.
    if not bare.startswith(("```", "~~~")) or len(line) - len(bare) > 3:
        return fence
    bare = bare.rstrip()
    sign = bare[0]
    info = bare.lstrip(sign)
    if fence:
        return "" if bare.startswith(fence) and not info else fence
    # ```one line``` is a code span, not a fence.
    return "" if sign == "`" and "`" in info else bare[: len(bare) - len(info)]


# What may stand before the first word of a block.
MARKS = " \t>-*+0123456789.)"


class Code:
    """Follows fences and backticks through a text, and knows when it can no longer be sure."""

    def __init__(self) -> None:
        self.line = ""  # the line as it may be shown
        self._fence = ""
        self._indent = 0
        self._lost = False  # whether a fence is open depends on the renderer
        self._stray = False  # a backtick above may open code that reaches into this line

    def takes(self, line: str) -> bool:
        """Whether the whole line is code, or the fence before it."""
        self.line = line
        bare = line.lstrip(" ")
        indent = len(line) - len(bare)
        if self._fence:
            if bare and indent < self._indent:
                self._lost, self._fence = True, ""  # if it is a list's, its code ends here
                return False
            self._fence = fence_after(self._fence, line)
            return True
        if not bare.strip():
            self._stray = False
            return False
        inner = line.lstrip(MARKS)
        if not inner.startswith(("```", "~~~")):
            return False
        if inner[0] == "~" or "`" not in inner.lstrip("`"):
            self.line = _plain_info(line, inner)
        # A fence in a list or a quotation ends with it.
        self._lost = self._lost or bare != inner or indent > 3
        if not self._lost:
            self._fence, self._indent = fence_after("", line), indent
            self._stray = self._stray and not self._fence
        return bool(self._fence)

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Return where code is in a line of text, as far as that does not depend on the lines above."""
        found, stray = spans_of(line)
        sure = not self._stray and "\\`" not in line
        self._stray = self._stray or stray or not sure
        return found if sure else []


def _plain_info(line: str, inner: str) -> str:
    """Return a fence whose language cannot leave the attribute that a renderer puts it in."""
    info = inner.lstrip(inner[0])
    end = next((at for at, char in enumerate(info) if char in "\"'<>&"), -1)
    return line if end < 0 else f"{line[: len(line) - len(info)]}{info[:end].rstrip()} …"


def spans_of(line: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the code between backticks in a line, and whether a run of backticks has no partner."""
    if line.count("`") == 2 and "``" not in line and "://" not in line and "www." not in line:
        return [(line.find("`"), line.rfind("`") + 1)], False
    runs: list[tuple[int, int]] = []
    at = line.find("`")
    while at >= 0:
        end = at
        while line.startswith("`", end):
            end += 1
        runs.append((at, end))
        at = line.find("`", end)
    later: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[number][1] - runs[number][0], []).append(number)
    found: list[tuple[int, int]] = []
    number = 0
    has_address = "://" in line or "www." in line
    while number < len(runs):
        start, end = runs[number]
        if has_address and _ends_address(line[max(0, start - 2000) : start]):
            return found, True
        partners = later[end - start]
        while partners and partners[-1] <= number:
            partners.pop()
        if partners:
            number = partners[-1]
            found.append((start, runs[number][1]))
        else:
            return found, True  # what follows may be in code that ends below
        number += 1
    return found, False


def _ends_address(before: str) -> bool:
    """Whether a renderer that makes links of bare addresses may take what follows for a part of one."""
    if not before or before[-1].isspace():
        return False
    word = before.rsplit(maxsplit=1)[-1]
    return len(word) == 2000 or "://" in word or "www." in word


def outside(places: list[int], spans: list[tuple[int, int]]) -> list[int]:
    """Return the places that are not in any of the spans; both are in order."""
    kept: list[int] = []
    number = 0
    for at in places:
        while number < len(spans) and spans[number][1] <= at:
            number += 1
        if number == len(spans) or at < spans[number][0]:
            kept.append(at)
    return kept
