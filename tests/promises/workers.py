"""Programs that the tests of races and crashes run as processes: `python -m tests.promises.workers`.

Each announces what it did on standard output, one word per line, only after the call returned.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from memolith import Mem
from memolith.base.errors import MemolithError
from memolith.env.paths import Place, Tree
from memolith.store import files
from memolith.store.gate import Gate
from tests.shared import ROOT

NOW = 1_794_830_400.0  # some noon; processes of one test must agree on the day
ENOUGH = 60.0  # seconds that no step of a test needs
# The default run shows that the checks hold; the counts that are promised take minutes: CONTRIBUTING.md.
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"

# ---------------------------------------------------------------- started by the tests


def until(holds: Callable[[], bool], seconds: float = 30) -> bool:
    """Wait until something is so that another process does; False if it does not come about."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def start(*arguments: object, writer: str = "ours") -> subprocess.Popen[str]:
    """Start a worker; it waits for a line on its standard input before it begins."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.promises.workers", writer, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_together(workers: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let workers begin at the same moment; return the lines that each said. All must end well."""
    said = []
    try:
        for worker in workers:
            assert read_line(worker) == "ready"
        for worker in workers:
            begin(worker)
        for worker in workers:
            out, _ = worker.communicate(timeout=100)
            assert worker.returncode == 0, f"a worker ended with {worker.returncode}"
            said.append([each for each in out.splitlines() if each])
    finally:
        for worker in workers:
            stop(worker)
    return said


def begin(worker: subprocess.Popen[str]) -> None:
    """Let a worker begin."""
    assert worker.stdin is not None
    worker.stdin.write("go\n")
    worker.stdin.flush()


def read_line(worker: subprocess.Popen[str]) -> str:
    """Return the next line that a worker says."""
    assert worker.stdout is not None
    return worker.stdout.readline().strip()


def stop(worker: subprocess.Popen[str]) -> None:
    """Kill a worker as if the power button of its process had been pressed."""
    worker.kill()
    worker.wait(ENOUGH)
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None:
            pipe.close()


def open_memory(home: str, cwd: str) -> Mem:
    """Open the memory that all processes of a test share."""
    return Mem.open(cwd, home=home, now=lambda: NOW)


def line(token: str) -> str:
    """Return a line that shows by itself whether it is whole."""
    return f"- {token} begins a line that ends in {token}"


def tokens(text: str) -> list[str]:
    """Return the tokens of all whole lines made by `line`."""
    found = []
    for each in text.removeprefix("\ufeff").splitlines():
        words = each.split()
        if len(words) > 2 and each == line(words[1]):
            found.append(words[1])
    return found


# ---------------------------------------------------------------- writers that must be caught


def _replace_blindly(
    _gate: Gate, _tree: Tree, _rel: str, place: Place, new: bytes | None, old: bytes | None, _seen: object
) -> tuple[bytes | None, Place | None, bool]:
    """Temporary file and rename, as most programs do it, without a look at what is replaced."""
    assert new is not None
    temporary = f"{place}.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(new)
    os.replace(temporary, place.path)
    return old, None, False


def write_in_place(
    _gate: Gate, _tree: Tree, _rel: str, place: Place, new: bytes | None, old: bytes | None, _seen: object
) -> tuple[bytes | None, Place | None, bool]:
    """Open, truncate, write: what a crash tears."""
    if new is None:
        os.unlink(place.path)
        return old, None, False
    with open(place.path, "wb", buffering=0) as file:
        file.writelines(new[at : at + 16] for at in range(0, len(new), 16))
    return old, None, False


@contextlib.contextmanager
def _no_lock(_gate: Gate, _slug: str) -> Iterator[None]:
    yield


def _use_writer(name: str) -> None:
    broken: dict[str, tuple[str, object]] = {
        "blind": ("_put", _replace_blindly),
        "in-place": ("_put", write_in_place),
        "unlocked": ("scope", _no_lock),
    }
    if name in broken:
        setattr(Gate, *broken[name])
    if name == "unlocked":
        Gate._put = _replace_blindly  # type: ignore[method-assign,assignment]


# ---------------------------------------------------------------- what they do


def _append(home: str, cwd: str, who: str, count: str, *targets: str) -> None:
    mem = open_memory(home, cwd)
    for number in range(int(count)):
        target, _, name = targets[number % len(targets)].partition(":")
        token = f"{who}x{number:04d}"
        mem.write(target, line(token), name=name or None)
        print(token, flush=True)


