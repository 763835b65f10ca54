"""`prove rows`: each built row of the ledger is broken on purpose, and the tests that cite it must notice.

A mutant is a row's id, a file below src/memolith, a piece of its text and what stands there instead
(`prove/mutants/*.txt`; `read` has the form). A row without any code behind it names the reason in place of
a file. Mutants are played in copies of this checkout, each with an environment whose `memolith` is the copy,
so that the processes which tests start are broken, too. A test that noticed counts only if it passes in the
copy that is whole again: at the end all that did are run there.
"""

import compileall
import importlib.util
import os
import py_compile
import queue
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.ledger import citations
from tests.shared import ROOT

from prove.report import Stopwatch, Tally

MUTANTS = ROOT / "prove" / "mutants"
_SOURCE = Path("src") / "memolith"
_HEAD = re.compile(r"^## (?P<row>\S+) (?:(?P<path>\S+\.(?:py|txt|md|json))|not code: (?P<reason>.+))$")
_FAILED = 1  # how pytest ends if tests failed; anything else is no verdict
_NOTICED = re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$", re.MULTILINE)
_SECONDS = 240


@dataclass(frozen=True)
class Mutant:
    """One way to break a row; `reason` is set instead where a row is not about code."""

    row: str
    path: str
    old: str
    new: str
    reason: str = ""

    def apply(self, text: str) -> str:
        """Return the text of its file, broken. ValueError unless its piece stands there exactly once."""
        if text.count(self.old) != 1:
            raise ValueError(f"{self.row}: found {text.count(self.old)} times in {self.path}:\n{self.old}")
        return text.replace(self.old, self.new)


def read(text: str) -> Iterator[Mutant]:
    """Yield the mutants of a text: a head `## ROW FILE`, then lines `- …` that go, and `+ …` that come."""
    for part in re.split(r"(?m)^(?=## )", text)[1:]:
        head, *lines = part.rstrip("\n").split("\n")
        found = _HEAD.match(head)
        if not found:
            raise ValueError(f"no head of a mutant: {head}")
        old, new = (
            "\n".join(line[2:] for line in lines if line[:1] == sign and line[:2] in (sign, f"{sign} "))
            for sign in "-+"
        )
        if found["path"] and (not old or old == new):
            raise ValueError(f"{head}: nothing is changed")
        yield Mutant(found["row"], found["path"] or "", old, new, found["reason"] or "")


def all_mutants() -> list[Mutant]:
    """Return all mutants."""
    files = sorted(MUTANTS.glob("*.txt"))
    return [mutant for file in files for mutant in read(file.read_text(encoding="utf-8"))]


def run(minutes: float, rounds: int, seed: int, only: str = "", jobs: int = 2) -> Tally:
    """Play the mutants, those of one row or design if `only` says so; a survivor is a violation."""
    watch, tally = Stopwatch(minutes), Tally(seed)
    chosen = [each for each in all_mutants() if not only or f"{each.row}.".startswith(f"{only}.")]
    tally.notes = [f"{each.row} is not about code: {each.reason}" for each in chosen if each.reason]
    tests = citations()
    played = [each for each in chosen if not each.reason][:rounds]
    stands: queue.SimpleQueue[Stand] = queue.SimpleQueue()
    for number in range(jobs):
        stands.put(Stand(ROOT / ".dev" / "mutants" / str(number)))

    def play(mutant: Mutant) -> tuple[list[str], str] | None:
        if not watch.has_time():
            return None
        stand = stands.get()
        try:
            return stand.play(mutant, [each for each in tests.get(mutant.row, []) if _can_run(each)])
        finally:
            stands.put(stand)

    noticed: dict[str, list[str]] = {}

    with ThreadPoolExecutor(jobs) as crew:
        for mutant, verdict in zip(played, crew.map(play, played), strict=True):
            if verdict is None:
                tally.check("every mutant is played", ["the time was over"], mutant.row)
                continue
            wrong, test = verdict
            tally.round(f"rows of {mutant.row.partition('.')[0]} broken")
            tally.check("the citing tests notice", wrong, mutant.row)
            print(f"{watch.passed:6.0f} s  {mutant.row:<6} {wrong[0] if wrong else test}", file=sys.stderr)
            if test:
                noticed.setdefault(test, []).append(mutant.row)
    wrong = stands.get().failing(list(noticed))
    for test in dict.fromkeys([*noticed, *wrong]):
        told = [test] if test in wrong else []
        tally.check("they pass when all is whole", told, " ".join(noticed.get(test, ["?"])))
    return tally


