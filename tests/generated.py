"""The generated pages of docs/: cli.md, settings.md, memolith.1. `./dev docs` writes; a test compares."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memolith.base import errors
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
        f"A project may set {', '.join(f'`{key}`' for key in sorted(PROJECT_KEYS))} for itself in",
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


PAGES = {"settings.md": settings_page, "cli.md": cli_page, "memolith.1": man_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")
