"""The command line library's side: the group, the options that all commands share, and running one."""

from __future__ import annotations

import functools
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from memolith import __version__
from memolith.edges.cli import completion, output
from memolith.edges.cli.options import Options, notice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SHARED = (
    click.option("--json", "json", is_flag=True, help="Print JSON (docs/json.md)."),
    click.option(
        "--home",
        metavar="PATH",
        help="Where memory is kept (else $MEMOLITH_HOME).",
        shell_complete=completion.directories,
    ),
    click.option(
        "--project",
        metavar="PATH",
        help="Act as if started in this directory.",
        shell_complete=completion.directories,
    ),
    click.option("--ephemeral-memory", "ephemeral", is_flag=True, help="Use a throw-away memory."),
)


def _say(message: Callable[[click.Context], str]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """Return the callback of an option that only prints something, with our own way of printing."""

    def callback(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            output.text(message(ctx))
            ctx.exit()

    return callback


class _OwnHelp(click.Command):
    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _say(click.Context.get_help)
        return option


class Group(_OwnHelp, click.Group):
    """Shows commands in the order they are defined, and suggests the nearest name for a wrong one."""

    command_class = _OwnHelp

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, D102 - click's
        return list(self.commands)

    def resolve_command(  # noqa: D102 - click's
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            name = unguard(args[0])
            known = self.list_commands(ctx)
            near = [each for each in known if sorted(each) == sorted(name)]  # two letters swapped
            near += difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else "see --help for all commands"
            raise click.UsageError(f"unknown command {name!r}; {hint}", ctx) from None


# The module of each command, in the order of help. It is imported when the command is asked for.
_MODULE = {
    "init": "init",
    **dict.fromkeys(("write", "read", "edit"), "memory"),
    **dict.fromkeys(("context", "search"), "questions"),
    **dict.fromkeys(("remember", "update", "list", "status"), "memory"),
    "recall": "questions",
    "record": "records",
    "ticket": "tickets",
    "session": "sessions",
    "learn": "learn",
    "memory": "slash",
    **dict.fromkeys(("why", "promote"), "memory"),
    "review": "review",
    **dict.fromkeys(("import", "export"), "transfer"),
    "project": "projects",
    "index": "upkeep",
    **dict.fromkeys(("scan", "allow", "forget"), "scan"),
    **dict.fromkeys(("history", "undo", "doctor", "config", "demo", "completion"), "upkeep"),
    **dict.fromkeys(("mcp", "hook", "tui"), "serve"),
}


class _Lazy(Group):
    """The commands themselves: `remember` need not import what `doctor` needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return list(_MODULE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULE:
            import_module(f"memolith.edges.cli.{_MODULE[cmd_name]}")
        return super().get_command(ctx, cmd_name)


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
        command(options, **{name: unguard(value) for name, value in given.items()})

    return with_options


def opened(command: Callable[..., output.Answer | None]) -> Callable[..., None]:
    """Give a command the memory that the shared options mean; print what it returns.

    With the options of `common.source`, the memory writes for whose text it is.
    """

    @functools.wraps(command)
    def with_memory(options: Options, /, **given: Any) -> None:
        with options.open() as mem:
            place = mem
            if "taint" in given:
                place = mem.from_source(given.pop("origin") or mem.source.origin, given.pop("taint"))
            answer = command(place, **given)
            notice(mem)
            if answer is not None:
                output.answer(answer, as_json=options.json)

    return shared(with_memory)


# Markdown begins with dashes ("- [ ] buy milk"), which click takes for options. Such an argument passes
# through it behind this private character.
_GUARD = "\uf8ff"
_FLAGS = frozenset(
    [
        "--",
        "--json",
        "--ephemeral-memory",
        "--force",
        "--fix",
        "--all",
        "--yes",
        "--purge",
        "--dry-run",
        "--remove",
        "--semantic",
        "--everything",
        "--explain",
        "--read-only",
        "--no-history",
        "--no-sessions",
        "--work",
        "--uninstall",
        "--check",
        "--native",
        "--import",
    ]
)


def _guard(argument: str, before: str) -> str:
    """Mark an argument that begins with a dash but cannot be an option, nor the value of the one before."""
    if argument.startswith(_GUARD):  # a text that really begins with it (some fonts show a logo there)
        return _GUARD + argument
    if argument in ("-", "-h") or not argument.startswith("-"):
        return argument
    if before.startswith("--") and "=" not in before and before not in _FLAGS:
        return argument
    name = argument.partition("=")[0]
    is_option = name.startswith("--") and not any(char.isspace() for char in name)
    return argument if is_option else _GUARD + argument


def unguard(value: Any) -> Any:
    """Return an argument as it was typed."""
    if isinstance(value, tuple):
        return tuple(unguard(each) for each in value)
    is_guarded = isinstance(value, str) and value.startswith((_GUARD + "-", _GUARD * 2))
    return value[1:] if is_guarded else value


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  memolith demo\n\nAll commands, settings and file formats: docs/ in the repository.",
)
@_add_shared
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say(lambda _: f"memolith {__version__}"),
    help="Show the version and exit.",
)
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


def load_commands() -> None:
    """Import every module of commands, for who wants to look at them all."""
    for module in _MODULE.values():
        import_module(f"memolith.edges.cli.{module}")
    cli.commands = {name: cli.commands[name] for name in _MODULE}


def run(arguments: Sequence[str], options: Options | None = None) -> int:
    """Run a command line; return the exit code. `options` are those of a host that runs it."""
    guarded = [_guard(each, before) for before, each in zip(["", *arguments], arguments, strict=False)]
    codes = [0]

    def call() -> None:
        # click returns the code of its own Exit (help, doctor's findings) instead of raising it.
        code = cli.main(args=guarded, prog_name="memolith", standalone_mode=False, obj=options)
        codes.append(code if isinstance(code, int) else 0)

    try:
        return output.guarded(call) or codes[-1]
    except SystemExit:
        return 0  # click's way to say that the reader of a pipe has seen enough
    except click.exceptions.NoArgsIsHelpError as error:
        help_text = error.ctx.get_help() if error.ctx else error.format_message()
        return output.guarded(lambda: output.text(help_text)) or 2
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "memolith"
        output.note(f"{_message(error).rstrip('.')}; try `{where} --help`", "error")
        return 2
    except click.Abort:
        return output.interrupted()


def _message(error: click.ClickException) -> str:
    """Return what click says is wrong, without our guard, and how to write text that looks like an option."""
    message = error.format_message()
    for guard in (_GUARD, repr(_GUARD)[1:-1]):  # click shows some values as they are, some with repr()
        message = message.replace(f"{guard}-", "-")
    if isinstance(error, click.NoSuchOption) and error.ctx and not error.possibilities:
        takes_text = any(each.name in ("text", "query") for each in error.ctx.command.params)
        hint = "; to write text that begins with a dash, put -- before it"
        return message.rstrip(".") + hint if takes_text else message
    return message
