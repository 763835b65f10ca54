"""What surrounds a command: a full or read-only disk, a clock that jumps, damaged databases."""

import os
import random
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from memolith.edges.cli import main
from memolith.store.locks import locked
from prove.clock import CLOCK
from prove.damage import DAMAGE
from prove.invariants import QUESTIONS, Expected, Files, answers, begin, judge, snapshot
from prove.report import Stopwatch, Tally
from prove.world import World

_DAY = 86_400.0
# 1970, 2038, two days each way, a summer time change, the last second of a day.
_JUMPS = (3600.0, 2**31 + 5.0, -2 * _DAY, 2 * _DAY, 1_774_746_000.0, 1_798_761_599.0)
_ZONES = ("Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin")


def check(
    world: World,
    known: dict[str, Expected],
    tally: Tally,
    chance: random.Random,
    watch: Stopwatch,
    rounds: int,
) -> None:
    """Run rounds over what surrounds a command, for the commands whose undisturbed run is known."""
    kinds: list[Callable[[World, Expected, Tally, random.Random], None]]
    kinds = [_clock, _midnight, _index, _state]
    if _can_mount(world):
        kinds += [_full, _read_only]
    else:
        tally.notes.append("mounting is not permitted: a full disk was only shown by RLIMIT_FSIZE")
    done = 0
    while done < max(rounds, len(kinds)) and known:
        for kind in kinds:
            expected = chance.choice(sorted(known.values(), key=lambda each: each.command.name))
            begin(world, expected)
            kind(world, expected, tally, chance)
            done += 1
        if not watch.has_time():
            return


# ---------------------------------------------------------------- the disk


def _can_mount(world: World) -> bool:
    place = world.base / "disk"
    place.mkdir(exist_ok=True)
    try:
        _mount(place, "size=64k")
    except (OSError, subprocess.CalledProcessError):
        return False
    subprocess.run(["umount", str(place)], check=True)
    return True


def _mount(place: Path, options: str) -> None:
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True, capture_output=True
    )


