"""The calls of a command that touch its memory, and what one of them can be made to do, with strace."""

from __future__ import annotations

from collections.abc import Callable

from memolith.cli import main
from prove.invariants import Expected, begin, stdin
from prove.world import World

Point = tuple[str, int]
CALLS = (
    "openat,open,creat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,"
    "mkdir,mkdirat,rmdir,ftruncate,truncate,fchmod,chmod,flock,utimensat,setxattr,fsetxattr"
)
# Each error, and the calls that give it.
_OPENS = ("openat", "open", "creat")
_NAMES = (
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
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
    command = expected.command

    def act() -> int:
        prepare()
        return main(world.arguments(command.line))

    trace = None if arguments is None else ["-f", *arguments]
    return world.run(act, stdin=stdin(world, command), trace=trace)


def points(world: World, expected: Expected) -> list[Point]:
    """Return the calls that touch the memory, each as a name and which call of that name it is."""
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
        if f"{world.round}/" in entry or f"{world.round}>" in entry:
            found.append((name, seen[who, name]))
    return found


def kill(world: World, expected: Expected, point: Point) -> int:
    """Run the command and kill it instead of one of its calls; return its exit code.

    After a call is before the next one: nothing that touches a disk lies in between.
    """
    name, number = point
    where = ["-o", "/dev/null", "-e", f"trace={CALLS}"]
    return run(world, expected, [*where, "-e", f"inject={name}:error=EIO:signal=KILL:when={number}"])[0]


def fail(world: World, expected: Expected, point: Point, error: str) -> tuple[int, str]:
    """Run the command and let one of its calls fail; return its exit code and what it said."""
    name, number = point
    where = ["-o", "/dev/null", "-e", f"trace={CALLS}"]
    return run(world, expected, [*where, "-e", f"inject={name}:error={error}:when={number}"])
