"""What may leave the server: no secrets, no paths on disk, no invisible or control characters.

Files are named by their memory:// addresses: a model can read those, and they do not reveal paths.
"""

from __future__ import annotations

import os

from memolith.memory.addresses import address_of
from memolith.store import layout
from memolith.text.safe import hygiene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.mem import Mem


def reference(mem: Mem, place: str) -> str:
    """Return the address of a file, given its path in the store or on disk."""
    root = str(mem.root)
    relative = os.path.relpath(place, root).replace(os.sep, "/") if os.path.isabs(place) else place
    return address_of(relative)


def clean(mem: Mem, text: str) -> str:
    """Return a text for a client: secrets masked, invisible characters removed."""
    from memolith.store.allow_list import allowed
    from memolith.text.secrets.redact import redact

    return hygiene.inert(redact(text, allowed(str(mem.root), mem.project), by_hand=True).text)


def message(mem: Mem, text: str) -> str:
    """Return a message with addresses instead of paths."""
    root = str(mem.root)
    project = os.path.join(root, *layout.path(mem.project).split("/"))
    for place, shown in (
        (project + os.sep, "memory://root/"),
        (root + os.sep, "memory://user/"),
        (f"projects/{mem.project}/", "memory://root/"),
        (root, "memory://user"),
        (mem.home, "the memory directory"),
    ):
        text = text.replace(place, shown)
    return clean(mem, text)
