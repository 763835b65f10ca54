"""Links from one note to another, in the three forms that people and agents write."""

from __future__ import annotations

import re


def moved(text: str, name: tuple[str, str], address: tuple[str, str]) -> str:
    """Return a text whose links lead to the new name of a note, of which an old and a new one are given.

    A name stands in `[[…]]` and, with `.md`, in `(…)`; an address is memory://…
    """
    if name[0] not in text and address[0] not in text:
        return text
    old = re.escape(name[0])
    inside = rf"\[\[{old}(?=(?:\.md)?(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\])"
    inline = rf"\]\(<?(?:\./)?{old}(?=\.md(?:#[^)\s]*)?>?\))"
    text = re.sub(f"{inside}|{inline}", lambda found: found[0].removesuffix(name[0]) + name[1], text)
    return re.sub(rf"{re.escape(address[0])}(?![\w%.-]*\w)", lambda _: address[1], text)
