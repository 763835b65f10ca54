"""What is generated from the program: pages of docs/, the help, the version of the rules for secrets.

`./dev docs` writes; a test compares.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import click

import memolith
from memolith.base import errors
from memolith.base.values import Value
from memolith.edges.cli.app import GROUPS, cli, load_commands
from memolith.edges.cli.topics import topics as _topics
from memolith.env.settings import PROJECT_FILE, PROJECT_KEYS, SETTINGS, env_name

CLI_INTRODUCTION = """\
# The command line

Generated from the program by `./dev docs`. `memolith help COMMAND` says the same, `memolith help names` how
things are named, `memolith help exit-codes` what the codes mean.

Data goes to standard output, everything else to standard error. Every command has `--json`, `--home PATH`,
`--project PATH` and `--ephemeral-memory`, before or after its name. A TEXT of `-` is standard input.
At a terminal, an answer that is longer than the screen goes through the program that `$PAGER` names, if it
is set.
"""
SHARED = {"json", "home", "project", "ephemeral", "help"}
load_commands()
DOCS = Path(__file__).parent.parent / "docs"


def settings_page() -> str:
    """Return docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "Generated from `src/memolith/env/settings.txt` by `./dev docs`. A value comes from the",
        "environment, else from `config.yml` in the home (`memolith config path`), else it is the default.",
        f"A project may set {', '.join(f'`{key}`' for key in sorted(PROJECT_KEYS))} in",
        f"`{PROJECT_FILE}` in its root, which beats `config.yml`. Everything else there is ignored: the file",
        "may be a stranger's.",
        "`memolith config set KEY VALUE` changes the file and keeps its comments.",
        "",
        "| key | environment | values | default | meaning |",
        "|---|---|---|---|---|",
    ]
    for key, setting in SETTINGS.items():
        kind, default = setting.kind, setting.default
        values = "text" if kind is str else "`true` \\| `false`" if kind is bool else "number"
        if isinstance(kind, tuple):
            values = " \\| ".join(f"`{each}`" for each in kind)
        shown = str(default).lower() if kind is bool else default
        lines.append(f"| `{key}` | `{env_name(key)}` | {values} | `{shown}` | {setting.meaning} |")
    lines += [
        "",
        "`MEMOLITH_HOME` (or `--home`) says where memory is kept. Dots in a key are levels in the file:",
        "",
        "```yaml",
        "inject:",
        "  daily: recent",
        "```",
    ]
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """Return docs/cli.md."""
    parts = [CLI_INTRODUCTION]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        for name in names:
            command = cli.commands[name]
            parts.append(_section(f"memolith {name}", command))
            if isinstance(command, click.Group):
                parts += [_section(f"memolith {name} {sub}", each) for sub, each in command.commands.items()]
    parts.append(f"## Errors\n\n```\n{_tree()}\n```\n")
    return "\n".join(parts)


def _tree() -> str:
    return (errors.__doc__ or "").split("\n\n")[1]


def _section(name: str, command: click.Command) -> str:
    """Return a command's part of docs/cli.md: what it does, its own options, examples."""
    context = click.Context(command, info_name=name)
    words = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS]", "").strip()
    text, _, examples = inspect.cleandoc(command.help or "").partition("\b\n")
    lines = [
        f"### `{f'{name} {words}'.rstrip()}`",
        "",
        text.strip(),
        "",
    ]
    own = [each for each in command.params if isinstance(each, click.Option) and each.name not in SHARED]
    for option in own:
        if option.hidden:
            continue
        record = option.get_help_record(context)
        if record:
            lines.append(f"- `{record[0]}` {record[1]}".rstrip())
    if own:
        lines.append("")
    if examples.strip():
        lines += ["```sh", examples.strip(), "```", ""]
    return "\n".join(lines)


MAN = """\
.\\" Generated from the program by `./dev docs`.
.TH MEMOLITH 1 "" "memolith" "User Commands"
.SH NAME
memolith \\- a memory for AI agents: plain Markdown files on your disk
.SH SYNOPSIS
.B memolith
.RI [ options ]
.I command
.RI [ arguments ]
.SH DESCRIPTION
memolith keeps what you and your agents should not have to say twice: notes, typed facts, open items, a daily
log and past sessions, as Markdown files. Agents get the right part of them in their prompt, through hooks
and an MCP server that
.B memolith init
installs. Nothing keeps running, and nothing leaves the machine unless you configure a model.
.PP
Every command takes
.BR \\-\\-json ,
.BR \\-\\-home ,
.B \\-\\-project
and
.BR \\-\\-ephemeral\\-memory .
.B memolith help
.I command
explains a command.
"""


def man_page() -> str:
    """Return docs/memolith.1: the commands with a line each, and the topics of `help`."""
    topics = _topics()
    parts = [MAN, ".SH COMMANDS\n"]
    for title, names in GROUPS.items():
        parts.append(f'.SS "{title}"\n')
        parts += [f".TP\n.B {name}\n{_troff(about)}\n" for name, (_, about) in names.items()]
    parts.append(f".SH NAMES\n{_verbatim(topics['names'])}")
    parts.append(f".SH FILES\n{_verbatim(topics['files'])}")
    parts.append(
        ".SH ENVIRONMENT\n.TP\n.B MEMOLITH_HOME\nWhere memory is kept.\n.TP\n.B MEMOLITH_EPHEMERAL\n"
        "1: use a throw\\-away memory.\n.TP\n.B VISUAL, EDITOR\nWhat \\fBmemolith edit\\fR opens.\n.TP\n"
        ".B NO_COLOR\nPrint without colours.\n.PP\nEvery setting has a variable, too: "
        "\\fBmemolith config list\\fR.\n"
    )
    parts.append(f".SH EXIT STATUS\n{_verbatim(topics['exit-codes'])}")
    parts.append(
        ".SH EXAMPLES\n"
        + _verbatim(
            'memolith remember "The tests need Redis on port 6380."\n'
            "memolith recall which port do the tests need\n"
            "memolith show tests --why\n"
            "memolith edit tests --old 6380 --new 6381\n"
            "memolith undo"
        )
    )
    return "".join(parts)


