"""A model that answers what a test wrote down, and extractions as the queue stores them."""

from memolith import Mem
from memolith.learn.consolidate import consolidate as consolidation
from memolith.learn.consolidate.consolidate import Outcome
from memolith.learn.model.client import Client
from memolith.learn.model.values import Completion, Question
from memolith.learn.queue.queue import Extraction


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
        return Completion(cut=False, data=data, model=self.name, text=text, tokens_in=1, tokens_out=1)


def reply(
    memory: str = "- The suite needs Redis.\n", summary: str = "Redis is needed.\n", *skills: object
) -> dict[str, object]:
    """Return what a model replies."""
    return {"memory_md": memory, "memory_summary": summary, "skills": list(skills)}


def consolidate(mem: Mem, *given: Extraction, model: Scripted | None = None) -> Outcome:
    """Consolidate what was extracted."""
    return consolidation.run(mem, given, Client(model) if model else None)
