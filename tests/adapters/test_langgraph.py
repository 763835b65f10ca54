"""The store as LangGraph uses it, against its own store in memory."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "langgraph.store", reason="langgraph-checkpoint is not installed; `./dev frameworks` has it"
)

from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from memolith import Mem
from memolith.adapters.langgraph import MemolithStore
from tests.care.test_scan import canary

ANN, BOB = ("users", "ann"), ("users", "bob")


def filled(store: Any) -> Any:
    store.put(ANN, "prefs", {"theme": "dark", "age": 41})
    store.put(ANN, "old", {"theme": "light"})
    store.put(BOB, "prefs", {"theme": "light", "age": 7, "deep": {"er": [1, 2]}})
    store.put(("docs",), "guide", {"text": "How to deploy with blue and green"})
    store.put(ANN, "old", {"theme": "none"})
    store.delete(ANN, "gone")
    return store


def answers(store: Any) -> list[object]:
    """Return what a program gets, without times and in an order of its own."""
    found: list[object] = [store.get(ANN, "prefs").value]
    found.append(store.get(ANN, "none"))
    for options in (
        {},
        {"filter": {"theme": "light"}},
        {"filter": {"theme": {"$ne": "light"}}},
        {"filter": {"deep": {"er": [1, 2]}}},
        {"limit": 1},
        {"offset": 2},
    ):
        items = store.search(("users",), **options)
        rows = sorted((item.namespace, item.key, str(item.value)) for item in items)
        found.append(len(rows) if "limit" in options or "offset" in options else rows)
    found += [
        store.list_namespaces(),
        store.list_namespaces(prefix=("users",)),
        store.list_namespaces(suffix=("ann",)),
        store.list_namespaces(prefix=("*", "bob")),
        store.list_namespaces(max_depth=1),
        store.list_namespaces(limit=1, offset=1),
    ]
    return found


def test_it_answers_as_the_store_in_memory_does(mem: Mem) -> None:
    assert answers(filled(MemolithStore(mem))) == answers(filled(InMemoryStore()))


def test_another_process_finds_it_and_times_are_kept(mem: Mem, work: Path) -> None:
    filled(MemolithStore(mem))
    item = MemolithStore(Mem.open(work)).get(ANN, "old")
    assert item is not None
    assert item.created_at <= item.updated_at
    assert item.created_at.utcoffset() is not None
    MemolithStore(mem).delete(ANN, "old")
    assert MemolithStore(Mem.open(work)).get(ANN, "old") is None


def test_a_query_brings_what_answers_it_first_within_the_namespace(mem: Mem) -> None:
    store = filled(MemolithStore(mem))
    store.put(("docs",), "tea", {"text": "Oolong is brewed at ninety degrees"})
    mem.remember("deploy with blue and green, too", "Not in the store")
    first, second = store.search(("docs",), query="how do we deploy?")
    assert (first.key, second.key) == ("guide", "tea")
    assert first.score > 0
    assert second.score is None
    assert [item.key for item in store.search(ANN, query="deploy")] == ["old", "prefs"]


def test_a_batch_reads_before_it_writes_and_the_last_write_wins(mem: Mem) -> None:
    store = filled(MemolithStore(mem))
    before, nothing, also, found = asyncio.run(
        store.abatch(
            [
                GetOp(ANN, "prefs"),
                PutOp(ANN, "prefs", {"theme": "first"}),
                PutOp(ANN, "prefs", {"theme": "last"}),
                SearchOp(ANN),
            ]
        )
    )
    assert before.value["theme"] == "dark"
    assert nothing is also is None
    assert {item.value["theme"] for item in found} == {"dark", "none"}
    item = asyncio.run(store.aget(ANN, "prefs"))
    assert item.value == {"theme": "last"}


def test_what_it_cannot_keep_is_refused_and_a_masked_secret_is_told(mem: Mem) -> None:
    store = MemolithStore(mem)
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(ANN, "x", {}, ttl=5)
    with pytest.raises(NotImplementedError, match="does not support ttl"):
        store.batch([PutOp(ANN, "x", {}, None, 5.0)])
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "x", {})
    with pytest.warns(UserWarning, match="masked 1 secret"):
        store.put(ANN, "x", {"token": canary("graph")})
