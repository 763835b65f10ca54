"""Whether the history of a checkout has a commit, remembered: nobody waits twice for a long walk.

Derived and disposable. An answer is for one repository (a swapped one has another mark) and one commit; that
it is not there, or took too long, only for what was checked out then.
"""

from __future__ import annotations

from memolith.base.errors import MemolithError
from memolith.base.lean import suppress
from memolith.store import receipts
from memolith.text.digest import fnv1a64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.env.git import Checkout

_YES, _NO, _LATE = "yes", "no", "late"
_PATIENCE = 600.0  # seconds after which somebody may try again what took too long


def reaches(home: str, checkout: Checkout, commit: str, seconds: float, *, again: bool) -> bool | None:
    """Whether a history has a commit; None if that takes longer. `again`: there is more time now."""
    key = f"{checkout.git}\0{checkout.mark}\0{commit}"
    name = f"proof-{fnv1a64(key.encode('utf-8', 'surrogateescape')):016x}"
    answer, _, tip = receipts.stamped(home, name)[1].partition(" ")
    if answer == _YES:
        return True
    now = checkout.commits.head()
    if tip == now and answer == _NO:
        return False
    if tip == now and answer == _LATE and not again and receipts.age(home, name) < _PATIENCE:
        return None
    found = checkout.commits.reaches(commit, seconds)
    with suppress(MemolithError, OSError):
        receipts.stamp(home, name, {True: _YES, False: f"{_NO} {now}", None: f"{_LATE} {now}"}[found])
    return found
