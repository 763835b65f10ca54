"""`python -m bench.secrets`: what the secret scanner finds, what it takes for a secret, and how fast it is.

Reads the labelled sets in `../shared/data` (or MEMOLITH_DATA).
The column `held out` is the recall on half of the rules, chosen by the hash of their ids. Rules were written
from the other half, but this one is not clean: samples of it were seen, what gitleaks and integrity have in
it was used, and its totals were in view. Only providers that nobody has seen can say more.
Exits with 1 if a target is missed.
"""

# ruff: noqa: A005 - named after what it measures, and only run as `bench.secrets`

from __future__ import annotations

import hashlib
import random
import sys
import time
from typing import TYPE_CHECKING

from prove.attack import secret_grammar as grammar

from bench.corpora import public
from memolith import redact

if TYPE_CHECKING:
    from bench.corpora import Row

# What S2.55 says must stay.
KEEP = (
    "task_scheduler_config.yaml",
    "tokenization_strategy",
    "keyboardShortcutHandler",
    "0123456789abcdef0123456789abcdef01234567",
    "123e4567-e89b-12d3-a456-426614174000",
)
ORDINARY = (("locomo/turn-corpus", 0.001), ("longmemeval/turns", 0.001), ("devnotes/corpus", 0.005))


class Score:
    """How many of the rows were found."""

    def __init__(self, rows: list[Row]) -> None:
        self.total = len(rows)
        self.found = sum(1 for row in rows if redact(row["text"]).findings)

    @property
    def share(self) -> float:
        """Return the found part of all, from 0 to 1."""
        return self.found / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.found:>5}/{self.total:<5} {self.share:>6.1%}" if self.total else f"{'–':>18}"


def held_out(rule: str) -> bool:
    return bool(hashlib.sha256(rule.encode()).digest()[0] & 1)


class Targets:
    """What must hold; prints each miss and remembers that there was one."""

    missed = 0

    def check(self, what: str, *, holds: bool) -> None:
        """Print a target that does not hold."""
        if not holds:
            self.missed += 1
            print(f"MISSED: {what}")


def cases(targets: Targets) -> None:
    rows = public("secrets/cases")
    least = {"gitleaks": 0.97, "integrity": 0.95, "all": 0.75}
    print(f"{'source':<16}{'recall':>18}{'looked at':>20}{'held out':>20}{'false alarms':>20}")
    for source in [*sorted({row["source"] for row in rows}), "all"]:
        mine = [row for row in rows if source in {"all", row["source"]}]
        secret = [row for row in mine if row["label"]]
        recall, alarms = Score(secret), Score([row for row in mine if not row["label"]])
        seen = Score([row for row in secret if not held_out(row["rule"])])
        unseen = Score([row for row in secret if held_out(row["rule"])])
        print(f"{source:<16}{recall!s:>18}  {seen!s:>18}  {unseen!s:>18}  {alarms!s:>18}")
        targets.check(f"recall on {source}", holds=recall.share >= least.get(source, 0))
        targets.check(f"false alarms on {source}", holds=source != "integrity" or alarms.share <= 0.02)


def prose(targets: Targets) -> None:
    rows = public("secrets/prose")
    for tier, least in ((1, 1.0), (2, 0.99), (3, 0.9)):
        score = Score([row for row in rows if row["label"] and row["tier"] == tier])
        print(f"prose, tier {tier}   {score}")
        targets.check(f"prose, tier {tier}", holds=score.share >= least)
    alarms = Score([row for row in rows if not row["label"]])
    print(f"prose, no secret{alarms}")
    targets.check("false alarms in prose", holds=alarms.share <= 0.015)


def tongues(targets: Targets) -> None:
    """Measure on what the grammar of the attack rig makes: secrets of each kind, and ordinary sentences."""
    rng = random.Random(1)
    for make in dict.fromkeys(grammar.MAKERS):
        told = [make(rng) for _ in range(1000)]
        masked = sum(secret not in redact(text).text for text, secret, _ in told)
        print(f"{make.__name__:<16}{masked:>5}/{len(told)}")
        targets.check(f"98 % of {make.__name__}", holds=masked >= 980)
    said = list(dict.fromkeys(grammar.ordinary(rng) for _ in range(1200)))[:1000]
    alarms = [text for text in said if redact(text).findings]
    print(f"ordinary        {len(alarms):>5}/{len(said)} false alarms")
    targets.check("1 % of ordinary sentences", holds=len(alarms) <= 10)


def ordinary(targets: Targets) -> None:
    for name, most in ORDINARY:
        rows = public(name)
        alarms = Score(rows)
        print(f"{name:<20}{alarms} false alarms")
        targets.check(f"false alarms in {name}", holds=alarms.share <= most)
    kept = [text for text in KEEP if redact(text).findings]
    print(f"S2.55 keep-list     {len(kept)} false alarms")
    targets.check(f"the keep-list: {kept}", holds=not kept)


def milliseconds(text: str, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        redact(text)
        best = min(best, time.process_time() - start)
    return best * 1000


def speed(targets: Targets) -> None:
    notes = "\n\n".join(row["text"] for row in public("devnotes/corpus"))
    chunks = [notes[at : at + 4096] for at in range(0, 400_000, 4096)]
    each = sorted(milliseconds(chunk, 5) for chunk in chunks)
    print(f"4 KB of notes: median {each[len(each) // 2]:.2f} ms, p99 {each[-2]:.2f} ms")
    targets.check("1 ms per 4 KB", holds=each[len(each) // 2] <= 1)
    one, ten = (milliseconds((notes * 10)[: size << 20], 1) / size for size in (1, 10))
    print(f"per MB: {one:.0f} ms in a text of 1 MB, {ten:.0f} ms in one of 10 MB")
    targets.check("linear up to 10 MB", holds=ten <= 1.5 * one)


def hostile(targets: Targets) -> None:
    """Text that makes many rules begin: each 64 KiB of it within 250 ms of processor time."""
    units = (
        "dapisecret_",
        "key=AbC1dEf2GhI3jKl4MnO5 ",
        "a://b:",
        "-----BEGIN PRIVATE KEY-----",
        "password is x ",
    )
    worst = max(milliseconds((unit * 65_536)[:65_536], 3) for unit in units)
    print(f"64 KiB of hostile text: at most {worst:.0f} ms")
    targets.check("250 ms per 64 KiB of hostile text", holds=worst <= 250)


def main() -> int:
    targets = Targets()
    for step in (cases, prose, tongues, ordinary, speed, hostile):
        step(targets)
    print("All targets hold." if not targets.missed else f"{targets.missed} targets are missed.")
    return 1 if targets.missed else 0


if __name__ == "__main__":
    sys.exit(main())
