"""`prove faults`: whatever happens to a command that writes, memory is whole and what it said is kept.

Each round takes one command from the same start and kills it, lets a call fail, or takes the power away;
then the checks of prove/invariants.py. Last come the surroundings (prove/surroundings.py) and writers that
are wrong on purpose. Which call is chance; `--every` goes through all of them instead.
"""

import itertools
import random
import resource
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from prove import broken, powerloss, surroundings, tracing
from prove.clock import CLOCK
from prove.commands import COMMANDS, Command
from prove.invariants import Expected, begin, expect, judge, repeat
from prove.report import Stopwatch, Tally
from prove.world import World, can_trace, scratch, warm

JOBS = 2  # processes
KINDS = ("kill", "error", "power")  # what `--every` can go through
_WRONG = "wrong writers"  # not a command: `--only` those that are wrong on purpose
_FEW = 20  # rounds for which a second process does not pay
_SMALL = 600  # bytes; less, and a command could not even say what is wrong


def run(minutes: float, rounds: int, seed: int, only: str = "", every: str = "", jobs: int = JOBS) -> Tally:
    """Run rounds in some processes until the time or the number of rounds is used up."""
    warm()
    tally = Tally(seed)
    if rounds < _FEW:
        tally.add(_part(minutes, rounds, seed, (0, 1), only, every))
        return tally
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        share = -(-rounds // jobs)
        asked = [
            pool.submit(_part, minutes, share, seed, (number, jobs), only, every) for number in range(jobs)
        ]
        for each in asked:
            tally.add(each.result())
    return tally


def _part(minutes: float, rounds: int, seed: int, part_of: tuple[int, int], only: str, every: str) -> Tally:
    number, jobs = part_of
    watch, tally = Stopwatch(minutes), Tally(seed)
    with scratch() as base:
        CLOCK.stands = True  # in this process alone: what a command writes twice is compared byte for byte
        world = World(base / "world")
        chance = random.Random(f"{seed}/{number}")
        chosen = only.split(",")
        commands = [each for each in COMMANDS if only in ("", _WRONG) or each.name in chosen]
        if not commands:
            raise SystemExit(f"--only {only!r}: no such command; one of {[each.name for each in COMMANDS]}")
        part = _Part(world, chance, tally, rounds)
        turns: Iterator[Callable[[], None]]
        if every:
            turns = itertools.islice(part.all(commands, every.split(",")), number, None, jobs)
        else:
            mine = commands[number::jobs] if len(commands) > 1 else commands
            chance.shuffle(mine)
            turns = part.turns(mine)
        for turn in turns if only != _WRONG else ():
            if tally.rounds >= rounds or not watch.has_time(1.0 if every else 0.8):
                tally.notes += ["the time was over before every call had its turn"] if every else []
                break
            turn()
        if only in ("", _WRONG) and not every:
            part.broken_writers(sorted(broken.WRITERS)[number::jobs])
        if not only and not every:
            surroundings.check(world, part.known, tally, chance, watch, rounds // 4)
    return tally


class _Part:
    """The rounds of one process."""

    def __init__(self, world: World, chance: random.Random, tally: Tally, rounds: int) -> None:
        self._world, self._chance, self._tally, self._rounds = world, chance, tally, rounds
        self.known: dict[str, Expected] = {}
        self._points: dict[str, list[tracing.Point]] = {}
        self._states: dict[str, list[tuple[str, dict[str, bytes | None], bool]]] = {}
        self._traces = can_trace()
        if not self._traces:
            tally.notes.append(
                "strace may not trace here: only kills at random moments and short writes were done"
            )

    def turns(self, commands: list[Command]) -> Iterator[Callable[[], None]]:
        """Yield rounds without end: each command in turn, each kind of harm in turn."""
        kinds = [self._moment, self._short]
        kinds += [self._call, self._error, self._power] if self._traces else []
        while commands:
            for command in commands:
                for kind in kinds:
                    yield lambda kind=kind, command=command: kind(self._expected(command))  # type: ignore[misc]

    def all(self, commands: list[Command], kinds: list[str]) -> Iterator[Callable[[], None]]:
        """Yield a round for each call of the commands, each error of it, each state of a power loss.

        A kill before a call that only reads is one before the next that does not.
        """
        for command in commands:
            expected = self._expected(command)
            points = self._all_points(expected)
            if "kill" in kinds:
                yield from (
                    partial(self._kill, expected, point) for point in dict.fromkeys(points) if point.changes
                )
            if "error" in kinds:
                yield from (
                    partial(self._fail, expected, point, error, for_good=False)
                    for point in dict.fromkeys(points)
                    for error, calls in tracing.ERRORS.items()
                    if point.name in calls
                )
            if "power" in kinds and not command.attended:
                states = powerloss.states(self._world, expected, random.Random(command.name))
                yield from (partial(self._lose_power, expected, *state) for state in states)

    def _expected(self, command: Command) -> Expected:
        if command.name not in self.known:
            self.known[command.name] = expect(self._world, command)
        return self.known[command.name]

    def _judge(self, expected: Expected, about: str, *, acknowledged: bool) -> None:
        about = f"{expected.command.name}: {about}; seed {self._tally.seed}"
        again = expected.command.repeats and not acknowledged and self._chance.random() < 0.5
        if again:
            repeat(self._world, expected, self._tally, about)
        else:
            index = self._chance.random() < 0.4
            judge(self._world, expected, self._tally, about, acknowledged=acknowledged, index=index)

    def _told(self, expected: Expected, code: int, said: str, about: str, *, mute: bool = False) -> None:
        """Check that a command which met an error said so, and judge what it left."""
        command = expected.command
        wrong = [f"exit code {code}: {said[-200:]!r}"] if code < 0 or "Traceback" in said else []
        wrong += ["it failed without a word"] if code > 0 and not said.strip() and not mute else []
        self._tally.check("an error is told, without a traceback", wrong, f"{command.name}: {about}")
        self._judge(expected, f"{about}, exit code {code}", acknowledged=command.acknowledged(code, said))

    # ------------------------------------------------------------ kinds of harm

    def _moment(self, expected: Expected) -> None:
        begin(self._world, expected)
        command, seconds = expected.command, self._chance.uniform(0, 0.08)
        code, said = self._world.execute(command, kill_after=seconds)
        self._tally.round("kill -9 at a random moment")
        done = command.acknowledged(code, said)
        self._judge(expected, f"kill -9 after {seconds:.4f} s", acknowledged=done)

    def _short(self, expected: Expected) -> None:
        if expected.command.attended:
            return  # what a person's editor cannot save is not ours to keep either
        size = self._chance.randint(_SMALL, 8192)

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

        code, said = tracing.run(self._world, expected, None, limit)
        self._tally.round("short write: no file beyond some bytes (RLIMIT_FSIZE)")
        self._told(expected, code, said, f"no file beyond {size} bytes")

    def _all_points(self, expected: Expected) -> list[tracing.Point]:
        name = expected.command.name
        if name not in self._points:
            self._points[name] = tracing.points(self._world, expected)
        return self._points[name]

    def _point(self, expected: Expected, *among: str) -> tracing.Point | None:
        fitting = [point for point in self._all_points(expected) if not among or point.name in among]
        return self._chance.choice(fitting) if fitting else None

    def _call(self, expected: Expected) -> None:
        point = self._point(expected)
        if point is not None:
            self._kill(expected, point)

    def _kill(self, expected: Expected, point: tracing.Point) -> None:
        code, said = tracing.kill(self._world, expected, point)
        self._tally.round("SIGKILL at a file system call")
        about = f"kill at {point.name} number {point.number}"
        self._judge(expected, about, acknowledged=expected.command.acknowledged(code, said))

    def _error(self, expected: Expected) -> None:
        error = self._chance.choice(sorted(tracing.ERRORS))
        point = self._point(expected, *tracing.ERRORS[error])
        if point is not None:
            self._fail(expected, point, error, for_good=self._chance.random() < 0.3)

    def _fail(self, expected: Expected, point: tracing.Point, error: str, *, for_good: bool) -> None:
        code, said = tracing.fail(self._world, expected, point, error, for_good=for_good)
        self._tally.round(
            f"a file system call {'and all like it fail' if for_good else 'fails'} with {error}"
        )
        later = " and all later ones" if for_good else ""
        about = f"{error} at {point.name} number {point.number}{later}"
        # Who can write nothing any more can say nothing either.
        self._told(expected, code, said, about, mute=point.name == "write" and (for_good or point.tells))

    def _power(self, expected: Expected) -> None:
        name = expected.command.name
        if expected.command.attended:
            return  # what a person's editor does not sync is not ours to keep
        if name not in self._states:
            moments = self._rounds  # no more are looked at
            self._states[name] = powerloss.states(self._world, expected, self._chance, moments=moments)
            self._chance.shuffle(self._states[name])
        if not self._states[name]:  # all of them were tried
            self._states[name] = powerloss.states(self._world, expected, self._chance, some=8)
            self._chance.shuffle(self._states[name])
        self._lose_power(expected, *self._states[name].pop())

    def _lose_power(
        self, expected: Expected, where: str, state: dict[str, bytes | None], ended: bool
    ) -> None:
        powerloss.build(self._world, state)
        self._tally.round("power loss")
        self._judge(expected, where, acknowledged=ended and expected.command.acks)

    # ------------------------------------------------------------ the harness itself

    def broken_writers(self, names: list[str]) -> None:
        """See that each writer that is wrong on purpose is caught."""
        command = next(each for each in COMMANDS if each.name == "write overwrite")
        if not self._traces:
            return
        expected = self._expected(command)
        for name in names:
            found = powerloss.states(self._world, expected, self._chance, prepare=broken.WRITERS[name])
            caught = Tally()
            for where, state, ended in found:
                powerloss.build(self._world, state)
                judge(self._world, expected, caught, where, acknowledged=ended, index=False)
                if caught.violations:
                    break
            self._tally.round(f"a writer that is wrong on purpose: {name}")
            missed = [] if caught.violations else [f"{name}: not caught in {len(found)} states"]
            self._tally.check("wrong writers are caught", missed, name)
