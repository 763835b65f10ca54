"""Texts that commands, skills and extensions send as if the person had typed them.

Hosts write such a text down as a prompt, and few say so. A clone brings any, for any host: so they are looked
for in the directory of the session and above it, up to the project's top. What is installed for the user
(skills, extensions, plugins) is a stranger's, too; only the commands in their home are their own.
"""

from __future__ import annotations

import os
import tomllib
from contextlib import suppress
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
_MOST_BYTES, _MOST_INSTALLED = 2_097_152, 33_554_432  # of all files together, in a checkout and in the home
_MOST_PIECES = 50_000  # texts between arguments
_DEEPEST = 64  # directories above
_LEAST = 20  # characters; a shorter text that is somewhere in a prompt may be the person's words
_ARGUMENT = lazy(
    r"\$ARGUMENTS(?:\[\d+\])?|\$(?:@|\w+)|!`[^`\n]*`|@(?!\{)\S+|\{\{args\}\}"
    r"|[$!@]\{(?:[^{}\n]|\{[^{}\n]*\})*\}"  # no brace is looked at from two beginnings
)
_OPENED = lazy(r"[$!@]\{|!`")
_NESTED_MARKS = lazy(r"[{}`\\\n]+")  # where an argument that contains another may begin or end
_FILE = lazy(r"\{file:([^}\n]+)\}")


class _TooManyError(Exception):
    """There are more files, or larger ones, than anybody looks through."""


class _Reader:
    """Reads files up to a sum of bytes, each file that is listed only once, however many links lead to it."""

    def __init__(self, most: int) -> None:
        self._bytes, self._files, self._pieces = most, _MOST_FILES, _MOST_PIECES
        self._seen: set[tuple[int, int]] = set()

    def is_new(self, path: str) -> bool:
        """Whether a file or folder was not seen yet, also under another name."""
        self._files -= 1
        if self._files < 0:
            raise _TooManyError
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return False
        before = len(self._seen)
        self._seen.add((found.st_dev, found.st_ino))
        return len(self._seen) > before

    def text(self, path: str) -> str:
        """Return what is in a file, also behind a link: it is compared, and never kept."""
        try:
            if not os.path.isfile(path):
                return ""
            with open(path, "rb") as file:
                content = file.read(_MOST)
        except (OSError, ValueError):
            return ""
        self._bytes -= len(content)
        if self._bytes < 0:
            raise _TooManyError
        return content.decode("utf-8-sig", "replace")

    def count(self, pieces: list[str]) -> None:
        """Heed into how many texts arguments part what was read."""
        self._pieces -= len(pieces)
        if self._pieces < 0:
            raise _TooManyError


class Commands:
    """What the commands of a directory send, each as the texts between its arguments.

    Of a repository with more of them than anybody looks through, any prompt may be one.
    """

    def __init__(self, directory: str) -> None:
        read = _Reader(_MOST_BYTES)
        templates: list[str] = []
        pieces: list[list[str]] = []
        self._too_many = False
        try:
            for text in (text for folder in _upwards(directory) for text in _templates(folder, read)):
                templates.append(text)
                pieces.append(_pieces(text))
                read.count(pieces[-1])
        except _TooManyError:
            templates, pieces, self._too_many = [], [], True
        self._pieces = [*pieces, *_installed(os.path.expanduser("~"))]
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
    has_argument = len(pieces) > 1 or _OPENED.search(template)
    if not has_argument or not any(mark in piece for piece in pieces for mark in "{}`"):
        return []
    parts = (" ".join(each.split()) for piece in pieces for each in _NESTED_MARKS.split(piece))
    return [part for part in parts if len(part) >= _LEAST]


@cache
def _installed(home: str) -> list[list[str]]:
    found: list[list[str]] = []
    with suppress(_TooManyError):  # those that were looked through are known
        found.extend(map(_pieces, _files(home, _INSTALLED, _Reader(_MOST_INSTALLED))))
    return found


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


def _templates(folder: str, read: _Reader) -> Iterator[str]:
    yield from _files(folder, _FOLDERS, read)
    for name in _SETTINGS:
        place = os.path.dirname(os.path.join(folder, name))
        for template in _set_in(read.text(os.path.join(folder, name))):
            texts = _FILE.split(template)  # every other one is a path
            texts[1::2] = [read.text(os.path.join(place, path)) for path in texts[1::2]]
            yield "".join(texts)


def _files(folder: str, kinds: frozenset[str], read: _Reader) -> Iterator[str]:
    """Yield the texts in a directory's hidden folders, of these names."""
    hidden = [path for path in _listed(folder) if os.path.basename(path).startswith(".")]
    hosts = [path for each in hidden for path in (each, *(os.path.join(each, name) for name in _NESTED))]
    for place in (os.path.join(host, kind) for host in hosts for kind in sorted(kinds)):
        for above, folders, names in os.walk(place, followlinks=True):
            if not read.is_new(above):
                folders.clear()
                continue
            for name in sorted(each for each in names if each.lower().endswith(_ENDINGS)):
                path = os.path.join(above, name)
                text = read.text(path) if read.is_new(path) else ""
                found = _prompt(text) if name.lower().endswith(".toml") else frontmatter.split(text).body
                if found:
                    yield found


def _listed(folder: str) -> list[str]:
    try:
        return sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    except OSError:
        return []


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
