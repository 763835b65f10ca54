"""What every text passes before it is stored: text at all, not too much of it, clean, no secret."""

from __future__ import annotations

from memolith.errors import InputError, TextError, TooLargeError
from memolith.model import MAX_ACCEPT_BYTES
from memolith.text import hygiene


def check(text: object, what: str = "text") -> None:
    """Raise InputError, TextError or TooLargeError for what cannot be stored at all."""
    if not isinstance(text, str):
        raise InputError(f"{what} must be text, not {type(text).__name__}")
    if "\0" in text:
        raise TextError(f"{what} contains NUL bytes: this looks like a binary file; give text")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise TextError(f"{what} is not valid Unicode (position {error.start}); give UTF-8") from None
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(
            f"{size:,} bytes are too much for one memory (limit {MAX_ACCEPT_BYTES:,}); "
            "store what matters of it, and where the rest is"
        )


def screen(text: str, cap: int | None = None) -> tuple[str, list[str]]:
    """Check, clean, mask and cut text that is about to be stored; return it with what was done to it.

    Cut last: a secret that is cut in two would no longer be recognised.
    """
    check(text)
    given = len(text.encode("utf-8"))
    text, warnings = hygiene.clean(text)
    from memolith.text.secrets import redact

    masked = redact(text)
    if masked.findings:
        kinds = ", ".join(sorted({finding.kind for finding in masked.findings}))
        warnings.append(f"{len(masked.findings)} secret(s) were masked before storing: {kinds}")
    text = masked.text
    if cap is not None and len(text.encode("utf-8")) > cap:
        from memolith.text.budget import head

        # One byte is left for the line break that an append adds.
        text = head(text, cap - 1)
        warnings.append(f"the text was {given:,} bytes and was cut to the limit of {cap:,}")
    return text, warnings
