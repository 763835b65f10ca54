"""What commands share: options, arguments read from standard input or a file, asking a person."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from codecs import getincrementaldecoder
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError, NotFoundError, TextError, TooLargeError
from memolith.base.values import MAX_ACCEPT_BYTES, ORIGINS, TAINTS
from memolith.edges.cli import completion, output
from memolith.edges.cli.options import Options
from memolith.env.paths import Tree
from memolith.memory import find
from memolith.store import layout
from memolith.store.entry import is_over
from memolith.store.layout import CATEGORIES
from memolith.store.screen import quoted
from memolith.text.secrets import veil

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from memolith.base.values import Value
    from memolith.mem import Mem
    from memolith.memory.find import Found
    from memolith.memory.record import Record
    from memolith.memory.tickets import Ticket
    from memolith.store.entry import Entry

    Command = Callable[..., Any]
    _Entry = TypeVar("_Entry", Record, Ticket)

SCOPES = ("project", "user")


def one_of(
    flag: str, words: Sequence[str], text: str | None = None, *, name: str = "", **more: Any
) -> Callable[[Command], Command]:
    """Return an option that takes one of several words; `name` is its parameter, if named differently."""
    names = [flag, name] if name else [flag]
    shown = {"metavar": "|".join(words), "shell_complete": completion.words(*words), "help": text}
    return click.option(*names, **{**shown, **more})


def category(text: str | None = None, **more: Any) -> Callable[[Command], Command]:
    """Return the option that takes a category of records, in the singular too."""
    return one_of(
        "--category", CATEGORIES, text, callback=lambda _, __, value: value and plural(value), **more
    )


def plural(word: str) -> str:
    """Return a category for its name in the singular or plural; another word as it is."""
    return f"{word}s" if f"{word}s" in CATEGORIES else word


if_sha256 = click.option(
    "--if-sha256", metavar="HASH", help="Write only if the file still has this content hash (see --json)."
)
scope = one_of("--scope", SCOPES, "Whose notes.", default="project", show_default=True)


def source(command: Command, default: str | None = None) -> Command:
    """Add the options that say whose text a command gets; `app.opened` applies them."""
    whose = "Whose text it is (default: user at a terminal, else agent)."
    taint = "Whose words they are if not yours: they are labelled, and wait for `memolith review`."
    return one_of("--origin", ORIGINS, whose, default=default)(one_of("--taint", TAINTS, taint)(command))


def described(found: Value, body: str, status: str = "") -> tuple[output.Fields, str]:
    """Return an entry's fields that say something, then its text; `status` is for a person's eyes."""
    fields = _veiled(found)
    lines = []
    for name, value in {**fields, **({"status": status} if status else {})}.items():
        if value and name != body:
            rows = value if name == "notes" and isinstance(value, list) else [value]
            rows = ["; ".join(map(str, row)) if isinstance(row, list) else row for row in rows]
            lines += [f"{'' if number else name:<12} {row}" for number, row in enumerate(rows)]
    return fields, "\n".join([*lines, *(["", str(fields[body])] if fields[body] else [])])


def status_of(mem: Mem, each: Record | Entry) -> str:
    """Return the status of a record for a person: one that is active may be over, or not hold yet."""
    if each.status != "active":
        return each.status
    if is_over(mem.today, each.expires, each.valid_until):
        return "expired"
    return f"from {each.valid_from[:10]}" if each.valid_from[:10] > mem.today else "active"


def newest(mem: Mem, found: Iterable[_Entry]) -> list[_Entry]:
    """Return entries in the order of their last change, the latest first."""
    tree = Tree(str(mem.root))
    stats = [(tree.stat(each.filename), each) for each in found]
    return [each for _, each in sorted(stats, key=lambda pair: -pair[0].st_mtime_ns if pair[0] else 0)]


def elsewhere(mem: Mem) -> str:
    """Return where the memory may be that a folder without git seems to lack: above it."""
    here = mem.identity.root
    if mem.identity.known or mem.identity.checkout or not here:
        return ""
    known = {path for each in mem.projects.list() for path in each.paths}
    above = next((str(each) for each in Path(here).parents if str(each) in known), "")
    name = f"`memolith project name --project {above}`"
    return f", but {above} has one: {name} gives it its subfolders" if above else ""


def listed(name: str, found: Iterable[Value], table: str, nothing: str) -> output.Answer:
    """Return a list of entries, or a note for a person if there are none."""
    fields: dict[str, object] = {name: [_veiled(each) for each in found]}
    return fields, table or output.Note(nothing)


def _veiled(found: Value) -> dict[str, Any]:
    """Return the fields of an entry; its file may have a secret in its name."""
    fields = found.as_dict()
    return fields | {
        key: veil.masked(str(fields[key])) for key in ("id", "filename") if type(fields.get(key)) is str
    }


def iso(seconds: float) -> str:
    """Return a time for a program, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def attended() -> bool:
    """Whether the running command can ask a person."""
    return bool(click.get_current_context().ensure_object(Options).attended)


