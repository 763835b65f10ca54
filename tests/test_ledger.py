"""The ledger is true: no citation of a row that does not exist, no built row without a test."""

from pathlib import Path

from prove.rows import all_mutants

import memolith
from tests.ledger import citations, report, rows

SOURCE = Path(memolith.__file__).parent


def test_every_cited_requirement_exists() -> None:
    assert set(citations()) - set(rows()) == set()


def test_every_built_requirement_has_a_test() -> None:
    built = {row for row, mark in rows().items() if mark == "built"}
    assert built - set(citations()) == set()


def test_every_requirement_with_a_test_is_marked_built() -> None:
    still_open = {row for row, mark in rows().items() if mark == "open"}
    assert still_open & set(citations()) == set()


def test_the_report_counts_all_rows_by_design() -> None:
    assert f"of {len(rows())} requirements" in report()


def test_every_mutant_still_applies_to_a_built_row_and_gives_code_that_compiles() -> None:
    built = {row for row, mark in rows().items() if mark == "built"}
    assert built == {mutant.row for mutant in all_mutants()}
    for mutant in all_mutants():
        assert mutant.row in built
        if not mutant.reason:
            broken = mutant.apply((SOURCE / mutant.path).read_text(encoding="utf-8"))
            if mutant.path.endswith(".py"):
                compile(broken, mutant.path, "exec")
