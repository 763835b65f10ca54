"""`python -m prove.guided PARSER SECONDS`: one parser of `prove fuzz`, with atheris, led by coverage.

atheris is in none of our environments (docs/proof.md says why): install it in one of your own, together with
this package's, and run it from there. It begins with the samples of the parser, and ends with the first input
that breaks its promise.
"""

import contextlib
import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any


def main() -> None:
    """Fuzz; libFuzzer ends the process."""
    name, seconds = sys.argv[1], sys.argv[2]
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["memolith"]):
        fuzz = importlib.import_module("prove.fuzz")
    base = Path(tempfile.mkdtemp(prefix="prove-"))
    parser = next(each for each in fuzz.Place(base).parsers() if each.name == name)
    corpus = base / "corpus"
    corpus.mkdir()
    for number, sample in enumerate(parser.samples):
        (corpus / str(number)).write_bytes(sample)

    def once(data: bytes) -> None:
        with contextlib.suppress(parser.expected):
            parser.read(data)

    atheris.Setup(
        [sys.argv[0], f"-max_total_time={seconds}", "-timeout=20", "-max_len=8192", str(corpus)], once
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
