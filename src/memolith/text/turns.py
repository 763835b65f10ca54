"""Whose words the turns of a conversation are: the speaker's, or said after something came from outside.

What an agent says after a call that brought somebody else's text may be that text again, so it is not the
agent's word alone; only tools and programs that are known to stay on this machine bring nobody's. The same
goes for what it says after a person pasted something (`typed.py`).
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.typed import has_paste

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

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
    r"|go/pkg/mod|tool-results)/|[/~]Downloads(?![\w.-])"
    r"|(?i:\.(?:png|jpe?g|gif|webp|bmp|tiff?|pdf|docx?|odt|rtf|eml|mbox|msg|ics))(?![\w.-])"
)
_OWN_COMMAND = lazy(r"(?:^|[|;&(\s])memolith(?=\s|$)|memory://")
_OURSELVES = lazy(r"memolith['\"]?(?=\s|$)|memory://")  # by any path
# Our own tools as hosts name them, and what their answers say of words that are somebody else's.
_OURS = lazy(
    r"^(?:mcp_{1,2})?(?:plugin_memolith_)?memolith(?:_{1,3}|[./-])"
    r"(?:recall|remember|record|memory_(?:search|read|write|edit|update))$"
)
_KNOWN = lazy(r"\b(?:(?:imported|extracted)(?:, \w+)?, accepted|extracted, (?:user|agent))\b")
_SHORTENED = lazy(r"(?i)\btruncated\b|\bpersisted-output\b")  # by the host: a label may be in what is gone
_LABELLED = lazy(r"\b(?:imported|extracted|inbox)\b|(?:,|\btaint\"?:) ?\"?(?:web|tool|repository|pasted)\b")
_ESCAPED = lazy(
    r"\\+([nrt\"/])"
)  # as JSON has it, once or more often: hosts keep answers so, and we print it
# Files of a store, wherever it is, and heads of such files in what was read of one.
_STORE = lazy(
    r"(?<!src/)\bmemolith/(?:memory|sessions|history|state|projects)\b|MEMOLITH_HOME"
    r"|/projects/[^/\s]+/(?:notes|records|daily|inbox|tickets)\b|\.jsonl\.gz\b"
)
_HEAD = lazy(
    r"(?m)^[^\n]{0,80}?\b(?:origin: ?[\"']?(?:imported|extracted)"
    r"|taint: ?[\"']?(?:web|tool|repository|pasted))\b"
)
_OWN_HEAD = lazy(r"(?m)^[^\n]{0,80}?\borigin: ?[\"']?(?:user|agent)\b")
_STRING = lazy(r'"((?:[^"\\]|\\.)*)"')
_ANSWER = lazy(r'="((?:[^"\\]|\\.)*)"')
_POLLED = lazy(r'"chars":\s*""')


def kind(tool: str, text: str) -> str:
    """Return what a tool's turn was: own, outside, a kind of `local_tools.txt` (shell, read, …), or other."""
    from memolith.text.local_tools import TOOLS

    name = _name(tool)
    if "memolith" in name or "memory" in name:
        return "own"
    found = next((kind for kind, names in TOOLS.items() if name in names), "other")
    call = command(tool, text) or first_line(text)
    if found in ("shell", "eval", "read", "search", "list") and _OWN_COMMAND.search(call):
        return "own"
    return "outside" if found in ("shell", "eval") and _NETWORK.search(call) else found


