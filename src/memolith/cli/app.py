"""The command line library's side: the group, the options all commands share, help and completion."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

import click

from memolith import __version__
from memolith.cli import output
from memolith.cli.fast import Options
from memolith.errors import InputError, TextError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SHARED = (
    click.option("--json", "json", is_flag=True, help="Print JSON (docs/json.md)."),
    click.option("--home", metavar="PATH", help="Where memory is kept (else $MEMOLITH_HOME)."),
    click.option("--project", metavar="PATH", help="Act as if started in this directory."),
    click.option("--ephemeral-memory", "ephemeral", is_flag=True, help="Use a throw-away memory."),
)


class Group(click.Group):
    """Shows commands in the order they are defined, and suggests the nearest name for a wrong one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, D102 - click's
        return list(self.commands)

    def resolve_command(  # noqa: D102 - click's
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            near = difflib.get_close_matches(args[0], self.commands, 1)
            hint = f"did you mean {near[0]!r}?" if near else "see --help for all commands"
            raise click.UsageError(f"unknown command {args[0]!r}; {hint}", ctx) from None


def _add_shared(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_SHARED):
        command = option(command)
    return command


def _merge(context: click.Context, given: dict[str, Any]) -> Options:
    """Combine options given before and after the command's name; the later ones win."""
    options = context.ensure_object(Options)
    for name in ("json", "home", "project", "ephemeral"):
        value = given.pop(name)
        if value or (value is not None and name in ("home", "project")):
            setattr(options, name, value)
    return options


def shared(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the shared options; it receives them as its first argument."""

    @_add_shared
    @click.pass_context
    @functools.wraps(command)
    def with_options(context: click.Context, /, **given: Any) -> None:
        options = _merge(context, given)
        command(options, **{name: _unguard(value) for name, value in given.items()})

    return with_options


# Markdown begins with dashes ("- [ ] buy milk"), which click takes for options. Such an argument passes
# through it behind this private character.
_GUARD = "\uf8ff"
_FLAGS = frozenset(["--", "--json", "--ephemeral-memory", "--force", "--fix", "--all"])


def _guard(argument: str, before: str) -> str:
    """Mark an argument that begins with a dash but cannot be an option, nor the value of the one before."""
    if argument in ("-", "-h") or not argument.startswith("-"):
        return argument
    if before.startswith("--") and "=" not in before and before not in _FLAGS:
        return argument
    name = argument.partition("=")[0]
    is_option = name.startswith("--") and not any(char.isspace() for char in name)
    return argument if is_option else _GUARD + argument


def _unguard(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_unguard(each) for each in value)
    return value.removeprefix(_GUARD) if isinstance(value, str) else value


@click.group(
    cls=Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  memolith demo\n\nAll commands, settings and file formats: docs/ in the repository.",
)
@_add_shared
@click.version_option(__version__, message="memolith %(version)s")
@click.pass_context
def cli(context: click.Context, /, **given: Any) -> None:
    """Keep a memory for AI agents: plain Markdown files on your disk.

    \b
    memolith write long_term "- I prefer short answers."     keep a fact for every project
    memolith remember "Tests need Redis." --title "Tests"    keep a note for this project
    memolith context                                         what an agent gets to see
    memolith search redis                                    find it again
    """
    _merge(context, given)


def run(arguments: Sequence[str]) -> int:
    """Run a command line; return the exit code."""
    from memolith.cli import memory, projects, upkeep  # noqa: F401 - they add their commands

    guarded = [_guard(each, before) for before, each in zip(["", *arguments], arguments, strict=False)]
    codes = [0]

    def call() -> None:
        # click returns the code of its own Exit (help, doctor's findings) instead of raising it.
        code = cli.main(args=guarded, prog_name="memolith", standalone_mode=False)
        codes.append(code if isinstance(code, int) else 0)

    try:
        return output.guarded(call) or codes[-1]
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else error.format_message())
        return 2
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "memolith"
        output.note(f"{error.format_message()}\nTry '{where} --help'.", "error")
        return 2
    except click.Abort:
        output.note("stopped")
        return 130


def text_argument(value: str) -> str:
    """Return a TEXT argument, or what is on standard input when it is `-`."""
    if value != "-":
        return value
    from memolith.model import MAX_ACCEPT_BYTES

    data = sys.stdin.buffer.read(MAX_ACCEPT_BYTES + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(data) > MAX_ACCEPT_BYTES and error.start > len(data) - 4:
            return data[: error.start].decode("utf-8") + "\ufffd"
        raise TextError(
            f"standard input is not UTF-8 text (byte {error.start}); convert it first, for example with iconv"
        ) from None


def choice(value: str, allowed: Sequence[str], what: str) -> str:
    """Check a word against those allowed, with an error that names it."""
    if value not in allowed:
        import difflib

        near = difflib.get_close_matches(value, allowed, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(allowed)}"
        raise InputError(f"unknown {what} {value!r}; {hint}")
    return value
