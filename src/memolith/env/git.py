"""What git knows about a directory, read from its files. Git is not started, and its config is only data.

The author of the files around us may have written `.git` too, so we trust it less than git does. It must
belong to us, it must lie where it is used or be named by its repository in turn, and it must not be a link.
A directory inside a repository is not a repository, however much it looks like one. A checkout that fails
has a `doubt`, and we treat it as a plain folder.
"""

from __future__ import annotations

import os
import stat
import sys

from memolith.base.errors import MemolithError
from memolith.env.paths import Place
from memolith.env.settings import owners
from memolith.text.secrets.veil import veiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memolith.env.git_objects import Commits

# Hosts that ignore case in the names of owners and repositories, with their aliases.
_CASELESS_HOSTS = frozenset(["github.com", "gitlab.com", "bitbucket.org"])
_ALSO = ("www.", "ssh.", "altssh.")
_DEFAULT_PORTS = frozenset(["", "22", "80", "443", "9418"])
_MAX_CONFIG = 1_048_576
_MAX_LINE = 8_192
_MAX_ORIGIN = 1_000
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_CLOCKS = 60_000_000_000  # nanoseconds by which the clocks of two file systems may differ
_MOMENT = 1_000_000_000  # nanoseconds that git takes to create a worktree
_NOBODYS = "?"  # an origin that exists but cannot be read: equal to no other
_GENERATION = 0x80087601  # FS_IOC_GETVERSION of Linux

_CLOSED = "the .git here cannot be read"
_LINK = "the .git here is a link"
_NO_WAY_BACK = "the .git here leads to a repository that does not lead back to it"
_NEWER = "the .git here is newer than what its repository knows of it (yours? `memolith project link SLUG`)"
_STRANGERS = "the .git here, or the directory that it is in, belongs to another user"


class Checkout:
    """A git repository on disk. `root` is its main checkout, `top` the current worktree."""

    __slots__ = ("_commits", "_mark", "_origin", "doubt", "git", "root", "top")

    def __init__(self, root: str, git: str, top: str, doubt: str = "") -> None:
        self.root, self.git, self.top, self.doubt = root, git, top, doubt
        self._origin: str | None = None
        self._mark: str | None = None
        self._commits: Commits | None = None

    @property
    def origin(self) -> str:
        """The normalised address of the remote; empty if there is none."""
        if self._origin is None:
            self._origin = _read_origin(self.git, self.root)
        return self._origin

    @property
    def mark(self) -> str:
        """Distinguishes this repository from a later one at the same path (`mark_of`)."""
        if self._mark is None:
            self._mark = mark_of(self.git)
        return self._mark

    @property
    def commits(self) -> Commits:
        """Its history."""
        if self._commits is None:
            from memolith.env.git_objects import Commits

            self._commits = Commits(self.git)
        return self._commits

    @property
    def is_shallow(self) -> bool:
        """Whether the history is truncated, so that its oldest commit is not the first one."""
        return os.path.lexists(os.path.join(self.git, "shallow"))


def mark_of(directory: str) -> str:
    """Return what distinguishes a directory from a later one at its path; empty if the system does not tell.

    Systems reuse an inode number at once when a directory is removed, but not together with its generation
    (or birth time). On a file system that has neither, the mark ends in a dot.
    """
    try:
        found = os.stat(directory, follow_symlinks=False)
        born = getattr(found, "st_birthtime_ns", getattr(found, "st_birthtime", None))
        if born is None:
            born = _generation(directory)
    except OSError:
        return ""
    return f"{found.st_dev}.{found.st_ino}.{born}"


def _generation(directory: str) -> str:
    try:
        from fcntl import ioctl
    except ImportError:
        return ""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return str(int.from_bytes(ioctl(fd, _GENERATION, bytes(8))[:4], sys.byteorder))
    except OSError:
        return ""
    finally:
        os.close(fd)


def find(directory: str) -> Checkout | None:
    """Return the repository that contains `directory` (an absolute, resolved path)."""
    # As git does: search neither in these directories nor above them.
    limits = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(limit) for limit in limits if limit}
    bare = None
    while True:
        git = os.path.join(directory, ".git")
        try:
            mode = os.lstat(git).st_mode
        except OSError:
            # Counts only outside of any other repository: a clone may contain such a directory.
            if bare is None and _is_bare(directory):
                bare = Checkout(directory, directory, directory)
        else:
            if stat.S_ISLNK(mode):
                return Checkout(directory, git, directory, _LINK)
            if stat.S_ISREG(mode):
                return _linked(directory, git)
            try:
                os.stat(os.path.join(git, "HEAD"))
                return _ours(Checkout(directory, git, directory))
            except PermissionError:
                return Checkout(directory, git, directory, _CLOSED)
            except OSError:
                pass  # empty, or something else of that name
        parent = os.path.dirname(directory)
        if parent == directory or parent in ceilings:
            return bare and _ours(bare)
        directory = parent


