"""Console transcripts: `$ command` lines and what they print, played against the real program.

    $ memolith write daily "x"
    Wrote 2 bytes to $MEMOLITH_HOME/memory/…

Standard error follows standard output; a last line `[exit N]` stands where the exit code is not 0. Words
that change are $MEMOLITH_HOME, $HOME, $BIN, $HASH, $DATE and $TIME. `UPDATE_TRANSCRIPTS=1` rewrites them.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

DIRECTORY = Path(__file__).parent / "transcripts"


def transcripts() -> list[Path]:
    """Return the transcript files."""
    return sorted(DIRECTORY.glob("*.md"))


def play(text: str, work: Path, home: Path) -> str:
    """Run the commands of every ```console block; return the text with what they print now."""
    pieces = re.split(r"(?m)^(```console\n)(.*?)(^```$)", text, flags=re.DOTALL)
    for index in range(2, len(pieces), 4):
        commands = [line[2:] for line in pieces[index].splitlines() if line.startswith("$ ")]
        pieces[index] = "".join(_run(command, work, home) for command in commands)
    return "".join(pieces)


def _run(command: str, work: Path, home: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=work,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PATH": path, "MEMOLITH_HOME": str(home)},
    )
    printed = done.stdout + done.stderr
    printed = printed.replace(str(home), "$MEMOLITH_HOME").replace(str(work), "$PROJECT")
    printed = printed.replace(os.environ["HOME"], "$HOME").replace(f"{Path(sys.executable).parent}/", "$BIN/")
    printed = re.sub(r"\bshop-[0-9a-f]{8}\b", "shop-$HASH", printed)
    printed = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:]{8}Z", "$TIME", printed)
    printed = re.sub(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b", "$DATE $TIME", printed)
    printed = re.sub(r"\b20\d\d-\d\d-\d\d\b", "$DATE", printed)
    printed = re.sub(r"(?m)^### \d\d:\d\d", "### $TIME", printed)
    if done.returncode:
        printed += f"[exit {done.returncode}]\n"
    return f"$ {command}\n{printed}"
