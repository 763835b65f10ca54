"""LangGraph's `BaseStore` on memolith: `pip install '.[langgraph]'`.

>>> from memolith.adapters.langgraph import MemolithStore
>>> graph = builder.compile(store=MemolithStore(mem))

Within a batch, reads come before writes, as in LangGraph's own stores.
"""

from __future__ import annotations

import asyncio
import warnings
from typing import TYPE_CHECKING, Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    PutOp,
    SearchItem,
    SearchOp,
)

from memolith.adapters.values import Items, matches, namespaces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith import Mem
    from memolith.adapters import values


class MemolithStore(BaseStore):  # type: ignore[misc,unused-ignore]
    """Values of a project by namespace and key; each is a readable file."""

    supports_ttl = False  # memory does not expire

    def __init__(self, mem: Mem) -> None:
        self._items = Items(mem)

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        """Run operations; the last write to a key wins."""
        todo = list(ops)
        puts = {(op.namespace, op.key): op for op in todo if isinstance(op, PutOp)}
        for put in puts.values():
            if put.ttl is not None:
                raise NotImplementedError("memolith does not support ttl; delete the key instead")
        results = [None if isinstance(op, PutOp) else self._read(op) for op in todo]
        for put in puts.values():
            if put.value is None:
                self._items.delete(put.namespace, put.key)
            else:
                for warning in self._items.put(put.namespace, put.key, put.value):
                    warnings.warn(f"memolith: {'/'.join(put.namespace)} {put.key}: {warning}", stacklevel=2)
        return results

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        """Run operations without blocking the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _read(self, op: Any) -> Any:
        if isinstance(op, GetOp):
            found = self._items.get(op.namespace, op.key)
            return None if found is None else Item(**_fields(found))
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return namespaces(
                {item.namespace for item in self._items.all()},
                [(each.match_type, each.path) for each in op.match_conditions or ()],
                op.max_depth,
            )[op.offset : op.offset + op.limit]
        raise ValueError(f"unknown operation {type(op).__name__}")

    def _search(self, op: Any) -> list[Any]:
        """Return values that match the filter: the best answers to the query first, then the newest."""
        found = [item for item in self._items.all(op.namespace_prefix) if matches(item.value, op.filter)]
        found.sort(key=lambda item: item.updated, reverse=True)
        scores = self._items.scores(op.query) if op.query and found else {}
        found.sort(key=lambda item: -scores.get((item.namespace, item.key), -1.0))
        return [
            SearchItem(**_fields(item), score=scores.get((item.namespace, item.key)))
            for item in found[op.offset : op.offset + op.limit]
        ]


def _fields(item: values.Item) -> dict[str, Any]:
    return {
        "value": item.value,
        "key": item.key,
        "namespace": item.namespace,
        "created_at": item.created,
        "updated_at": item.updated,
    }
