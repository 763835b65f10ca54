"""The checks before a text is stored: valid text, not too long, clean, no secrets."""

from __future__ import annotations

from memolith.base.errors import InputError, TextError, TooLargeError
from memolith.base.values import MAX_ACCEPT_BYTES
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memolith.text.secrets.redact import Finding


def check(text: object, what: str = "text") -> None:
    """Raise InputError, TextError or TooLargeError for a text that cannot be stored."""
    if not isinstance(text, str):
        raise InputError(f"{what} must be text, not {type(text).__name__}")
    if "\0" in text:
        raise TextError(f"{what} contains NUL bytes: this looks like a binary file; give text")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(
            f"{size:,} bytes are too many for one memory (limit {MAX_ACCEPT_BYTES:,}); "
            "store what matters, and where to find the rest"
        )


def screen(
    text: str,
    cap: int | None = None,
    allow: Callable[[], frozenset[str]] = frozenset,
    *,
    by_hand: bool = False,
) -> tuple[str, list[str]]:
    """Check, clean, mask and cut a text before it is stored; return it with warnings.

    `allow` reads the hashes of allowed values; it is called only if something would be masked. Only a text
    that a person wrote `by_hand` may opt out itself. Cut last: a secret that is cut in two would not be
    recognised.
    """
    check(text)
    text = hygiene.whole(text)
    size = len(text.encode("utf-8"))
    text, warnings = hygiene.clean(text)
    text, found = _masked(text if by_hand else hygiene.unallowed(text), allow, by_hand=by_hand)
    warnings += warnings_for(found, by_hand=by_hand)
    if cap is not None and len(text.encode("utf-8")) > cap:
        from memolith.text.budget import head

        # One byte is left for the line break that an append adds.
        text = head(text, cap - 1)
        warnings.append(f"the text was {size:,} bytes and was cut to the limit of {cap:,}")
    return text, warnings


def _masked(text: str, allow: Callable[[], frozenset[str]], *, by_hand: bool) -> tuple[str, list[Finding]]:
    """Return a text without its secrets, and their positions."""
    from memolith.text.secrets.redact import redact

    found = redact(text, by_hand=by_hand)
    if found.findings and (hashes := allow()):
        found = redact(text, hashes, by_hand=by_hand)
    return found.text, found.findings


def together(
    fields: Mapping[str, str | Sequence[str]],
    text: str,
    allow: Callable[[], frozenset[str]] = frozenset,
    *,
    by_hand: bool = False,
) -> tuple[dict[str, str | list[str]], str, list[str]]:
    """Mask the fields and the text of one call, where one may reveal that another is a secret.

    A title may name its text, and a keyword repeat it. Also returns what was masked.
    """
    # A line above a text may name it.
    order = sorted(fields, key=lambda key: key in _ABOVE_TEXT)
    parts = [[each] if isinstance(each := fields[key], str) else list(each) for key in order]
    clean = [hygiene.clean(hygiene.whole(each))[0] for part in parts for each in part]
    clean = clean if by_hand else list(map(hygiene.unallowed, clean))
    joined = "".join(
        [*(f"{each}\n\n\f\n" for each in clean[:-1]), *(f"{each}\n\f\n" for each in clean[-1:]), text]
    )
    shown, found = _masked(joined, allow, by_hand=by_hand)
    masked = shown.split("\f\n", len(clean))  # stored text never contains a form feed
    warnings = warnings_for(found, by_hand=by_hand)
    if len(masked) != len(clean) + 1:  # a private part without an end
        masked, warnings = [*(_masked(each, allow, by_hand=by_hand)[0] for each in clean), text], []
    rest = iter([one.rstrip("\n") for one in masked[:-1]])
    kept = {
        key: next(rest) if isinstance(fields[key], str) else [next(rest) for _ in part]
        for key, part in zip(order, parts, strict=True)
    }
    return {key: kept[key] for key in fields}, masked[-1], warnings


_ABOVE_TEXT = ("title", "heading", "section")


