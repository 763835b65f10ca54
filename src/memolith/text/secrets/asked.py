"""Secrets as answers: to a question for one, from a program that prints one, into a store that keeps one.

Nothing at the value itself says what it is; the question, the program or the value before it does.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secrets.values import TABLE, is_chosen, is_password, is_stand_in, made

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    Span = tuple[str, int, int]

_NAME = (
    r"(?:pass(?:word|wort|phrase|code|wd)|kennwort|pwd?|pin|secret|(?:api|access)[ -]?key|token|credential"
    r"|mot de passe|contrase\u00f1a|senha|wachtwoord|has\u0142o|\u043f\u0430\u0440\u043e\u043b\u044c)"
)
_END = r"(?=[ \t.,;!`]*(?:[\"'”]|\n|\Z))"  # nothing else is said
_QUESTION = lazy(
    rf"(?i)\b{_NAME}s?\b[^?\n]{{0,80}}\?(?:[\"'”]\s?[=:]\s?[\"'“]|[\"'”]?[ \t]*\n\s{{0,4}})"
    r"(?:[-*>]{0,2} ?[\w*]{1,16}[:>] {0,2})?"
    r"(?:(?:it(?:['’]s| is)|its|sure|ok|here|use|that(?:['’]s| is)|es ist|ist|c'est|es)\b[,: ]{1,2}){0,3}"
    rf"[\"'`“]?(?P<value>[^\s\"”]{{4,100}}){_END}"
)
# What asks for one without a mark: "Please paste your API token so that I can go on."
_REQUESTS = tuple(TABLE["requests"])
_REQUEST = lazy(rf"(?i)\b(?:{'|'.join(_REQUESTS)})[a-z]{{0,3}} [^?]{{0,60}}\b{_NAME}s?\b[^?]{{0,100}}$")
# What prints a secret, or is called after one, in the line above it.
_LINE = r"[^\n]{0,300}"
_PRINTERS = (
    r"(?:go)?pass (?:show )?[\w/@.-]+",
    rf"find-(?:generic|internet)-password\b{_LINE}\s-w\b{_LINE}",
    rf"secretsmanager get-(?:secret-value|random-password)\b{_LINE}",
    rf"(?:secrets versions access|ssm get-parameters?|keyvault secret show|vault (?:kv get|read))\b{_LINE}",
    rf"(?:bw get password|secret-tool lookup|op item get|doppler secrets get|config:get)\b{_LINE}",
    rf"(?:chamber read|openssl rand|pwgen|apg|mkpasswd|makepasswd|xkcdpass|wg gen(?:key|psk))\b{_LINE}",
    rf"get secrets?\b{_LINE}\|\s?base64 (?:-d|-D|--decode)",
    rf"nmcli\b{_LINE}(?:\bpsk|\s-s\b|--show-secrets){_LINE}",
    rf"(?:keyring|rbw|lpass|bws? secret|infisical secrets|berglas access) (?:get|show)?\b{_LINE}",
    rf"(?:gh auth token|print-(?:access|identity)-token|get-access-token|initial-password)\b{_LINE}",
    rf"(?:terraform|tofu|pulumi) (?:stack )?output\b{_LINE}(?:pass|secret|token|key){_LINE}",
    rf"(?:cat|echo|printenv|less|head|tail|type|more|gpg -d|gpg --decrypt|age -d|sops -d)\b{_LINE}"
    rf"(?:passw|passwd|secret|token|api_?key|psk|credential)\w{{0,12}}{_LINE}",
    r"(?:pass(?:word|wd|phrase)|passwort|secret|token|api[_-]?key|credential)s?(?:\.(?:txt|key|pw|pass))?",
)
_PRINTS = lazy(rf"(?i)(?<![a-z])(?:{'|'.join(_PRINTERS)})[\"'}}\s]{{0,4}}$")
_ALONE = lazy(r"(?m)\n(?:[ \t]{0,8}\d{1,3}(?:\t|→) ?)?[\"']?(?P<value>[^\s\"'=:]{6,100})[\"']?[ \t]*$")
_MOST_CALL = 400  # characters of the line above
_VALUE = r"[\"']?(?P<value>[^\s\"'|;&<>()]{3,200})"
_FLAGS = r"[^\n|;&]{0,150}?\s"
_KEEPERS = r"(?:gcloud secrets|wrangler secret|gh secret|pass insert|docker secret|vault )"
# Each behind a word without which there is no such line.
_STORES = [
    ("gh secret set", lazy(rf"gh secret set\b{_FLAGS}(?:--body|-b)[ =]{_VALUE}")),
    ("keyvault secret set", lazy(rf"keyvault secret set\b{_FLAGS}--value[ =]{_VALUE}")),
    ("--secret-string", lazy(rf"--secret-string[ =]{_VALUE}")),
    ("ssm put-parameter", lazy(rf"ssm put-parameter{_FLAGS}--value[ =]{_VALUE}")),
    ("vault kv p", lazy(rf"vault kv p(?:ut|atch)\s{_FLAGS}[\w-]+={_VALUE}")),
    ("<<<", lazy(rf"{_KEEPERS}[^\n|;&<]{{0,120}}<<< ?{_VALUE}")),
    ("bw login", lazy(rf"bw login \S{{1,100}} (?!-){_VALUE}")),
    (" -c ", lazy(rf"snmp[a-z]{{2,10}}(?:{_FLAGS}|\s)-c {_VALUE}")),
    ("config http-basic.", lazy(rf"config http-basic\.\S{{1,60}} \S{{1,60}} {_VALUE}")),
    ("config pypi-token.", lazy(rf"config pypi-token\.\S{{1,60}} {_VALUE}")),
    ("bundle config", lazy(rf"bundle config (?:set )?(?:--\w{{1,10}} )?\S{{1,80}} [^\s:]{{1,60}}:{_VALUE}")),
    ("alias set ", lazy(rf"\bmc alias set \S{{1,60}} \S{{1,100}} \S{{1,100}} {_VALUE}")),
    ("qpdf ", lazy(rf"qpdf {_FLAGS}?--encrypt {_VALUE}")),
    ("qpdf ", lazy(rf"qpdf {_FLAGS}?--encrypt \S{{1,80}} {_VALUE}")),
    ("bw unlock", lazy(rf"bw unlock (?!-){_VALUE}")),
    ("doveadm auth", lazy(rf"doveadm auth test \S{{1,80}} {_VALUE}")),
    ("signtool", lazy(rf"signtool{_FLAGS}/p {_VALUE}")),
    ("password-file", lazy(rf"password-file[= ]<\((?:echo|printf)(?: -n)? {_VALUE}")),
    ("| ", lazy(rf"(?:echo|printf)(?: -n)? {_VALUE}[\"']? ?\| ?(?:npx )?{_KEEPERS}")),
]
_LIST = lazy(
    r"(?i)\b(?:credentials?|creds|login|auth)\\?[\"']?\s{0,2}[:=]\s{0,2}[\[(]\s{0,8}"
    r"\\?[\"'][^\"'\n\\]{0,64}\\?[\"']\s{0,2},\s{0,8}\\?[\"'](?P<value>[^\"'\n\\]{4,100})\\?[\"']"
)
_CALLED = lazy(
    r"(?i)\b(?:hmac key|shared secret|community string|basic auth(?: is)? [\w.-]{1,40}(?=:))"
    r"(?: is)?[:=]? ?[\"'`]?(?P<value>[^\s\"'`,;()]{5,64})"
)
# Behind a value that is masked by now stands the next one.
_NEXT = lazy(
    r"(?i)\[secret:(?:password|secret|token|api-key)\][\"'`]?(?: ?\([\w ]{1,12}\))?"
    r"(?: ?(?:,|;|/|->|→)| and| or| then| und| now)"
    r" ?(?:(?:and|but|then|now|or|und|jetzt|it['’]s|it is|its|is|to)\s){0,4}"
    r"[\"'`]?(?![a-z_]{2,24}=)(?P<value>[^\s\"'`,;()]{5,64})"
)
_SIGNS, _ASKED, _OPENED = TABLE["asked"], ("?\n", '?"', "?'", "?”"), ("[", "(")
_MARKS = ("?", "？", "؟")
_PATH = lazy(r"[/:]|^[.-]|\.\w{1,4}$")


def answers(text: str, lower: str) -> Iterator[Span]:
    """Find values that a question, a program or another value before them makes secrets."""
    if any(sign in text for sign in _ASKED):
        yield from _likely(_QUESTION, text)
    if "[secret:" in lower:
        yield from _likely(_NEXT, text)
    if not any(sign in lower for sign in _SIGNS):
        return
    for found in _ALONE.finditer(text):
        begin = max(text.rfind("\n", 0, found.start()) + 1, found.start() - _MOST_CALL)
        line = text[begin : found.start()]
        if _is_likely(found["value"]) and (
            _PRINTS.search(line) or (made(found["value"]) and _REQUEST.search(line))
        ):
            yield "password", *found.span("value")
    if any(sign in text for sign in _OPENED):
        yield from _likely(_LIST, text)
    if any(sign in lower for sign in ("hmac key", "shared secret", "community string", "basic auth")):
        yield from _likely(_CALLED, text)
    yield from _kept(text)


def asks(line: str) -> str:
    """Return what somebody says as a question if the answer to it may be a secret, or nothing."""
    line = line.rstrip(" \t\r\n*_`\"')»”")
    if line.endswith(_MARKS) or any(sign in line.lower() for sign in _REQUESTS):
        return line.rstrip(".:!。") + ("" if line.endswith(_MARKS) else "?")
    return ""


def _kept(text: str) -> Iterator[Span]:
    for needle, pattern in _STORES:
        for found in pattern.finditer(text) if needle in text else ():
            if not is_stand_in(found["value"]) and found["value"][0] not in "$@-":
                yield "password", *found.span("value")


def _likely(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for found in pattern.finditer(text):
        start, end = found.span("value")
        word = text[start:end].rstrip(".,;!\"'`")
        if _is_likely(word):
            yield "password", start, start + len(word)


def _is_likely(word: str) -> bool:
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return mixed and (is_password(word) or is_chosen(word)) and not _PATH.search(word)