def _is_bare(directory: str) -> bool:
    """Whether a directory is itself a repository. `.git` is not: it belongs to its parent."""
    inside = (os.path.join(directory, name) for name in ("HEAD", "objects", "refs"))
    return os.path.basename(directory) != ".git" and all(os.path.exists(path) for path in inside)


def _ours(checkout: Checkout, *others: str) -> Checkout:
    """Doubt a repository of another user, as git does: we must not trust its config."""
    if hasattr(os, "geteuid"):
        for path in (checkout.top, checkout.git, *others):
            if os.lstat(path).st_uid not in owners() and not _is_declared_safe(checkout.top):
                checkout.doubt = _STRANGERS
    return checkout


def _is_declared_safe(top: str) -> bool:
    """Whether a person told git to trust this directory of another user."""
    home = os.path.expanduser("~")
    files = ("/etc/gitconfig", f"{os.environ.get('XDG_CONFIG_HOME') or home + '/.config'}/git/config")
    is_safe = False
    for file in (*files, f"{home}/.gitconfig"):
        for section, key, value in _settings(file) or ():
            if (section, key) == ("safe", "directory"):
                everywhere = value == "*" or (value.endswith("/*") and top.startswith(value[:-1]))
                is_safe = bool(value) and (is_safe or everywhere or value == top)
    return is_safe


def _linked(directory: str, file: str) -> Checkout:
    """Follow a `.git` file: from a linked worktree to the main checkout, from a submodule to itself.

    Anybody can write such a file. So the repository must point back to it, or be hidden beside it.
    """
    git = _pointer(file)
    common = git and _first_line(os.path.join(git, "commondir"))
    if common:
        tree, git = git, os.path.realpath(os.path.join(git, common))
        back = _first_line(os.path.join(tree, "gitdir"))
        if os.path.dirname(tree) == os.path.join(git, "worktrees") and back:
            main = os.path.dirname(git)
            # A bare repository is its own root, unless the directory around it has `gitdir: ./.bare`.
            if os.path.basename(git) != ".git" and not (
                _is_hidden_in(main, git) and _pointer(os.path.join(main, ".git")) == git
            ):
                main = git
            if os.path.realpath(os.path.join(tree, back)) == file:
                made = os.path.join(tree, "commondir")
                return _in_time(_ours(Checkout(main, git, directory), file, tree), file, made)
    elif git and os.path.isdir(git):
        owns = [value for name in ("config", "config.worktree") for value in _worktrees(git, name)]
        if directory in owns:
            made = os.path.join(git, "config")
            return _in_time(_ours(Checkout(directory, git, directory), file), file, made)
        if _is_hidden_in(directory, git):
            return _ours(Checkout(directory, git, directory), file)
    return Checkout(directory, file, directory, _NO_WAY_BACK)


def _is_hidden_in(directory: str, git: str) -> bool:
    """Whether a repository is hidden in its own directory, as `.bare` is; any other is a separate project."""
    return os.path.dirname(git) == directory and os.path.basename(git).startswith(".")


def _in_time(checkout: Checkout, file: str, made: str) -> Checkout:
    """Doubt a `.git` file that is newer than its worktree: it was unpacked where a worktree once was.

    `made` is the file that git writes when it creates a worktree or records where a submodule is. The
    directory itself does not help: each `git status` changes it, and shell prompts run that all the time.
    """
    ours, theirs = os.lstat(file), os.lstat(made)
    late = ours.st_ctime_ns - theirs.st_ctime_ns
    if late > (_MOMENT if ours.st_dev == theirs.st_dev else _CLOCKS):
        checkout.doubt = checkout.doubt or _NEWER
    return checkout


def _worktrees(git: str, name: str) -> Iterator[str]:
    """Yield the worktree that a repository's config names, as a submodule's does."""
    for section, key, value in _settings(os.path.join(git, name)) or ():
        if (section, key) == ("core", "worktree") and "\0" not in value:
            yield os.path.realpath(os.path.join(git, value))


def _pointer(file: str) -> str:
    """Return the directory that a `.git` file names, or an empty string."""
    line = _first_line(file)
    if not line.startswith("gitdir:") or _is_remote(line[7:].strip()):
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(file), line[7:].strip()))


def _is_remote(path: str) -> bool:
    """Whether a path is on another machine: on Windows, opening it would send our credentials there."""
    return path.replace("\\", "/").startswith("//")


