"""What every text passes before it is stored: text at all, not too much of it, clean, no secret."""

from __future__ import annotations

from memolith.errors import InputError, TextError, TooLargeError
from memolith.model import MAX_ACCEPT_BYTES
from memolith.text import hygiene


def screen(text: str) -> tuple[str, list[str]]:
    """Check, clean and mask text that is about to be stored; return it with what was done to it.

    Raises TextError for what is not text, TooLargeError for what is too much of it.
    """
    if not isinstance(text, str):
        raise InputError(f"text expected, not {type(text).__name__}")
    if "\0" in text:
        raise TextError("the text contains NUL bytes: this looks like a binary file; give text")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise TextError(f"the text is not valid Unicode (position {error.start}); give UTF-8") from None
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(
            f"{size:,} bytes are too much for one memory (limit {MAX_ACCEPT_BYTES:,}); "
            "store what matters of it, and where the rest is"
        )
    text, warnings = hygiene.clean(text)
    from memolith.text.secrets import redact

    masked = redact(text)
    if masked.findings:
        kinds = ", ".join(sorted({finding.kind for finding in masked.findings}))
        warnings.append(f"{len(masked.findings)} secret(s) were masked before storing: {kinds}")
    return masked.text, warnings
