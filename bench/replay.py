"""`python -m bench.replay [--meaning] [--repo NAME] …`: real sessions in order, asked with first prompts.

Files found, commands, noise and silence, beside plain FTS5, words counted, last and most edited in the same
run, with intervals, and with prompts of another repository as control. The runner and its options are those
beside the public data (MEMOLITH_DATA).
"""

from __future__ import annotations

import sys

from bench.corpora import DATA
from bench.everyday import run

if __name__ == "__main__":
    sys.exit(run("replay", "--data", str(DATA.resolve() / "replay"), *sys.argv[1:]))
