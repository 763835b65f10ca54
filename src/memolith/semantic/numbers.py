"""numpy, imported when first needed and with one thread: on a shared machine more only wait for each other.

Whoever sets OPENBLAS_NUM_THREADS (or OMP_NUM_THREADS) is not overruled.
"""

from __future__ import annotations

import contextlib
import os
from importlib import util

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def available() -> bool:
    """Import numpy if it is installed; tell whether it is."""
    if util.find_spec("numpy") is None:
        return False
    with _one_thread():
        import numpy  # noqa: F401, ICN001
    return True


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Set what the libraries below numpy read once, when they are loaded, and leave no trace for children."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    ours = [] if any(name in os.environ for name in names) else names
    os.environ.update(dict.fromkeys(ours, "1"))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)
