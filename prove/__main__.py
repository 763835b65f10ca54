"""`python -m prove WHAT [--minutes N | --rounds N] [--seed S]`; docs/proof.md."""

import argparse
import importlib
import os
import sys
import time

from prove import clock  # noqa: F401 - before memolith is imported
from prove.report import show

_COMMANDS = {"faults": 3.0, "races": 2.0, "fuzz": 3.0, "leaks": 3.0, "attack": 20.0, "rows": 60.0}


def main() -> int:
    """Run one of the proofs; 1 if something does not hold."""
    parser = argparse.ArgumentParser(prog="prove", description=__doc__)
    parser.add_argument("what", choices=_COMMANDS)
    parser.add_argument("--minutes", type=float, help="how long it may take")
    parser.add_argument("--rounds", type=int, default=10**9, help="how many rounds, or cases of each kind")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--only", default="", help="a command (faults: a list of them), parser, test or row")
    parser.add_argument(
        "--every",
        nargs="?",
        const="kill,error,power",
        default="",
        metavar="KINDS",
        help="faults: go through every call instead of choosing one; kill, error, power, or some of them",
    )
    parser.add_argument("--jobs", type=int, default=2, help="faults, rows: how many processes")
    given = parser.parse_args()
    for name in list(os.environ):
        if name.startswith(("MEMOLITH_", "XDG_", "GIT_")):
            del os.environ[name]
    # Vectors are made as far as the time of an answer goes, so no two answers need be the same.
    os.environ["MEMOLITH_SEMANTIC_PROVIDER"] = "none"
    minutes = given.minutes or (_COMMANDS[given.what] if given.rounds == 10**9 else 60.0)
    begin = time.monotonic()
    more = {"jobs": given.jobs} if given.what in ("faults", "rows") else {}
    more |= {"every": given.every} if given.what == "faults" else {}
    proof = importlib.import_module(f"prove.{given.what}")
    tally = proof.run(minutes, given.rounds, given.seed, given.only, **more)
    return show(given.what, tally, time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
