"""What a person typed of a message, and what they pasted.

Nobody can list the ways in which people paste. So it is the other way round: a message is typed if nothing in
it looks like a paste. Else only what stands before the first sign of one is, and the last short paragraphs
that ask the agent for something; in between there is no telling whose words they are. A sign is a fence, a
tag in any brackets, a quotation over several lines, a ruler, a heading, a table, a log, code, a line that
says what follows, a line end that keyboards do not make, an address. The length of a message is no sign; a
paragraph that nobody types at one go is one, unless it speaks to the agent.
"""

from __future__ import annotations

from memolith.text import about, asked, attributed, points, voice
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_MOST_TEXT, _MOST_LINES = 600, 8  # of what somebody types at one go
_MOST_SPOKEN, _MOST_ITEMS = 3_000, 30  # characters of a paragraph that speaks to the agent, lines of a list
_MOST_HEADER, _MOST_TAIL, _MOST_TAIL_LINES = 80, 300, 3
_LINE_END = lazy(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_QUOTATION, _LONG_QUOTE = lazy(r"[\"“„«「『][^\"”“»」』]*+"), 200
# A line that is somebody else's itself: a fence, a quotation, a table, a ruler, a heading, a border.
_BORDER = lazy(
    r"(?x) \A(?u:\W){0,8}?(?:```|~~~|'''|\"\"\"|<<<|>>>|\[\[|\{\{|\$\$|([-=*_~+\#.:–—─━═])\1{2,})"
    r"| \A(?:[ ]{4}|\t|\s{0,8}[>|＞›»│┃])"
    r"| \A\s*\#{1,6}\s | \A\s*(?:BEGIN|START|END|EOF|BOF)\b(?:\s+[A-Z0-9_-]+)*\W*\Z"
    r"| \A(?u:\W*)\*{1,2}[^*:：]{1,80}\*{1,2}\W*\Z | \A(?u:\W*)[\w-]+\.[a-z]{2,4}\s*\Z"
    r"| \A\s*[A-Z]{2,9}-\d+[ ] | \A&lt;"
    r"| \A[^|]*\|[^|]*\|[^|]*\| | \t.*\t | \A\s*['\"‘’“„«「『].*['\"’”“»」』][.!?…]?\s*\Z"
)
# The beginning of a document: a tag of any script that begins or ends its line, or that something ends.
_TAG = lazy(
    r"[<＜《〈⟨](?:\d*[^\s\d=<>-])"
    r"|(?:^|\s)[\[［【]/?[^\s\d\]］】x-][^\s\]］】]{1,40}(?:[ =][^\]］】]*)?[\]］】](?!\()"
)
_TAG_AT_END = lazy(
    r"[<＜《〈⟨][^\s\d=<](?:[^>＞》〉⟩]*|.*[>＞》〉⟩\[])\s*\Z|(?:^|\s)[\[［【]/?[^\s\]］】]{2,40}[\]］】]\s*\Z|<!\["
)
_ENDING = lazy(r"[<＜《〈⟨]\s*/|/\s*[>＞]|[\[［【]/|\]\]>|--\s*>")
_OPENED, _STRAIGHT = lazy(r"[“„«「『‹][^”“»」』›„«「『‹]*+\Z"), '"'
# Lines that a program wrote.
_MACHINE = lazy(
    r"(?i)^\s*(?:(?:\w+=)?\[?\d{4}-\d\d-\d\d|\w{3} +\d+ \d\d:\d\d|\d\d:\d\d|a:\s"
    r"|(?:from|to|cc|subject|date|von|an|betreff|datum): |(?://|--|;|rem)\s|/\*|[\w.-]+\s*=\s*[\"'].*[\"'][,;]?\s*$"
    r"|(?:error|warn(?:ing)?|info|debug|fatal|traceback|exception)\b\s*[:\[(]"
    r"|at [\w.$<>]+ ?\(|file \"|[$%#>➜❯]\s|\+\+\+|---|@@|[{}\[\]|<]|[\w.-]+@[\w.-]+:|\S+\.\w{1,4}:\d+|npm err"
    r"|\w+error\b|(?:import|def|class|const|var|return|function|public|private|#include) .*[;:({]\s*$)"
    r"|\s\d{1,2}:\d\d(?: ?[ap]m)?\s*$|\b\d+ (?:minute|hour|day|week|month|year)s? ago\s*$"
    r"|\bv?\d+\.\d+\.\d+ ?(?:->|→) ?v?\d|^\s*[\w.@-]{1,30}>\s"
)
# How a line of code ends, or what is in one; a rule about code may have that, too.
_CODE = lazy(r"[{}]\s*$|[=()+].*;\s*$|=>")
_QUOTED = lazy(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)|(?<=\w)\([^()]*\)|\{[^{}]*\}")
_PROSE = lazy(r"(?:^|\s)[A-Za-z]?[a-z']+[,;.]?(?=\s|$)|[\u3040-\u9fff\uac00-\ud7a3]|[^\x00-\x7f]{2}")
_LEAST_PROSE = 4  # words
# The end of a line that says what follows.
_HEADS = lazy(r"(?:[:：﹕︰∶꞉]|[-=~]>|[→⇒⟶↓👇…–—-]|\.\.\.)[\W_]*\Z")
_HEAD = lazy(r"\A([^:：]{1,80})[:：]")
_INTRODUCES = lazy(
    r"((?:[^:：]|(?<![\u3040-\u9fff]):(?=\S))+)(?:：|:(?=\s)|(?<=[\u3040-\u9fff]):)(?=.*\w|.*[^\x00-\x7f])"
)
_ADDRESS = "://"
# What an editor or app writes before a person's own words; the text and the names in it are a repository's.
_AROUND = lazy(
    r"(?im)^[ \t]*# (?:context from my \w+|files mentioned by the user|in[- ]app browser)|^## My request\b"
)
_REQUEST = lazy(r"(?im)^## My request\b[^\n]*$")
_PS = lazy(r"(?i)\s*p\.?\s?[sd]\.?\s*[:：]")  # goes on with what stands above it
BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
_WORDS = voice.WORDS
_RULES = lazy(rf"(?i)^(?:\W|\b(?:{_WORDS['lead']})\b)*\b(?:{_WORDS['rules']})\b|^(?:{_WORDS['rules-glued']})")
_OTHERS = lazy(rf"(?i)\b(?:{_WORDS['others']})\b")
# The title of a list that a person makes.
_OWN_LIST = lazy(rf"(?i)(?:\W|\b(?:{_WORDS['lead']})\b)*(?:{_WORDS['list']})\W*")
_TEXT = lazy(rf"(?i)\b(?:{_WORDS['text']})\b|{_WORDS['text-anywhere']}")
_NAMES_TEXT = lazy(rf"(?i)\b(?:{_WORDS['about']})\b|{_WORDS['about-anywhere']}")
_WORK = lazy(rf"(?i)\b(?:{_WORDS['work']})\b")
_SHOWS = lazy(rf"(?i)^\W*(?:(?:ok|so|and|but|also|now)\b\W*)*(?:{_WORDS['shows']})\b[^.!?:：]*(?:$|[.!:：])")
_SENTENCE = lazy(r"(?<=[.!?。！？])(?<!\b[a-z]\.)\s*")  # `e.g.` ends none
# A person who speaks themselves, for what stands behind a colon or in the lines below.
_VOICE = lazy(
    rf"(?i)[\s,.!*-]*(?:(?:(?:{_WORDS['opening']}|{_WORDS['lead']}){voice.STOP}|(?:{_WORDS['opening-glued']}))[\s,.!，、*-]*)*"
    rf"((?:{_WORDS['rules']}|{_WORDS['mine']}|{_WORDS['lasting']}|{_WORDS['speaks']}|{_WORDS['voice']}){voice.STOP}"
    rf"|{_WORDS['rules-glued']}|{_WORDS['mine-glued']}|$)"
)
# What a sentence is about, before a colon: a path, a command, or one of the things that rules are for.
_SUBJECT = lazy(
    r"(?i)(?:(?:for|in|on|with|under)\s+)?(?:(?:feat|fix|chore|docs|refactor|test|build)?`[^`]*`|--[\w-]+|[\w.~-]*/[\w./~*-]+)(?:\s+--?[\w-]+)*"
    rf"|(?:(?:{_WORDS['lead']}|{_WORDS['subject']}|and|or|in|for|of|und|et|y|e|&)[\s/,&+-]+)*"
    rf"(?:{_WORDS['subject']})(?:\s+for\s+(?:you|claude))?|(?:{_WORDS['subject-glued']})+"
)
_AMOUNT = lazy(
    r"[^\W\d]+(?:[\s-][^\W\d]+)?[:：]\s*v?\d[\d.,]*\s?(?:%|[a-zA-Z]{1,9})?[.!]?\s*"
)  # `Timeout: 30.`
_FOR = lazy(rf"(?:{_WORDS['for']})(?:\s+[^\s:：]+){{1,4}}")
# Somebody without a name, as the one who did something: "a guy put this in a forum".
_SOMEBODY = lazy(rf"(?i)(?:^|\s)(?:{_WORDS['somebody']}){voice.STOP}")
# A short reply before what is so with us; one word, or capitals alone, may be who says so.
_REPLY = lazy(r"(?u:(?=.*\s[^\W\dA-ZÀ-ÝА-Я_])(?:[^\W\d_][^\s:：]*[\s,，]*){2,5}|[\u3040-\u9fff，、]{4,12})")
_OURS = lazy(
    rf"(?i)\s*(?:on\s|(?:\S+\s+){{0,5}}(?:{_WORDS['ours']}){voice.STOP})|\s*(?:{_WORDS['ours-glued']})"
)
_LOGS = lazy(r"(?i)^(?:always|never|don'?t|do not) (?:log|comment|copy|paste|post|reply|quote|review)\b")
_PHRASE = lazy(
    r"(?u:(?:[\"A-Z`][\w\"`'-]*|[A-Za-z`][\w`'-]*\s+[\w`'-]+)\s+(?:[\w`'-]+\s+)*[^\W\dA-Z_][\w`-]+)"
)
_SAYS = lazy(
    rf"(?i)['’]s\b|\b(?:{_WORDS['reports']}|{_WORDS['template']}|{_WORDS['reporter']}|{_WORDS['work']})\b"
)
_NAMED = lazy(rf"(?i)(?<![a-z0-9])(?:{_WORDS['named']})(?![a-z0-9])")
_AGREES = lazy(
    rf"(?i)\b(?:i(?:'m| am)? (?:\w+ )?(?:agree|with (?:him|her|them))|{_WORDS['adopts']})\b"
    rf"|{_WORDS['adopts-glued']}"
)
_STOPPED = (*".!?…。！？;；:：,，、)）`", "```")
# Whose words a line may be: a source in brackets, a name behind a dash, a file.
_ABOUT = lazy(r"[()（）\[\]{}&]|\s[–—-]{1,2}\s|\b[\w-]+\.(?:md|txt|rst|adoc|html?)\b|(?i:\baccording to\b)")
# What is to be made is no text that somebody cites: "never add a license header".
_MAKES = lazy(r"(?i)\b(?:add|write|create|include|generate|make|put) (?:an?|any) (?:[\w-]+ )?[\w-]+")
_CUT = "[…]"


def parted(text: str) -> tuple[str, str]:
    """Return what a person typed of a text and what they pasted; what is left out of one says so there."""
    typed: list[str] = []
    pasted: list[str] = []
    for line, own in _lines(text):
        if own:
            typed.append(line)
        elif line.strip():
            pasted.append(line)
            if not typed or typed[-1] != _CUT:
                typed.append(_CUT)
    if not pasted:
        return text, ""
    own_words = "\n".join(typed).strip()
    return ("" if own_words.strip(f"{_CUT}\n ") == "" else own_words), "\n".join(pasted).strip()


def spoken(text: str) -> list[str]:
    """Return the lines of a text that a person typed and that say something: not the title of a paste."""
    said = [(line, own) for line, own in _lines(text) if line.strip()]
    titled = len(said) > 1 and not said[1][1] and not _PS.match(said[1][0]) and _is_title(said[0][0].strip())
    return [line for line, own in said[titled:] if own]


def has_paste(text: str) -> bool:
    """Whether a person may have pasted something of a text."""
    return any(not own and line.strip() for line, own in _lines(text))


def is_plain(text: str) -> bool:
    """Whether a message is one short line that names no other text: others are for one project.

    Pastes have no end of forms, but nearly all have a second line, a colon or a word for what they are.
    """
    line = text.strip()
    head, colon, _ = line.replace("：", ":").partition(":")
    sentences = _SENTENCE.split(line)
    said = [(points.kind(each), each) for each in points.sentences(line)]
    pointing = ("text", "asks", "apart") if len(said) > 1 else ("text", "asks")  # apart from what?
    return (
        len(line) <= _MOST_TAIL
        and not _LINE_END.search(line)
        and _first_sign(line, [line]) == 1
        and not _ABOUT.search(line)
        and not any(_TEXT.search(_MAKES.sub("", each)) or _SHOWS.search(each) for each in sentences)
        and not any(kind in pointing or each.rstrip()[-1] in "?？" for kind, each in said)
        and (not colon or is_rules(f"{head}:") or voice.is_for_all(head))
    )


def is_rules(line: str) -> bool:
    """Whether a line makes rules of the list that follows it: the person's own ones, not somebody's."""
    return (
        len(line) <= _MOST_HEADER
        and bool(_RULES.search(line))
        and not _ABOUT.search(line)
        and not _TEXT.search(line)
        and not _WORK.search(line)
        and not _OTHERS.search(line)
    )


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, each with whether it is the person's own."""
    if _AROUND.search(text):
        at = max((found.end() for found in _REQUEST.finditer(text)), default=len(text))
        yield from ((line, False) for line in _LINE_END.split(text[:at]))
        text = text[at + 1 :]
    lines = _LINE_END.split(text)
    if announced := asked.before_paste(lines[0]):
        lines[:1] = announced
        text = "\n".join(lines)
    first = _first_sign(text, lines, strict=False)
    strange = (at for at, paragraph in _paragraphs(lines[:first]) if not _is_typed(paragraph))
    first = next(strange, first)
    said = [number for number, line in enumerate(lines) if line.strip()]
    if len(said) > 1 and not _PS.match(lines[said[1]]) and _is_title(lines[said[0]].strip()):
        first = min(first, said[0] + 1)
    last = _tail(lines, first)
    shown = points.shown(lines, first, last) - ({0} if announced else set())
    for number, line in enumerate(lines):
        yield line, (number < first or number >= last) and number not in shown


def _paragraphs(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the paragraphs, each with the number of its first line."""
    start = 0
    for number, line in enumerate([*lines, ""]):
        if not line.strip():
            if number > start:
                yield start, lines[start:number]
            start = number + 1


def _is_typed(paragraph: list[str]) -> bool:
    """Whether somebody may have typed a paragraph: at one go, or as a list, or speaking to the agent."""
    is_list = len(paragraph) > 1 and all(map(BULLET.match, paragraph[1:]))
    text = " ".join(paragraph)
    speaks = is_rules(paragraph[0].strip()) or voice.SPEAKS.search(text)
    most_lines = _MOST_ITEMS if is_list else _MOST_LINES
    return len(paragraph) <= most_lines and len(text) <= (_MOST_SPOKEN if speaks else _MOST_TEXT)


def _first_sign(text: str, lines: list[str], *, strict: bool = True) -> int:
    """Return the number of the first line that may be pasted; how many lines there are if none is.

    An address is a sign for what stands below it, a list of wishes none at all; taken strictly, both are one.
    """
    ends = bool(_ENDING.search(text if len(lines) > 1 else text.replace("/>", "")))
    quotes = [line.count(_STRAIGHT) % 2 for line in lines]
    quotes_at = (each.span() for each in _QUOTATION.finditer(text) if len(each[0]) > _LONG_QUOTE)
    quote = next((start for start, end in quotes_at if end < len(text)), -1)
    quoted = len(_LINE_END.findall(text[:quote])) if quote >= 0 else len(lines)
    last = max((number for number, line in enumerate(lines) if line.strip()), default=0)
    typed_ends = 0  # characters up to here are looked at
    is_diff = any(line[:1] == "+" and not line[1:2].isdigit() for line in lines)
    dashes = attributed.dashes(lines)
    if attributed.is_letter([line.strip() for line in lines if line.strip()]):
        return 0
    for number, line in enumerate(lines):
        typed_ends += len(line) + 1
        line = line[: _MOST_SPOKEN + 1]  # nobody types a longer one, whatever its signs  # noqa: PLW2901
        bare = line.strip()
        more = number < last
        if (
            number >= quoted
            or (is_diff and line[:1] in ("+", "-"))
            or _BORDER.search(line)
            or attributed.is_marked(line)
            or _MACHINE.search(bare[:_MOST_TEXT])
            or (_CODE.search(bare[:_MOST_TEXT]) and not (last == 0 and _is_prose(bare)))
            or _has_tag(bare, ends=ends, more=more)
        ):
            return number
        if (quotes[number] and 1 in quotes[number + 1 :]) or (more and _OPENED.search(bare)):
            return number
        if (strict and _ADDRESS in line) or _shows_inline(bare) or _has_told(bare, alone=not last):
            return number
        shows = _shows(bare) and (strict or not _is_wish(bare, lines[number + 1 :]))
        shows = shows or (number + 1 >= dashes and _is_about(bare))
        if more and (shows or _ADDRESS in line or text[typed_ends - 1] != "\n"):
            return number + 1
    return len(lines)


def _is_about(line: str) -> bool:
    return bool(_NAMES_TEXT.search(line)) and not (BULLET.match(line) or is_rules(line))


def _has_tag(line: str, *, ends: bool, more: bool) -> bool:
    found = _TAG.search(line)
    return found is not None and (ends or found.start() == 0 or (more and bool(_TAG_AT_END.search(line))))


def _shows(line: str) -> bool:
    """Whether a line says what stands below it, and it is not a list of the person's own rules."""
    if not line or is_rules(line) or _OWN_LIST.fullmatch(line):
        return False
    if _HEADS.search(line[-_MOST_HEADER:]) or (len(line) <= _MOST_HEADER and _SHOWS.search(line)):
        return True
    head = _HEAD.match(line)
    return bool(head and (_TEXT.search(head[1]) or _WORK.search(head[1])))


def _shows_inline(line: str) -> bool:
    """Whether a line is a text and says so: `Here is the issue: …`."""
    found = _SHOWS.search(line)
    return found is not None and found[0][-1] in ":：" and any(map(str.isalnum, line[found.end() :]))


def _has_told(line: str, *, alone: bool) -> bool:
    if attributed.quotes_rule(line):
        return True
    sentences = list(filter(None, _SENTENCE.split(str(_QUOTED.sub(_emptied, line)))))
    adopted = alone and _AGREES.search(line)
    cited = any(attributed.cites(each) for each in sentences) or attributed.names_source(line)
    told = any(_is_told(each, alone=alone) or points.reports(each) for each in sentences)
    return told or (cited and not adopted)


def _emptied(quoted: re.Match[str]) -> str:
    return "`x`" if quoted[0][0] in "`({" else '"x"'


def _is_told(sentence: str, *, alone: bool) -> bool:
    """Whether a sentence begins by saying whose words follow: `Bob writes: …`.

    Before a colon only a person who speaks themselves, and what the sentence is about, name nobody; nor does
    a phrase in a message of one line.
    """
    found = _INTRODUCES.match(sentence)
    if found is None or _AGREES.search(found[1]) or _OWN_LIST.fullmatch(found[1]):
        return False
    if about.is_lead(found[1], sentence[found.end() :]):
        return True
    if _AMOUNT.fullmatch(sentence) or (_is_voice(found[1]) and not points.receives(found[1])):
        return False
    head = found[1].strip().casefold()
    if (len(head.split()) > 2 and points.kind(f"{head}.")) or _SOMEBODY.search(head):
        return True
    if _OURS.match(sentence[found.end() :]) and alone and _REPLY.fullmatch(found[1].strip()):
        return False
    if _SUBJECT.fullmatch(head) or (_FOR.fullmatch(head) and not _NAMED.search(head)):
        rest = sentence[found.end() :].strip()
        return attributed.cites(rest) or _is_told(rest, alone=alone)
    own = (alone and _PHRASE.fullmatch(found[1].strip())) or (
        len(head.split()) > 2 and voice.RULE.search(head)
    )
    refers = points.refers(head) and not voice.RULE.search(head)
    return not own or refers or any(each.search(head) for each in (_TEXT, _NAMED, _OTHERS, _ABOUT, _SAYS))


def _is_prose(line: str) -> bool:
    """Whether a line of one is a sentence that has code in it: it begins as a rule, or is mostly words."""
    rest = str(_QUOTED.sub("", line))
    return bool(voice.RULE.match(line)) or len(_PROSE.findall(rest)) >= _LEAST_PROSE


def _is_voice(text: str) -> bool:
    found = _VOICE.match(text.rstrip())
    rest = str(_LOGS.sub("", text[found.start(1) :])) if found else ""
    return found is not None and not (_TEXT.search(rest) or _OTHERS.search(rest) or _ABOUT.search(text))


def _is_title(line: str) -> bool:
    """Whether the first line of several is no sentence of its own, but says what stands below it."""
    line = line[: _MOST_SPOKEN + 1]
    if line[-1] in ",，、" or attributed.is_headline(line):
        return attributed.is_headline(line)
    asks = voice.ASKS.search(line) and not _TEXT.search(line)
    return not (line.endswith(_STOPPED) or BULLET.match(line) or asks or _is_voice(line))


def _is_wish(line: str, below: list[str]) -> bool:
    """Whether a person says in a line that they want what is listed below it."""
    item = next(filter(str.strip, below), "")
    wants = BULLET.match(item) and voice.SPEAKS.search(line)
    return bool(wants) and not (_TEXT.search(line) or _OTHERS.search(line))


def _tail(lines: list[str], first: int) -> int:
    """Return where the last paragraphs begin that ask the agent for something; else the end."""
    last = end = len(lines)
    if asked.behind_block(lines, first):
        return last - 1
    while end > first:
        while end > first and not lines[end - 1].strip():
            end -= 1
        start = end
        while start > first and lines[start - 1].strip() and not _is_sign(lines[start - 1].strip()):
            start -= 1
        tail = [line.strip() for line in lines[start:end]]
        if not (first < start < end and len(tail) <= _MOST_TAIL_LINES and _speaks(" ".join(tail))):
            break
        last = end = start
    return last


def _is_sign(line: str) -> bool:
    line = line[:_MOST_TEXT]
    is_code = _MACHINE.search(line) or _CODE.search(line)
    return bool(_BORDER.search(line) or is_code or _TAG.search(line) or _STRAIGHT * 3 in line)


def _speaks(text: str) -> bool:
    """Whether a paragraph asks for something now; a rule behind a text may be the text's."""
    return len(text) <= _MOST_TAIL and voice.asks(text)
