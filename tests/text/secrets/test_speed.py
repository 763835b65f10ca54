"""The scanner's time grows with the length of the text and with nothing else, whatever the text is."""

import subprocess
import sys
from itertools import pairwise

import pytest

from memolith.text.patterns import lines
from memolith.text.secrets import names, tokens
from memolith.text.secrets.redact import redact
from tests.shared import LONG, rows
from tests.shared import seconds as least

# The end makes every rule run.
END = " :// eyJ bearer PRIVATE KEY sk- gh aws AIza token xox pypi- AKIA -u x --user hook $ | Q~ :AA spaces <"


# Twice the target of 250 ms for 64 KiB, which `python -m bench.secrets` holds on a quiet machine. The default
# run looks at a sixteenth of it, where a busy machine may make 30 ms take thrice as long; what grows with the
# square takes half a second there.
SIZE, LIMIT = (65_536, 0.55) if LONG else (4_096, 0.2)


def pieces() -> list[str]:
    """Return what rules begin with, cut into what makes a pattern start and not end."""
    found = [beginning for rows in tokens.BEGINNINGS.values() for _, beginning, _, _ in rows][::2]
    found += [needle for _, _, needle, _ in tokens._SHAPES]
    found += [f"{word} " for word in names.WORDS] + [f"{word}=" for word in names.WORDS]
    found += [word.decode() for word in sorted(tokens.APART_WORDS)]
    found += [f"{word} " for line in lines("secrets/names.txt") for word in line.split()[2::6]]
    found += rows("text/secrets/beginnings")
    return list(dict.fromkeys(found))


def seconds(text: str, enough: float = 0.2) -> float:
    return least(lambda: redact(text), enough)


def filled(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size] + END


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    redact(END + filled("password=hunter2 ", 200))


def test_a_beginning_repeated_is_not_slow() -> None:
    assert [unit for unit in pieces() if seconds(filled(unit, SIZE)) >= LIMIT] == []


def test_two_beginnings_in_turn_are_not_slow() -> None:
    pairs = [one + two for one, two in pairwise(pieces()[::3])]
    assert [pair for pair in pairs if seconds(filled(pair, SIZE)) >= LIMIT] == []


@pytest.mark.parametrize(
    "unit",
    [
        *("ghp_", "password:", "a://b:", "-----BEGIN PRIVATE KEY-----", "key=AbC1dEf2GhI3jKl4MnO5 "),
        *("MHcCAQEE+", "MHcCAQEE xA1 "),
    ],
)
def test_a_text_sixteen_times_as_long_takes_about_sixteen_times_as_long(unit: str) -> None:
    limit = 16 * min(LIMIT, 2.5 * max(seconds(filled(unit, SIZE)), 0.01))
    assert seconds(filled(unit, 16 * SIZE), limit) < limit


def test_importing_the_scanner_compiles_nothing() -> None:
    code = (
        "import sys; from memolith.text.secrets.redact import redact as secrets; print('re' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": "src"},
    )
    assert done.stdout.strip() == "False"
