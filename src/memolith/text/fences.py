"""Code fences of Markdown: which one is open after a line."""

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
