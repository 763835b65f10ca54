"""A model that answers what a test wrote down, and extractions as phase 1 stores them."""

from __future__ import annotations

from memolith import Mem
from memolith.base.values import Value
from memolith.learn.consolidate import phase2
from memolith.learn.consolidate.phase2 import Outcome


class Extraction(Value):
    """What phase 1 made of a session."""

    project: str
    raw_memory: str
    rollout_slug: str | None
    rollout_summary: str
    session: str
    started: str


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
        started=started,
        raw_memory="\n".join(f"- {line}" if not line.startswith("#") else line for line in lines),
        rollout_summary=synopsis,
        rollout_slug=slug,
    )


class Answer(Value):
    """A reply."""

    data: dict[str, object]


class Scripted:
    """Answers in order, and remembers what it was asked."""

    name = "scripted"

    def __init__(self, *answers: object, window: int = 0) -> None:
        self.answers, self.window = list(answers), window
        self.asked: list[str] = []

    def complete(
        self,
        system: str,
        user: str,
        schema: dict[str, object],
        *,
        max_output: int,
        deadline: float | None,
    ) -> Answer:
        """Return the next answer, or raise it."""
        assert system
        assert schema["additionalProperties"] is False
        assert max_output > 0
        assert deadline is None
        self.asked.append(user)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Answer(data=answer)  # type: ignore[arg-type]


class Prompt:
    """A prompt that shows all that it is given."""

    def fill(self, **variables: str) -> str:
        """Return the variables, one after the other."""
        return "\n".join(f"<{name}>\n{text}\n</{name}>" for name, text in sorted(variables.items()))


def prompts(name: str) -> Prompt:
    """Return the prompt of phase 2."""
    assert name == "consolidation"
    return Prompt()


def reply(
    memory: str = "- The suite needs Redis.\n", summary: str = "Redis is needed.\n", *skills: object
) -> dict[str, object]:
    """Return what a model replies."""
    return {"memory_md": memory, "memory_summary": summary, "skills": list(skills)}


def consolidate(mem: Mem, *given: Extraction, model: Scripted | None = None) -> Outcome:
    """Run phase 2."""
    return phase2.run(mem, given, model, prompts)
