"""House rules that a machine can hold: the rooms' order, no cycles, size, docstrings, a lean hot path."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import memolith
from tests.env.repos import git
from tests.ledger import proves

SOURCE = Path(memolith.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
# A room may import itself and those before it, also late and for type checking.
ROOMS = (
    *("base", "text", "env", "store", "index", "memory", "prompt", "recall"),
    *("learn", "care", "mem", "hosts", "edges", "adapters", "__main__"),
)


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {name_of(path): path for path in MODULES}


def imports(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "memolith":
            names = {f"{node.module}.{each.name}" for each in node.names}
            found |= {name if name in NAMES else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names} & set(NAMES)
    return found


GRAPH = {name: imports(path) - {name} for name, path in NAMES.items()}


def room(name: str) -> str:
    return name.split(".")[1] if "." in name else ""


def test_there_are_thirteen_rooms_and_a_facade() -> None:
    entries = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.name != "__pycache__"}
    assert entries - {"__init__", "py.typed"} == set(ROOMS)
    assert len(ROOMS) - len(["__main__"]) == 14


def test_imports_point_to_earlier_rooms_only() -> None:
    later = {
        (name, each)
        for name, needs in GRAPH.items()
        for each in needs - {"memolith"}
        if name != "memolith" and ROOMS.index(room(each)) > ROOMS.index(room(name))
    }
    assert later == set()


def test_no_module_needs_one_that_needs_it() -> None:
    """Late and type-only imports count: a cycle in them is a knot in the design all the same."""
    assert [sorted(each) for each in _knots(GRAPH) if len(each) > 1] == []


def _knots(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that all lead to each other."""
    reach: dict[str, set[str]] = {}
    for name in graph:
        seen, todo = set[str](), [name]
        while todo:
            new = graph.get(todo.pop(), set()) - {"memolith"} - seen
            seen |= new
            todo += new
        reach[name] = seen
    groups = {
        name: frozenset({name} | {each for each in reach[name] if name in reach[each]}) for name in graph
    }
    return [set(each) for each in set(groups.values())]


# What the terminal app and the adapters need beside the public names, and why.
_INNER = {
    "edges.tui.render": {"text.safe.hygiene"},  # which characters a terminal must not see
    # The stores of frameworks write through the gate, as every kind of memory does.
    **dict.fromkeys(("adapters.files", "adapters.values"), None),
    # A tool that is not one of `Tools` asks and answers as those do.
    "adapters.anthropic": {"edges.mcp.handlers", "edges.mcp.tools"},
    "adapters.openai_agents": {"edges.mcp.tools", "hosts.sessions.transcript", "memory.sessions"},
    "adapters.pydantic_ai": {"edges.mcp.tools"},
}


def test_the_terminal_app_and_the_adapters_use_the_public_names_only() -> None:
    outside = ("memolith.edges.tui", "memolith.adapters")
    for name, needs in GRAPH.items():
        if name.startswith(outside):
            allowed = _INNER.get(name.removeprefix("memolith."), set())
            inner = {each for each in needs - {"memolith"} if not each.startswith(outside)}
            assert allowed is None or inner == {f"memolith.{each}" for each in allowed}, name


def test_a_module_is_one_idea_of_at_most_400_lines_and_says_which() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 400, path
        assert ast.get_docstring(ast.parse(text)), path


def test_only_the_store_writes_files() -> None:
    writers = ("os.replace", "os.rename", "os.unlink", "os.mkdir", "os.makedirs", "os.link", "shutil.")
    for path in MODULES:
        if "store" in path.parts:
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
_FOR_QUESTIONS = {"functools", "collections"}


@pytest.fixture
def checkout(work: Path) -> Path:
    """Return a repository with an address, as most projects are: what is written down of it is quoted."""
    git(work, "init", "-q")
    git(work, "remote", "add", "origin", "https://example.org/acme/shop.git")
    git(work, "commit", "-q", "--allow-empty", "-m", "begin")
    return work


@pytest.mark.parametrize("command", [["context"], ["search", "word"]])
def test_the_hot_path_imports_nothing_heavy(command: list[str], checkout: Path) -> None:
    mem = memolith.Mem.open(checkout)
    mem.write("long_term", "# A\n\n- word\n")
    mem.remember("word", "Note")
    mem.append_daily("word", "word")
    mem.context_block()  # the first look at a changed file scans it for secrets
    code = f"from memolith.edges.cli import main; main({[*command, '--project', str(checkout)]!r})"
    assert loaded(code) & HEAVY == set()


def test_recall_imports_the_database_and_nothing_else_that_is_heavy(checkout: Path) -> None:
    mem = memolith.Mem.open(checkout)
    mem.remember("word", "Note")
    mem.recall("word", semantic=False)  # the first question indexes
    code = f"from memolith.edges.cli import main; main({['recall', 'word', '--project', str(checkout)]!r})"
    assert loaded(code) & (HEAVY - _FOR_QUESTIONS) == set()


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_a_hook_imports_the_database_for_a_prompt_and_nothing_else_that_is_heavy(
    event: str, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_HOOKS_SESSIONS", "false")
    mem = memolith.Mem.open(checkout)
    mem.remember("word", "Note")
    mem.context_block()
    mem.recall("word", semantic=False)
    row = f'{{"session_id":"s","cwd":"{checkout}","hook_event_name":"{event}","prompt":"what is a word?"}}'
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


@proves("X.19")
def test_nothing_is_learned_until_it_is_switched_on(mem: memolith.Mem) -> None:
    assert not mem.settings.flag("memories.enabled")
