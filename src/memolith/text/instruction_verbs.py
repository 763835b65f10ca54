"""The forms of a verb, each with its mood."""

from __future__ import annotations

from memolith.text.instruction_table import listed

_VOWELS = "aeiou"
# The last letter of these is written twice: `skipping`.
_DOUBLED = listed("""
    skip drop stop ship strip cut put run let get set commit unplug wrap defer flip rub dub plug swap grab pin
    snip trim submit transfer scrub scrap transmit rip tap
""")
_IRREGULAR = {
    "send": "sent",
    "give": "given",
    "leave": "left",
    "hide": "hidden",
    "put": "put",
    "set": "set",
    "cut": "cut",
    "let": "let",
    "run": "run",
    "override": "overridden",
    "forget": "forgotten",
    "shut": "shut",
    "keep": "kept",
    "tell": "told",
    "forgo": "forgone",
    "write": "written",
    "hold": "held",
    "take": "taken",
    "blow": "blown",
    "sign": "signed",
    "feed": "fed",
    "read": "read",
    "withhold": "withheld",
    "overwrite": "overwritten",
    "make": "made",
    "pay": "paid",
    "go": "gone",
    "do": "done",
    "bring": "brought",
    "tear": "torn",
    "sell": "sold",
    "show": "shown",
    "lend": "lent",
    "wear": "worn",
    "stick": "stuck",
    "steal": "stolen",
}


def forms(base: str) -> dict[str, str]:
    """Return the forms of a verb, each with its mood: `base`, `s`, `ing` or `ed`."""
    stem = base
    if base in _DOUBLED:
        stem = base + base[-1]
    elif base.endswith("e") and not base.endswith("ee"):
        stem = base[:-1]
    past = stem + "ed"
    plural = base + ("es" if base.endswith(("s", "sh", "ch", "x", "o")) else "s")
    if base.endswith("y") and base[-2] not in _VOWELS:
        past, plural = base[:-1] + "ied", base[:-1] + "ies"
    found = {_IRREGULAR.get(base, past): "ed", stem + "ing": "ing", plural: "s", base: "base"}
    if base == "override":
        found["overrode"] = "ed"
    return found


def verbs(text: str) -> dict[str, str]:
    """Return the forms of all the verbs of a text."""
    return {word: mood for base in text.split() for word, mood in forms(base).items()}