def _verbatim(text: str) -> str:
    """Return a text as it is, for troff."""
    return f".nf\n{_troff(text)}\n.fi\n"


def _troff(text: str) -> str:
    lines = (line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip().splitlines())
    guarded = (f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)
    page = "\n".join(guarded)
    return "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in page)


API_INTRODUCTION = """\
# The library

Generated from the signatures and docstrings by `./dev docs`. These names, all in `memolith`, are the public
ones; each is imported when it is first used. [python.md](python.md) shows them at work.
"""
API_GROUPS = {
    "The memory": ["Mem"],
    "Its parts": ["Records", "Tickets", "Sessions", "Lessons", "Learning", "Review"],
    "For hosts": ["Tools"],
}


def api_page() -> str:
    """Return docs/api.md: the verbs first, then functions, values and errors."""
    public = {name: getattr(memolith, name) for name in memolith.__all__ if name != "__version__"}
    lines = [API_INTRODUCTION]
    for title, names in API_GROUPS.items():
        lines.append(f"## {title}\n")
        for name in names:
            lines += [f"### {name}\n", f"{_about(public.pop(name))}\n"]
            lines += _members(getattr(memolith, name))
    functions = {name: each for name, each in public.items() if inspect.isfunction(each)}
    wrong = {name: each for name, each in public.items() if _is_kind(each, Exception)}
    values = {name: each for name, each in public.items() if inspect.isclass(each) and name not in wrong}
    lines.append("## Functions\n")
    for name, function in functions.items():
        lines += [f"### {name}\n", f"```python\n{_signature(name, function)}\n```\n", f"{_about(function)}\n"]
    lines.append("## Values\n")
    for name, each in values.items():
        lines += [f"### {name}\n", f"{_about(each)}\n"]
        if _is_kind(each, Value):
            lines += [f"- `{field}: {kind}`" for field, kind in each.__annotations__.items()] + [""]
        lines += _members(each)
    lines += ["## Errors\n", "| | exit code | |", "|---|---|---|"]
    for name, each in sorted(wrong.items(), key=lambda pair: (pair[1].exit_code, pair[0])):
        lines.append(f"| `{name}` | {each.exit_code} | {_about(each).partition(chr(10))[0]} |")
    constants = [name for name in public if name not in {*functions, *wrong, *values}]
    lines += ["", f"Constants: {', '.join(f'`{name}`' for name in constants)}."]
    return "\n".join(lines) + "\n"


def _is_kind(each: object, kind: type) -> bool:
    return isinstance(each, type) and issubclass(each, kind)


def _about(each: object) -> str:
    return inspect.getdoc(each) or ""


def _signature(name: str, each: Callable[..., object]) -> str:
    """Return how something is called, one parameter on a line if it is long."""
    found = inspect.signature(each)
    parts: list[str] = []
    for parameter in found.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        default = "…" if callable(parameter.default) else repr(parameter.default)
        given = "" if parameter.default is inspect.Parameter.empty else f" = {default}"
        parts.append(f"{parameter.name}: {parameter.annotation}{given}")
    result = f" -> {found.return_annotation}"
    short = f"{name}({', '.join(parts)}){result}"
    return short if len(short) <= 100 else f"{name}(\n    " + ",\n    ".join(parts) + f"\n){result}"


def _members(kind: type) -> list[str]:
    """Return the public methods and properties of a class, inherited ones last."""
    lines = []
    names = [name for base in kind.__mro__[:-1] if base not in (Value, list, str) for name in vars(base)]
    for name in dict.fromkeys(names):
        each = inspect.getattr_static(kind, name)
        each = each.__func__ if isinstance(each, classmethod) else each
        if name.startswith("_") or not _about(each):
            continue
        if isinstance(each, property):
            lines += [f"`.{name}`: {_about(each)}\n"]
        elif inspect.isfunction(each) and name != "as_dict":
            lines += [f"```python\n{_signature(name, each)}\n```\n", f"{_about(each)}\n"]
    return lines


def help_page() -> str:
    """Return what `memolith help` prints on 80 columns; it is kept, so that it is there at once."""
    wide = {**cli.context_settings, "terminal_width": 80, "max_content_width": 80}
    context = click.Context(cli, info_name="memolith", **wide)
    return context.get_help() + "\n"


def rules_version(room: Path) -> str:
    """Return a hash of the rules for secrets: of the code and the tables of their room."""
    found = hashlib.sha256()
    for path in sorted([*room.glob("*.py"), *room.glob("*.txt")]):
        if path.name != VERSION_FILE:
            found.update(f"{path.name}\n".encode() + path.read_bytes())
    return found.hexdigest()[:8]


def rules_page() -> str:
    """Return the module with the version of the rules for secrets."""
    return f'''"""The version of the rules for secrets: a hash of this room, written by `./dev docs`.

The index and the list of clean files are of one version: what other rules judged is judged again.
"""

RULES = "{rules_version(SECRETS)}"
'''


SECRETS = DOCS.parent / "src" / "memolith" / "text" / "secrets"
VERSION_FILE = "version.py"
HELP = "../src/memolith/edges/cli/help.txt"
PAGES = {
    "api.md": api_page,
    "settings.md": settings_page,
    "cli.md": cli_page,
    "memolith.1": man_page,
    HELP: help_page,
    f"../src/memolith/text/secrets/{VERSION_FILE}": rules_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")
