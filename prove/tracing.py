"""The calls of a command that touch its memory, and what one of them can be made to do, with strace."""

from collections.abc import Callable
from typing import NamedTuple

from prove.invariants import Expected, begin
from prove.world import World


class Point(NamedTuple):
    """A call: its name, which one of that name it is, and what it is about."""

    name: str
    number: int
    changes: bool  # something on a disk
    tells: bool  # what the command says


CALLS = (
    "openat,open,creat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,ftruncate,truncate,fchmod,chmod,flock,utimensat,setxattr,fsetxattr"
)
# Each error, and the calls that give it.
_OPENS = ("openat", "open", "creat")
_NAMES = (
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"),
)
_SYNCS = ("fsync", "fdatasync")
_WRITES = ("write", "pwrite64", "writev", "ftruncate")
ERRORS = {
    "ENOSPC": (*_OPENS, *_WRITES, *_SYNCS, *_NAMES),
    "EIO": (*_OPENS, *_WRITES, *_SYNCS, *_NAMES),
    "EDQUOT": (*_OPENS, *_WRITES, *_NAMES),
    "EROFS": (*_OPENS, *_NAMES, "ftruncate", "fchmod", "utimensat"),
    "EMFILE": _OPENS,
}


def run(
    world: World,
    expected: Expected,
    arguments: list[str] | None,
    prepare: Callable[[], object] = lambda: None,
) -> tuple[int, str]:
    """Run the command of a round from its start, under strace if there are arguments for that.

    `prepare` is done in the process of the command, before it.
    """
    begin(world, expected)
    trace = None if arguments is None else ["-f", *arguments]
    return world.execute(expected.command, prepare=prepare, trace=trace)


def points(world: World, expected: Expected) -> list[Point]:
    """Return the calls that touch the memory, and the one that says that it is done."""
    log = world.base / "log"
    run(world, expected, ["-y", "-s", "0", "-o", str(log), "-e", f"trace={CALLS}"])
    seen: dict[tuple[str, str], int] = {}
    found: list[Point] = []
    for entry in log.read_text(errors="replace").splitlines():
        who, _, rest = entry.partition(" ")
        name = rest.strip().partition("(")[0]
        if not name.isidentifier() and not name.replace("64", "").isidentifier():
            continue
        seen[who, name] = seen.get((who, name), 0) + 1
        tells = f"{world.base}/out>" in entry
        if tells or f"{world.round}/" in entry or f"{world.round}>" in entry:
            reads = name in _OPENS and not any(flag in entry for flag in ("O_CREAT", "O_TRUNC"))
            found.append(Point(name, seen[who, name], not reads and name != "flock", tells))
    return found


def kill(world: World, expected: Expected, point: Point) -> tuple[int, str]:
    """Run the command and kill it instead of one of its calls; return its exit code and what it said.

    After a call is before the next one: nothing that touches a disk lies in between.
    """
    inject = f"inject={point.name}:error=EIO:signal=KILL:when={point.number}"
    return run(world, expected, ["-o", "/dev/null", "-e", f"trace={CALLS}", "-e", inject])


def fail(
    world: World, expected: Expected, point: Point, error: str, *, for_good: bool = False
) -> tuple[int, str]:
    """Run the command and let one of its calls fail, or it and all later ones of that name.

    Return its exit code and what it said.
    """
    inject = f"inject={point.name}:error={error}:when={point.number}{'+' if for_good else ''}"
    return run(world, expected, ["-o", "/dev/null", "-e", f"trace={CALLS}", "-e", inject])
