"""What a run found, as figures: rounds, what was injected, what was checked, and each violation."""

import time
from collections import Counter
from dataclasses import dataclass, field

_LONG = 1500  # characters of a violation


@dataclass
class Tally:
    """Figures of a run, or of a part of one; those of several processes are added up."""

    seed: int = 0
    rounds: int = 0
    checks: Counter[str] = field(default_factory=Counter)
    injected: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)

    def round(self, what: str) -> None:
        """Count a round in which `what` was done to memory."""
        self.rounds += 1
        self.injected[what] += 1

    def check(self, name: str, wrong: list[str], about: str) -> None:
        """Count a check; what is wrong is kept with what leads there again."""
        self.checks[name] += 1
        self.violations += [f"{name}: {each} [{about}]" for each in wrong]

    def add(self, other: "Tally") -> None:
        """Add the figures of a part."""
        self.rounds += other.rounds
        self.checks += other.checks
        self.injected += other.injected
        self.notes += [note for note in other.notes if note not in self.notes]
        self.violations += other.violations


class Stopwatch:
    """How long a run may still go on: until its minutes or its rounds are used up."""

    def __init__(self, minutes: float) -> None:
        self._begin, self._seconds = time.monotonic(), minutes * 60

    @property
    def passed(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begin

    def has_time(self, part: float = 1.0) -> bool:
        """Tell whether that part of the time is not used up yet."""
        return self.passed < self._seconds * part


def show(what: str, tally: Tally, seconds: float, most: int = 5) -> int:
    """Print the figures, and some violations of each check; return the exit code."""
    rate = tally.rounds / seconds if seconds else 0.0
    print(f"prove {what}: {tally.rounds} rounds in {seconds:.0f} s ({rate:.1f}/s), seed {tally.seed}")
    for title, counts in (("injected", tally.injected), ("checked", tally.checks)):
        for name, count in sorted(counts.items()):
            print(f"  {title:<9} {count:>8}  {name}")
    for note in tally.notes:
        print(f"  note      {note}")
    kinds = Counter(each.partition(":")[0] for each in tally.violations)
    for kind, count in kinds.items():
        some = [each for each in tally.violations if each.partition(":")[0] == kind][:most]
        for each in some:
            print(f"  VIOLATION {each if len(each) < _LONG else f'{each[:_LONG]} … {each[-200:]}'}")
        if count > most:
            print(f"  … and {count - most} more of these")
    print(f"  {len(tally.violations)} violations")
    return 1 if tally.violations else 0
