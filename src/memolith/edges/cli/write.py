"""What commands that write have in common: whose text it is, reading it, and saying what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memolith.base.errors import InputError, NotFoundError, TextError
from memolith.base.values import ORIGINS, TAINTS
from memolith.edges.cli import completion, output
from memolith.edges.cli.app import text_argument
from memolith.edges.cli.options import notice

if TYPE_CHECKING:
    from memolith.base.values import Value
    from memolith.edges.cli.options import Options
    from memolith.mem import Mem

origin = click.option(
    "--origin",
    metavar="|".join(ORIGINS),
    help="Whose text it is (default: user at a terminal, else agent).",
    shell_complete=completion.words(*ORIGINS),
)
taint = click.option(
    "--taint",
    metavar="|".join(TAINTS),
    help="Where else it came from. Such text is labelled, and held for `memolith review` if it reads like"
    " an instruction.",
    shell_complete=completion.words(*TAINTS),
)


def writer(mem: Mem, whose: str | None, touched_by: str | None) -> Mem:
    """Return the memory with the source of what will be written."""
    return mem.from_source(whose or mem.source.origin, touched_by)


def report(options: Options, mem: Mem, result: Value) -> None:
    """Say what a change did."""
    notice(mem)
    fields = result.as_dict()
    if options.json:
        output.json(fields)
        return
    output.text(str(fields["message"]))
    warnings = fields.get("warnings")
    for warning in warnings if isinstance(warnings, list) else []:
        output.note(str(warning), "warning")


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given; a repeatable one that was not is empty."""
    return {key: value for key, value in options.items() if value not in (None, ())}


def describe(found: Value, body: str) -> None:
    """Print an entry's fields that say something, then its text."""
    fields = found.as_dict()
    text = str(fields.pop(body))
    for name, value in fields.items():
        shown = "; ".join(map(str, value)) if isinstance(value, list) else value
        if shown:
            output.text(f"{name:<12} {shown}")
    output.text(f"\n{text}")


def file_text(file: str) -> str:
    """Return the text of a file that a person names; `-` is standard input."""
    if file == "-":
        return text_argument("-")
    try:
        with open(file, encoding="utf-8") as stream:
            return stream.read()
    except FileNotFoundError:
        raise NotFoundError(
            f"{file}: there is no such file; check the path, or give - for standard input"
        ) from None
    except UnicodeDecodeError as error:
        raise TextError(
            f"{file}: is not UTF-8 (byte {error.start}); convert it first, for example with iconv"
        ) from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a file of text") from None
