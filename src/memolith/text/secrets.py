"""Finding and masking credentials in text before it is stored.

Rules are written from the providers' published token formats. Each has a cheap word that must occur
before its pattern is tried, so ordinary text costs a few substring searches. A masked value leaves a
visible marker that names the kind, `[secret:github-token]`; masking twice changes nothing.
"""

from __future__ import annotations

import re

from memolith.model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Finding(Value):
    """One secret: its kind, and where it stood in the text that was given."""

    __slots__ = ("end", "kind", "start")
    kind: str
    start: int
    end: int


class Redaction(Value):
    """Text with its secrets masked, and what was found."""

    __slots__ = ("findings", "text")
    text: str
    findings: list[Finding]


# kind, words of which one must occur (lower case), pattern. Group 1, where there is one, is the secret.
# Every repetition is bounded or over one character class, so no input makes a pattern backtrack. Where
# a token may contain its own beginning, `(?<![\w-])` lets only the first one in a run start a match.
_RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("github-token", ("gh", "github_pat_"), r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})"),
    ("npm-token", ("npm_",), r"\bnpm_[A-Za-z0-9]{36}\b"),
    (
        "slack-token",
        ("xox", "xapp-"),
        r"(?<![\w-])(?:xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Za-z0-9-]{10,250})",
    ),
    ("slack-webhook", ("hooks.slack.com",), r"hooks\.slack\.com/services/(T\w{6,20}/B\w{6,20}/\w{16,32})"),
    ("google-key", ("aiza", "ya29."), r"\b(?:AIza[\w-]{35}|ya29\.[\w-]{20,250})"),
    (
        "aws-key-id",
        ("akia", "asia", "abia", "acca"),
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b|\bAKIA[A-Z0-9]{16}\b",
    ),
    (
        "aws-secret",
        ("aws", "secret"),
        r"(?i)(?:aws.{0,20}|secret.{0,12})(?:key|secret)['\"]?\s{0,3}(?:=>|[:=]|is)\s{0,3}['\"`]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    ("anthropic-key", ("sk-ant-",), r"(?<![\w-])sk-ant-[\w-]{20,250}"),
    (
        "openai-key",
        ("sk-",),
        r"(?<![\w-])sk-(?:(?:proj|svcacct|admin)-[\w-]{20,250}|(?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{20,250})",
    ),
    ("stripe-key", ("_live_", "_test_"), r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,250}"),
    ("gitlab-token", ("glpat-",), r"(?<![\w-])glpat-[\w-]{20,64}"),
    ("huggingface-token", ("hf_",), r"\bhf_[A-Za-z]{30,40}\b"),
    ("pypi-token", ("pypi-",), r"(?<![\w-])pypi-[\w-]{50,250}"),
    ("jwt", ("eyj",), r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}"),
    (
        "private-key",
        ("private key",),
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[A-Za-z0-9+/=\s\\:,.>|\"'#]|-(?!----)){0,20000}"
        r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("bearer-token", ("bearer",), r"(?i)\bbearer\s{1,3}([\w.~+/=-]{16,2000})"),
    (
        "basic-auth",
        ("basic ",),
        r"(?i)\bauthorization['\"]?\s{0,2}[:=]\s{0,2}['\"]?basic\s{1,3}([A-Za-z0-9+/=]{8,500})",
    ),
    (
        "url-password",
        ("://",),
        r"(?<=[a-zA-Z0-9])://[^\s:/@'\"<>`]{0,64}:([^\s@/'\"<>`]{3,128})@",
    ),
    (
        "password",
        ("passw", "passphrase", "secret", "token", "api", "pwd", "credential"),
        r"(?i)(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|credential)s?"
        r"['\"]?\s{0,3}(?:=>|:=|=|:)\s{0,3}(\"[^\"\n]{4,200}\"|'[^'\n]{4,200}'|`[^`\n]{4,200}`|[^\s'\"`,;\u3000-\u3002\uff0c\uff1b]{6,200})",
    ),
)
# Kinds known by what stands before the value; the value itself must look like a secret too.
_GUESSED = frozenset(["password", "bearer-token", "url-password"])
# Kinds whose pattern takes all up to the next space.
_OPEN_ENDED = frozenset(["password", "bearer-token"])
_compiled: dict[str, re.Pattern[str]] = {}

_WORD = re.compile(r"\w+", re.ASCII)
_DASHED = re.compile(r"[\w-]+", re.ASCII)
_MASK = re.compile(r"\[secret:[a-z0-9-]{1,40}\]")
# A value of these shapes names something; it is not the secret itself.
_HARMLESS = re.compile(
    r"""(?ix)^(?:
      \[secret:.* | [*x•.…_-]+ | <[^>]*> | \$.* | %.*% | \{\{.* | \#\{.* |
      (?:your|my|the|an?|some|example|changeme|change[-_]?me|placeholder|redacted|dummy|fake|sample|none|null|nil|
         true|false|undefined|todo|tbd|test|required|optional|string|str|int|bool|bytes|self|this|os|env|process)
         (?:[\W_].*)? |
      (?:vault|op|aws-sm|gcp-sm|secret|secrets|env|file|arn|ssm|keyring|keychain)[:/].* |
      [\w-]+\.(?:ya?ml|json|toml|py|ts|js|go|rs|md|txt|env|cfg|ini)\b.* |
      [\w.]+\(.*
    )$"""
)


def redact(text: str) -> Redaction:
    """Return `text` with every credential masked, and what was found."""
    findings = _without_overlaps(text, list(_matches(text)))
    pieces: list[str] = []
    at = 0
    for finding in findings:
        pieces += [text[at : finding.start], f"[secret:{finding.kind}]"]
        at = finding.end
    return Redaction(text="".join([*pieces, text[at:]]), findings=findings)


def _matches(text: str) -> Iterator[Finding]:
    lower = text.lower()
    for kind, words, pattern in _RULES:
        if not any(word in lower for word in words):
            continue
        compiled = _compiled.get(kind)
        if compiled is None:
            # ASCII: a Chinese character next to a token is not part of it.
            compiled = _compiled[kind] = re.compile(pattern, re.ASCII)
        match = compiled.search(text)
        while match:
            start, end = match.span(1 if compiled.groups else 0)
            if kind in _OPEN_ENDED:
                start, end = _trim(text, start, end)
            else:
                end = _run_end(text, start, end)
            found = kind not in _GUESSED or _looks_secret(text[start:end], strict=kind != "url-password")
            if found:
                yield Finding(kind=kind, start=start, end=end)
            # What is no secret may be the name of one: `password: DB_PASSWORD = …`.
            match = compiled.search(text, match.end() if found else start)


def _without_overlaps(text: str, findings: list[Finding]) -> list[Finding]:
    """Join overlapping findings under the first one's kind; leave out those that touch a marker."""
    masks = [match.span() for match in _MASK.finditer(text)] if findings else []
    kept: list[Finding] = []
    mask = 0
    for finding in sorted(findings, key=lambda each: (each.start, each.kind in _GUESSED, -each.end)):
        while mask < len(masks) and masks[mask][1] <= finding.start:
            mask += 1
        if mask < len(masks) and masks[mask][0] < finding.end:
            continue
        if kept and finding.start < kept[-1].end:
            first = kept.pop()
            finding = Finding(kind=first.kind, start=first.start, end=max(first.end, finding.end))  # noqa: PLW2901
        kept.append(finding)
    return kept


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave quotes around a value, and what ends a sentence after it, where they are."""
    if end - start >= 2 and text[start] in "\"'`" and text[end - 1] == text[start]:
        return start + 1, end - 1
    return start, start + len(text[start:end].rstrip(".,;:)]}>"))


def _run_end(text: str, start: int, end: int) -> int:
    """Take in what is glued to a token: behind a marker it could begin a token of its own."""
    glued = (_DASHED if text[start:end].endswith("-") else _WORD).match(text, end)
    return glued.end() if glued else end


def _looks_secret(value: str, *, strict: bool) -> bool:
    """Tell a credential from a word: a value that mixes kinds of characters, or is long and random."""
    if len(value) < 3 or _HARMLESS.match(value):
        return False
    if not strict:
        return True
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    signs = any(not char.isalnum() and char not in "_-./ " for char in value)
    mixed_case = value != value.lower() and value != value.upper()
    if " " in value:
        return False
    return (letters and digits) or signs or (mixed_case and len(value) >= 16 and "_" not in value)
