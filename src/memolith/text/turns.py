"""Whose words the turns of a conversation are: typed, pasted, or said after something came from outside.

Every agent names its tools differently, so names are told by what they contain. What an agent says after a
call that brought somebody else's text may be that text again, so it is not the agent's word alone. Of what a
person sent, code, quotations, logs, documents and what follows "here is the issue:" are somebody else's.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# In this order: `web_search` is the web, not a search.
_WEB = (
    *("web", "fetch", "browse", "http", "url", "crawl", "scrape", "playwright", "puppeteer", "chrome"),
    *("google", "internet", "download", "screenshot", "mail", "imap", "slack", "issue"),
)
_KINDS = (
    ("own", ("memolith", "memory")),
    ("outside", ("mcp", "mcpresource", *_WEB)),
    (
        "shell",
        ("bash", "shell", "exec", "terminal", "command", "powershell", "console", "cmd", "zsh", "process"),
    ),
    ("edit", ("edit", "write", "patch", "replace", "create", "delete", "move")),
    ("eval", ("eval", "python", "repl", "notebook", "node", "javascript")),
    ("read", ("read", "view", "cat", "open_file", "get_file")),
    ("search", ("grep", "rg", "ripgrep", "glob", "find", "search", "ls", "list")),
)
# Tools that bring nothing: they plan, or ask the person.
_ASIDE = ("todo", "plan", "ask", "question", "think", "mode", "skill", "wait", "goal", "kill", "intent")
_WORD = lazy(r"[a-z]+")
_CALLED = lazy(r"(?i)^\w+\((.*)\)$")
_JSON_COMMAND = lazy(r'^\s*\{\s*"(?:command|cmd|script)"\s*:\s*"((?:[^"\\]|\\.)*)"')
# What a command may bring from strangers: pages, and what others wrote in issues and pull requests.
_NETWORK = lazy(
    r"(?:^|[|;&(`'\"\s/])(?:curl|wget|lynx|w3m|links|http|https|xh|aria2c|gh|glab|hub|jira|nc|ncat|telnet)(?=\s)"
    r"|\b(?:urlopen|requests\.|httpx\.|fetch\()|Invoke-WebRequest|\biwr\s"
)
# Places on this machine where others' files lie, and files that are seldom one's own words.
_THEIRS = lazy(
    r"\bgit\s+(?:-\S+\s+)*clone\b|\b(?:npm|pnpm|yarn)\s+(?:view|info|search)\b"
    r"|\bpip\d?\s+(?:download|search)\b"
    r"|(?:^|[\s/'\"=(])(?:node_modules|site-packages|dist-packages|vendor|third_party|Downloads|registry/src"
    r"|go/pkg/mod)/"
    r"|(?i:\.(?:png|jpe?g|gif|webp|bmp|tiff?|pdf|docx?|odt|eml|mbox))(?![\w.-])"
)
_LOCAL = lazy(r"(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?![\w.@-])\S*")
_OWN_COMMAND = lazy(r"(?:^|[|;&(\s])memolith(?=\s|$)|memory://")
_SEPARATE = lazy(r"[|;&\n⏎]+")


def kind(tool: str, text: str) -> str:
    """Return what a tool's turn was: own, outside, shell, edit, eval, read, search or other."""
    name = tool.partition("(")[0].casefold()
    words = set(_WORD.findall(name))
    found = next((kind for kind, marks in _KINDS if _has(marks, name, words)), "other")
    call = command(tool, text) or first_line(text)
    if found in ("shell", "eval", "read", "search") and _OWN_COMMAND.search(call):
        return "own"
    if found in ("shell", "eval") and any(map(_is_remote, _SEPARATE.split(call))):
        return "outside"
    return found


def taint(tool: str, text: str) -> str:
    """Return whose text a tool may have brought, `web` or `tool`; empty if it stayed on this machine."""
    found = kind(tool, text)
    name = tool.casefold()
    words = set(_WORD.findall(name))
    if found == "outside":
        return "web" if _has(_WEB, name, words) or "mcp" not in name else "tool"
    if found in ("shell", "eval", "read", "search") and _THEIRS.search(
        command(tool, text) or first_line(text)
    ):
        return "repository"
    return "tool" if found == "other" and name and not _has(_ASIDE, name, words) else ""


def _has(marks: tuple[str, ...], name: str, words: set[str]) -> bool:
    return any(mark in words or (len(mark) > 3 and mark in name) for mark in marks)


def _is_remote(part: str) -> bool:
    """Tell whether a part of a command speaks to another machine; one's own server is none."""
    if not _NETWORK.search(part):
        return False
    rest = _LOCAL.sub("", part)
    return rest == part or "://" in rest


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
        """Return the taint of a turn: what an agent says after a call that brought something has its."""
        self.so_far = self.so_far or given
        if role == "tool":
            self.so_far = self.so_far or taint(tool, text)
            return given
        return self.so_far if role == "assistant" else given