def _can_run(test: str) -> bool:
    """Whether a test needs no framework that is not installed here: pytest cannot find it then."""
    text = (ROOT / test.partition("::")[0]).read_text(encoding="utf-8")
    packages = re.findall(r'pytest\.importorskip\(\s*"(\w+)', text)
    return all(map(importlib.util.find_spec, packages))


class Stand:
    """A copy of the checkout with an environment of its own, in which one mutant at a time is played."""

    def __init__(self, base: Path) -> None:
        self.base, self.tree = base, base / "tree"
        self.python = base / "env" / "bin" / "python"
        shutil.rmtree(base, ignore_errors=True)
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, check=True,
        ).stdout.decode().split("\0")  # fmt: skip
        for name in names:
            if name and (ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.tree / name)
        # By their bytes, not by times: a file may be broken and mended within one second.
        by_hash = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(self.tree / "src", quiet=1, invalidation_mode=by_hash)
        (base / "shared").symlink_to(ROOT.parent / "shared")
        venv.create(base / "env", symlinks=True)
        site = Path(sysconfig.get_path("purelib", "posix_prefix", {"base": str(base / "env")}))
        tools = sysconfig.get_path("purelib")
        (site / "first.pth").write_text(f"{self.tree / 'src'}\n{tools}\n", encoding="utf-8")
        script = base / "env" / "bin" / "memolith"
        original = Path(sys.executable).with_name("memolith").read_text(encoding="utf-8")
        script.write_text(f"#!{self.python}\n{original.partition(chr(10))[2]}", encoding="utf-8")
        script.chmod(0o755)

    def play(self, mutant: Mutant, tests: list[str]) -> tuple[list[str], str]:
        """Break the copy, run the tests, mend it; return what is wrong if none fails, and which does."""
        if not tests:
            return ["no test cites it"], ""
        file = self.tree / _SOURCE / mutant.path
        whole = file.read_text(encoding="utf-8")
        file.write_text(mutant.apply(whole), encoding="utf-8")
        try:
            code, said = self._pytest(tests, "-x")
        finally:
            file.write_text(whole, encoding="utf-8")
        if code == _FAILED:
            return [], (_NOTICED.findall(said) or [""])[0]
        why = f"pytest ended with {code}: {said[-800:]}" if code else f"survives {len(tests)} tests"
        return [f"{mutant.path}: {why}"], ""

    def failing(self, tests: list[str]) -> list[str]:
        """Run these tests in the whole copy; return those that do not pass."""
        code, said = self._pytest(tests, seconds=_SECONDS * 10) if tests else (0, "")
        return _NOTICED.findall(said) or ([said[-800:]] if code else [])

    def _pytest(self, tests: list[str], *more: str, seconds: int = _SECONDS) -> tuple[int, str]:
        command = [
            *(str(self.python), "-m", "pytest", *more, "-q", "-p", "no:randomly", "-p", "no:cacheprovider"),
            *("-p", "no:xdist", f"--basetemp={self.base / 'tmp'}", "--timeout=100"),
        ]
        env = {**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(self.base / "hypothesis")}
        try:
            done = subprocess.run(
                [*command, *tests], cwd=self.tree, env=env, capture_output=True, text=True, timeout=seconds,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return _FAILED, ""
        return done.returncode, done.stdout
