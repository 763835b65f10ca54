"""What older rules for secrets judged is judged again: the version follows every change of the rules."""

import ast
import shutil
from pathlib import Path

import pytest

from memolith.index import index
from memolith.store import allow_list
from memolith.text.secrets.version import RULES
from tests.generated import SECRETS, VERSION_FILE, rules_version
from tests.ledger import proves

FILES = sorted(each.name for each in SECRETS.iterdir() if each.suffix in (".py", ".txt"))
# What the rules use from elsewhere: tools, and no rule. A rule that moves out of its room would not count.
TOOLS = {"base.lean", "base.values", "text.budget", "text.digest", "text.patterns", "text.safe.hygiene"}


@proves("X.8")
@pytest.mark.parametrize("name", [name for name in FILES if name != VERSION_FILE])
def test_the_version_follows_every_change_of_a_rule_or_a_table(name: str, tmp_path: Path) -> None:
    room = tmp_path / "secrets"
    shutil.copytree(SECRETS, room)
    assert rules_version(room) == RULES, "run ./dev docs"
    (room / name).write_bytes((room / name).read_bytes() + b"\n")
    assert rules_version(room) != RULES
    (room / name).unlink()
    assert rules_version(room) != RULES


def test_no_rule_is_outside_the_room_that_has_the_version() -> None:
    used = {
        each.module.removeprefix("memolith.")
        for path in SECRETS.glob("*.py")
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.ImportFrom) and each.module and each.module.startswith("memolith.")
    }
    assert {each for each in used if not each.startswith("text.secrets")} == TOOLS


@proves("X.8")
def test_the_index_and_the_list_of_clean_files_are_of_the_rules_that_judged_them() -> None:
    assert index.NAME.endswith(f"-{RULES}.sqlite3")
    assert allow_list.CLEARED.endswith(f"-{RULES}")
