"""Whose words the turns of a conversation are: typed, pasted, or said after something came from outside.

What an agent says after a call that brought somebody else's text may be that text again, so it is not the
agent's word alone; only tools and programs that are known to stay on this machine bring nobody's. Of what a
person sent, code, quotations, logs, documents and what follows "here is the issue:" are somebody else's, and
so is what the agent says after it.
"""

from __future__ import annotations

from memolith.text.patterns import lazy, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_WEB = (
    *("web", "fetch", "browse", "http", "url", "crawl", "scrape", "playwright", "puppeteer", "chrome"),
    *("google", "internet", "download", "screenshot", "mail", "imap", "slack", "issue"),
)
_WORD = lazy(r"[a-z]+")
_CALLED = lazy(r"(?i)^\w+\((.*)\)$")
_JSON_COMMAND = lazy(r'^\s*\{\s*"(?:command|cmd|script)"\s*:\s*"((?:[^"\\]|\\.)*)"')
# What a command may bring from strangers: pages, and what others wrote in issues and pull requests.
_NETWORK = lazy(
    r"(?:^|[|;&(`'\"\s/])(?:curl|wget|lynx|w3m|links|http|https|xh|aria2c|gh|glab|hub|jira|nc|ncat|telnet)"
    r"(?:\.exe)?['\"]?(?=\s)|\b(?:urlopen|requests\.|httpx\.|fetch\()|Invoke-WebRequest|\biwr\s|://"
)
# Places on this machine where others' files lie, and files that are seldom one's own words.
_THEIRS = lazy(
    r"\bgit\s+(?:-\S+\s+)*clone\b|\b(?:npm|pnpm|yarn)\s+(?:view|info|search)\b"
    r"|\bpip\d?\s+(?:download|search)\b"
    r"|(?:^|[\s/'\"=(])(?:node_modules|site-packages|dist-packages|vendor|third_party|Downloads|registry/src"
    r"|go/pkg/mod)/"
    r"|(?i:\.(?:png|jpe?g|gif|webp|bmp|tiff?|pdf|docx?|odt|eml|mbox))(?![\w.-])"
)
_OWN_COMMAND = lazy(r"(?:^|[|;&(\s])memolith(?=\s|$)|memory://")
# Our own tools as hosts name them, and what their answers say of words that are somebody else's.
_OURS = lazy(
    r"^(?:mcp_{1,2})?(?:plugin_memolith_)?memolith(?:__|[_./-])"
    r"(?:recall|remember|record|memory_(?:search|read|write|edit|update))$"
)
_KNOWN = lazy(r"\b(?:(?:imported|extracted)(?:, \w+)?, accepted|extracted, (?:user|agent))\b")
_LABELLED = lazy(r"\b(?:imported|extracted|inbox)\b|, (?:web|tool|repository|pasted)\b")
_POLLED = lazy(r'"chars":\s*""')


def kind(tool: str, text: str) -> str:
    """Return what a tool's turn was: own, outside, shell, edit, eval, read, search, aside or other."""
    from memolith.text.local_tools import TOOLS

    name = _name(tool)
    if "memolith" in name or "memory" in name:
        return "own"
    found = next((kind for kind, names in TOOLS.items() if name in names), "other")
    call = command(tool, text) or first_line(text)
    if found in ("shell", "eval", "read", "search") and _OWN_COMMAND.search(call):
        return "own"
    return "outside" if found in ("shell", "eval") and _NETWORK.search(call) else found


def taint(tool: str, text: str) -> str:
    """Return whose text a tool may have brought, `web`, `tool` or `repository`; empty if it stayed here."""
    from memolith.text.local_tools import TOOLS, stays

    name = _name(tool)
    call = command(tool, text) or first_line(text)
    if name in TOOLS["aside"] or (name == "write_stdin" and _POLLED.search(call)):
        return ""
    if name in TOOLS["shell"]:
        theirs = _THEIRS.search(call)
        if not stays(call.removeprefix("$ ")) or not command(tool, text):
            return "repository" if theirs else "web" if _NETWORK.search(call) else "tool"
    elif any(name in TOOLS[each] for each in ("edit", "read", "search")):
        theirs = _THEIRS.search(call) if name not in TOOLS["edit"] else None
    elif _OURS.match(name):
        return "tool" if _is_labelled(text) else ""
    else:
        words = set(_WORD.findall(name))
        web = any(mark in words or (len(mark) > 3 and mark in name) for mark in _WEB)
        return "web" if web else "tool"
    if theirs:
        return "repository"
    is_ours = "[source:" in text or "/inbox/" in text or _OWN_COMMAND.search(call)
    return "tool" if is_ours and _is_labelled(text) else ""


def _name(tool: str) -> str:
    return tool.partition("(")[0].strip().casefold().removeprefix("functions.")


def _is_labelled(text: str) -> bool:
    """Whether memory that was read back has words of somebody else in it, as far as it says."""
    return bool(_LABELLED.search(_KNOWN.sub("", text)))


def command(tool: str, text: str) -> str:
    """Return the command that a shell ran, or nothing if the turn does not say."""
    if called := _CALLED.match(tool.strip()):
        return str(called[1]).strip()
    line = first_line(text)
    if line.startswith(("$ ", "> ", "% ")):
        return line[2:].strip()
    if found := _JSON_COMMAND.match(text):
        return str(found[1]).replace('\\"', '"')
    return ""


