"""`prove fuzz`: any sequence of calls against a model, and any bytes into every parser.

A parser has one promise for any input: an answer or one of our errors, soon. `PARSERS` has a row for each,
with valid samples made in code; a mutator with a seed changes them. A case that breaks the promise is
printed whole.
"""

import contextlib
import io
import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test
from tests.hosts.sessions import written
from tests.promises.test_fuzz import SIGNS
from tests.store.test_properties import Memory

from memolith import Mem, MemolithError, export_memory, import_memory
from memolith.edges.mcp import wire
from memolith.edges.mcp.protocol import Protocol
from memolith.env.settings import Settings
from memolith.hosts.hook import edge
from memolith.hosts.install import json_text, toml_text
from memolith.hosts.sessions import AGENTS
from memolith.text import frontmatter, names, yaml, yaml_edit
from prove import ask
from prove.commands import event, frame
from prove.machine import Library
from prove.report import Stopwatch, Tally
from prove.texts import parts
from prove.world import scratch, warm

_MODELS = 2
_SHOWN = {
    Memory: "files are as in the model, and every change can be undone",
    Library: "what is kept, found and forgotten is as in the model",
}
_SLOW = 2.0  # seconds of work for an input of some kilobytes: a loop that does not end
_PIECES = [
    *(sign.encode("utf-8", "surrogatepass") for sign in SIGNS),
    *(b"\0", b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),  # no text
    *(b"\r", b"\n", b"\\u0000", b"\\ud800"),
    *(b"9" * 400, b"[" * 3000, b"1e999", b"-"),
]


class _TooSlowError(BaseException):
    """Raised by the alarm; not an Exception, so that nobody swallows it."""


