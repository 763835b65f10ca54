"""Which names and words look the same to a reader although their characters differ."""

from __future__ import annotations

# Cyrillic, Greek and Armenian letters (lower case; some are alike as capitals only), and dashes.
_PAIRS = (
    "aа aα bв bβ cс cϲ dԁ eе eε hн hһ hη iі iι jј kк kκ lӏ mм mμ nո oо oο oօ pр pρ qԛ sѕ tт tτ uυ uս vѵ vν "
    "wԝ xх xχ yу yγ zζ -‐ -‑ -‒ -– -— -−"
)
ALIKE = {ord(pair[1]): pair[0] for pair in _PAIRS.split()}
_UNSEEN = dict.fromkeys([0x200C, 0x200D, 0xFE0E, 0xFE0F])


def composed(name: str) -> str:
    """Return a name in the form in which it is stored (NFC): `e` with an accent is one character."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)


def look(name: str) -> str:
    """Return what a name looks like; a reader cannot tell two names with the same look apart."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    folded = normalize("NFKC", name.translate(_UNSEEN)).casefold().translate(ALIKE)
    return normalize("NFC", folded)


def mixed_word(name: str) -> str:
    """Return the first word in which Latin letters stand among Cyrillic or Greek ones, or nothing."""
    if name.isascii():
        return ""
    word = ""
    scripts: set[str] = set()
    for char in f"{name} ":
        if char.isalnum():
            word += char
            scripts.add(_script(char))
        elif len(scripts - {""}) > 1:
            return word
        else:
            word = ""
            scripts.clear()
    return ""


def _script(char: str) -> str:
    if not char.isalpha():
        return ""
    if "\u0370" <= char <= "\u03ff":
        return "Greek"
    if "\u0400" <= char <= "\u052f":
        return "Cyrillic"
    return "Latin" if char < "\u02b0" or "\u1e00" <= char <= "\u1eff" else ""