def _first_line(path: str) -> str:
    line = (_read(path, _MAX_LINE) or "").partition("\n")[0].strip()
    return "" if "\0" in line else line


def _read(path: str, limit: int) -> str | None:
    """Return one of git's files; None if it is a link, a device, a pipe, too large or unreadable."""
    try:
        data, size = Place.of(path).read_part(limit, shared=True)
    except MemolithError:
        return None
    return data.decode("utf-8", "surrogateescape") if size <= limit else None


def _settings(file: str) -> Iterator[tuple[str, str, str]] | None:
    """Return section, key and value of each setting, without includes; None if the file is unreadable."""
    text = _read(file, _MAX_CONFIG)
    return None if text is None else _parsed(text)


def _parsed(text: str) -> Iterator[tuple[str, str, str]]:
    section, lines = "", iter(text.split("\n"))
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            head, _, rest = rest[1:].partition('"]' if '"' in rest.partition("]")[0] else "]")
            name, quoted, part = head.partition(' "') if '"' in head else head.partition(".")
            section = f"{name.strip().lower()}.{part}" if quoted else name.strip().lower()
        key, equals, value = rest.partition("=")
        if equals:
            is_plain = not any(sign in value for sign in '\\"#;')
            yield section, key.strip().lower(), value.strip() if is_plain else _value(value.strip(), lines)


def _value(line: str, lines: Iterator[str]) -> str:
    """Return a value as git parses it: parts may be quoted, a trailing backslash continues the line."""
    made, end, at, is_quoted = "", 0, 0, False
    while at < len(line):
        sign, at = line[at], at + 1
        if sign == "\\" and at == len(line):
            line, at = next(lines, "").rstrip("\r"), 0
        elif sign == '"':
            is_quoted = not is_quoted
        elif sign in "#;" and not is_quoted:
            break
        else:
            if sign == "\\":
                sign, at = _ESCAPES.get(line[at], line[at]), at + 1
            made += sign
            end = len(made) if is_quoted or not sign.isspace() else end
    return made[:end]


def _read_origin(git: str, root: str) -> str:
    """Return the address of the remote `origin`, else of the only remote."""
    settings = _settings(os.path.join(git, "config"))
    if settings is None:
        return _NOBODYS
    remotes: dict[str, str] = {}
    for section, key, value in settings:
        if key == "url" and section.startswith("remote."):
            remotes.setdefault(section[7:], value)
    url = remotes.get("origin") or (next(iter(remotes.values())) if len(remotes) == 1 else "")
    if not url:
        return ""
    origin = normalise(url, root) if "\0" not in url else _NOBODYS
    # Only compared and shown, so it is masked right here.
    return veiled(origin) if len(origin) <= _MAX_ORIGIN else _NOBODYS


def normalise(url: str, root: str) -> str:
    """Return one spelling for all addresses of a repository: `host/owner/name`, or a real path.

    Scheme, user, password, default port, `.git`, a trailing slash and a query (`?token=…`) are dropped.
    """
    scheme, separator, rest = url.partition("://")
    if separator and scheme.lower() == "file":
        return _local(rest if rest.startswith("/") else "/" + rest.partition("/")[2], root)
    if separator:
        authority, _, path = rest.partition("/")
        _, colon, port = authority.partition(":")
        if colon and "@" in path and "@" not in authority and not port.isdecimal():
            authority, _, path = rest.rpartition("@")[2].partition("/")  # the password may contain a slash
        host = authority.rpartition("@")[2]
        host, _, port = host.partition(":") if not host.startswith("[") else (host, "", "")
        port = _without_query(port)
        if port.isdecimal() and port not in _DEFAULT_PORTS:
            host = f"{host}:{port}"
    else:
        authority, slash, rest = url.partition("/")
        host, colon, path = authority.rpartition("@")[2].partition(":")
        # `C:\repo` and `./a:b` are paths; `git@host:path` and `host:path` are addresses.
        if not colon or "\\" in host or len(host) == 1:
            return _local(url, root)
        path += slash + rest
    host = _without_query(host).lower()
    for prefix in _ALSO:
        if host.removeprefix(prefix) in _CASELESS_HOSTS:
            host = host.removeprefix(prefix)
    path = _trim(_without_query(path)).lstrip("/")
    if host in _CASELESS_HOSTS:
        path = path.lower()
    return f"{host}/{path}"


def _local(path: str, root: str) -> str:
    if _is_remote(path):
        return path
    place = os.path.realpath(os.path.join(root, os.path.expanduser(path)))
    if os.path.basename(place) == ".git":
        place = os.path.dirname(place)
    return place


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _trim(path: str) -> str:
    path = path.rstrip("/")
    return path[:-4] if path.lower().endswith(".git") else path
