"""What git knows of a directory, read from its own files; `git` is started only for the root commit."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Hosts that treat owner and repository names without regard to case.
_CASELESS_HOSTS = frozenset(["github.com", "gitlab.com", "bitbucket.org"])
_DEFAULT_PORTS = frozenset(["", "22", "80", "443", "9418"])


class Checkout:
    """A git repository on disk. `root` is its main checkout, `top` the worktree that one stands in."""

    __slots__ = ("_git", "_origin", "root", "top")

    def __init__(self, root: str, git: str, top: str) -> None:
        self.root, self._git, self.top = root, git, top
        self._origin: str | None = None

    @property
    def origin(self) -> str:
        """The normalised address of the remote; empty if there is none."""
        if self._origin is None:
            self._origin = _read_origin(self._git, self.root)
        return self._origin

    def contains(self, commit: str) -> bool:
        """Tell whether an object is in this repository, without starting git."""
        return any(
            _loose(objects, commit) or _packed(objects, commit) for objects in _object_stores(self._git)
        )

    def root_commit(self) -> str:
        """Return the first commit of the history; empty if there is none or git cannot say."""
        import subprocess

        if os.path.exists(os.path.join(self._git, "shallow")):
            return ""  # the oldest commit at hand is not the first one
        try:
            done = subprocess.run(
                ["git", "--git-dir", self._git, "rev-list", "--max-parents=0", "HEAD"],
                capture_output=True,
                text=True,
                timeout=10,
                check=False,
                env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
            )
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
            return ""
        commits = done.stdout.split()
        return commits[-1] if done.returncode == 0 and commits else ""


def find(directory: str) -> Checkout | None:
    """Return the repository that `directory` (an absolute, resolved path) is in."""
    # Git's own limit: it does not look for a repository in these directories, nor above them.
    limits = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    ceilings = {os.path.realpath(limit) for limit in limits if limit}
    while True:
        git = os.path.join(directory, ".git")
        if os.path.isdir(git):
            if os.path.exists(os.path.join(git, "HEAD")):
                return Checkout(directory, git, directory)
        elif os.path.isfile(git):
            return _linked(directory, git)
        elif _is_bare(directory):
            return Checkout(directory, directory, directory)
        parent = os.path.dirname(directory)
        if parent == directory or parent in ceilings:
            return None
        directory = parent


def _is_bare(directory: str) -> bool:
    """Tell whether a directory is itself a repository. `.git` is not: it belongs to what it is in."""
    inside = (os.path.join(directory, name) for name in ("HEAD", "objects", "refs"))
    return os.path.basename(directory) != ".git" and all(os.path.exists(path) for path in inside)


def _linked(directory: str, file: str) -> Checkout | None:
    """Follow a `.git` file: of a linked worktree to the main checkout, of a submodule to itself."""
    git = _pointer(file)
    if not git:
        return None
    common = _first_line(os.path.join(git, "commondir"))
    if not common:
        return Checkout(directory, git, directory) if os.path.isdir(git) else None
    git = os.path.realpath(os.path.join(git, common))
    main = os.path.dirname(git)
    # A bare repository is its own root, unless the directory around it says `gitdir: ./.bare`.
    if os.path.basename(git) != ".git" and _pointer(os.path.join(main, ".git")) != git:
        main = git
    return Checkout(main, git, directory)


def _pointer(file: str) -> str:
    """Return the directory that a `.git` file names; empty if it names none."""
    line = _first_line(file)
    if not line.startswith("gitdir:"):
        return ""
    return os.path.realpath(os.path.join(os.path.dirname(file), line[7:].strip()))


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(8192).strip()
    except OSError:
        return ""


def _read_origin(git: str, root: str) -> str:
    """Return the address of the remote `origin`, else of the only remote."""
    remotes: dict[str, str] = {}
    name = ""
    try:
        with open(os.path.join(git, "config"), encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                bare = line.strip()
                if bare.startswith("["):
                    name = bare[9:].split('"')[0] if bare.lower().startswith('[remote "') else ""
                elif name and bare[:3].lower() == "url":
                    key, _, value = bare.partition("=")
                    if key.strip().lower() == "url":
                        remotes.setdefault(name, value.strip().strip('"'))
    except OSError:
        return ""
    url = remotes.get("origin") or (next(iter(remotes.values())) if len(remotes) == 1 else "")
    return normalise(url, root) if url else ""


def normalise(url: str, root: str) -> str:
    """Return one spelling for all addresses of a repository: `host/owner/name`, or a real path.

    Scheme, user, password, default port, `.git` and a trailing slash do not matter.
    """
    scheme, separator, rest = url.partition("://")
    if separator and scheme.lower() == "file":
        return _local(rest if rest.startswith("/") else "/" + rest.partition("/")[2], root)
    if separator:
        authority, _, path = rest.partition("/")
        host = authority.rpartition("@")[2]
        host, _, port = host.partition(":") if not host.startswith("[") else (host, "", "")
        if port not in _DEFAULT_PORTS:
            host = f"{host}:{port}"
    else:
        authority, slash, rest = url.partition("/")
        host, colon, path = authority.rpartition("@")[2].partition(":")
        # `C:\repo` and `./a:b` are paths; `git@host:path` and `host:path` are addresses.
        if not colon or "\\" in host or len(host) == 1:
            return _local(url, root)
        path += slash + rest
    host = host.lower()
    path = _trim(path).lstrip("/")
    if host in _CASELESS_HOSTS:
        path = path.lower()
    return f"{host}/{path}"


def _local(path: str, root: str) -> str:
    place = os.path.realpath(os.path.join(root, os.path.expanduser(path)))
    if os.path.basename(place) == ".git":
        place = os.path.dirname(place)
    return place


def _trim(path: str) -> str:
    path = path.rstrip("/")
    return path[:-4] if path.lower().endswith(".git") else path


def _object_stores(git: str) -> Iterator[str]:
    """Yield the object directory and those it borrows from."""
    main = os.path.join(git, "objects")
    yield main
    try:
        with open(
            os.path.join(main, "info", "alternates"), encoding="utf-8", errors="surrogateescape"
        ) as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    yield os.path.join(main, line.strip())
    except OSError:
        return


def _loose(objects: str, commit: str) -> bool:
    return os.path.exists(os.path.join(objects, commit[:2], commit[2:]))


def _packed(objects: str, commit: str) -> bool:
    """Look a name up in the pack indexes: a fan-out table, then a sorted list of names."""
    directory = os.path.join(objects, "pack")
    try:
        wanted = bytes.fromhex(commit)
        indexes = [name for name in os.listdir(directory) if name.endswith(".idx")]
    except (OSError, ValueError):
        return False
    for name in indexes:
        try:
            with open(os.path.join(directory, name), "rb") as file:
                if file.read(8) != b"\xfftOc\x00\x00\x00\x02":
                    continue
                fan = file.read(1024)
                first = wanted[0]
                low = int.from_bytes(fan[first * 4 - 4 : first * 4], "big") if first else 0
                high = int.from_bytes(fan[first * 4 : first * 4 + 4], "big")
                while low < high:
                    middle = (low + high) // 2
                    file.seek(1032 + middle * len(wanted))
                    found = file.read(len(wanted))
                    if found == wanted:
                        return True
                    if found < wanted:
                        low = middle + 1
                    else:
                        high = middle
        except OSError:
            continue
    return False
