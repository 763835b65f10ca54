"""Our own finder: what Python would find, and never code of another source."""

import importlib.machinery
import os
import py_compile
import subprocess
import sys
from pathlib import Path

import memolith
from memolith.base.finder import Finder
from tests.test_house import NAMES


def test_every_module_is_found_as_python_finds_it() -> None:
    root = Path(memolith.__file__).parent
    for name in NAMES:
        package = name.rpartition(".")[0]
        if package:
            path = [str(root.parent / package.replace(".", "/"))]
            ours = Finder.find_spec(name, path)
            theirs = importlib.machinery.PathFinder.find_spec(name, path)
            assert ours, name
            assert theirs, name
            assert ours == theirs or (ours.origin, ours.submodule_search_locations, ours.cached) == (
                theirs.origin,
                theirs.submodule_search_locations,
                theirs.cached,
            )
            assert code(ours) == code(theirs), name


def code(spec: importlib.machinery.ModuleSpec) -> object:
    assert isinstance(spec.loader, importlib.machinery.SourceFileLoader)
    return spec.loader.get_code(spec.name)


def said(directory: Path) -> object:
    """Return the value of `told` in the module `memolith.one` of a directory."""
    spec = Finder.find_spec("memolith.one", [str(directory)])
    assert spec
    found: dict[str, object] = {}
    exec(code(spec), found)  # type: ignore[arg-type]  # noqa: S102 - our own two lines
    return found["told"]


def test_a_changed_source_is_compiled_anew_and_damaged_bytecode_too(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text("told = 1\n")
    compiled = Path(py_compile.compile(str(source)) or "")
    assert said(tmp_path) == 1
    source.write_text("told = 2\n")
    os.utime(source, (5, 5))  # as long as before, of another time
    assert said(tmp_path) == 2
    py_compile.compile(str(source))
    compiled.write_bytes(compiled.read_bytes()[:20])
    source.write_text("told = 34\n")
    assert said(tmp_path) == 34
    compiled.unlink()
    assert said(tmp_path) == 34


def test_bytecode_of_another_interpreter_is_not_run(tmp_path: Path) -> None:
    source = tmp_path / "one.py"
    source.write_text("told = 1\n")
    compiled = Path(py_compile.compile(str(source)) or "")
    about = source.stat()
    source.write_text("told = 2\n")
    os.utime(source, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert said(tmp_path) == 1  # by size and time it is the same source, for Python too
    compiled.write_bytes(b"\0\0\r\n" + compiled.read_bytes()[4:])
    assert said(tmp_path) == 2


def test_what_is_not_ours_is_left_to_python(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("")
    assert Finder.find_spec("json", [str(tmp_path)]) is None
    assert Finder.find_spec("memolith") is None
    assert Finder.find_spec("memolith.nothing", [str(tmp_path)]) is None


def test_a_process_of_ours_uses_it(tmp_path: Path) -> None:
    told = "print(type(sys.modules['memolith.edges.cli.app'].__loader__).__module__)"
    assert process(tmp_path, "--version", after=told).splitlines()[-1:] == ["memolith.base.finder"]


def test_a_process_ends_with_its_whole_answer_and_after_what_waits_for_the_end(tmp_path: Path) -> None:
    answer = process(tmp_path, "help")
    assert answer.startswith("before\nUsage: memolith")
    assert answer.endswith(
        (Path(memolith.__file__).parent / "edges/cli/help.txt").read_text(encoding="utf-8")
    )
    wait = "import atexit; atexit.register(lambda: print('at the end')); "
    assert process(tmp_path, "help", wait) == f"{answer}after\nat the end\n"


def process(home: Path, command: str, first: str = "", after: str = "print('after')") -> str:
    """Return what a process of ours prints."""
    ask = f"import sys; from memolith.edges.cli import entry; sys.argv = ['memolith', {command!r}]; "
    program = f"{first}{ask}sys.stdout.write('before\\n'); entry(); {after}"
    env = {**os.environ, "MEMOLITH_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    ).stdout
