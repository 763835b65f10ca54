"""The files of a directory as the index has them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from memolith.index.walk import Place


class Known:
    """A file as the index has it."""

    __slots__ = ("hash", "id", "settled", "stamp")

    def __init__(self, row: tuple[int, int, int, int, int, int, bytes]) -> None:
        self.id, self.stamp, self.settled, self.hash = row[0], row[1:5], bool(row[5]), row[6]

    @property
    def mtime(self) -> int:
        """When the file was written; the date of a note that names none."""
        return self.stamp[2]


def known_files(
    connection: Connection, place: Place, names: set[str] | None, *, doubtful: bool = False
) -> dict[str, Known]:
    """Return what the index has of a directory: all, some by name, or those it is not sure of."""
    asked = (
        "SELECT name, id, inode, size, mtime, ctime, settled, hash FROM files "
        "WHERE directory = (SELECT number FROM directories WHERE path = ?)"
    )
    if doubtful:
        rows = connection.execute(f"{asked} AND settled = 0", [place.path]).fetchall()
    elif names is None:
        rows = connection.execute(asked, [place.path]).fetchall()
    else:
        rows = [
            row for name in names for row in connection.execute(f"{asked} AND name = ?", [place.path, name])
        ]
    return {row[0]: Known(row[1:]) for row in rows}
