"""A rival's adapter as a process of its own: asked by lines, bounded in time, killed with all it started."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.rivals.installing import Installed

ROOT = Path(__file__).parent.parent.parent


class Failed(Exception):  # noqa: N818 - it is no error, it is a result
    """A job that did not run, with the reason."""


def environment(installed: Installed, home: Path, url: str, model: str) -> dict[str, str]:
    """Return the variables of a rival's processes: ours and nothing else, so no proxy and no real home."""
    own = home / "user"
    own.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": f"{installed.bin}:{os.environ.get('PATH', os.defpath)}",
        "HOME": str(own),
        "LANG": "C.UTF-8",
        "TMPDIR": str(own),
        "PYTHONPATH": str(ROOT),
        **installed.rival.variables(home=str(home), url=url, model=model),
    }


class Talk:
    """An adapter that runs until the end of a `with` block."""

    def __init__(self, installed: Installed, home: Path, variables: dict[str, str]) -> None:
        self._errors = home / "errors.txt"
        self._rest = b""
        with self._errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [installed.python, "-m", f"bench.rivals.adapters.{installed.rival.adapter}", home],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=variables,
                cwd=home,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End it and whatever it started, at once."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()

    def send(self, job: str, **arguments: object) -> None:
        """Ask, and do not wait."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps({"do": job, **arguments}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"its process ended: {self._last()}") from None

    def ask(self, job: str, limit: float = 60, **arguments: object) -> Any:
        """Return the answer."""
        return self.timed(job, limit, **arguments)[0]

    def timed(self, job: str, limit: float = 60, **arguments: object) -> tuple[Any, float, float]:
        """Return the answer, and the seconds of the clock and of the processor in the rival's process."""
        self.send(job, **arguments)
        *_, answer = self.lines(limit)
        return answer.get("value"), answer["seconds"], answer["cpu"]

    def lines(self, limit: float) -> Iterator[dict[str, Any]]:
        """Return what it says up to the end of a job."""
        deadline = time.monotonic() + limit
        while True:
            line = self._line(deadline)
            if line is None:
                self.kill()
                raise Failed(f"stopped after {limit:.0f} s")
            if not line:
                raise Failed(f"its process ended: {self._last()}")
            said: dict[str, Any] = json.loads(line)
            if "failed" in said:
                raise Failed(said["failed"])
            yield said
            if "seconds" in said:
                return

    def said_before_its_end(self) -> list[dict[str, Any]]:
        """Kill it; return what it had said until then."""
        os.killpg(self.process.pid, signal.SIGKILL)
        assert self.process.stdout
        rest = self._rest + self.process.stdout.read()
        self.kill()
        return [json.loads(line) for line in rest.split(b"\n")[:-1]]

    def _line(self, deadline: float) -> bytes | None:
        """Return the next line, nothing at the end, None when the time is over."""
        assert self.process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0, deadline - time.monotonic())):
                    return None
                data = os.read(self.process.stdout.fileno(), 1 << 16)
                if not data:
                    return b""
                self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _last(self) -> str:
        said = self._errors.read_text(errors="replace").split("\n") if self._errors.exists() else []
        return next((" ".join(line.split())[:200] for line in reversed(said) if line.strip()), "no message")

    def megabytes(self) -> float | None:
        """Return what its process holds; None where the system does not say."""
        try:
            told = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        return next(int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("VmRSS"))