@dataclass(frozen=True)
class Parser:
    """Something that reads foreign bytes: valid samples, and the call."""

    name: str
    samples: list[bytes]
    read: Callable[[bytes], object]
    expected: tuple[type[Exception], ...] = (MemolithError,)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Change some bytes: cut, repeat, swap, flip, or put something in that has a meaning somewhere."""
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at, length = chance.randint(0, len(data)), chance.choice((1, 1, 2, 8, 64, 500))
        kind = chance.randrange(6)
        if kind == 0:
            data = data[:at] + data[at + length :]
        elif kind == 1:
            data = data[:at] + chance.choice(_PIECES) + data[at:]
        elif kind == 2:
            data = (
                data[:at] + bytes(chance.randrange(256) for _ in range(min(length, 8))) + data[at + length :]
            )
        elif kind == 3:
            data = data[:at] + data[at : at + length] * chance.choice((2, 3, 40)) + data[at + length :]
        elif kind == 4 and data:
            flipped = bytearray(data)
            flipped[at % len(data)] ^= 1 << chance.randrange(8)
            data = bytes(flipped)
        else:
            other = chance.randint(0, len(data))
            data = data[:at] + data[other : other + length] + data[at:]
        data = data[:200_000]
    return data


# ---------------------------------------------------------------- the parsers


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _frontmatter(data: bytes) -> None:
    text = _text(data)
    parsed = frontmatter.split(text)
    if parsed.head + parsed.body != text:
        raise AssertionError("head and body are not the text")
    with contextlib.suppress(MemolithError, ValueError):
        frontmatter.set_fields(text, {"name": "x", "tags": ["a", "b"]})


def _json_text(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    json_text.parse(text)
    added = json_text.put(text, ("memolith", "x"), {"a": 1})
    node = json_text.parse(added).at(("memolith", "x"))
    if node is None or node.value != {"a": 1}:
        raise AssertionError("what was put in is not there")


def _toml_text(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    toml_text.parse(text)
    if "memolith" not in text:
        added = toml_text.put(text, ("servers", "memolith"), {"a": "b"})
        if toml_text.parse(added)["servers"]["memolith"] != {"a": "b"}:
            raise AssertionError("what was put in is not there")


class Place(ask.Place):
    """A directory and a memory for the parsers that need one."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.mem = self.open()
        self.mem.write("note", "zebra word", name="topic")
        self.mem.remember("text about redis", "Tests")
        self.protocol = Protocol(lambda: self.mem)

    def parsers(self) -> list[Parser]:
        """Return a row for everything that reads foreign bytes."""
        samples = {
            name: [row.encode() for row in rows]
            for name, rows in parts(Path(__file__).with_suffix(".txt")).items()
        }
        (head,) = samples["memory files"]
        return [
            Parser("frontmatter", [head], _frontmatter),
            Parser("miniyaml", [head[4:-9]], lambda data: yaml.parse(_text(data)), (yaml.YamlError,)),
            Parser(
                "yamledit",
                samples["settings"],
                lambda data: yaml_edit.set_path(_text(data), ["inject", "daily"], "recent"),
                (MemolithError, yaml.YamlError),
            ),
            Parser("config.yml", samples["settings"], self._config),
            Parser("memory:// addresses", samples["addresses"], lambda data: self._address(_text(data))),
            Parser(
                "queries", samples["questions"], lambda data: self._query(data.decode("utf-8", "replace"))
            ),
            Parser("JSON settings", samples["json"], _json_text),
            Parser("TOML settings", samples["toml"], _toml_text),
            Parser("MCP frames", self._frames(), self._frame),
            Parser("hook events", self._events(), self._event),
            Parser("archives", [self._archive()], self._import),
            Parser("memory files", [head, b"# Me\n\n- a\n"], self._file),
            *(
                Parser(f"transcripts: {name}", [data], self._reader(name))
                for name, data in _transcripts(self.base)
            ),
        ]

    def _config(self, data: bytes) -> None:
        (self.base / "config.yml").write_bytes(data)
        found = Settings(str(self.base), {})
        for key in ("inject.daily", "history.versions", "enabled"):
            with contextlib.suppress(MemolithError):
                found.get(key)

    def _address(self, text: str) -> None:
        names.parse_address(text)
        self.mem.read(text)  # type: ignore[arg-type]

    def _query(self, text: str) -> None:
        self.mem.search(text).render()
        self.mem.recall(text[:2000])

    def _frames(self) -> list[bytes]:
        info = {"name": "x", "version": "1"}
        rows = [
            frame(1, "initialize", protocolVersion="2025-11-25", clientInfo=info, capabilities={}),
            frame(1, "tools/list"),
            frame(1, "tools/call", name="memory_read", arguments={"source": "long_term"}),
            frame(1, "tools/call", name="memory_search", arguments={"query": "zebra", "limit": 3}),
            frame(1, "resources/read", uri="memory://notes/topic.md"),
        ]
        return [row.strip().encode() for row in rows]

    def _frame(self, data: bytes) -> None:
        for row in data.split(b"\n"):
            answer = self.protocol.answer(wire.parse(row))
            if answer is not None:
                json.loads(wire.encode(answer))

    def _events(self) -> list[bytes]:
        rows = [
            event("SessionStart", source="startup", transcript_path="{base}/none.jsonl"),
            event("UserPromptSubmit", prompt="What about zebra and redis?"),
            event("PreCompact", trigger="auto", summary="<summary>zebra</summary>"),
        ]
        return [row.replace("{base}/work", str(self.base)).encode() for row in rows]

    def _event(self, data: bytes) -> None:
        edge.answer(data, "claude", home=str(self.base / "home"), project=str(self.work))

    def _archive(self) -> bytes:
        path = self.base / "sample.tar.gz"
        export_memory(self.mem, path)
        return path.read_bytes()

    def _import(self, data: bytes) -> None:
        path = self.base / "mutated.tar.gz"
        path.write_bytes(data)
        with Mem.open(self.work, home=self.base / "other") as other:
            import_memory(other, path, kind="archive")

    def _file(self, data: bytes) -> None:
        folder = self.mem.root / "projects" / self.mem.project
        paths = [self.mem.root / "MEMORY.md", folder / "notes" / "mutated.md", folder / "SCRATCHPAD.md"]
        for path in paths:
            path.write_bytes(data)
        self.mem.context_block()
        self.mem.recall("word")
        if any(path.read_bytes() != data for path in paths):
            raise AssertionError("reading changed a file")

    def _reader(self, name: str) -> Callable[[bytes], None]:
        agent = AGENTS[name.split(maxsplit=1)[0]]
        path = self.base / "transcript.jsonl"

        def read(data: bytes) -> None:
            path.write_bytes(data)
            agent.head(str(path))
            for session in agent.read(str(path)):
                if any(not turn.role for turn in session.turns):
                    raise AssertionError("a turn of nobody")

        return read