def _on_disk(world: World, expected: Expected, room: int | None) -> tuple[int, str]:
    """Run the command with its home on a disk that has so many bytes left, or that is read-only (None)."""
    aside = world.base / "aside"
    shutil.rmtree(aside, ignore_errors=True)
    world.home.rename(aside)
    world.home.mkdir(mode=0o700)
    used = sum(-(-path.lstat().st_size // 4096) * 4096 + 4096 for path in aside.rglob("*"))
    _mount(world.home, f"size={used + (room or 0) + 65536},mode=700")
    try:
        shutil.copytree(aside, world.home, dirs_exist_ok=True)
        free = os.statvfs(world.home).f_bavail * 4096
        if room is None:
            subprocess.run(["mount", "-o", "remount,ro", str(world.home)], check=True)
        else:
            (world.home / "ballast").write_bytes(bytes(max(0, free - room)))
        code, said = world.execute(expected.command)
        shutil.rmtree(aside)
        shutil.copytree(world.home, aside, ignore=shutil.ignore_patterns("ballast"))
    finally:
        subprocess.run(["umount", str(world.home)], check=True)
    world.home.rmdir()
    aside.rename(world.home)
    return code, said


def _full(world: World, expected: Expected, tally: Tally, chance: random.Random) -> None:
    room = chance.choice((0, 4096, 8192, 12288, 20480, 40960))
    code, said = _on_disk(world, expected, room)
    about = (
        f"{expected.command.name}: a full disk with {room} bytes left, exit code {code}; seed {tally.seed}"
    )
    tally.round("full disk (tmpfs)")
    tally.check("an error is told, without a traceback", ["Traceback"] if "Traceback" in said else [], about)
    done = expected.command.acknowledged(code, said)
    judge(world, expected, tally, about, acknowledged=done, index=False)


def _read_only(world: World, expected: Expected, tally: Tally, _: random.Random) -> None:
    code, said = _on_disk(world, expected, None)
    about = f"{expected.command.name}: a read-only disk, exit code {code}; seed {tally.seed}"
    tally.round("read-only disk (tmpfs)")
    home = {name: data for name, data in expected.before.items() if name.startswith("home/")}
    now = {name: data for name, data in snapshot(world).items() if name.startswith("home/")}
    tally.check("a read-only memory is as it was", [] if now == home else ["memory changed"], about)
    wrong = ["Traceback"] if "Traceback" in said else []
    # Setting up other programs' files needs no memory.
    writes = {name for name in expected.after if expected.after[name] != expected.before.get(name)}
    done = expected.command.acknowledged(code, said)
    silent = done and any(name.startswith("home/") for name in writes)
    tally.check("an error is told, without a traceback", wrong + ["it says that it is done"] * silent, about)


# ---------------------------------------------------------------- the clock


def _clock(world: World, expected: Expected, tally: Tally, chance: random.Random) -> None:
    real, jump, zone = CLOCK.seconds, chance.choice(_JUMPS), chance.choice(_ZONES)
    CLOCK.seconds = jump if jump > 10 * _DAY or jump == _JUMPS[0] else real + jump
    command = expected.command

    def move() -> None:
        os.environ["TZ"] = zone
        time.tzset()

    try:
        code, said = world.execute(command, prepare=move)
        today = _local_day(CLOCK.seconds, zone)
    finally:
        CLOCK.seconds = real
    about = f"{command.name}: the clock says {today} in {zone}, exit code {code}; seed {tally.seed}"
    tally.round("the clock jumps, the time zone changes")
    wrong = [] if code in command.codes else [said[-200:]]
    before, found = expected.before, snapshot(world)
    mine = {name for name in {*before, *expected.after} if before.get(name) != expected.after.get(name)}
    wrong += [f"{name} changed" for name in before if name not in mine and found.get(name) != before[name]]
    if command.name == "write daily" and not any(name.endswith(f"daily/{today}.md") for name in found):
        wrong.append(f"there is no daily/{today}.md")
    tally.check("a clock that jumps harms nothing", wrong, about)
    with world.open() as mem:
        mem.context_block()
        answers(mem)
        mem.write("scratchpad", "- zebra afterwards")


def _midnight(world: World, expected: Expected, tally: Tally, chance: random.Random) -> None:
    """Let midnight come, and with it another time zone, while the command is at work."""
    command, zone = expected.command, chance.choice(_ZONES)
    real, midnight = CLOCK.seconds, (CLOCK.seconds // _DAY + 1) * _DAY
    looks = chance.randint(1, 15)

    def travel() -> None:
        os.environ["TZ"] = zone
        time.tzset()

    def pass_midnight() -> None:
        CLOCK.seconds, CLOCK.step = midnight - looks, 1.0
        CLOCK.until, CLOCK.then = midnight, travel

    code, said = world.execute(command, prepare=pass_midnight)
    about = f"{command.name}: midnight, then {zone}, at look {looks}, exit code {code}; seed {tally.seed}"
    tally.round("midnight and another time zone in the middle of a command")
    wrong = [] if code in command.codes else [said[-200:]]
    found = snapshot(world)
    days = {_local_day(midnight + shift, each) for shift in (-1.0, 30.0) for each in ("UTC", zone)}
    days.add(_local_day(real, "UTC"))

    def dateless(names: Iterable[str]) -> set[str]:
        return {re.sub("|".join(sorted(days)), "DAY", name) for name in names}

    def written(after: Files) -> set[str]:
        names = {*expected.before, *after}
        return {name for name in names if expected.before.get(name) != after.get(name)}

    # The day's log that there was may be another one's now: then it is a new file that is written.
    touched, wanted = written(found), written(expected.after)
    if dateless(touched) != dateless(wanted) or len(touched) != len(wanted):
        wrong.append(f"{sorted(touched)} instead of {sorted(wanted)}")
    tally.check("midnight in the middle of a command harms nothing", wrong, about)


def _local_day(seconds: float, zone: str) -> str:
    before = os.environ.get("TZ")
    os.environ["TZ"] = zone
    time.tzset()
    try:
        return time.strftime("%Y-%m-%d", time.localtime(seconds))
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()


# ---------------------------------------------------------------- databases


def _index(world: World, expected: Expected, tally: Tally, chance: random.Random) -> None:
    """Damage the index again and again while another process asks it."""
    with world.open() as mem:
        right = answers(mem)
        path = Path(mem.index.path)

    def ask() -> int:
        for _ in range(6):
            with world.open() as mem:
                asked = [mem.recall(question, semantic=False) for question in QUESTIONS]
            for each, wanted in zip(asked, right, strict=True):
                found = [hit.source for hit in each.hits]
                # An answer that says what it lacks is not wrong.
                if found != wanted and each.complete and not each.notes:
                    os.write(1, f"{each.query!r}: {found} instead of {wanted}".encode())
                    return 1
        return 0

    reader, status, names = world.start(ask), None, []
    while status is None:
        names.append(chance.choice(sorted(DAMAGE)))
        try:
            # Not in the instant of a commit, which nobody could tell from the commit (docs/proof.md).
            with locked(str(world.home), "index", 10.0):
                DAMAGE[names[-1]](path)
        except (OSError, ValueError, sqlite3.Error):  # it is not there at this moment, or is empty
            names.pop()
        time.sleep(chance.uniform(0.01, 0.1))
        found, code = os.waitpid(reader, os.WNOHANG)
        status = os.waitstatus_to_exitcode(code) if found else None
    tally.round("the index is damaged while it is asked")
    about = f"{expected.command.name}: {len(names)} times damaged; seed {tally.seed}"
    wrong = [f"a reader ended with {status}: {world.said()[-300:]}"] if status else []
    with world.open() as mem:
        wrong += [] if answers(mem) == right else ["other answers than before"]
    tally.check("a damaged index answers the same", wrong, about)


def _state(world: World, expected: Expected, tally: Tally, chance: random.Random) -> None:
    """Damage the database of the queue: commands go on, and memory is not touched by that."""
    learn = ["learn", "run", "--force", "--model", "none"]
    world.run(lambda: main(world.arguments(learn)))
    before = snapshot(world)
    name = chance.choice(sorted(DAMAGE))
    path = world.home / "state" / "state.sqlite3"
    for extra in ("-wal", "-shm"):
        Path(f"{path}{extra}").unlink(missing_ok=True)
    DAMAGE[name](path)
    wrong = []
    for command in (["learn", "status"], learn, ["learn", "status"]):
        code, said = world.run(lambda given=command: main(world.arguments(given)))  # type: ignore[misc]
        if code != 0 or "Traceback" in said:
            wrong.append(f"{command} ended with {code}: {said[-200:]}")
    found = snapshot(world)
    wrong += [f"{each} changed" for each in before if found.get(each) != before[each]]
    tally.round("the state database is damaged")
    tally.check("a damaged state database leaves memory alone", wrong, f"{name}; seed {tally.seed}")
    _ = expected