def settled(
    old: str, new: str, allow: Callable[[], frozenset[str]], *, name: str = ""
) -> tuple[str, list[str]]:
    """Mask secrets in the lines that a change touches, read in their new context; return what was masked.

    What names a secret may be in the same line, in the line before, or in the heading or title above; without
    either, the file's `name` counts. A line that still opts out is a person's.
    """
    first, last = _changed(old, new)
    first = max(first, _head_end(new))
    if first >= last:
        return new, []
    lead = _lead(new, first, name)
    piece = lead + new[first:last]
    findings = [each for each in _masked(piece, allow, by_hand=True)[1] if each.end > len(lead)]
    if not findings:
        return new, []
    from memolith.text.secrets.redact import masked

    spans = [(each.kind, max(each.start, len(lead)), each.end) for each in findings]
    return new[:first] + masked(piece, spans)[len(lead) :] + new[last:], warnings_for(findings)


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return the start and end of the lines that a change touches."""
    same = _common(old, new, len(old))
    first = new.rfind("\n", 0, same) + 1
    tail = _common(old[same:][::-1], new[same:][::-1], len(old) - same)
    last = new.find("\n", len(new) - tail)
    return first, last if last >= 0 else len(new)


def _common(one: str, two: str, most: int) -> int:
    """Return the length of the common prefix of two texts; `most` is tried first."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = most if low < most <= high else (low + high + 1) // 2
        most = 0
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _head_end(text: str) -> int:
    """Return the end of a file's head, whose fields are masked separately."""
    end = text.find("\n---\n", 3) if text.startswith("---\n") else -1
    return end + 5 if end >= 0 else 0


def _lead(text: str, first: int, name: str) -> str:
    """Return what may name a secret in the next lines: the title or heading above, and the line before."""
    head = text[: min(first, _head_end(text))]
    above = text[max(0, first - _ABOVE) : first].split("\n")[:-1]
    title = next((line for line in head.split("\n") if line.startswith(_TITLES)), "")
    called = title.partition(": ")[2] or name.rpartition("/")[2].removesuffix(".md").replace("-", " ")
    heading = next((line for line in reversed(above) if line.startswith("#")), called)
    before = next(
        (line for line in reversed(above) if (line.strip() and line[:1] not in "#<-") or line[:2] == "- "), ""
    )
    return f"{heading[-_LINE:]}\n\n" + (f"{before[-_LINE:]}\n" if before else "")


_TITLES = ("title: ", "name: ")
_ABOVE, _LINE = 2000, 300


def warnings_for(findings: list[Finding], *, by_hand: bool = False) -> list[str]:
    """Return the warnings for the writer: what was masked, how to keep a false alarm, what was left out."""
    kinds = [finding.kind for finding in findings if finding.kind != "private"]
    parts = len(findings) - len(kinds)
    warnings = []
    if kinds:
        count = "1 secret" if len(kinds) == 1 else f"{len(kinds)} secrets"
        warnings.append(
            f"masked {count} ({', '.join(sorted(set(kinds)))}); to keep a false alarm, give the value to "
            f"`memolith scan --allow`{', or write memolith:allow in its line' if by_hand else ''}"
        )
    if parts:
        warnings.append(
            "a private part was left out" if parts == 1 else f"{parts} private parts were left out"
        )
    return warnings


def quoted(value: object) -> str:
    """Quote a value for an error: masked, on one line, not too long."""
    from memolith.text.secrets.redact import redact

    shown = redact(value).text if isinstance(value, str) else str(value)
    return repr(shown if len(shown) <= 80 else f"{shown[:80]}…")


def refuse_secret(name: str, what: str, text: str = "") -> None:
    """Raise InputError for a name that is a secret, alone or given `text`; masked, it is another file."""
    from memolith.text.secrets.redact import redact

    found = redact(name).findings
    if found:
        raise InputError(f"the {what} looks like a secret ({found[0].kind}); choose another")
    if isinstance(text, str) and text and together({"name": name}, text)[0]["name"] != name:
        raise InputError(f"the {what} contains a secret from the text; choose another")
