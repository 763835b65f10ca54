"""`python -m bench.offline`: how well the extractor without a model learns, on labelled sessions.

`tuned` is the half that the rules were written on; only `apart` says something about other sessions.
`--misses` names what was missed or wrong in the tuned half, never in the other. Exits with 1 if a target is
missed.
"""

from __future__ import annotations

import sys

from tests.learn.extract import labelled

PRECISION, RECALL, NOISE = 0.9, 0.6, 0.05


def main() -> int:
    missed = 0
    print(f"{'half':<8}{'sessions':>10}{'precision':>18}{'recall':>18}{'noisy':>22}{'misplaced':>11}")
    for half in labelled.HALVES:
        got = labelled.score(half)
        print(
            f"{half:<8}{got.sessions:>10}{got.precision:>9.1%} {got.said - len(got.wrong):>3}/{got.said:<4}"
            f"{got.recall:>9.1%} {got.found:>3}/{got.expected:<4}"
            f"{got.noise:>12.1%} {got.noisy:>3}/{got.empty:<4}{len(got.misplaced):>10}"
        )
        missed += got.precision < PRECISION or got.recall < RECALL or got.noise > NOISE
        if half == "tuned" and "--misses" in sys.argv:
            for name, rows in (("missed", got.misses), ("wrong", got.wrong), ("misplaced", got.misplaced)):
                for row in rows:
                    print(f"  {name}: {row}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
