"""`python -m bench.mcp`: from the start of `memolith mcp` to its list of tools, over a bare interpreter.

The two are started in turn, so that a busy machine slows both alike; medians of 20. Then the memory of a
server that has written, searched and recalled. Exits with 1 if a target of issue 6 is missed.
"""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import memolith
from bench.hook import BARE, alternate

COMMAND = (sys.executable, "-c", "import sys; from memolith.edges.cli import entry; sys.exit(entry())", "mcp")
TIMES, MEGABYTES = 3.0, 40.0
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
CALLS = (
    ("remember", {"content": "The port of Redis is 6380.", "title": "Redis"}),
    ("memory_search", {"query": "redis"}),
    ("recall", {"query": "port of redis"}),
)


def bare(_: int) -> None:
    """Start an interpreter that does nothing."""
    subprocess.run(BARE, check=True, stdin=subprocess.DEVNULL)


def listed(env: dict[str, str], work: str) -> None:
    """Start a server, wait for its list of tools, end it."""
    with server(env, work) as process:
        assert ask(process, LIST)["result"]["tools"]


def server(env: dict[str, str], work: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(COMMAND, cwd=work, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(process: subprocess.Popen[bytes], line: bytes) -> dict[str, dict[str, object]]:
    assert process.stdin
    assert process.stdout
    process.stdin.write(line)
    process.stdin.flush()
    answer: dict[str, dict[str, object]] = json.loads(process.stdout.readline())
    return answer


def resident(env: dict[str, str], work: str) -> float:
    """Return the megabytes that a server holds after some work; 0 where the system does not say."""
    with server(env, work) as process:
        for tool, arguments in CALLS:
            call = {"name": tool, "arguments": arguments}
            row = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
            assert not ask(process, json.dumps(row).encode() + b"\n")["result"]["isError"]
        try:
            told = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return 0.0
        return next(int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("VmRSS"))


def main() -> int:
    compileall.compile_dir(str(Path(memolith.__file__).parent), quiet=1)
    with tempfile.TemporaryDirectory() as base:
        env = {**os.environ, "MEMOLITH_HOME": f"{base}/home", "MEMOLITH_SEMANTIC_PROVIDER": "none"}
        times = alternate({"bare": bare, "tools": lambda _: listed(env, base)})
        size = resident(env, base)
    ratio = times["tools"] / times["bare"]
    print(f"bare interpreter         {times['bare']:6.1f} ms")
    print(f"start to list of tools   {times['tools']:6.1f} ms  {ratio:.2f} × (at most {TIMES:g})")
    print(f"memory after some work   {size:6.1f} MB  (at most {MEGABYTES:g})")
    return int(ratio > TIMES or size > MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
