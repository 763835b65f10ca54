"""The prompts of learning: Markdown files with `{{variables}}`, ours or the person's own copies.

A copy is `prompts/NAME.md` in the home. It is checked when it is loaded: a required variable that is missing
would send a model half a question. What is filled in is data, and cannot close the tag that it stands in.
Imports nothing heavy: `read_path` is part of the block.
"""

from __future__ import annotations

import os

from memolith.base.errors import ConfigError
from memolith.env.paths import Tree

# name of a file: its variables, and whether a file has to use them
VARIABLES: dict[str, dict[str, bool]] = {
    "stage_one_system": {},
    "stage_one_input": {"thread_id": True, "response_items_json": True},
    "consolidation": {
        "raw_memories": True,
        "rollout_summaries": True,
        "previous_memory_md": False,
        "changes": False,
        "notes": False,
    },
    "read_path": {"memory_summary": True},
}
FOLDER = "prompts"
MAX_BYTES = 65_536
_OPEN, _CLOSE = "{{", "}}"


class Prompt:
    """A prompt that was checked. `source` is the file it is from."""

    def __init__(self, name: str, text: str, source: str) -> None:
        self.name, self.text, self.source = name, text, source
        self._pieces = list(_pieces(text, source))
        self._tags = _tags(text)
        known = VARIABLES[name]
        used = {piece for piece, is_variable in self._pieces if is_variable}
        for variable in sorted(used - set(known)):
            allowed = ", ".join(known) or "none"
            raise ConfigError(f"{source}: unknown variable {_OPEN}{variable}{_CLOSE}; it may use: {allowed}")
        for variable, is_required in known.items():
            if is_required and variable not in used:
                raise ConfigError(
                    f"{source}: the variable {_OPEN}{variable}{_CLOSE} is missing; put it where it belongs"
                )

    def fill(self, **values: str) -> str:
        """Return the text with its variables replaced; those that are not given are empty."""
        for variable in values:
            if variable not in VARIABLES[self.name]:
                raise TypeError(f"the prompt {self.name} has no variable {variable}")
        return "".join(
            self._harmless(values.get(piece, "")) if is_variable else piece
            for piece, is_variable in self._pieces
        )

    def _harmless(self, value: str) -> str:
        """Return a value in which no tag of the prompt opens or closes."""
        first, *rest = value.split("<")
        marks = ["‹" if piece[:80].lstrip("/ \t").lower().startswith(self._tags) else "<" for piece in rest]
        return first + "".join(mark + piece for mark, piece in zip(marks, rest, strict=True))


def load(name: str, home: str) -> Prompt:
    """Return a prompt, the person's own if there is one; ConfigError names the file and what is wrong."""
    if name not in VARIABLES:
        raise ConfigError(f"there is no prompt {name!r}; one of {', '.join(VARIABLES)}")
    relative = f"{FOLDER}/{name}.md"
    own = Tree(home).read(relative, MAX_BYTES)
    path = os.path.join(home, relative)
    if own is None:
        path = os.path.join(os.path.dirname(__file__), FOLDER, f"{name}.md")
        with open(path, "rb") as file:
            own = file.read()
    try:
        text = own.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    if not text:
        raise ConfigError(f"{path}: it is empty; write a prompt, or remove it to use the built-in one")
    return Prompt(name, text, path)


class StageOne:
    """The two prompts of an extraction."""

    def __init__(self, home: str) -> None:
        self.system = load("stage_one_system", home).text
        self.fill = load("stage_one_input", home).fill


def _pieces(text: str, source: str) -> list[tuple[str, bool]]:
    """Take a text apart into what stays and what is replaced."""
    first, *rest = text.split(_OPEN)
    pieces = [(first, False)]
    for piece in rest:
        variable, closed, after = piece.partition(_CLOSE)
        if not closed or "\n" in variable:
            shown = f"{_OPEN}{variable[:40].partition(chr(10))[0]}"
            raise ConfigError(f"{source}: {shown!r} is not closed; a variable is written {_OPEN}name{_CLOSE}")
        pieces += [(variable.strip(), True), (after, False)]
    return pieces


def _tags(text: str) -> tuple[str, ...]:
    """Return the names of the tags that a prompt closes."""
    names = [piece.partition(">")[0].strip().lower() for piece in text.split("</")[1:]]
    return tuple({name for name in names if name and name.replace("_", "a").isalnum()})
