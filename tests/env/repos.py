"""Real git repositories for tests, and one memory to look for from everywhere."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from prove.texts import parts

from memolith import Mem
from tests.conftest import NOON

WORD = "zebrafish"
ORIGIN = "git@example.org:acme/shop.git"


def git(where: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=where,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def repo(path: Path, origin: str = "", *, commit: bool = True) -> Path:
    """Make a repository; each has a first commit of its own."""
    path.mkdir(parents=True)
    git(path, "init", "-q")
    if origin:
        git(path, "remote", "add", "origin", origin)
    if commit:
        git(path, "commit", "-q", "--allow-empty", "-m", f"begin {path} {origin}")
    return path


def clone(source: Path, path: Path, origin: str) -> Path:
    """Clone a repository and give the clone another origin than the local path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    git(source, "clone", "-q", "--no-local", str(source), str(path))
    git(path, "remote", "set-url", "origin", origin)
    return path


_SCRIPTS = parts(Path(__file__).with_name("situations.txt"))
# The honest situations by their kind: one memory together, or two projects apart, or one in another's place.
SITUATIONS: dict[str, list[str]] = {}
for _name in _SCRIPTS:
    if "UTF-8" not in _name or sys.platform == "linux":
        SITUATIONS.setdefault(_name.partition(":")[0], []).append(_name)
_SHELL = f"""set -e; shop={ORIGIN}
git() {{ command git -c protocol.file.allow=always "$@" 2>&1; }}
repo() {{
    mkdir -p "$1"; git -C "$1" init -q
    [ -z "$2" ] || git -C "$1" remote add origin "$2"
    git -C "$1" commit -q --allow-empty -m "begin $PWD/$1 $2"
}}
clone() {{ git clone -q --no-local "$1" "$2"; git -C "$2" remote set-url origin "$3"; }}
"""


def shell(rows: list[str], where: Path, **names: object) -> bytes:
    """Run a script that knows `repo`, `clone` and these names; return what it prints."""
    env = {**os.environ, **{name: str(value) for name, value in names.items()}}
    script = "\n".join([_SHELL, *rows])
    return subprocess.run(["sh", "-c", script], cwd=where, env=env, check=True, stdout=subprocess.PIPE).stdout


def places(situation: str, world: Path) -> Iterator[Path]:
    """Yield where memory is written; when asked again, change the world and yield where it is looked for."""
    world.mkdir(exist_ok=True)
    script: list[str] = []
    for row in _SCRIPTS[situation]:
        if row.startswith("> "):
            said = shell([*script, f"cd {row[2:]}", 'printf "at %s" "$PWD"'], world)
            yield Path(os.fsdecode(said.rpartition(b"at ")[2]))
            script = []
        else:
            script.append(row)


def at(place: str | os.PathLike[str] | None) -> Mem:
    """Open the memory of a place, at noon: no test runs over midnight."""
    return Mem.open(place, now=lambda: NOON)


def tell(place: str | os.PathLike[str] | None) -> str:
    """Write one memory of every kind that belongs to a project; return the slug."""
    with at(place) as mem:
        mem.remember(f"The {WORD} sleeps.", title=f"About the {WORD}")
        mem.write("scratchpad", f"- [ ] feed the {WORD}")
        mem.write("daily", f"Bought a {WORD}.")
        return mem.project


def surfaces(place: str | os.PathLike[str] | None) -> dict[str, str]:
    """Return what every way to read gives to somebody who works at `place`."""
    with at(place) as mem:
        hits, block = mem.search(WORD).hits, mem.context_block() or ""
        return {
            "block": block,
            "search": "\n".join(f"{hit.name} {hit.body}" for hit in hits),
            "index": "\n".join(line for line in block.splitlines() if f"about-the-{WORD}.md" in line),
            "list": "\n".join(mem.list()),
            "read list": mem.read("list"),
            "read note": mem.read("note", f"about-the-{WORD}"),
            "read scratchpad": mem.read("scratchpad"),
            "read daily": mem.read("daily"),
        }


def sees(place: str | os.PathLike[str] | None) -> bool:
    """Tell whether the memory is there; it must be there in every way, or in none."""
    found = {name for name, text in surfaces(place).items() if WORD in text}
    assert not found or found == set(surfaces(place)), f"only in {sorted(found)}"
    return bool(found)


def slug(place: str | os.PathLike[str] | None) -> str:
    with at(place) as mem:
        return mem.project
