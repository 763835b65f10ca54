"""Values by namespace and key, and conversations that go on: files of the project, whoever asks."""

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, Mem, TextError, TooLargeError
from memolith.adapters.files import Memories
from memolith.adapters.values import Conversation, Items, matches, namespaces
from tests.care.test_scan import canary, hits
from tests.conftest import Clock
from tests.shared import rows

KEY = canary("an item")
ANN = ("users", "ann")


def test_a_value_is_a_file_that_a_person_can_read_and_change(mem: Mem, store: Path, clock: Clock) -> None:
    items = Items(mem)
    items.put(ANN, "prefs", {"theme": "dark", "size": 3})
    (path,) = (store / "items").iterdir()
    assert path.name.startswith("users.ann--prefs-")
    assert '"theme": "dark"' in path.read_text()
    path.write_text(path.read_text().replace("dark", "light"))
    clock.seconds += 60
    found = items.get(ANN, "prefs")
    assert found is not None
    assert found.value == {"theme": "light", "size": 3}
    items.put(ANN, "prefs", {"theme": "blue"})
    later = items.get(ANN, "prefs")
    assert later is not None
    assert later.created == found.created < later.updated
    items.delete(ANN, "prefs")
    items.delete(ANN, "prefs")
    assert items.get(ANN, "prefs") is None
    mem.undo()
    assert items.get(ANN, "prefs") == later
    path.write_text("broken")
    assert items.get(ANN, "prefs") is None
    path.write_text("---\nkey: prefs\n---\n```json\n{\n```\n")
    with pytest.raises(TextError, match="its JSON is broken"):
        items.get(ANN, "prefs")
    assert list(items.all()) == []


def test_a_value_is_searched_and_recalled(mem: Mem) -> None:
    items = Items(mem)
    items.put(ANN, "drink", {"text": "Ann prefers oolong tea in the afternoon"})
    items.put(("users", "bob"), "drink", {"text": "Bob has coffee"})
    assert len(mem.search("oolong")) == 1
    assert list(items.scores("who prefers oolong tea")) == [(ANN, "drink")]
    assert "oolong" in str([hit.text for hit in mem.recall("oolong tea", semantic=False)])


def test_a_secret_is_masked_in_a_value_and_refused_in_a_name(mem: Mem) -> None:
    items = Items(mem)
    (told,) = items.put(ANN, "login", {"token": KEY, "list": [f"x {KEY}"]})
    assert "masked 2 secrets" in told
    found = items.get(ANN, "login")
    assert found is not None
    assert set(found.value) == {"token", "list"}
    for namespace, key in (((KEY,), "x"), (ANN, KEY), (ANN, ""), (ANN, "a\nb")):
        with pytest.raises(InputError, match="namespace or a key"):
            items.put(namespace, key, {})
    with pytest.raises(InputError, match="not JSON"):
        items.put(ANN, "x", {"a": object()})
    assert hits(Path(mem.home), [KEY]) == []
    with pytest.raises(InputError, match="only an agent"):
        Items(mem.from_source("imported"))


_NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["C"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Items:
    root = tmp_path_factory.mktemp("items")
    return Items(Mem.open(root, home=root / "home"))


@given(st.lists(_NAMES, min_size=1, max_size=3), _NAMES, st.dictionaries(_NAMES, _JSON, max_size=3))
def test_what_is_put_is_got_back(
    shared: Items, namespace: list[str], key: str, value: dict[str, Any]
) -> None:
    try:
        told = shared.put(namespace, key, value)
    except InputError:  # looks like a secret
        return
    found = shared.get(namespace, key)
    assert found is not None
    assert found.value == value or told
    assert found in shared.all(namespace[:1])
    shared.delete(namespace, key)


@pytest.mark.parametrize(
    ("wanted", "found"),
    rows("adapters/filters"),
)
def test_a_filter_finds_what_it_says(wanted: dict[str, Any] | None, found: bool) -> None:
    value = {"name": "Ann", "age": 4, "since": "2026-11-16", "deep": {"er": 1, "x": 2}, "tags": ["a", "b"]}
    assert matches(value, wanted) is found


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(InputError, match=r"'\$like'; one of \$eq"):
        matches({}, {"a": {"$like": 1}})


def test_namespaces_are_listed_by_beginning_end_and_depth() -> None:
    found = [("a", "x", "1"), ("a", "y", "1"), ("b", "x")]
    assert namespaces(found, [], None) == sorted(found)
    assert namespaces(found, [("prefix", ["a"])], 2) == [("a", "x"), ("a", "y")]
    assert namespaces(found, [("prefix", ["*", "x"]), ("suffix", ["1"])], None) == [("a", "x", "1")]
    assert namespaces(found, [("suffix", ["a", "b", "x", "1"])], None) == []
    assert namespaces(found, [("suffix", [])], 1) == [("a",), ("b",)]


def test_a_conversation_is_continued_item_by_item(mem: Mem, work: Path, store: Path) -> None:
    kept = Conversation(mem, "chat-7")
    assert kept.items() == []
    assert kept.pop() is None
    kept.add([{"role": "user", "content": "Hello\nyou"}, {"role": "assistant", "content": "Hi"}])
    kept.add([])
    kept.add([{"role": "user", "content": "Bye"}])
    again = Conversation(Mem.open(work), "chat-7")
    assert [item["content"] for item in again.items()] == ["Hello\nyou", "Hi", "Bye"]
    assert [item["content"] for item in again.items(2)] == ["Hi", "Bye"]
    assert again.items(0) == []
    assert again.pop() == {"role": "user", "content": "Bye"}
    assert len((store / "conversations" / "chat-7.jsonl").read_text().splitlines()) == 2
    again.clear()
    again.clear()
    assert kept.items() == []
    mem.undo("conversations/chat-7.jsonl")
    assert len(kept.items()) == 2
    assert Conversation(mem, "Chat-7").items() == []  # case matters, also where the file system has none


def test_a_conversation_holds_no_secret_and_is_not_shown(mem: Mem) -> None:
    kept = Conversation(mem, "c")
    (told,) = kept.add([{"role": "user", "content": f"my token is {KEY}"}])
    assert "masked 1 secret" in told
    assert "token" in kept.items()[0]["content"]
    assert hits(Path(mem.home), [KEY]) == []
    assert not mem.search("token")
    assert not mem.context_block()
    with pytest.raises(InputError, match="looks like a secret"):
        Conversation(mem, KEY)
    with pytest.raises(InputError, match="needs an id"):
        Conversation(mem, " ")
    with pytest.raises(InputError, match="not JSON"):
        kept.add([object()])


def test_a_conversation_that_is_too_long_or_broken_says_what_to_do(mem: Mem, store: Path) -> None:
    kept = Conversation(mem, "c")
    kept.add([{"content": "x"}])
    path = store / "conversations" / "c.jsonl"
    path.write_text(path.read_text() + "{oops\n")
    with pytest.raises(TextError, match=r"c\.jsonl, line 2: not JSON"):
        kept.items()
    path.write_text('{"content":"' + "x" * 4_000_000 + '"}\n')
    with pytest.raises(TooLargeError, match="continue in a new one"):
        kept.add([{"content": "y " * 200_000}])


def test_processes_that_add_at_once_lose_nothing(mem: Mem, work: Path) -> None:
    def add(number: int) -> None:
        kept, items = Conversation(Mem.open(work), "c"), Items(Mem.open(work))
        for count in range(5):
            kept.add([[number, count]])
            items.put(("n", str(number)), str(count), {})

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(Conversation(mem, "c").items()) == [[n, c] for n in range(4) for c in range(5)]
    assert len(list(Items(mem).all(("n",)))) == 20


def test_what_an_agent_keeps_is_adopted_whole_and_nothing_is_replaced(mem: Mem, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Mem.open(tmp_path / "other")
    for each, word in ((mem, "theirs"), (other, "ours")):
        Items(each).put(ANN, "prefs", {"word": word})
        Memories(each).create("/memories/both.md", word)
        Memories(each).create(f"/memories/only/{word}.txt", word)
    for _ in range(2):
        other.projects.adopt(mem.project)
    assert [item.value for item in Items(other).all()] == [{"word": "ours"}]
    shown = Memories(other).view("/memories")
    assert "only/ours.txt" in shown
    assert "only/theirs.txt" in shown
    assert Memories(other).view("/memories/both.md").endswith("\tours")


def test_the_newest_change_is_never_that_of_a_running_conversation(mem: Mem) -> None:
    mem.write("daily", "a line")
    Conversation(mem, "c").add([{"content": "x"}])
    assert mem.undo().name.endswith("daily/2026-11-15.md")
    assert len(Conversation(mem, "c").items()) == 1
