"""The click side: the command group, the options that all commands share, and running a command."""

from __future__ import annotations

import functools
from importlib import import_module
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from memolith import __version__
from memolith.edges.cli import completion, output
from memolith.edges.cli.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from memolith.mem import Mem

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


_NARROW = 52  # columns below which click would lay help out too wide


def _say(message: Callable[[click.Context], str]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """Return the callback of an option that only prints something, through our own output."""

    def callback(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            output.text(message(ctx))
            ctx.exit()

    return callback


class _Formatter(click.HelpFormatter):
    """Puts what an option does below it where a column beside it would be too narrow to read."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write terms with their explanations."""
        rows = list(rows)
        if self.width >= _NARROW or max(len(term) for term, _ in rows) <= self.width // 3:
            super().write_dl(rows, col_max, col_spacing)
            return
        for term, about in rows:
            self.write_text(term.replace("|", " | ") if len(term) > self.width - 2 else term)
            with self.indentation():
                self.write_text(about)


class _Context(click.Context):
    formatter_class = _Formatter


class _Command(click.Command):
    context_class = _Context

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _say(click.Context.get_help)
        return option

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Allow text to begin with a dash, as in Markdown ("- [ ] buy milk"), by putting it behind `--`."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        valued = {name for each in options if not each.is_flag for name in each.opts}
        known = {name for each in options for name in each.opts}
        found: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for argument in rest:
            if argument == "--":
                words += rest
            elif _is_option(argument, known):
                found.append(argument)
                if argument in valued:
                    value = next(rest, None)
                    if value is None:
                        return super().parse_args(ctx, args)  # which says so
                    found.append(value)
            else:
                words.append(argument)
                if not self.allow_interspersed_args:  # a group's: the rest is for the command
                    words += rest
        return super().parse_args(ctx, [*found, "--", *words] if words else found)


def _is_option(argument: str, known: Collection[str]) -> bool:
    """Whether an argument is meant as an option: `-n` and `--name`, but not `- [ ] buy milk` or `-5`."""
    name = argument.partition("=")[0]
    is_word = name[:2] == "--" or (name[:1] == "-" and name[1:2].isalpha())
    return name in known or (is_word and not any(char.isspace() for char in argument))


class Group(_Command, click.Group):
    """Shows commands in the order they are defined, and suggests the nearest name for a wrong one."""

    command_class = _Command

    def __init__(self, *args: Any, alone: str = "", **more: Any) -> None:
        super().__init__(*args, **more)
        self.alone = alone  # the command that it runs without one

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Run what it does alone if no command is given."""
        is_alone = self.alone and not (args or ctx.resilient_parsing)
        return super().parse_args(ctx, [self.alone] if is_alone else args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002, D102 - click's
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show what each command does, in as many lines as it takes."""
        shown = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (
                        name,
                        each.get_short_help_str(_WHOLE).rstrip(".") + (_ALONE if name == self.alone else ""),
                    )
                    for name, each in shown.items()
                    if each
                ]
            )

    def resolve_command(  # noqa: D102 - click's
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from memolith.edges.cli import hints

            hint = hints.command(ctx.command_path, args[0], self.list_commands(ctx), args[1:])
            raise UnknownCommand(f"unknown command {args[0]!r}; {hint}", ctx) from None


_ALONE = " (also without a command)"
_WHOLE = 1000  # characters: more than any first sentence has


class UnknownCommand(click.UsageError):
    """A command that does not exist; the message says where to look."""


# Every command by group, as `help` shows them: its module, imported when it runs, and what it does.
GROUPS = {
    "Everyday": {
        "remember": ("memory", "Keep a fact; agents see it from their next session on"),
        "recall": ("memory", "Ask a question; get the best answers from all that is kept"),
        "search": ("memory", "Find words as they stand, in any case (--all: in every project)"),
        "show": ("verbs", "Print a note, record, ticket, session, day or file"),
        "list": ("verbs", "List what is kept"),
        "edit": ("verbs", "Open it in your editor, or replace a piece of text (--old, --new)"),
        "rm": ("verbs", "Delete it; undo brings it back"),
        "mv": ("verbs", "Give a note another title, or move it (--to PROJECT, --to user)"),
        "context": ("memory", "Print what an agent sees"),
    },
    "What happened": {
        "log": ("changes", "Show what was written today, or on a day (log yesterday)"),
        "history": ("changes", "List earlier versions, or show one (history NAME VERSION, --diff)"),
        "undo": ("changes", "Take the last change back; again: the one before it"),
        "redo": ("changes", "Take an undo back"),
        "review": ("review", "Decide about text from others that waits for you"),
        "forget": ("scan", "Remove every trace of a text, for good"),
    },
    "Facts, work and sessions (alone they list; ticket add, record show, …)": {
        "record": ("entries", "Typed facts with keywords and dates: decisions, procedures, …"),
        "ticket": ("entries", "Pieces of work, with notes"),
        "session": ("sessions", "Past conversations with your agents (search --sessions: words)"),
        "learn": ("learn", "Learn from sessions: learn on, learn run, learn off"),
        "project": ("projects", "Which directory belongs to which memory; memory on or off here"),
    },
    "Set up and look after": {
        "init": ("init", "Install memolith into your agents, or remove it"),
        "status": ("memory", "Show on one screen what is on, kept and waiting"),
        "config": ("upkeep", "Show or change settings"),
        "import": ("transfer", "Bring in another program's memory, a file, or an archive"),
        "export": ("transfer", "Write everything into an archive (export FILE.tar.gz)"),
        "doctor": ("upkeep", "Find problems, and repair them"),
        "scan": ("scan", "Find secrets, and mask them"),
    },
    "Look around": {
        "tui": ("serve", "Browse memory in the terminal"),
        "demo": ("upkeep", "Take a tour in a throw-away memory"),
        "help": ("upkeep", "Explain a command or a topic"),
    },
    "The files by name (write note NAME TEXT adds)": {
        "write": ("targets", "Write to long_term, scratchpad, daily or a note"),
        "read": ("targets", "Print one of them"),
        "update": ("targets", "Change MEMORY.md as one document"),
        "memory": ("slash", "What /memory does in an agent"),
    },
    "Plumbing": {
        "hook": ("serve", "Answer an event of an agent's session"),
        "mcp": ("serve", "Serve memory to an agent over MCP"),
        "run": ("serve", "Run an agent with a throw-away memory"),
        "index": ("upkeep", "Show, update or rebuild what recall searches"),
        "semantic": ("upkeep", "Install or remove search by meaning"),
        "completion": ("upkeep", "Print the completion script for a shell"),
    },
}
_ON_ONE_LINE = ("The files by name (write note NAME TEXT adds)", "Plumbing")
_MODULE = {name: module for group in GROUPS.values() for name, (module, _) in group.items()}


class _Lazy(Group):
    """Imports commands on demand: `remember` need not import what `doctor` needs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return list(_MODULE)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in _MODULE:
            import_module(f"memolith.edges.cli.{_MODULE[cmd_name]}")
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        for title, commands in GROUPS.items():
            if title in _ON_ONE_LINE:
                formatter.write_paragraph()
                formatter.write_text(f"{title}: {', '.join(commands)}")
                continue
            with formatter.section(title):
                formatter.write_dl([(name, about) for name, (_, about) in commands.items()])


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


def shared(command: Callable[..., output.Answer | None]) -> Callable[..., None]:
    """Give a command the shared options as its first argument; print what it returns."""

    @_add_shared
    @click.pass_context
    @functools.wraps(command)
    def with_options(context: click.Context, /, **given: Any) -> None:
        options = _merge(context, given)
        output.answer(command(options, **given), as_json=options.json)

    return with_options


def opened(command: Callable[..., output.Answer | None]) -> Callable[..., None]:
    """Open the memory that the shared options name, and pass it to the command instead of them.

    With the options of `common.source`, the memory labels what it writes with that source.
    """

    @functools.wraps(command)
    def with_memory(options: Options, /, **given: Any) -> output.Answer | None:
        def run(mem: Mem) -> output.Answer | None:
            if "taint" in given:
                mem = mem.from_source(given.pop("origin") or mem.source.origin, given.pop("taint"))
            answer = command(mem, **given)
            output.end_progress()
            return answer

        options.repairs = command.__name__ in ("config", "doctor")
        return options.answer(run)

    return shared(with_memory)


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`memolith help COMMAND` explains a command, `memolith help TOPIC` a topic: names, scopes, "
    "settings, exit-codes, files.",
    subcommand_metavar="COMMAND [ARGS]...",
)
@_add_shared
@click.option(
    "-v",
    "-V",
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
    memolith remember "The tests need Redis."
    memolith recall what do the tests need
    git log -3 | memolith remember --title "Last changes"
    """
    _merge(context, given)


def load_commands() -> None:
    """Import every command module, for callers that inspect all commands."""
    for module in _MODULE.values():
        import_module(f"memolith.edges.cli.{module}")
    cli.commands = {name: cli.commands[name] for name in _MODULE}


def run(arguments: Sequence[str], options: Options | None = None) -> int:
    """Run a command line; return the exit code. `options` are those of a host that runs it."""
    codes = [0]

    def call() -> None:
        # click returns the code of its own Exit (help, doctor's findings) instead of raising it.
        columns = get_terminal_size().columns
        narrow: dict[str, Any] = {"terminal_width": columns - 1} if columns < _NARROW else {}
        code = cli.main(
            args=list(arguments), prog_name="memolith", standalone_mode=False, obj=options, **narrow
        )
        codes.append(code if isinstance(code, int) else 0)

    try:
        return output.guarded(call) or codes[-1]
    except SystemExit:
        return 0  # how click reports a closed pipe
    except click.exceptions.NoArgsIsHelpError as error:
        help_text = error.ctx.get_help() if error.ctx else error.format_message()
        return output.guarded(lambda: output.text(help_text))
    except click.ClickException as error:
        if isinstance(error, UnknownCommand):
            output.note(error.message, "error")
            return 2
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "memolith"
        from memolith.edges.cli import hints

        said = hints.message(error, arguments).rstrip(".")
        also = "Try" if said.endswith("?") else "try"
        output.note(f"{said}{'' if also == 'Try' else ';'} {also} `{where} --help`", "error")
        return 2
    except click.Abort:
        return output.interrupted()