def has_project() -> bool:
    """Whether the running command was given a --project."""
    return click.get_current_context().ensure_object(Options).project is not None


def whose(found: Found) -> str:
    """Return the scope of what was found, as options name it."""
    return "project" if layout.scope_of(found.path) else "user"


def check_whole(mem: Mem, found: Found, typed: str, *, yes: bool, does: str = "Delete") -> None:
    """Ask before something goes of whose name only the beginning was given.

    What nothing brings back needs its whole name wherever nobody can be asked.
    """
    if find.is_whole(mem, found, typed):
        return
    short = f"{quoted(typed)} is only the beginning of {quoted(found.name)}; give the whole name"
    if found.kind != "session":
        if not yes:
            agree(f"{does} {found.kind} {found.name}?", f"{short}, or add --yes")
    elif yes or not attended():
        raise InputError(f"{short}, as nothing brings a session back")


def agree(question: str, otherwise: str) -> None:
    """Ask a person and exit with 1 if they say no; without a terminal, raise `otherwise`."""
    if not attended():
        raise InputError(otherwise)
    if not click.confirm(question, err=True):
        output.note("nothing was changed")
        raise click.exceptions.Exit(1)


class Text(click.Argument):
    """Words of a text; without any, what is piped or redirected into the command, as for `-`."""

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, click.core.ParameterSource]:
        """Return what was given; click asks for it."""
        value, source = super().consume_value(ctx, opts)
        is_given = bool(value) and source is click.core.ParameterSource.COMMANDLINE
        return (value if is_given or not is_piped() else ("-",)), source


def is_piped() -> bool:
    """Whether standard input is a pipe or a file: something that ends, which no terminal or socket does."""
    if output.collected.get() is not None or sys.stdin is None:  # a host's standard input is its own
        return False
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def text_argument(value: str) -> str:
    """Return a TEXT argument, or what is on standard input when it is `-`."""
    if value != "-" or output.collected.get() is not None:  # a host's standard input is its own
        return value
    if sys.stdin is None:
        raise InputError("standard input is closed; give the text itself, or a file with `< FILE`")
    try:
        data = sys.stdin.buffer.read(MAX_ACCEPT_BYTES + 1)
    except OSError as error:
        raise InputError(f"standard input: {error.strerror or error}") from None
    is_whole = len(data) <= MAX_ACCEPT_BYTES
    text = _decoded(data, "standard input", whole=is_whole)
    if not is_whole:
        most = f"more than {MAX_ACCEPT_BYTES:,} bytes, too many for one memory"
        raise TooLargeError(f"standard input has {most}; store what matters, and where the rest is")
    return text


def file_text(file: str) -> str:
    """Return the text of a file that a person names; `-` is standard input."""
    if file == "-":
        return text_argument("-")
    try:
        with open(file, "rb") as stream:
            return _decoded(stream.read(), file).replace("\r\n", "\n")
    except FileNotFoundError:
        raise NotFoundError(f"{file}: no such file; check the path, or give - for standard input") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a file of text") from None


def json_rows(file: str) -> list[dict[str, object]]:
    """Return the objects of a JSON file: a list, or one a line."""
    text = file_text(file)
    rows: list[dict[str, object]]
    try:
        if text.lstrip().startswith("["):
            rows = json.loads(text)
        else:
            rows = [json.loads(row) for row in text.split("\n") if row.strip()]
    except (ValueError, RecursionError) as error:
        raise TextError(f"{file}: not JSON ({error}); give a list, or one object per line") from None
    if not all(isinstance(row, dict) for row in rows):
        raise TextError(f"{file}: every ticket must be an object with a title")
    return rows


def _decoded(data: bytes, where: str, *, whole: bool = True) -> str:
    try:
        return getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError as error:
        raise TextError(
            f"{where} is not UTF-8 text (byte {error.start}); convert it first, for example with iconv"
        ) from None


def choice(value: str, allowed: Sequence[str], what: str) -> str:
    """Return the word if it is allowed; else raise an error that names it."""
    if value not in allowed:
        import difflib

        near = difflib.get_close_matches(value, allowed, 1, 0.75)
        hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(allowed)}"
        raise InputError(f"unknown {what} {value!r}; {hint}")
    return value
