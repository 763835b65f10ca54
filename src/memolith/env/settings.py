"""Settings: the effective values, and where each comes from.

The environment comes first; then, for a few keys, `.memolith.yml` in the project; then `config.yml` in the
home; then the table of all settings, `settings.txt` beside this file. A project's file may be a stranger's (a
fresh clone): it may set only harmless keys, and nothing in it can stop a command.
"""

from __future__ import annotations

import errno
import os
import stat

from memolith.base import whole
from memolith.base.errors import ConfigError
from memolith.env import runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memolith.text.yaml import Node

CONFIG_FILE = "config.yml"
# Set for every child process that asks a model: memolith does nothing in it, or it would learn from itself.
GUARD = "MEMOLITH_INTERNAL"

# Keys that a project's file may set: how its memory is shown, never where it is kept or what may enter it.
PROJECT_FILE = ".memolith.yml"
PROJECT_KEYS = frozenset(["inject.daily"])
_MAX_PROJECT_FILE = 16_384
_MAX_TEXT = 1_000
_MAX_FILE = 262_144
# What it means if one of these is false, for a person who may have forgotten it.
_OFF = {
    "enabled": ("memory is switched off, so no agent gets any of it", "it"),
    "hooks.enabled": (
        "hooks are switched off, so agents get nothing, and nothing of them is kept",
        "them",
    ),
}
_BOOLEANS = {
    **dict.fromkeys(["true", "yes", "on", "1"], True),
    **dict.fromkeys(["false", "no", "off", "0"], False),
}
_KINDS: dict[str, type] = {"bool": bool, "int": int, "float": float, "text": str}


class Setting:
    """One paragraph of the table: `key: type = default <= limit`, then its description."""

    __slots__ = ("_row",)

    def __init__(self, row: str) -> None:
        self._row = row  # parsed on demand: every prompt loads the table but needs few rows

    def _parts(self) -> tuple[str, str, str]:
        words, _, rest = self._row.partition("\n")[0].partition(": ")[2].partition(" =")
        default, _, limit = rest.strip().partition(" <= ")
        return words, default, limit

    @property
    def kind(self) -> type | tuple[str, ...]:
        """The type, or the allowed words."""
        words = self._parts()[0]
        return _KINDS.get(words) or tuple(words.split("|"))

    @property
    def default(self) -> object:
        """The value if nothing overrides it."""
        kind, default = self.kind, self._parts()[1]
        if isinstance(kind, type):
            return _BOOLEANS[default] if kind is bool else kind(default)
        return default

    @property
    def limit(self) -> int | None:
        """The maximum of a number."""
        limit = self._parts()[2]
        return int(limit) if limit else None

    @property
    def meaning(self) -> str:
        """Its description."""
        return " ".join(self._row.partition("\n")[2].split())


with open(os.path.join(os.path.dirname(__file__), "settings.txt"), encoding="utf-8") as _file:
    SETTINGS = {row[: row.index(":")]: Setting(row) for row in _file.read().split("\n\n")[1:]}


class StrangerError(ConfigError):
    """A home or config that another user owns or can change: settings can name programs to run."""


def owners() -> set[int]:
    """Return the users whose files count as ours. As in git, root by sudo still owns the original user's."""
    me, before = os.geteuid() if hasattr(os, "geteuid") else 0, os.environ.get("SUDO_UID", "")
    return {me} | ({int(before)} if me == 0 and before.isdecimal() else set())


def own(path: str, found: os.stat_result) -> None:
    """Refuse a file that others can change: StrangerError contains the command that fixes it.

    Root can do anything anyway. The user's own group counts as private, as it is wherever the default umask
    is 002.
    """
    if not hasattr(os, "geteuid"):
        return
    me = os.geteuid()
    if found.st_uid not in owners() | {0}:
        why, mend = f"belongs to user {found.st_uid}, not to you ({me})", "move it away"
    elif found.st_mode & (stat.S_IWOTH | (stat.S_IWGRP if found.st_gid != os.getegid() else 0)):
        from shlex import quote

        why, mend = "others can write to it", f"`chmod go-w {quote(path)}` if all of it is yours"
    else:
        return
    raise StrangerError(
        f"{path}: {why}, so it could name programs to run, and is not used; look at what is in it, then "
        f"{mend}, or choose another home with --home or MEMOLITH_HOME"
    )


def env_name(key: str) -> str:
    """Return the environment variable that overrides `key`."""
    return "MEMOLITH_" + key.upper().replace(".", "_")


