"""Extractions, one row per session: stored, chosen for consolidation, used, pruned.

Everything here runs inside a transaction of the queue, which decides who may store something.
"""

from __future__ import annotations

from memolith.base.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from memolith.env.settings import Settings
    from memolith.learn.queue.database import Database

_PRUNED = 200  # rows per start
_DAY = 86_400.0


class Extraction(Value):
    """What one session taught; `source_watermark` is the version of the session that was read (`jobs`).

    `session` is its name in the store, `started` its start, `created` the time of extraction (0 = now).
    `in_set`: the last consolidation used it.
    """

    created: float
    in_set: bool
    last_used: float  # 0 = never
    model: str
    project: str
    raw_memory: str
    rollout_slug: str | None
    rollout_summary: str
    session: str
    source_watermark: str
    started: str
    usage_count: int

    def __init__(self, **fields: object) -> None:
        fresh = {"created": 0.0, "usage_count": 0, "last_used": 0.0, "in_set": False, "rollout_slug": None}
        super().__init__(**{**fresh, **fields})


_COLUMNS = ", ".join(Extraction.__slots__)
# If never used, the age counts.
_LAST = "CASE WHEN last_used > 0 THEN last_used ELSE created END"


class Extractions:
    """The extractions of all projects; each query is about one project."""

    def __init__(self, database: Database, settings: Settings, now: Callable[[], float]) -> None:
        self._database, self._settings, self._now = database, settings, now

    def all(self, project: str) -> list[Extraction]:
        """Return the extractions of a project, ordered by session name."""
        return self._found("WHERE project = ? ORDER BY session", project)

    def chosen(self, project: str, without: Collection[str] = ()) -> list[Extraction]:
        """Return the extractions that a consolidation reads, `without` some sessions, by name.

        They were used, or created and not used yet, in the last `max_unused_days`. The most used are chosen
        first, then the last used, then the newest, up to `max_raw_memories_for_global`.
        """
        found = self._found(
            f"WHERE project = ? AND {_LAST} >= ? ORDER BY usage_count DESC, last_used DESC,"
            " started DESC, session LIMIT ?",
            project,
            self._unused_since(),
            int(self._settings.number("memories.max_raw_memories_for_global")),
        )
        return sorted((each for each in found if each.session not in without), key=lambda each: each.session)

    def use(self, project: str, sessions: Iterable[str]) -> int:
        """Count a citation of these sessions in an answer; return how many are known."""
        cited = sorted(set(sessions))
        if not cited or not self._database.exists:
            return 0
        return self._database.update(
            "UPDATE outputs SET usage_count = usage_count + 1, last_used = max(last_used, ?)"  # noqa: S608
            f" WHERE project = ? AND session IN ({', '.join('?' * len(cited))})",
            *(self._now(), project, *cited),
        )

    def prune(self) -> int:
        """Drop extractions unused for too long, oldest first, except those in the last consolidation."""
        if not self._database.exists:
            return 0
        return self._database.update(
            "DELETE FROM outputs WHERE (project, session) IN (SELECT project, session FROM outputs"  # noqa: S608
            f" WHERE in_set = 0 AND {_LAST} < ? ORDER BY {_LAST}, session LIMIT ?)",
            *(self._unused_since(), _PRUNED),
        )

    # ------------------------------------------------------------ inside a transaction of the queue

    def store(self, output: Extraction) -> bool:
        """Store an extraction, unless a later version of the session was already extracted."""
        values = {**output.as_dict(), "created": output.created or self._now()}
        asked = ", ".join(f":{name}" for name in Extraction.__slots__)
        renewed = ("source_watermark", "started", "raw_memory", "rollout_summary", "rollout_slug", "model")
        fresh = ", ".join(f"{name} = excluded.{name}" for name in (*renewed, "created"))
        stored = self._database.update(
            f"INSERT INTO outputs ({_COLUMNS}) VALUES ({asked}) ON CONFLICT (project, session)"  # noqa: S608
            f" DO UPDATE SET {fresh} WHERE CAST(excluded.source_watermark AS INTEGER)"
            " >= CAST(source_watermark AS INTEGER)",
            values,
        )
        return bool(stored)

    def remove(self, project: str, session: str, watermark: str | None = None) -> bool:
        """Drop an extraction; with a watermark, only if it is not of a later version of the session."""
        removed = self._database.update(
            "DELETE FROM outputs WHERE project = ? AND session = ?"
            " AND (?3 IS NULL OR CAST(source_watermark AS INTEGER) <= CAST(?3 AS INTEGER))",
            *(project, session, watermark),
        )
        return bool(removed)

    def mark(self, project: str, sessions: Iterable[str]) -> None:
        """Mark the extractions that the last consolidation used."""
        self._database.update("UPDATE outputs SET in_set = 0 WHERE project = ?", project)
        for session in sessions:
            self._database.update(
                "UPDATE outputs SET in_set = 1 WHERE project = ? AND session = ?", project, session
            )

    def _found(self, where: str, *values: object) -> list[Extraction]:
        rows = self._database.ask(f"SELECT {_COLUMNS} FROM outputs {where}", *values)  # noqa: S608
        named = (dict(zip(Extraction.__slots__, row, strict=True)) for row in rows)
        return [Extraction(**{**fields, "in_set": bool(fields["in_set"])}) for fields in named]

    def _unused_since(self) -> float:
        return self._now() - self._settings.number("memories.max_unused_days") * _DAY
