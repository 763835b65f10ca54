"""numpy with one thread: on a busy machine, several wait for each other, at ten times the cost.

An existing OPENBLAS_NUM_THREADS (or similar) or an earlier import of numpy takes precedence. Every module
that needs numpy imports it from here, so that this import is the first.
"""

from __future__ import annotations

import os

_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

# numpy's libraries read this once, when loaded; children must not inherit it.
_ours = [] if any(name in os.environ for name in _VARIABLES) else _VARIABLES
os.environ.update(dict.fromkeys(_ours, "1"))
try:
    import numpy as np
    import numpy.typing as npt
finally:
    for _name in _ours:
        del os.environ[_name]

__all__ = ["Array", "np", "npt", "unit"]

Array = npt.NDArray[np.float32]


def unit(rows: Array) -> Array:
    """Scale each row to length one; a row of zeros stays."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    scaled: Array = rows / np.maximum(length, 1e-12)
    return scaled
