"""A model that answers what a test wrote down, and extractions as the queue stores them."""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import count

from memolith import Mem
from memolith.env.settings import Settings
from memolith.learn.consolidate import consolidate as consolidation
from memolith.learn.consolidate.consolidate import Outcome
from memolith.learn.extract import extract
from memolith.learn.extract.facts import Findings
from memolith.learn.model import prompt
from memolith.learn.model.llm import Client
from memolith.learn.model.values import Backend, Completion, Question
from memolith.learn.queue.ledger import Cost
from memolith.learn.queue.queue import Extraction, Fence, Queue
from memolith.memory.sessions import Session

PLENTY = ("requests_per_day", "tokens_per_day", "tokens_per_run")  # of ceilings that no test reaches
_runs = count(1)
_folder = tempfile.TemporaryDirectory()


def extraction(
    mem: Mem,
    session: str,
    *lines: str,
    started: str = "2026-11-10T09:00:00Z",
    synopsis: str = "Fixed things.",
    slug: str | None = None,
) -> Extraction:
    """Return an extraction of this project; its raw memory has an item per line."""
    return Extraction(
        session=session,
        project=mem.project,
        source_watermark="1",
        started=started,
        raw_memory="\n".join(f"- {line}" if not line.startswith("#") else line for line in lines),
        rollout_summary=synopsis,
        rollout_slug=slug,
        model="scripted",
    )


class Scripted:
    """A back-end that answers in order, the last answer for ever, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *answers: object, window: int = 0) -> None:
        self.answers, self.window = list(answers), window
        self.questions: list[Question] = []

    @property
    def asked(self) -> list[str]:
        return [question.user for question in self.questions]

    def ask(self, question: Question, seconds: float) -> Completion:
        """Return the next answer, or raise it."""
        assert seconds > 0
        self.questions.append(question)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        data, text = (answer, "") if isinstance(answer, dict) else (None, str(answer))
        return Completion(text, 1, 1, data=data)


def settings(section: str, **values: str) -> Settings:
    """Return the defaults but for some settings of a section."""
    return Settings(
        "/nonexistent",
        {f"MEMOLITH_{section}_{key}".upper(): value for key, value in values.items()},
    )


@cache
def _queue() -> Queue:
    """Return a real queue that all clients of a process share, for its ledger."""
    return Queue(_folder.name, settings("memories", **dict.fromkeys(PLENTY, "1000000")))


def client(backend: Backend, *, timeout: float = 5.0) -> Client:
    """Return a client for one answer, a run of its own; it hardly waits between tries."""
    about = (f"run-{next(_runs)}", "extract", "shop", "claude-1")
    return Client(backend, _queue().ledger, about, timeout=timeout, pause=0.001)


def spent(model: Client) -> Cost:
    """Return what the ledger says of a client's requests."""
    return model._ledger.totals(run=model._about[0])


def reply(
    memory: str = "- The suite needs Redis.\n", summary: str = "Redis is needed.\n", *skills: object
) -> dict[str, object]:
    """Return what a model replies."""
    return {"memory_md": memory, "memory_summary": summary, "skills": list(skills)}


@contextmanager
def unfenced() -> Iterator[Fence]:
    """Be the fence of a consolidation that nobody else could be doing."""
    yield Fence("")


def consolidate(
    mem: Mem,
    *given: Extraction,
    model: Scripted | None = None,
    fence: Callable[[], AbstractContextManager[Fence]] = unfenced,
) -> Outcome:
    """Consolidate what was extracted."""
    asked = client(model) if model else None
    return consolidation.run(mem, given, asked, fence=fence, deadline=time.monotonic() + 60)


def extract_with(model: Scripted, session: Session, values: Settings) -> Findings:
    """Extract what a session teaches."""
    prompts = [prompt.load(name, "/nonexistent") for name in extract.PROMPTS]
    return extract.extract(session, client(model), values, prompts, time.monotonic() + 60)
