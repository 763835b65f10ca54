"""Console transcripts: `$ command` lines and what they print.

    $ memolith write daily "x"
    Wrote 2 bytes to $MEMOLITH_HOME/memory/…

Standard error follows standard output; a last line `[exit N]` stands where the exit code is not 0. Words
that change are $MEMOLITH_HOME, $HOME, $BIN, $HASH, $DATE and $TIME. A block `console last` has only the
last line of each answer. `UPDATE_TRANSCRIPTS=1` rewrites them. A plain command runs in this process, all
others (with a pipe, a variable, another program) in a shell.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memolith.edges.cli import main

DIRECTORY = Path(__file__).parent / "transcripts"


def transcripts() -> list[Path]:
    """Return the transcript files."""
    return sorted(DIRECTORY.glob("*.md"))


def play(text: str, work: Path, home: Path) -> str:
    """Run the commands of every ```console block; return the text with what they print now."""
    pieces = re.split(r"(?m)^(```console(?: last)?\n)(.*?)(^```$)", text, flags=re.DOTALL)
    for index in range(2, len(pieces), 4):
        commands = [line[2:] for line in pieces[index].splitlines() if line.startswith("$ ")]
        answers = [(command, _answer(command, work, home)) for command in commands]
        if "last" in pieces[index - 1]:
            answers = [(command, _last(said)) for command, said in answers]
        pieces[index] = "".join(f"$ {command}\n{said}" for command, said in answers)
    return "".join(pieces)


def _last(said: str) -> str:
    lines = said.splitlines(keepends=True)
    return "".join(lines[-2 if lines[-1:] and lines[-1].startswith("[exit ") else -1 :])


def _answer(command: str, work: Path, home: Path) -> str:
    stdin, words = _plain(command)
    code, printed = _inside(words, stdin, work, home) if words else _in_shell(command, work, home)
    printed = printed.replace(str(home), "$MEMOLITH_HOME").replace(str(work), "$PROJECT")
    printed = printed.replace(str(work.parent), "$ABOVE")
    printed = printed.replace(os.environ["HOME"], "$HOME").replace(f"{Path(sys.executable).parent}/", "$BIN/")
    printed = re.sub(r"\b(shop|blog)-[0-9a-f]{8}\b", r"\1-$HASH", printed)
    printed = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:]{8}Z", "$TIME", printed)
    printed = re.sub(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b", "$DATE $TIME", printed)
    printed = re.sub(r"\b20\d\d-\d\d-\d\d\b", "$DATE", printed)
    printed = re.sub(r"(?m)^### \d\d:\d\d", "### $TIME", printed)
    return printed + (f"[exit {code}]\n" if code else "")


def _plain(command: str) -> tuple[str, list[str]]:
    """Return the input and the arguments of a command that needs no shell; nothing if it does."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    stdin = ""
    if words[0] == "echo" and words[2:4] == ["|", "memolith"]:
        stdin, words = f"{words[1]}\n", words[3:]
    is_odd = words[0] != "memolith" or bool(set(command) & set("$`~"))
    if is_odd or any(each and set(each) <= set("();<>|&") for each in words):
        return "", []
    return stdin, words[1:]


def _inside(words: list[str], stdin: str, work: Path, home: Path) -> tuple[int, str]:
    streams = {"stdin": io.BytesIO(stdin.encode()), "stdout": io.BytesIO(), "stderr": io.BytesIO()}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(work)
        patch.setenv("MEMOLITH_HOME", str(home))
        for name, stream in streams.items():
            patch.setattr(sys, name, io.TextIOWrapper(stream, write_through=True))
        code = main(words)
        return code, "".join(streams[name].getvalue().decode() for name in ("stdout", "stderr"))


def _in_shell(command: str, work: Path, home: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=work,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PATH": path, "MEMOLITH_HOME": str(home)},
    )
    return done.returncode, done.stdout + done.stderr