class Settings:
    """The effective settings, and where each comes from. Files are read on first use."""

    def __init__(self, home: str, env: Mapping[str, str] | None = None) -> None:
        self.path = os.path.join(home, CONFIG_FILE)
        self._env = os.environ if env is None else env
        self._file: dict[str, Node] | None = None
        self.root = ""  # the project's root
        self._project: dict[str, object] | None = None
        self.ignored: list[str] = []  # entries of the project's file that have no effect

    def enter(self, root: str) -> None:
        """Use the file of the project at `root`; it is read on demand."""
        self.root, self._project = root, None

    def reload(self) -> None:
        """Read the file again on the next access."""
        self._file = None

    def get(self, key: str) -> object:
        """Return the effective value of `key`."""
        return self.lookup(key)[0]

    def text(self, key: str) -> str:
        """Return a text setting."""
        return str(self.get(key))

    def flag(self, key: str) -> bool:
        """Return whether a setting is on."""
        return bool(self.get(key))

    def number(self, key: str) -> float:
        """Return a numeric setting."""
        value = self.get(key)
        assert isinstance(value, (int, float))  # noqa: S101 - the table says so
        return value

    def lookup(self, key: str) -> tuple[object, str]:
        """Return the effective value and its origin: `environment`, `project`, `file` or `default`."""
        default = _setting(key).default
        name = env_name(key)
        if self._env.get(name):
            return _convert(key, self._env[name], f"environment variable {name}"), "environment"
        if key in PROJECT_KEYS and key in self.of_project():
            return self.of_project()[key], "project"
        node: Node | None = self._load()
        for part in key.split("."):
            node = node.get(part, node.get(_camel(part))) if isinstance(node, dict) else None
        if node is None or node == "":
            return default, "default"
        if not isinstance(node, str):
            raise ConfigError(f"{self.path}: {key}: expected one value, as in `{key}: {default}`")
        return _convert(key, node, self.path), "file"

    def problems(self, *keys: str) -> list[str]:
        """Return what is wrong with the values, and what is switched off that one expects to work.

        `keys` are the settings to look at (default: all).
        """
        found: dict[str, None] = {}
        for key in keys or SETTINGS:
            try:
                value, where = self.lookup(key)
            except ConfigError as error:
                found[str(error)] = None
                continue
            if key in _OFF and not value:
                set_on = f"`memolith config set {key} true` turns {_OFF[key][1]} on"
                how = f"unset {env_name(key)}" if where == "environment" else set_on
                found[f"{_OFF[key][0]}: {how}"] = None
        return list(found)

    def of_project(self) -> dict[str, object]:
        """Return the values that the project's file sets; the rest of it is in `ignored`."""
        if self._project is None:
            self._project = {}
            path = os.path.join(self.root, PROJECT_FILE) if self.root else ""
            try:
                with open(path, encoding="utf-8", opener=open_regular) as file:
                    self._read_project(file.read(_MAX_PROJECT_FILE), self._project)
            except FileNotFoundError:
                pass
            except (OSError, UnicodeDecodeError) as error:  # it belongs to a repository: no memory is missing
                self.ignored.append(f"it cannot be read ({error})")
        return self._project

    def _read_project(self, text: str, found: dict[str, object]) -> None:
        from memolith.text import yaml

        try:
            tree = yaml.parse(text)
        except yaml.YamlError as error:
            self.ignored.append(f"line {error.line}: {error.problem}")
            return
        for key, value in leaves(tree).items():
            if key not in PROJECT_KEYS:
                self.ignored.append(f"{key}: a project may set only {', '.join(sorted(PROJECT_KEYS))}")
                continue
            try:
                found[key] = _convert(key, str(value), PROJECT_FILE)
            except ConfigError as error:
                self.ignored.append(str(error))

    def _load(self) -> dict[str, Node]:
        if self._file is None:
            try:
                with open(self.path, encoding="utf-8", opener=_open_own) as file:
                    text = file.read(_MAX_FILE + 1)
            except (FileNotFoundError, NotADirectoryError):
                self._file = {}
                return self._file
            except (OSError, UnicodeDecodeError) as error:
                if isinstance(error, OSError) and error.errno:  # otherwise it is not a regular file
                    whole.note(self.path, error)
                raise ConfigError(f"{self.path}: cannot be read ({error}); repair or remove it") from None
            if len(text) > _MAX_FILE:
                raise ConfigError(f"{self.path}: has more than {_MAX_FILE:,} characters; repair or remove it")
            from memolith.text import yaml

            try:
                self._file = yaml.parse(text)
            except yaml.YamlError as error:
                raise ConfigError(
                    f"{self.path}:{error.line}: {error.problem}; repair the line in the file "
                    "(`memolith config edit` opens it), or remove it"
                ) from None
        return self._file

    def unknown_keys(self) -> list[str]:
        """Return keys in the file that are not settings (a typo, or a newer version's key)."""
        known = {*SETTINGS, *(".".join(map(_camel, key.split("."))) for key in SETTINGS)}
        return [key for key in leaves(self._load()) if key not in known]


