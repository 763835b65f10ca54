"""The prompts of learning: Markdown files with `{{variables}}`, ours or a person's own copies.

A copy is `prompts/NAME.md` in the home. It is checked on load: without a required variable, the model would
get half a question. Values are data, and cannot close the tag that surrounds them.
"""

from __future__ import annotations

import re
from pathlib import Path

from memolith.base.errors import ConfigError
from memolith.env.paths import Tree

# file name: its variables, and whether each is required
VARIABLES: dict[str, dict[str, bool]] = {
    "stage_one_system": {},
    "stage_one_input": {"thread_id": True, "response_items_json": True},
    "consolidation": {
        "raw_memories": True,
        "rollout_summaries": True,
        "previous_memory_md": False,
        "changes": False,
        "notes": False,
        "skills": False,
        "taken_back": False,
    },
    "read_path": {"memory_summary": True},
}
FOLDER = "prompts"
MAX_BYTES = 65_536
_VARIABLE = re.compile(r"\{\{((?:(?!\{\{|\}\})[^\n])*)\}\}")
_CLOSING = re.compile(r"</\s*(\w+)\s*>")


class Prompt:
    """A checked prompt. `source` is its file."""

    def __init__(self, name: str, text: str, source: str) -> None:
        self.name, self.text, self.source = name, text, source
        # A value must not open or close a tag of the prompt.
        tags = "|".join(sorted(set(_CLOSING.findall(text)))) or "$^"
        self._tag = re.compile(rf"<(?=[/ \t]*(?:{tags}))", re.IGNORECASE)
        known, used = VARIABLES[name], {found.strip() for found in _VARIABLE.findall(text)}
        _, is_open, rest = _VARIABLE.sub("", text).partition("{{")
        if is_open:
            shown = "{{" + rest[:40].partition("\n")[0]
            raise ConfigError(f"{source}: {shown!r} is not closed; a variable is written {{{{name}}}}")
        for variable in sorted(used - set(known)):
            allowed = ", ".join(known) or "none"
            raise ConfigError(f"{source}: unknown variable {{{{{variable}}}}}; it may use: {allowed}")
        for variable, is_required in known.items():
            if is_required and variable not in used:
                raise ConfigError(
                    f"{source}: the variable {{{{{variable}}}}} is missing; put it where it belongs"
                )

    def fill(self, **values: str) -> str:
        """Return the text with its variables replaced; missing values are empty."""
        return _VARIABLE.sub(lambda found: self._tag.sub("‹", values.get(found[1].strip(), "")), self.text)


def load(name: str, home: str) -> Prompt:
    """Return a prompt, the person's own copy if there is one; ConfigError names the file and the problem."""
    if name not in VARIABLES:
        raise ConfigError(f"there is no prompt {name!r}; one of {', '.join(VARIABLES)}")
    relative = f"{FOLDER}/{name}.md"
    own = Tree(home).read(relative, MAX_BYTES)
    path = Path(home, relative)
    if own is None:
        path = Path(__file__).parent / relative
        own = path.read_bytes()
    try:
        text = own.decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    if not text:
        raise ConfigError(f"{path}: it is empty; write a prompt, or remove it to use the built-in one")
    return Prompt(name, text, str(path))