def taint(tool: str, text: str, cwd: str = "") -> str:
    """Return whose text a tool may have brought, `web`, `tool` or `repository`; empty if it stayed here.

    Here is the directory `cwd`; if it is not known, only what is named from there is.
    """
    from memolith.text.local_tools import TOOLS, stays
    from memolith.text.within import Within

    name = _name(tool)
    call = command(tool, text) or first_line(text)
    if name in TOOLS["aside"] or (name in TOOLS["later"] and _is_later(name, call)):
        return ""
    if name in TOOLS["question"]:
        return _answered(text)
    # An editor that also shows files is one of those that read.
    writes = name in TOOLS["edit"] and not name.startswith("str_replace")
    theirs, is_here = (None if writes else _THEIRS.search(call)), True
    if name in TOOLS["shell"]:
        if not stays(call.removeprefix("$ "), within=Within(cwd)) or not command(tool, text):
            return "repository" if theirs else "web" if _NETWORK.search(call) else "tool"
    elif any(name in TOOLS[each] for each in ("edit", "read", "search", "list")):
        if "://" in call and not writes and not _OWN_COMMAND.search(call):
            return "web"
        is_here = writes or all(map(Within(cwd).shows, _files(name, call)))
    elif _OURS.match(name):
        return "tool" if _is_labelled(text) else ""
    else:
        return _by_name(name)
    text = _ESCAPED.sub(_meant, text)
    if not writes and (_STORE.search(call) or _HEAD.search(text)):
        # What a file of the store says of itself stands in its head; lines of MEMORY.md say it themselves.
        is_known = is_here and (_OWN_HEAD.search(text) or "MEMORY.md" in call)
        return "tool" if not is_known or _is_labelled(text) else ""
    if theirs or not is_here:
        return "repository"
    is_ours = "[source:" in text or "/inbox/" in text or _OURSELVES.search(call)
    return "tool" if is_ours and _is_labelled(text) else ""


def _by_name(name: str) -> str:
    words = set(_WORD.findall(name))
    return "web" if any(mark in words or (len(mark) > 3 and mark in name) for mark in _WEB) else "tool"


def _answered(text: str) -> str:
    answer = text.partition("\n")[2].replace("answered your questions:", "", 1)  # the host's own colon
    return "pasted" if any(map(has_paste, [answer, *_ANSWER.findall(answer)])) else ""


def _files(name: str, call: str) -> list[str]:
    """Return the paths that a tool was asked for; what is looked for in files is none."""
    from memolith.text.local_tools import TOOLS

    line = call.removeprefix(f"{name} ").strip()
    if line.startswith("{"):
        return [each for each in _STRING.findall(line) if "/" in each or ".." in each or each[:1] == "~"]
    pattern, *places = line.split(" in ") if name in TOOLS["search"] | TOOLS["list"] else [line]
    is_text = any(mark in name for mark in ("grep", "rg", "search_file"))
    return places if is_text else [pattern, *places]


def _is_later(name: str, call: str) -> bool:
    """Whether a call only looks at a command that goes on; it could be given something, too."""
    return name != "write_stdin" or bool(_POLLED.search(call))


def _name(tool: str) -> str:
    return tool.partition("(")[0].strip().casefold().removeprefix("functions.")


def _is_labelled(text: str) -> bool:
    """Whether memory that was read back has words of somebody else in it, as far as it says."""
    text = str(_ESCAPED.sub(_meant, text))
    return bool(_LABELLED.search(_KNOWN.sub("", text)) or _SHORTENED.search(text))


def _meant(escaped: re.Match[str]) -> str:
    return "\n" if escaped[1] in "nrt" else str(escaped[1])


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

    def __init__(self, cwd: str = "") -> None:
        self.cwd = cwd  # the directory that it works in
        self.so_far = ""
        self._ran = False  # a command, of which more may be printed later

    def taint(self, role: str, tool: str, text: str, given: str = "") -> str:
        """Return the taint of a turn: what an agent says after something was brought has its."""
        self.so_far = self.so_far or given
        if not self.so_far and role == "tool":
            self.so_far = taint(tool, text, self.cwd) or self._unseen(tool)
        elif not self.so_far and role == "user" and has_paste(text):
            self.so_far = "pasted"
        return self.so_far if role == "assistant" else given

    def _unseen(self, tool: str) -> str:
        """Return a taint if a tool tells of a command whose beginning nobody heard."""
        from memolith.text.local_tools import TOOLS

        name = _name(tool)
        self._ran = self._ran or name in TOOLS["shell"]
        return "tool" if name in TOOLS["later"] and not self._ran else ""
