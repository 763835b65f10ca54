"""What a tool's turn was: a command, something read, something from outside, or our own memory read back.

Every agent names its tools differently, so names are told by what they contain. A tool that we do not know
is neither sent to a model nor believed.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.sessions import Turn

# In this order: `web_search` is the web, not a search.
_OWN = ("memolith", "memory")
_OUTSIDE = (
    *("mcp", "web", "fetch", "browse", "http", "url", "crawl", "scrape", "playwright", "puppeteer"),
    *("chrome", "google", "internet", "download", "screenshot", "email", "slack", "issue"),
)
_SHELL = ("bash", "shell", "exec", "terminal", "command", "powershell", "console", "cmd", "zsh", "process")
_EVAL = ("eval", "python", "repl", "notebook", "node", "javascript")
_EDIT = ("edit", "write", "patch", "replace", "create", "delete", "move")
_READ = ("read", "view", "cat", "open_file", "get_file")
_SEARCH = ("grep", "rg", "ripgrep", "glob", "find", "search", "ls", "list")
_KINDS = (
    ("own", _OWN),
    ("outside", _OUTSIDE),
    ("shell", _SHELL),
    ("edit", _EDIT),
    ("eval", _EVAL),
    ("read", _READ),
    ("search", _SEARCH),
)
# The kinds whose results say something about the project.
TELLING = frozenset(["shell", "eval", "read", "search"])
_WORD = lazy(r"[a-z]+")
_CALLED = lazy(r"(?i)^\w+\((.*)\)$")
_JSON_COMMAND = lazy(r'^\s*\{\s*"(?:command|cmd|script)"\s*:\s*"((?:[^"\\]|\\.)*)"')
# What a command may bring from strangers: pages, and what others wrote in issues and pull requests.
_NETWORK = lazy(r"(?:^|[|;&(\s])(?:curl|wget|lynx|w3m|http|https|xh|aria2c|gh|glab|nc|telnet)(?=\s)")
_OWN_COMMAND = lazy(r"(?:^|[|;&(\s])memolith(?=\s|$)|memory://")
_FAILED = frozenset(["error", "failed", "failure", "fail", "timeout", "denied", "rejected", "cancelled"])


def kind(turn: Turn) -> str:
    """Return what a turn of the role `tool` was: own, outside, shell, edit, eval, read, search or other."""
    name = turn.tool.partition("(")[0].casefold()
    words = set(_WORD.findall(name))
    found = next((kind for kind, marks in _KINDS if any(_is(mark, name, words) for mark in marks)), "other")
    call = command(turn) or first_line(turn)
    if found in TELLING and _OWN_COMMAND.search(call):
        return "own"
    if found in ("shell", "eval") and _NETWORK.search(call):
        return "outside"
    return found


def _is(mark: str, name: str, words: set[str]) -> bool:
    return mark in words or (len(mark) > 3 and mark in name)


def command(turn: Turn) -> str:
    """Return the command that a shell ran, or nothing if the turn does not say."""
    if called := _CALLED.match(turn.tool.strip()):
        return str(called[1]).strip()
    line = first_line(turn)
    if line.startswith(("$ ", "> ", "% ")):
        return line[2:].strip()
    if found := _JSON_COMMAND.match(turn.text):
        return str(found[1]).replace('\\"', '"')
    return ""


def first_line(turn: Turn) -> str:
    """Return the first line of a turn: of a tool's, its call."""
    return turn.text.lstrip("\n").partition("\n")[0]


def failed(turn: Turn) -> bool | None:
    """Tell whether a tool failed; None if the turn does not say."""
    said = turn.outcome.strip().casefold()
    if not said:
        return None
    number = said.removeprefix("exit").lstrip(" :code")
    return said in _FAILED or (number.lstrip("-").isdigit() and int(number) != 0)
