"""Names with a secret in them, as they may be written down: masked, with a short hash that knows them again.

A directory, a remote or a session may be called after a secret. What is kept of it is
`…/[secret:token]~1a2b3c4d`; whoever comes with the exact name gets the same. 32 bits tell two names apart,
and little of what they are made from.
"""

from __future__ import annotations

from memolith.text.digest import fnv1a64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.text.secrets.redact import Redaction

# What this process has veiled, by what it became: read back, it is the exact name again.
_exact: dict[str, str] = {}
_LONG = 16
_ENDING = 5  # characters of `.git`, `.jsonl`


def masked(text: str) -> str:
    """Return what a message may show: names and values in it may be secrets."""
    from memolith.text.secrets.precheck import may_hold_secret

    if not may_hold_secret(text):
        return text
    from memolith.text.secrets.redact import redact

    return redact(text).text


def veiled(text: str) -> str:
    """Return a name as it may be written down: itself, unless there is a secret in it."""
    shown = masked_name(text)
    if shown == text:
        return text
    told = f"{shown}~{fnv1a64(text.encode('utf-8', 'surrogateescape')) & 0xFFFFFFFF:08x}"
    _exact[told] = text
    return told


def unveiled(text: str) -> str:
    """Return the exact name, if this process knows it; else what is written down."""
    return _exact.get(text, text)


def masked_name(text: str) -> str:
    """Return a name with its secrets masked, each part of a path by itself and then the whole."""
    # Most names are short words. The look before the scanner would take longer than all the rest.
    if text.isascii() and not any(char.isdigit() or char in "=:@?&% " for char in text):
        parts = text.replace("\\", "/").replace("-", "/").replace("_", "/").replace(".", "/").split("/")
        if max(map(len, parts)) < _LONG:
            return text
    from memolith.text.secrets.precheck import may_hold_secret

    parts = text.split("/")
    # A path is one long word, in which a name and a number are often far from each other; a title is a text.
    told = any(sign in text for sign in "= :：") and may_hold_secret(text)
    if not told and not any(map(may_hold_secret, parts)):
        return text
    from memolith.text.secrets.redact import redact

    return redact("/".join([_masked(part, redact) for part in parts])).text


def _masked(part: str, redact: Callable[[str], Redaction]) -> str:
    """Return a part of a path masked, its ending and what a URL asks for each by themselves."""
    name, mark, asked = part.partition("?")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > _ENDING:
        stem, dot, ending = name, "", ""
    return redact(redact(stem).text + dot + ending + mark + asked).text
