"""The generated pages of docs/: api, cli, settings, memolith.1. `./dev docs` writes; a test compares."""

import inspect
import sys
from collections.abc import Callable
from pathlib import Path

import click

import memolith
from memolith.base import errors
from memolith.base.values import Value
from memolith.edges.cli.app import cli, load_commands
from memolith.env.settings import PROJECT_FILE, PROJECT_KEYS, SETTINGS, env_name

CLI_INTRODUCTION = """\
# The command line

Generated from the program by `./dev docs`.

Data goes to standard output, everything else to standard error. Every command has `--json`, `--home`,
`--project` and `--ephemeral-memory`, before or after its name. A TEXT of `-` is read from standard input.

## Exit codes

0 success; 1 `doctor` or `scan` found something; 130 interrupted; and one for each kind of error:
"""
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
    parts = [
        CLI_INTRODUCTION,
        _exit_codes(),
        _help(["memolith"], cli),
    ]
    for name, command in cli.commands.items():
        parts.append(_help(["memolith", name], command))
        if isinstance(command, click.Group):
            parts += [_help(["memolith", name, sub], each) for sub, each in command.commands.items()]
    return "\n".join(parts)


def _tree() -> str:
    return (errors.__doc__ or "").split("\n\n")[1]


def _exit_codes() -> str:
    return f"```\n{_tree()}\n```\n"


def _help(path: list[str], command: click.Command) -> str:
    name = " ".join(path)
    return f"## {name}\n\n```\n{_help_text(name, command, 100)}\n```\n"


def _help_text(name: str, command: click.Command, width: int) -> str:
    context = click.Context(
        command,
        info_name=name,
        terminal_width=width,
        max_content_width=width,
        help_option_names=["-h", "--help"],
    )
    return command.get_help(context).rstrip()


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
"""


def man_page() -> str:
    """Return docs/memolith.1, from the same help as docs/cli.md."""
    parts = [MAN, ".SH DESCRIPTION\n", _verbatim(_text(cli)), ".SH COMMANDS\n"]
    for name, command in cli.commands.items():
        every = command.commands.items() if isinstance(command, click.Group) else ()
        for path, each in [(name, command), *((f"{name} {sub}", found) for sub, found in every)]:
            parts.append(f'.SS "memolith {path}"\n{_verbatim(_text(each))}')
    parts.append(f".SH EXIT STATUS\n0 success; 130 interrupted; else:\n{_verbatim(_tree())}")
    return "".join(parts)


def _text(command: click.Command) -> str:
    """Return the help of a command without its usage line."""
    return _help_text("", command, 78).partition("\n\n")[2]


def _verbatim(text: str) -> str:
    """Return a text as it is, for troff."""
    lines = (line.replace("\\", "\\e").replace("-", "\\-") for line in text.rstrip().splitlines())
    guarded = (f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)
    page = "\n".join(guarded)
    named = "".join(char if char.isascii() else f"\\[u{ord(char):04X}]" for char in page)
    return f".nf\n{named}\n.fi\n"


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


PAGES = {"api.md": api_page, "settings.md": settings_page, "cli.md": cli_page, "memolith.1": man_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")