def _agent(home: str, cwd: str, name: str, stop_file: str) -> None:
    """Append lines to a note and edit them, until the editor is done."""
    mem = open_memory(home, cwd)
    number = 0
    while not os.path.exists(stop_file):
        token = f"agent{number:05d}"
        mem.write("note", line(token), name=name)
        print(token, flush=True)
        if number % 3 == 0:
            with contextlib.suppress(MemolithError):  # the line may be gone: the editor did not know it
                mem.edit("note", line(token), line(token + "edited"), name=name)
                print(token + "edited", flush=True)
        number += 1


STYLES = ("in-place", "rename", "crlf", "bom", "no-final-newline", "append")


def _editor(path: str, rounds: str, stop_file: str) -> None:
    """Save a file again and again as editors do, each time with one more line."""
    chance = random.Random(1)
    for number in range(int(rounds)):
        style, token = STYLES[number % len(STYLES)], f"hand{number:05d}"
        save(path, style, token, lambda: time.sleep(chance.uniform(0, 0.003)))
        print(token, flush=True)
        time.sleep(chance.uniform(0, 0.012))  # nobody saves all the time; the agent gets a turn
    Path(stop_file).touch()


def _say(token: str) -> None:
    print(f"displaced:{token}", flush=True)


def save(
    path: str,
    style: str,
    token: str,
    pause: Callable[[], None] = lambda: None,
    tell: Callable[[str], None] = _say,
) -> None:
    """Read a file and save it with one more line, in one of six styles.

    `tell` is told the lines that the editor itself threw away, because it had not seen them.
    """
    added = line(token).encode() + b"\n"
    if style == "append":
        with open(path, "a+b", buffering=0) as file:
            file.seek(0)
            added = _joined(old := file.read(), added)[len(old) :]
            pause()
            file.write(added)
        return
    if style == "rename":
        old = Path(path).read_bytes()
        pause()
        new = f"{path}.{token}~"
        Path(new).write_bytes(_joined(old, added))
        # A rename that lets us see what the editor itself threw away.
        if files.exchange(Place.of(new), Place.of(path)):
            for each in set(tokens(Path(new).read_bytes().decode())) - set(tokens(old.decode())):
                tell(each)
            os.unlink(new)
        else:
            os.replace(new, path)
        return
    with open(path, "r+b", buffering=0) as file:
        text = _joined(file.read(), added)
        if style == "crlf":
            text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        elif style == "bom":
            text = b"\xef\xbb\xbf" + text.removeprefix(b"\xef\xbb\xbf")
        elif style == "no-final-newline":
            text = text.rstrip(b"\r\n")
        pause()
        file.seek(0)
        file.truncate()
        pause()
        file.write(text)


def _joined(old: bytes, added: bytes) -> bytes:
    return old + (b"" if not old or old.endswith(b"\n") else b"\n") + added


def _hold(home: str, cwd: str) -> None:
    mem = open_memory(home, cwd)
    with mem.gate.scope(""):
        print("held", flush=True)
        signal.pause()


# ---------------------------------------------------------------- kill -9


Script = list[tuple[str, ...]]


def script(seed: int, length: int) -> Script:
    """Return a sequence of calls that change memory in every way there is."""
    chance = random.Random(seed)
    steps: Script = [("write", "note", "append", "zebra start", "topic")]
    for number in range(length):
        text = "\n".join(line(f"zebra{seed}n{number}p{part}") for part in range(chance.randint(1, 60)))
        steps.append(
            chance.choice(
                [
                    ("write", "long_term", "append", text, ""),
                    ("write", "long_term", "overwrite", text, ""),
                    ("write", "scratchpad", "overwrite", text, ""),
                    ("write", "daily", "append", text, ""),
                    ("write", "note", "append", text, "topic"),
                    ("write", "note", "overwrite", text, "topic"),
                    ("remember", text, "Tests need Redis"),
                    ("edit", text),
                    ("delete", "topic"),
                ]
            )
        )
    return steps


def perform(mem: Mem, step: tuple[str, ...]) -> None:
    """Do one step of a script."""
    if step[0] == "write":
        mem.write(step[1], step[3], step[2], name=step[4] or None)
    elif step[0] == "remember":
        mem.remember(step[1], step[2])
    elif step[0] == "edit":
        first = mem.read("long_term").splitlines()[0]
        if first != "(empty)":
            mem.edit("long_term", first, step[1].splitlines()[0])
    elif os.path.exists(mem.root / "projects" / mem.project / "notes" / f"{step[1]}.md"):
        mem.edit("note", name=step[1])


