"""Texts that commands, skills and extensions send as if the person had typed them.

Hosts write such a text down as a prompt, and few say so. A clone brings any, for any host: so they are looked
for in the directory of the session and above it, up to the project's top. What is installed for the user
(skills, extensions, plugins) is a stranger's, too; only the commands in their home are their own.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from typing import TYPE_CHECKING

from memolith.hosts.install import json_text
from memolith.text import frontmatter
from memolith.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

# Hosts keep such texts in folders of these names, each in a hidden folder of its own.
_INSTALLED = frozenset(["skill", "skills", "extensions", "plugins"])
_FOLDERS = frozenset(["command", "commands", "prompts", *_INSTALLED])
_NESTED = ("agent", "opencode")  # as in `~/.pi/agent/skills` and `~/.config/opencode/skills`
_ENDINGS = (".md", ".mdc", ".toml", ".txt")
_MOST_FILES = 4_000  # and folders
_SETTINGS = ("opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
_MOST = 262_144  # bytes of a file
_DEEPEST = 64  # directories above
_LEAST = 20  # characters; a shorter text that is somewhere in a prompt may be the person's words
_ARGUMENT = lazy(
    r"\$ARGUMENTS(?:\[\d+\])?|\$(?:@|\w+)|\$\{[^}\n]*\}|!`[^`\n]*`|@\S+|\{\{args\}\}|[!@]\{[^}\n]*\}"
)
_NESTED_MARKS = lazy(r"[{}`\\\n]+")  # where an argument that contains another may begin or end
_FILE = lazy(r"\{file:([^}\n]+)\}")


class Commands:
    """What the commands of a directory send, each as the texts between its arguments.

    Of a repository with more of them than anybody looks through, any prompt may be one.
    """

    def __init__(self, directory: str) -> None:
        texts = [text for folder in _upwards(directory) for text in _templates(folder)]
        self._too_many = None in texts
        templates = list(filter(None, texts))
        self._pieces = [*map(_pieces, templates), *_installed(os.path.expanduser("~"))]
        self._parts = {part for text in templates for part in _nested(text)}

    def send(self, text: str) -> bool:
        """Whether a text is what a command sends, whatever its arguments were."""
        said = " ".join(text.split())
        if self._too_many or any(part in said for part in self._parts):
            return True
        return any(_is_sent(said, list(filter(None, pieces))) for pieces in self._pieces)


def _pieces(template: str) -> list[str]:
    return [" ".join(each.split()) for each in _ARGUMENT.split(template)]


def _nested(template: str) -> list[str]:
    """Return the texts around arguments within arguments: any of them may be all that is sent."""
    pieces = _ARGUMENT.split(template)
    if len(pieces) == 1 or not any(mark in piece for piece in pieces for mark in "{}`"):
        return []
    parts = (" ".join(each.split()) for piece in pieces for each in _NESTED_MARKS.split(piece))
    return [part for part in parts if len(part) >= _LEAST]


@cache
def _installed(home: str) -> list[list[str]]:
    return [_pieces(text) for text in _files(home, _INSTALLED) if text]


def _is_sent(said: str, pieces: list[str]) -> bool:
    if sum(map(len, pieces)) < _LEAST:
        return pieces == [said]
    at = 0
    for piece in pieces:
        at = said.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _upwards(directory: str) -> Iterator[str]:
    """Yield a directory and those above it up to the top of its checkout; the user's home is their own."""
    home = os.path.realpath(os.path.expanduser("~"))
    folder = os.path.realpath(directory) if os.path.isabs(directory) else ""
    for _ in range(_DEEPEST):
        if not folder or folder == home:
            return
        yield folder
        above = os.path.dirname(folder)
        folder = "" if above == folder or os.path.lexists(os.path.join(folder, ".git")) else above


def _templates(folder: str) -> Iterator[str | None]:
    yield from _files(folder, _FOLDERS)
    for name in _SETTINGS:
        place = os.path.dirname(os.path.join(folder, name))
        for template in _set_in(_text(os.path.join(folder, name))):
            texts = _FILE.split(template)  # every other one is a path
            texts[1::2] = [_text(os.path.join(place, path)) for path in texts[1::2]]
            yield "".join(texts)


def _files(folder: str, kinds: frozenset[str]) -> Iterator[str | None]:
    """Yield the texts in a directory's hidden folders, of these names; None if there are too many."""
    hidden = [path for path in _listed(folder) if os.path.basename(path).startswith(".")]
    hosts = [path for each in hidden for path in (each, *(os.path.join(each, name) for name in _NESTED))]
    left = _MOST_FILES
    seen: set[str] = set()
    for place in (os.path.join(host, kind) for host in hosts for kind in sorted(kinds)):
        for above, folders, names in os.walk(place, followlinks=True):
            real = os.path.realpath(above)
            if real in seen:
                folders.clear()
                continue
            seen.add(real)
            found = sorted(each for each in names if each.lower().endswith(_ENDINGS))
            left -= len(found) + 1
            if left < 0:
                yield None
                return
            for name in found:
                text = _text(os.path.join(above, name))
                yield _prompt(text) if name.lower().endswith(".toml") else frontmatter.split(text).body


def _listed(folder: str) -> list[str]:
    try:
        return sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []


def _text(path: str) -> str:
    """Return what is in a file, also behind a link: it is compared, and never kept."""
    try:
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(_MOST).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        pass
    return ""


def _prompt(text: str) -> str:
    try:
        return str(tomllib.loads(text).get("prompt", ""))
    except (tomllib.TOMLDecodeError, RecursionError):
        return ""


def _set_in(text: str) -> Iterator[str]:
    """Yield the texts of the commands in opencode's settings."""
    try:
        found = json_text.parse(text).value
    except (json_text.BrokenError, RecursionError):
        return
    for key in ("command", "commands"):
        commands = found.get(key) if isinstance(found, dict) else None
        for command in commands.values() if isinstance(commands, dict) else ():
            template = command.get("template") if isinstance(command, dict) else command
            if isinstance(template, str):
                yield template
