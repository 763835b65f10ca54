"""Short ways to use a queue."""

from memolith.learn.queue.queue import CONSOLIDATE, EXTRACT, Job, Queue
from tests.learn.queue.workers import PROJECT, extraction

KEY = f"{PROJECT}/claude-1"
OTHER = "other-89abcdef"


def claim(queue: Queue, kind: str = EXTRACT) -> Job:
    (job,) = queue.claim(kind)
    return job


def state(queue: Queue, key: str = KEY) -> Job:
    (job,) = [each for each in queue.jobs() if each.key == key]
    return job


def extracted(queue: Queue, *sessions: str, watermark: int = 5, project: str = PROJECT) -> None:
    """Extract a lesson from each of some sessions."""
    for session in sessions:
        queue.enqueue(EXTRACT, f"{project}/{session}", watermark)
    for job in queue.claim(EXTRACT, project=project, limit=len(sessions)):
        queue.finish(job, "a lesson", output=extraction(job, f"of {job.session}"))


def consolidated(queue: Queue, project: str = PROJECT) -> list[str]:
    """Consolidate what there is; return the sessions."""
    (job,) = queue.claim(CONSOLIDATE, project=project)
    with queue.fenced(job, "written") as fence:
        fence.sessions = [each.session for each in queue.extractions.chosen(project)]
    return list(fence.sessions)
