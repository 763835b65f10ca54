"""Which values and namespaces a search means: LangGraph's filters as pure functions."""

from __future__ import annotations

from memolith.base.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, other: bool(value == other),
    "$ne": lambda value, other: bool(value != other),
    "$gt": lambda value, other: bool(value > other),
    "$gte": lambda value, other: bool(value >= other),
    "$lt": lambda value, other: bool(value < other),
    "$lte": lambda value, other: bool(value <= other),
}


def matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Tell whether a value has all that a filter asks for: `{"age": {"$gt": 3}, "name": "Ann"}`."""
    return all(_is(value.get(key), each) for key, each in (wanted or {}).items())


def _is(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        if any(key.startswith("$") for key in wanted):
            return all(_compared(value, name, other) for name, other in wanted.items())
        return isinstance(value, dict) and all(_is(value.get(key), each) for key, each in wanted.items())
    if isinstance(wanted, (list, tuple)):
        same = isinstance(value, (list, tuple)) and len(value) == len(wanted)
        return same and all(map(_is, value, wanted))
    return bool(value == wanted)


def _compared(value: Any, name: str, other: Any) -> bool:
    if name not in _COMPARED:
        raise InputError(f"unknown filter operator {name!r}; one of {', '.join(_COMPARED)}")
    if name not in ("$eq", "$ne") and not _have_order(value, other):
        return False
    return _COMPARED[name](value, other)


def _have_order(value: object, other: object) -> bool:
    """Tell whether both are numbers, or both are texts (such as dates)."""
    return all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (value, other)) or (
        isinstance(value, str) and isinstance(other, str)
    )


def namespaces(
    found: Iterable[tuple[str, ...]],
    conditions: Sequence[tuple[str, Sequence[str]]],
    max_depth: int | None,
) -> list[tuple[str, ...]]:
    """Return those that meet all conditions (`prefix` or `suffix`, `*` is any label), cut and sorted."""
    kept = [each for each in found if all(_meets(each, how, path) for how, path in conditions)]
    return sorted({each[:max_depth] for each in kept})


def _meets(namespace: tuple[str, ...], how: str, path: Sequence[str]) -> bool:
    if how not in ("prefix", "suffix"):
        raise InputError(f"unknown match type {how!r}; prefix or suffix")
    if len(path) > len(namespace):
        return False
    part = namespace[: len(path)] if how == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))