def first_line(text: str) -> str:
    """Return the first line of a turn: of a tool's, its call."""
    return text.lstrip("\n").partition("\n")[0]


class Hearing:
    """Follows a conversation and tells whose words each turn may be besides its speaker's."""

    def __init__(self, so_far: str = "") -> None:
        self.so_far = so_far

    def taint(self, role: str, tool: str, text: str, given: str = "") -> str:
        """Return the taint of a turn: what an agent says after something was brought has its."""
        self.so_far = self.so_far or given
        if not self.so_far and role == "tool":
            self.so_far = taint(tool, text)
        elif (
            not self.so_far and role == "user" and any(not own and line.strip() for line, own in _lines(text))
        ):
            self.so_far = "pasted"
        return self.so_far if role == "assistant" else given


# ---------------------------------------------------------------- what a person sent

_MOST_LINES, _MOST_TEXT = 60, 3_000  # whatever is longer was pasted
_MOST_HEADER = 80
_FENCE = ("```", "~~~")
_QUOTED = ("    ", "\t", ">", "|")
_LONG_QUOTE = lazy(r"[\"“„«「『][^\"”“»」』]{200,}[\"”“»」』]")
_TAG = lazy(r"<(/?)([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>")
_HEADS = lazy(r"[:：][\W_]*$")  # the end of a line that says what follows
# What an editor or app writes before a person's own words; the text and the names in it are a repository's.
_AROUND = lazy(
    r"(?i)\A\s*# (?:context from my \w+|files mentioned by the user|in[- ]app browser"
    r"|[^\n]*:\n(?s:.*)\n## My request\b)"
)
_REQUEST = lazy(r"(?im)^## My request\b[^\n]*$")
BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
# Lines that a program wrote.
_MACHINE = lazy(
    r"(?i)^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:error|warn(?:ing)?|info|debug|fatal|traceback"
    r"|exception)\b\s*[:\[(]"
    r"|at [\w.$<>]+ ?\(|file \"|[$%#>➜❯]\s|\+\+\+|---|@@|[{}\[\]|<]|[\w.-]+@[\w.-]+:|\S+\.\w{1,4}:\d+|npm err"
    r"|\w+error\b|(?:import|def|class|const|var|return|function|public|private|#include) .*[;:({]\s*$)"
    r"|[;{}]\s*$|=>|\bv?\d+\.\d+\.\d+\b.*\bv?\d+\.\d+\.\d+\b"
)
_WORDS = {name: "|".join(words).replace("_", " ") for name, words in sections("turns.txt").items()}
_RULES = lazy(rf"(?i)^(?:\W|\b(?:{_WORDS['lead']})\b)*\b(?:{_WORDS['rules']})\b|^(?:{_WORDS['rules-glued']})")
_TEXT = lazy(rf"(?i)\b(?:{_WORDS['text']})\b|{_WORDS['text-anywhere']}")
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
    """Return the lines of a text that a person typed and that say something."""
    return [line for line, own in _lines(text) if own and line.strip()]


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, each with whether it is the person's own."""
    if _AROUND.match(text):
        at = max((found.end() for found in _REQUEST.finditer(text)), default=len(text))
        yield from ((line, False) for line in text[:at].split("\n"))
        text = text[at + 1 :]
    lines = text.split("\n")
    if len(lines) > _MOST_LINES or len(text) > _MOST_TEXT:
        yield from ((line, False) for line in lines)
        return
    marked = {at for found in _LONG_QUOTE.finditer(text) for at in _numbers(text, *found.span())}
    marked.update(_fenced(lines), _tagged(text))
    theirs = False
    for number, line in enumerate(lines):
        bare = line.strip()
        machine = line.startswith(_QUOTED) or bool(_MACHINE.search(bare))
        yield line, not (theirs or number in marked or machine)
        if number not in marked and _HEADS.search(line) and not is_rules(bare) and _TEXT.search(line):
            theirs = True


def _fenced(lines: list[str]) -> range:
    """Return the lines from the first fence to the last: what is inside may have any number of them."""
    fences = [number for number, line in enumerate(lines) if line.strip().startswith(_FENCE)]
    if not fences:
        return range(0)
    return range(fences[0], len(lines) if len(fences) == 1 else fences[-1] + 1)


def _tagged(text: str) -> range:
    """Return the lines from the first tag of a document to the last that may end it.

    A tag that nothing ends is one if it begins a line; else it is a word of a sentence.
    """
    tags = list(_TAG.finditer(text))
    ends = {tag[2].casefold(): tag.end() for tag in tags if tag[1]}
    for tag in tags:
        end = ends.get(tag[2].casefold(), 0)
        begins = not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()
        if not tag[1] and (begins or end > tag.end()):
            return _numbers(text, tag.start(), max(ends.values()) if end > tag.end() else len(text))
    return range(0)


def _numbers(text: str, start: int, end: int) -> range:
    return range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)


def is_rules(line: str) -> bool:
    """Whether a line makes rules of the list that follows it."""
    return len(line) <= _MOST_HEADER and bool(_RULES.search(line)) and not _TEXT.search(line)
