"""Whose files these are: the user's own agents', or anybody's.

A clone can contain any file under any name, even a link to any other. So a file in a checkout is not trusted;
what counts is where it really is, never its name or content.
"""

from __future__ import annotations

import os

from memolith.env import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Where an agent keeps this user's files: a variable that may name the directory, else a folder below their
# home, and the paths below either.
_FOLDERS = {
    "claude": ("CLAUDE_CONFIG_DIR", ".claude", ""),
    "codex": ("CODEX_HOME", ".codex", ""),
    "gemini": ("GEMINI_CLI_HOME", "", ".gemini"),
    "qwen": ("QWEN_HOME", ".qwen", ""),
    "droid": ("FACTORY_HOME_OVERRIDE", "", ".factory"),
    "cline": ("CLINE_DATA_DIR", ".cline/data", ""),
    "amp": ("", ".config/amp", ""),
    "copilot": ("COPILOT_HOME", ".copilot", ""),
    "cursor": ("", ".cursor", ""),
    "opencode": ("XDG_CONFIG_HOME", ".config", "opencode"),
    "opencode's sessions": ("XDG_DATA_HOME", ".local/share", "opencode"),
    "pi": ("PI_CODING_AGENT_DIR", ".pi/agent", ""),
    "omp": ("", ".omp/agent", ""),
}

# What others wrote lies there, too: what was installed, and what was handed to an agent.
_OTHERS = frozenset(["skill", "skills", "plugin", "plugins", "extensions", "uploads"])


def folder(agent: str, env: Mapping[str, str], home: str) -> str:
    """Return the directory in which an agent keeps this user's files."""
    variable, default, below = _FOLDERS[agent]
    return os.path.join(env.get(variable) or os.path.join(home, default), below).rstrip(os.sep)


def is_kept(path: str, env: Mapping[str, str]) -> bool:
    """Whether the user's own agents keep this path: in their directories, outside of any checkout."""
    named = [folder(each, env, os.path.expanduser("~")) for each in _FOLDERS]
    place = os.path.realpath(path)
    stores = [os.path.realpath(store) for store in (*_own_stores(), *named)]
    below = [place[len(store) :].split(os.sep) for store in stores if _is_in(place, store)]
    inside = bool(below) and all(map(_OTHERS.isdisjoint, below))
    return inside and is_ours(os.stat(place)) and not in_checkout(place)


def is_taken_at_word(path: str) -> bool:
    """Whether a path that a person hands over as theirs may be: no checkout's, nobody else's, no link."""
    parts = os.path.realpath(path).casefold().split(os.sep)
    ours = is_ours(os.stat(path)) and not in_checkout(path) and not link_on_the_way(path)
    return ours and _OTHERS.isdisjoint(parts) and "downloads" not in parts


def in_checkout(path: str) -> bool:
    """Whether a path really lies in a checkout; one around the home or a store belongs to the user."""
    top = checkout(path)
    own = [os.path.expanduser("~"), *_own_stores()]
    return bool(top) and not any(_is_in(os.path.realpath(each), top) for each in own)


def checkout(path: str) -> str:
    """Return the top of the checkout that really contains a path, or nothing."""
    place = os.path.realpath(path)
    found = git.find(place if os.path.isdir(place) else os.path.dirname(place))
    return found.top if found else ""


def link_on_the_way(path: str) -> str:
    """Return the first link in a path that leads to a file or lies in a checkout, or nothing."""
    place = os.path.join(os.getcwd(), path)
    found = place if os.path.islink(place) and not os.path.isdir(place) else ""
    while (above := os.path.dirname(place)) != place:
        if os.path.islink(place) and in_checkout(above):
            found = place
        place = above
    return found


def is_ours(about: os.stat_result) -> bool:
    """Whether a file belongs to this user."""
    return not hasattr(os, "geteuid") or about.st_uid == os.geteuid()


def _own_stores() -> list[str]:
    return [folder(each, {}, os.path.expanduser("~")) for each in _FOLDERS]


def _is_in(place: str, directory: str) -> bool:
    return place == directory or place.startswith(os.path.join(directory, ""))