def open_regular(path: str, flags: int) -> int:
    """Open a regular file only: reading a pipe could block for ever."""
    try:
        fd = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError("it is a symbolic link") from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError("it is not a regular file")
    return fd


def _open_own(path: str, flags: int) -> int:
    """Open a regular file that only the user can change. Checks the open file: its name can be swapped."""
    fd = open_regular(path, flags)
    try:
        own(path, os.fstat(fd))
    except StrangerError:
        os.close(fd)
        raise
    return fd


def check(key: str, value: str) -> object:
    """Return `value` converted to the type of `key`; ConfigError says what is wrong."""
    _setting(key)
    return _convert(key, value)


def _setting(key: str) -> Setting:
    if key not in SETTINGS:
        raise ConfigError(unknown_key(key))
    return SETTINGS[key]


def unknown_key(key: str) -> str:
    """Return the message for an unknown key, with the nearest known one."""
    import difflib

    near = difflib.get_close_matches(key, SETTINGS, 1)
    hint = f"did you mean {near[0]!r}?" if near else "`memolith config list` shows all"
    return f"unknown setting {key!r}; {hint}"


def _camel(name: str) -> str:
    """Return the other spelling of a key: the original design writes `max_age` as `maxAge`."""
    first, *rest = name.split("_")
    return first + "".join(each.capitalize() for each in rest)


def _convert(key: str, value: str, where: str = "") -> object:
    where += ": " if where else ""
    kind, limit = SETTINGS[key].kind, SETTINGS[key].limit
    if kind is bool:
        if value.lower() in _BOOLEANS:
            return _BOOLEANS[value.lower()]
        raise ConfigError(f"{where}{key} = {value!r}; must be true or false")
    if isinstance(kind, tuple):
        if value in kind:
            return value
        raise ConfigError(f"{where}{key} = {value!r}; must be one of {', '.join(kind)}")
    if kind is str:
        if len(value) > _MAX_TEXT or not value.isprintable():
            raise ConfigError(f"{where}{key}: must be one line of at most {_MAX_TEXT} characters")
        return value
    try:
        number = kind(value)
    except ValueError:
        number = -1
    if not 0 <= number < float("inf"):
        raise ConfigError(f"{where}{key} = {value!r}; must be a number, 0 or more")
    if limit is not None and number > limit:
        raise ConfigError(f"{where}{key} = {value!r}; must be at most {limit}")
    return number


def leaves(node: dict[str, Node], prefix: str = "") -> dict[str, Node]:
    """Return the settings of a file by their full keys."""
    found: dict[str, Node] = {}
    for name, value in node.items():
        if isinstance(value, dict):
            found |= leaves(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = value
    return found


_NO_HOME = "there is no home directory; set MEMOLITH_HOME or give --home PATH"


def home_for(given: str, env: Mapping[str, str], platform: str) -> str:
    """Return the directory for memolith's files: of a throw-away run, the one `given`, or the default."""
    if value := env.get(runs.VARIABLE):
        home = runs.home_of_run(value)
        if home and not runs.is_throwaway(given):
            return home
    return os.path.abspath(os.path.expanduser(given)) if given else default_home(env, platform)


def default_home(env: Mapping[str, str], platform: str) -> str:
    """Return the default directory for memolith's files."""
    user = _user_directory(env, platform)
    home = env.get("MEMOLITH_HOME")
    if home:
        if not home.strip():
            raise ConfigError("MEMOLITH_HOME is blank; set it to a directory, or unset it")
        if home == "~" or home.startswith("~/"):
            if not user:
                raise ConfigError(f"MEMOLITH_HOME is {home!r}, but {_NO_HOME}")
            home = user + home[1:]
        return os.path.abspath(os.path.expanduser(home))
    # The XDG specification: a relative path is invalid and must be ignored. It would also give every
    # directory its own memory.
    data = env.get("XDG_DATA_HOME", "")
    if os.path.isabs(data):
        return os.path.join(os.path.normpath(data), "memolith")
    if platform == "win32" and env.get("LOCALAPPDATA"):
        return os.path.join(env["LOCALAPPDATA"], "memolith")
    if not user:
        raise ConfigError(_NO_HOME)
    if platform == "win32":
        return os.path.join(user, "AppData", "Local", "memolith")
    if platform == "darwin":
        return os.path.join(user, "Library", "Application Support", "memolith")
    return os.path.join(user, ".local", "share", "memolith")


def _user_directory(env: Mapping[str, str], platform: str) -> str:
    """Return the user's home directory: from `env`, else from the system, else nothing."""
    # An empty value counts as set: `expanduser` would turn it into the root of the file system.
    user = env.get("USERPROFILE" if platform == "win32" else "HOME")
    if user is None:
        user = os.path.expanduser("~")
    return user if os.path.isabs(user) else ""