# ---------------------------------------------------------------- what a person sent

_MOST_LINES, _MOST_TEXT = 60, 3_000  # whatever is longer was pasted
_MOST_HEADER = 80
_FENCE = ("```", "~~~")
_QUOTED = ("    ", "\t", ">", "|")
_LONG_QUOTE = lazy(r"[\"“„«「『][^\"”“»」』]{200,}[\"”“»」』]")
_OPENED = lazy(r"^\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>")
BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)")
# Lines that a program wrote.
_MACHINE = lazy(
    r"(?i)^\s*(?:\[?\d{4}-\d\d-\d\d|\d\d:\d\d|(?:error|warn(?:ing)?|info|debug|fatal|traceback"
    r"|exception)\b\s*[:\[(]"
    r"|at [\w.$<>]+ ?\(|file \"|[$%#>➜❯]\s|\+\+\+|---|@@|[{}\[\]|<]|[\w.-]+@[\w.-]+:|\S+\.\w{1,4}:\d+|npm err"
    r"|\w+error\b|(?:import|def|class|const|var|return|function|public|private|#include) .*[;:({]\s*$)"
    r"|[;{}]\s*$|=>|\bv?\d+\.\d+\.\d+\b.*\bv?\d+\.\d+\.\d+\b"
)
_RULES = lazy(
    r"(?i)^(?:\W|\b(?:ok|okay|please|so|also|and|btw|a few|some|two|three|few|my|our|the|these|more|other"
    r"|basic|things?|notes?)\b)*"
    r"\b(?:remember(?! to\b)|keep in mind|rules?|conventions?|house rules|from now on|going forward|(?:in"
    r"|for) the future|always|never"
    r"|merk dir|ab jetzt|regeln|retiens|désormais|recuerda|reglas)\b"
    r"|^(?:请)?(?:记住|以后|规则)|^(?:今後|覚えて|ルール)"
)
# What follows such a line is not the user's own.
_TEXT = lazy(
    r"(?i)\b(?:write|add|put|insert|append|say(?:s|ing)?|said|text|comment|readme|docs?|document|message"
    r"|prompt"
    r"|template|translate|draft|post|copy|paste|reply|email|e-mail|tweet|blog|docstring|string|error|logs?"
    r"|output"
    r"|getting|got|here'?s|here is|here are|this is|these are|following|guide|guideline from|from (?:the"
    r"|their)|spec"
    r"|story|stories|implement|requirements?|example|quote|wrote|review|check|convert|rewrite|summari[sz]e"
    r"|explain"
    r"|fix|issue|ticket|feedback|title|description|changelog|prompt|bot|header|label|button|page|article"
    r"|hier|fehler\w*|meldung|ausgabe|schreibt|schrieb|artikel|seite|nachricht|kommentar|beschreibung"
    r"|voici|voilà|erreur|sortie|écrit|dit|commentaire|aquí|mensaje|salida|artículo|página|dice|escribió"
    r"|comentario|aqui|mensagem|saída|artigo|escreveu|ecco|messaggio|errore|articolo|pagina|scrive|commento"
    r"|вот|ошибк\w*|сообщени\w*|пишет|стать\w*|страниц\w*|тикет\w*|комментари\w*|задач\w*)\b"
    r"|https?://|#\d+|这是|以下|错误|日志|消息|文章|页面|工单|内容|评论|これ|エラー|ログ|メッセージ|記事|ページ|コメント"
)
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
    lines = text.split("\n")
    if len(lines) > _MOST_LINES or len(text) > _MOST_TEXT:
        yield from ((line, False) for line in lines)
        return
    quoted = {at for found in _LONG_QUOTE.finditer(text) for at in _numbers(text, *found.span())}
    fence = tag = ""
    theirs = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if fence or bare.startswith(_FENCE):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
            yield line, False
            continue
        if not tag and (opened := _OPENED.match(line)):
            tag = f"</{opened[1]}>"
        # What is inside may close the tag, too: only the last one ends it.
        inside = bool(tag)
        tag = "" if tag in line and not any(tag in later for later in lines[number + 1 :]) else tag
        machine = line.startswith(_QUOTED) or bool(_MACHINE.search(bare))
        yield line, not (theirs or inside or number in quoted or machine)
        if line.rstrip().endswith((":", "：")) and not is_rules(bare) and _TEXT.search(line):
            theirs = True


def _numbers(text: str, start: int, end: int) -> range:
    return range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)


def is_rules(line: str) -> bool:
    """Tell whether a line makes rules of the list that follows it."""
    return len(line) <= _MOST_HEADER and bool(_RULES.search(line)) and not _TEXT.search(line)
