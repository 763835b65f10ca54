"""Links from one note to another, in the three forms that people and agents write."""

from __future__ import annotations

import re


def moved(text: str, name: tuple[str, str], address: tuple[str, str]) -> str:
    """Return a text whose links lead to the new name of a note, of which an old and a new one are given.

    A name stands in `[[…]]` and, with `.md`, in `(…)`; an address is memory://…
    """
    old, new = (each.rpartition("/")[2].removesuffix(".md") for each in address)  # as in an address
    if name[0] not in text and old not in text:
        return text
    raw, coded = re.escape(name[0]), re.escape(old)
    inside = rf"\[\[{raw}(?=(?:\.md)?(?:#[^\]|\n]*)?(?:\|[^\]\n]*)?\]\])"
    angled = rf"\]\(<(?:\./)?{raw}(?=\.md(?:#[^>\n]*)?>\))"
    text = re.sub(f"{inside}|{angled}", lambda found: found[0].removesuffix(name[0]) + name[1], text)
    inline = rf"(\]\((?:\./)?)(?:{raw}|{coded})(?=\.md(?:#[^)\s]*)?\))"
    text = re.sub(inline, lambda found: found[1] + new, text)
    # A project's own memory has two names, `memory://root/` and `memory://project/`.
    place = re.escape(address[0]).replace("memory://root/", "memory://(?:root|project)/")
    wanted = rf"({place.removesuffix(coded + re.escape('.md'))})(?:{raw}|{coded})\.md(?![\w%.-]*\w)"
    return re.sub(wanted, lambda found: f"{found[1]}{new}.md", text)
