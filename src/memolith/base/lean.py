"""The few lines of `contextlib` and `functools` that every prompt needs, without importing them.

With their own imports (`collections`, `types`) they take a quarter of an interpreter start, which users of a
hook or a shell command notice. A type checker sees the originals; modules off the hot path import those.
"""
# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202, ANN204

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import contextmanager, suppress
    from functools import lru_cache
else:

    class suppress:  # noqa: N801 - the name of the original
        """Suppress these errors in the block."""

        __slots__ = ("_errors",)

        def __init__(self, *errors):
            self._errors = errors

        def __enter__(self):
            return None

        def __exit__(self, kind, error, trace):
            return kind is not None and issubclass(kind, self._errors)

    class _Managed:
        __slots__ = ("_steps",)

        def __init__(self, steps):
            self._steps = steps

        def __enter__(self):
            return next(self._steps)

        def __exit__(self, kind, error, trace):
            try:
                if error is None:
                    next(self._steps)
                else:
                    self._steps.throw(error)
            except StopIteration as end:
                return error is not None and end is not error
            except BaseException as raised:
                if raised is error:
                    return False
                raise
            raise RuntimeError("the function yields more than once")

    def contextmanager(function):
        """Turn a generator function that yields once into a context manager."""

        def managed(*values, **named):
            return _Managed(function(*values, **named))

        managed.__doc__ = function.__doc__
        return managed

    def lru_cache(maxsize):
        """Cache a function's results by its arguments; clear the cache when it is full."""

        def keeping(function):
            kept = {}

            def cached(*values):
                found = kept.get(values, kept)
                if found is kept:
                    found = function(*values)
                    if len(kept) >= maxsize:
                        kept.clear()
                    kept[values] = found
                return found

            cached.__doc__, cached.__wrapped__ = function.__doc__, function
            return cached

        return keeping


__all__ = ["contextmanager", "lru_cache", "suppress"]
