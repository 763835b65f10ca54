"""The ledger: the cost of learning, and its ceilings.

Each request is entered before it is sent, with the most it may use, and corrected when the answer arrives. So
with any number of processes, the total used and reserved never exceeds a ceiling: a request that could exceed
it is not sent. If a process is killed, its request keeps the full reservation.
"""

from __future__ import annotations

from memolith.base.errors import CeilingError
from memolith.base.values import Value
from memolith.memory.daily import day as day_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from typing import Any

    from memolith.env.settings import Settings
    from memolith.learn.queue.database import Database


_INSERT = (
    "INSERT INTO requests (run, day, phase, project, session, model, tokens_in, tokens_out, seconds, outcome)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_KEPT = 400 * 86_400.0  # seconds that an entry is kept
_USED = (
    "count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(seconds), 0.0),"
    " coalesce(sum(outcome = ''), 0)"
)


class Entry(Value):
    """A reserved request; `seconds` is its time limit."""

    about: tuple[str, str, str, str, str, str]  # run, day, phase, project, session, model
    id: int
    seconds: float


class Cost(Value):
    """The cost of some requests, grouped by day, run, project, phase or model, or in total."""

    day: str
    model: str
    open: int  # requests without an answer so far; they count in full
    phase: str
    project: str
    requests: int
    seconds: float
    tokens_in: int
    tokens_out: int

    @property
    def tokens(self) -> int:
        """Tokens, in and out."""
        return self.tokens_in + self.tokens_out


class Ledger:
    """The ledger of one home, in the database of the queue."""

    def __init__(self, database: Database, settings: Settings, now: Callable[[], float]) -> None:
        self.database, self._settings, self._now = database, settings, now

    def start(self, run: str) -> None:
        """Begin a run: its seconds count from now on."""
        self.database.change(lambda db: self._started(db, run, self._now()))

    def reserve(
        self,
        run: str,
        phase: str,
        project: str,
        session: str,
        model: str,
        *,
        tokens: int,
        seconds: float,
    ) -> Entry:
        """Enter a request before it is sent, with the most tokens it may use.

        CeilingError if it could exceed a ceiling. It must end within `entry.seconds`: those requested, or
        what is left of the run or of the day.
        """

        def step(db: Connection) -> Entry:
            now = self._now()
            today = day_of(now)
            elapsed = max(0.0, now - self._started(db, run, now))
            of_run, of_day = self.totals(run=run), self.totals(day=today)
            for where, used in (("run", of_run), ("day", of_day)):
                self._check("requests", where, used.requests, 1)
                self._check("tokens", where, used.tokens, tokens)
            left_of_run = self._check("seconds", "run", elapsed, None)
            granted = min(seconds, left_of_run, self._check("seconds", "day", of_day.seconds, None))
            about = (run, today, phase, project, session, model)
            row = db.execute(_INSERT, (*about, tokens, 0, granted, ""))
            return Entry(id=row.lastrowid or 0, about=about, seconds=granted)

        return self.database.change(step)

    def settle(self, entry: Entry, tokens_in: int, tokens_out: int, seconds: float, outcome: str) -> None:
        """Enter the actual usage of a request and its outcome (`ok`, or the kind of failure)."""
        used = (max(0, tokens_in), max(0, tokens_out), max(0.0, seconds), outcome or "ok")
        request = (entry.id, entry.about[0])

        def step(db: Connection) -> None:
            changed = db.execute(
                "UPDATE requests SET tokens_in = ?, tokens_out = ?, seconds = ?, outcome = ?"
                " WHERE id = ? AND run = ? AND outcome = ''",
                (*used, *request),
            ).rowcount
            known = db.execute("SELECT 1 FROM requests WHERE id = ? AND run = ?", request)
            if not changed and known.fetchone() is None:  # the database was lost; the cost is real
                db.execute(_INSERT, (*entry.about, *used))

        self.database.change(step)

    def check_day(self) -> None:
        """Raise CeilingError if today's budget is used up, so that a run does not start."""
        used = self.totals(day=day_of(self._now()))
        self._check("requests", "day", used.requests, 1)
        self._check("tokens", "day", used.tokens, 1)
        self._check("seconds", "day", used.seconds, None)

    def totals(self, *, day: str = "", run: str = "") -> Cost:
        """Return the usage of a day or a run."""
        where = "run = ?" if run else "day = ?"
        rows = self.database.ask(f"SELECT {_USED} FROM requests WHERE {where}", run or day)  # noqa: S608
        return _cost((day, "", "", ""), rows[0] if rows else (0, 0, 0, 0.0, 0))

    def costs(self, *, since: str = "") -> list[Cost]:
        """Return the usage per day, project, phase and model, newest day first."""
        rows = self.database.ask(
            f"SELECT day, project, phase, model, {_USED} FROM requests WHERE day >= ?"  # noqa: S608
            " GROUP BY day, project, phase, model ORDER BY day DESC, project, phase, model",
            since,
        )
        return [_cost(row[:4], row[4:]) for row in rows]

    def _started(self, db: Connection, run: str, now: float) -> float:
        row = db.execute("SELECT started FROM runs WHERE run = ?", (run,)).fetchone()
        if row is not None:
            return float(row[0])
        old = (day_of(now - _KEPT),)
        db.execute("DELETE FROM requests WHERE day < ?", old)
        db.execute("DELETE FROM runs WHERE day < ?", old)
        db.execute("INSERT INTO runs VALUES (?, ?, ?)", (run, now, day_of(now)))
        return now

    def _check(self, what: str, where: str, used: float, more: float | None) -> float:
        """Return what is left below a ceiling. CeilingError if less than `more` (None: if nothing)."""
        key = f"memories.{what}_per_{where}"
        limit = self._settings.number(key)
        if used >= limit if more is None else used + more > limit:
            raise CeilingError(key, used, limit)
        return limit - used


def _cost(about: tuple[Any, ...], used: tuple[Any, ...]) -> Cost:
    names = ("day", "project", "phase", "model", "requests", "tokens_in", "tokens_out", "seconds", "open")
    return Cost(**dict(zip(names, (*about, *used), strict=True)))
