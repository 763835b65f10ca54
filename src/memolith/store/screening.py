"""What every text passes before it is stored: text at all, not too much of it, clean, no secret."""

from __future__ import annotations

from memolith.errors import InputError, TextError, TooLargeError
from memolith.model import MAX_ACCEPT_BYTES
from memolith.text import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memolith.text.secrets import Finding


def check(text: object, what: str = "text") -> None:
    """Raise InputError, TextError or TooLargeError for what cannot be stored at all."""
    if not isinstance(text, str):
        raise InputError(f"{what} must be text, not {type(text).__name__}")
    if "\0" in text:
        raise TextError(f"{what} contains NUL bytes: this looks like a binary file; give text")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(
            f"{size:,} bytes are too much for one memory (limit {MAX_ACCEPT_BYTES:,}); "
            "store what matters of it, and where the rest is"
        )


def screen(
    text: str,
    cap: int | None = None,
    allow: Callable[[], frozenset[str]] | None = None,
    *,
    by_hand: bool = False,
) -> tuple[str, list[str]]:
    """Check, clean, mask and cut text that is about to be stored; return it with what was done to it.

    `allow` reads the hashes of values that may stay; it is asked only if something would be masked. Only a
    text that a person wrote `by_hand` may say so itself. Cut last: a secret that is cut in two would no
    longer be recognised.
    """
    check(text)
    text = hygiene.whole(text)
    given = len(text.encode("utf-8"))
    text, warnings = hygiene.clean(text)
    from memolith.text.secrets import redact, unallowed

    text = text if by_hand else unallowed(text)
    masked = redact(text, by_hand=by_hand)
    if masked.findings and allow is not None and (hashes := allow()):
        masked = redact(text, hashes, by_hand=by_hand)
    warnings += told(masked.findings)
    text = masked.text
    if cap is not None and len(text.encode("utf-8")) > cap:
        from memolith.text.budget import head

        # One byte is left for the line break that an append adds.
        text = head(text, cap - 1)
        warnings.append(f"the text was {given:,} bytes and was cut to the limit of {cap:,}")
    return text, warnings


def without_leave(
    apply: Callable[[str | None, str], str | None],
) -> Callable[[str | None, str], str | None]:
    """Return a change that gives no line leave to keep a secret, not even out of two harmless pieces."""
    from memolith.text.secrets import unallowed

    def applied(old: str | None, text: str) -> str | None:
        new = apply(old, text)
        return new if new is None else unallowed(new, old or "")

    return applied


def told(findings: list[Finding]) -> list[str]:
    """Return what to tell the writer: what was masked, how to keep a false alarm, what was left out."""
    kinds = [finding.kind for finding in findings if finding.kind != "private"]
    parts = len(findings) - len(kinds)
    said = []
    if kinds:
        count = "1 secret" if len(kinds) == 1 else f"{len(kinds)} secrets"
        said.append(
            f"masked {count} ({', '.join(sorted(set(kinds)))}); to keep a false alarm, give the value to "
            "`memolith allow`, or write memolith:allow in its line"
        )
    if parts:
        said.append("a private part was left out" if parts == 1 else f"{parts} private parts were left out")
    return said


def quoted(value: object) -> str:
    """Return a value as an error may show it: masked, on one line, not too long."""
    from memolith.text.secrets import redact

    shown = redact(value).text if isinstance(value, str) else str(value)
    return repr(shown if len(shown) <= 80 else f"{shown[:80]}…")


def refuse_secret(name: str, what: str) -> None:
    """Raise InputError for a name that is a secret: a masked name would be another file."""
    from memolith.text.secrets import redact

    found = redact(name).findings
    if found:
        raise InputError(
            f"the {what} looks like a secret ({found[0].kind}); choose another that tells nothing"
        )
