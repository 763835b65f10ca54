"""What a look at each session found, so that an unchanged one is not read again."""

from __future__ import annotations

from memolith.base.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from memolith.learn.queue.database import Database


class Glance(Value):
    """What decides whether to learn from a session; it holds while `stamp` is that of the session's file."""

    active: float | None  # time of its last turn
    mark: str  # its version
    session: str
    stamp: str = ""  # empty: the file may change again within this tick of the clock
    unfit: str  # why nothing is learned from it, however old it is; may be empty
    withdrawn: bool  # what was learned from it has to go


_COLUMNS = ", ".join(Glance.__slots__)
_VALUES = ", ".join(f":{name}" for name in Glance.__slots__)


class Glances:
    """The glances at the sessions of all projects; each query is about one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, project: str) -> dict[str, Glance]:
        """Return the last glance at each session of a project."""
        rows = self._database.ask(f"SELECT {_COLUMNS} FROM glances WHERE project = ?", project)  # noqa: S608
        fields = [dict(zip(Glance.__slots__, row, strict=True)) for row in rows]
        found = [Glance(**{**each, "withdrawn": bool(each["withdrawn"])}) for each in fields]
        return {each.session: each for each in found}

    def keep(self, project: str, glances: Collection[Glance]) -> None:
        """Replace the glances of a project by those that have a stamp."""
        before = self.all(project)
        fresh = {each.session: each for each in glances if each.stamp}
        gone = [name for name in before if name not in fresh]
        new = [each.as_dict() for name, each in fresh.items() if before.get(name) != each]
        if not gone and not new:
            return
        with self._database.writing() as db:
            db.executemany(
                "DELETE FROM glances WHERE project = ? AND session = ?", [(project, name) for name in gone]
            )
            db.executemany(
                f"INSERT OR REPLACE INTO glances (project, {_COLUMNS}) VALUES (:project, {_VALUES})",  # noqa: S608
                [{**row, "project": project} for row in new],
            )
