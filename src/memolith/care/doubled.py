"""Two memories of one repository: one was made here, the other came from another machine in an archive."""

from __future__ import annotations

import os

from memolith.env.identity import are_one_repository
from memolith.env.project import PROJECTS, identities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.identity import Identity
    from memolith.memory.home import Home


def told(home: Home, known: Identity | None) -> str:
    """Return which other memories of its repository a project has, and what joins them; empty if none."""
    if known is None or not (known.origins and known.commits):
        return ""
    every = identities(os.path.join(home.store, PROJECTS), holds="origins:")
    others = [each.slug for each in every if each.slug != known.slug and are_one_repository(known, each)]
    if not others:
        return ""
    return (
        f"the repository of {known.slug} has another memory, {', '.join(others)}, which is not seen in it: "
        f"`memolith project adopt {others[0]}` in its directory copies what is there, and "
        f"`memolith project rm {others[0]}` ends this message"
    )