def _transcripts(base: Path) -> list[tuple[str, bytes]]:
    forms = {
        "claude": written.claude(),
        "codex": written.codex(),
        "codex flat": written.codex_flat(),
        "gemini": written.gemini(),
        "copilot": written.copilot(),
        "pi": written.pi(),
        "generic": written.generic(),
    }
    found = [(name, written.lines(*rows).encode()) for name, rows in forms.items()]
    database = written.opencode(base / "opencode.db").read_bytes()
    return [*found, ("aider", written.AIDER.encode()), ("opencode", database)]


# ---------------------------------------------------------------- running


def run(minutes: float, rounds: int, seed: int, only: str = "") -> Tally:
    """Fuzz each parser for its share of the time; half of the time is the machine's."""
    warm()
    watch, tally = Stopwatch(minutes), Tally(seed)
    signal.signal(signal.SIGALRM, _alarm)
    with scratch() as base:
        os.environ.update(HOME=str(base / "user"), MEMOLITH_HOOKS_SESSIONS="false")
        parsers = [each for each in Place(base).parsers() if only in ("", each.name)]
        share = minutes * 60 * (0.6 if not only else 1.0) / max(1, len(parsers))
        for parser in parsers:
            _fuzz(parser, share, rounds, tally)
    if only in ("", "machine"):
        _machine(watch, rounds, tally)
    return tally


def _alarm(*_: object) -> None:
    raise _TooSlowError


def _fuzz(parser: Parser, seconds: float, rounds: int, tally: Tally) -> None:
    begin, number = time.monotonic(), 0
    name = f"{parser.name}: cases"
    while number < rounds and time.monotonic() - begin < seconds:
        chance = random.Random(f"{tally.seed}/{parser.name}/{number}")
        sample = parser.samples[number % len(parser.samples)]
        data = sample if number < len(parser.samples) else mutate(sample, chance)
        wrong = _broken(parser, data)
        tally.round(name)
        tally.check(
            f"{parser.name}: an answer or an error of ours",
            wrong,
            f"seed {tally.seed}, case {number}: {data[:300]!r}",
        )
        number += 1
    rate = number / max(0.001, time.monotonic() - begin)
    tally.notes.append(f"{parser.name}: {rate:,.0f} cases/s")


def _broken(parser: Parser, data: bytes) -> list[str]:
    """Return what is wrong with how a parser takes an input."""
    signal.setitimer(signal.ITIMER_REAL, _SLOW * 5)
    begin = time.process_time()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            parser.read(data)
    except parser.expected:
        pass
    except _TooSlowError:
        return [f"no end after {_SLOW * 5} s"]
    except Exception as error:  # noqa: BLE001 - which is what is looked for
        return [repr(error)[:300]]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    took = time.process_time() - begin
    return [f"{took:.1f} s of work"] if took > _SLOW else []


def _machine(watch: Stopwatch, rounds: int, tally: Tally) -> None:
    """Let hypothesis call the library in any order, next to a model of what it should do."""
    examples, steps, turn = 0, 40, 0
    while turn < _MODELS or (examples < rounds and watch.has_time()):
        batch = min(20, rounds)
        given = settings(
            max_examples=batch,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        )
        wrong = []
        try:
            model = (Memory, Library)[turn % 2]
            machine = seeded(tally.seed + examples)(type("Machine", (model,), {}))
            run_state_machine_as_test(machine, settings=given)
        except Exception as error:  # noqa: BLE001 - a failing example, with the steps that lead there
            notes = "; ".join(getattr(error, "__notes__", []))
            wrong = [f"{error!r} {notes}"[:1500]]
        tally.check(_SHOWN[model], wrong, f"seed {tally.seed + examples}")
        tally.injected[f"sequences of up to {steps} calls, {model.__name__}"] += batch
        tally.rounds += batch
        examples += batch
        turn += 1
        if wrong:
            return
