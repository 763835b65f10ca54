"""What docs/import.md shows is what happens."""

import os
import re
from pathlib import Path

from memolith.care.transfer import sources
from tests.edges.cli import console
from tests.shared import ROOT

PAGE = ROOT / "docs" / "import.md"


def test_the_examples_of_the_page_print_what_it_says(work: Path, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    played = console.play(text, work, tmp_path / "home")
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        PAGE.write_text(played, encoding="utf-8")
    assert played == text


def test_the_page_names_every_kind() -> None:
    named = re.findall(r"(?m)^\| ([a-z, -]+) \|", PAGE.read_text(encoding="utf-8"))
    assert [kind for row in named for kind in row.split(", ")] == list(sources.KINDS)