def memory_files(mem: Mem) -> dict[str, bytes]:
    """Return everything in the store except temporary files."""
    return {
        str(path.relative_to(mem.root)): path.read_bytes()
        for path in sorted(mem.root.rglob("*"))
        if path.is_file() and path.parent.name != ".tmp"
    }


def states(home: str, cwd: str, steps: Script) -> list[dict[str, bytes]]:
    """Return the store before the script and after each of its steps, when nothing goes wrong."""
    mem = open_memory(home, cwd)
    found = [memory_files(mem)]
    for step in steps:
        perform(mem, step)
        found.append(memory_files(mem))
    return found


def kept(mem: Mem) -> set[bytes]:
    """Return the bytes of all versions in the history."""
    return {path.read_bytes() for path in Path(mem.home, "history").rglob("*.full.*")}


def problems(mem: Mem, expected: list[dict[str, bytes]], done: int, *, history: bool = True) -> list[str]:
    """Return what is wrong with a memory whose writer was killed after `done` acknowledged steps."""
    before, after = expected[done], expected[min(done + 1, len(expected) - 1)]
    found = memory_files(mem)
    wrong = [
        f"{name} is neither the old nor the new text"
        for name in sorted(set(found) | set(before) | set(after))
        if found.get(name) not in (before.get(name), after.get(name))
    ]
    versions = kept(mem) if history else set()
    for earlier, later in itertools.pairwise(expected[: done + 1]):
        for name, old in earlier.items():
            new = later.get(name)
            lost = new is None or not new.startswith(old)
            if history and lost and old not in versions and not name.endswith("notes/MEMORY.md"):
                wrong.append(f"the bytes of {name} before an acknowledged change are not in the history")
    known = set(before) | set(after)
    shown = [*mem.list(), *(hit.name for hit in mem.search("zebra tmp"))]
    wrong += [f"{name} is shown" for name in shown if name not in known]
    if ".tmp" in (mem.context_block() or ""):
        wrong.append("the block shows a temporary file")
    # The next start: both scopes are written to, which sweeps what the crash left.
    for target in ("scratchpad", "long_term"):
        result = mem.write(target, line("afterwards"))
        if tokens(Path(result.filename).read_text(encoding="utf-8"))[-1:] != ["afterwards"]:
            wrong.append(f"{target} cannot be written after the crash")
    if history and any(path.is_file() for path in mem.root.rglob(".tmp/*")):
        wrong.append("temporary files were left after the next write")
    return wrong


def _crash(base: str, seed: str, runs: str) -> None:
    """Kill a process in the middle of a script, again and again; report on each run as JSON."""
    chance = random.Random(int(seed))
    steps = script(int(seed), 60)
    cwd = os.path.join(base, "shop")
    os.makedirs(cwd, exist_ok=True)
    expected = states(os.path.join(base, "reference"), cwd, steps)
    ours = Gate._put.__name__ == "_put"
    for run in range(int(runs)):
        home = os.path.join(base, f"home{run}")
        done = _killed_run(home, cwd, steps, chance.uniform(0, 0.03))
        wrong = problems(open_memory(home, cwd), expected, done, history=ours)
        print(json.dumps({"done": done, "wrong": wrong}), flush=True)


def _killed_run(home: str, cwd: str, steps: Script, seconds: float) -> int:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            mem = open_memory(home, cwd)
            for step in steps:
                perform(mem, step)
                os.write(writer, b".")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writer)
    done = len(os.read(reader, 1))  # the first acknowledgement
    time.sleep(seconds)  # the random moment
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reader, 4096):
        done += len(more)
    os.close(reader)
    return done


def main() -> None:
    """Run one worker: `WRITER NAME ARGUMENTS…`."""
    writer, name, *arguments = sys.argv[1:]
    _use_writer(writer)
    work: dict[str, Callable[..., None]] = {
        "append": _append,
        "agent": _agent,
        "editor": _editor,
        "hold": _hold,
        "crash": _crash,
    }
    print("ready", flush=True)
    sys.stdin.readline()
    work[name](*arguments)


if __name__ == "__main__":
    main()
