"""The house rules that a machine can hold: import direction, size, docstrings, the hot path's imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import memolith
from tests.ledger import proves

SOURCE = Path(memolith.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
# Each layer may import itself and those below it.
LAYERS = [
    {"adapters"},
    {"cli", "__main__", "server", "serving", "slashing", "tools", "hook"},
    {"tui"},
    {"agents", "install", "why"},
    {"learn"},
    {"porting"},
    {"doctor", "adopt", "undoing", "overview", "review", "scanning", "purging", "erasing", "editing"},
    {"explaining", "pages"},
    {"mem", "compaction", "recalling", "addresses"},
    {"home"},
    {"records", "tickets", "sessions", "lessons", "memories", "items", "conversations"},
    {"record"},
    {"brief"},
    {"context", "search", "recall"},
    {"ranking"},
    {"relevance", "staleness"},
    {"notes", "document", "replies", "targets", "journal", "prompts", "quarantine"},
    {"entries", "noteindex"},
    {"index", "semantic"},
    {"provenance"},
    {"service"},
    {"store"},
    {"project", "evidence", "whose"},
    {"repository", "commits"},
    {"places"},
    {"config"},
    {"options"},
    {"text"},
    {"model", "choices"},
    {"errors", "whole"},
    {"lean", "programs"},
]


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else "memolith"


def imports(path: Path) -> set[str]:
    """Return the memolith modules a file imports, other than for type checking."""
    found: set[str] = set()
    skipped: set[ast.AST] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            skipped.update(each for child in node.body for each in ast.walk(child))
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memolith"):
            found |= {node.module} if "." in node.module else {f"memolith.{each.name}" for each in node.names}
    return {part(name) for name in found}


def level(name: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if name in layer)


def test_imports_point_downwards_only() -> None:
    for path in MODULES:
        here = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if here != "__init__":
            # `undoing` and `document.keep_small` are steps of Mem that got a file of their own.
            allowed = {"__version__", *(["undoing"] if here == "mem" else [])}
            assert {name for name in imports(path) - allowed if level(name) < level(here)} == set(), path


def test_a_module_is_one_idea_of_at_most_400_lines_and_says_which() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 400, path
        assert ast.get_docstring(ast.parse(text)), path


def test_only_the_store_writes_files() -> None:
    writers = ("os.replace", "os.rename", "os.unlink", "os.mkdir", "os.makedirs", "os.link", "shutil.")
    for path in MODULES:
        if "store" in path.parts or path.name == "demo.py":
            continue
        text = path.read_text(encoding="utf-8")
        assert not [call for call in writers if call in text], path
        assert '"w"' not in text, path


def loaded(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split("\n")[-2].split())


HEAVY = {
    "re",
    "json",
    "typing",
    "dataclasses",
    "pathlib",
    "inspect",
    "argparse",
    "click",
    "asyncio",
    "sqlite3",
}
HEAVY |= {"hashlib", "subprocess", "tempfile", "datetime", "ctypes", "logging", "shutil"}
HEAVY |= {"contextlib", "enum", "functools", "collections"}


def test_opening_the_library_imports_only_the_standard_library() -> None:
    modules = loaded("from memolith import Mem; Mem.open().context_block()")
    foreign = {
        name for name in modules if name.partition(".")[0] not in sys.stdlib_module_names | {"memolith"}
    }
    assert foreign - {"__main__", "sitecustomize", "usercustomize", "_distutils_hack"} == set()


# `_sqlite3` itself takes its cache of statements from `functools`.
_FOR_QUESTIONS = {"functools", "collections", "hashlib"}


@pytest.mark.parametrize("command", [["context"], ["search", "word"]])
def test_the_hot_path_imports_nothing_heavy(command: list[str], work: Path) -> None:
    mem = memolith.Mem.open(work)
    mem.write("long_term", "# A\n\n- word\n")
    mem.remember("word", "Note")
    mem.append_daily("word", "word")
    mem.context_block()  # the first look at a changed file scans it for secrets
    code = f"from memolith.edges.cli import main; main({[*command, '--project', str(work)]!r})"
    assert loaded(code) & HEAVY == set()


def test_recall_imports_the_database_and_nothing_else_that_is_heavy(work: Path) -> None:
    mem = memolith.Mem.open(work)
    mem.remember("word", "Note")
    mem.recall("word", semantic=False)  # the first question indexes
    code = f"from memolith.edges.cli import main; main({['recall', 'word', '--project', str(work)]!r})"
    assert loaded(code) & (HEAVY - _FOR_QUESTIONS) == set()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_a_hook_imports_the_database_for_a_prompt_and_nothing_else_that_is_heavy(
    event: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "false")
    mem = memolith.Mem.open(work)
    mem.remember("word", "Note")
    mem.context_block()
    mem.recall("word", semantic=False)
    row = f'{{"session_id":"s","cwd":"{work}","hook_event_name":"{event}","prompt":"what is a word?"}}'
    code = (
        f"from memolith.hosts.hook import edge; edge.answer({row.encode()!r}); edge.answer({row.encode()!r})"
    )
    spared = _FOR_QUESTIONS if event == "UserPromptSubmit" else set()
    assert loaded(code) & (HEAVY - spared) == set()


def test_the_public_names_are_all_importable_and_no_others() -> None:
    for name in memolith.__all__:
        assert getattr(memolith, name) is not None
    with pytest.raises(AttributeError, match="'Memory'"):
        memolith.__getattr__("Memory")
    assert set(memolith._HOME) | {"__version__"} == set(memolith.__all__)


@proves("X.19")
def test_everything_works_without_network_model_or_key(work: Path) -> None:
    """The fixture forbids sockets; strace-free proof that no command needs one."""
    from memolith.edges.cli import main

    for command in (
        ["write", "daily", "x"],
        ["context"],
        ["search", "x"],
        ["status"],
        ["doctor"],
        ["config"],
    ):
        assert main([*command, "--project", str(work)]) == 0
