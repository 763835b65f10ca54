"""What a person wrote in their own language is stored, read, found and shown as they wrote it."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, Mem
from memolith.text.safe.hygiene import clean, for_block, inert
from tests.shared import rows

WORDS = dict(rows("memory/languages"))
LANGUAGES = pytest.mark.parametrize("text", WORDS.values(), ids=WORDS.keys())


@LANGUAGES
def test_a_text_is_the_same_in_the_store_when_read_when_found_and_in_the_block(
    mem: Mem, store: Path, text: str
) -> None:
    mem.write("note", text, name="n")
    mem.append_daily("Heading", text)
    assert (store / "notes" / "n.md").read_text(encoding="utf-8") == text + "\n"
    assert mem.read("note", "n") == text + "\n"
    assert text in mem.search(text.split(maxsplit=1)[0]).hits[0].body
    assert text in str(mem.context_block())


@LANGUAGES
def test_a_title_and_a_name_in_any_language_work(mem: Mem, store: Path, text: str) -> None:
    title = text.split(maxsplit=1)[0]
    mem.remember("text", title)
    assert f"[{title}](" in str(mem.context_block())
    kept = [char for char in title if unicodedata.category(char)[0] in "LMNS" or char in "\u200c\u200d"]
    name = "".join(kept) + "-1"
    mem.write("note", "text", name=name)
    mem.write("note", "more", name=unicodedata.normalize("NFD", name))
    assert mem.read("note", name) == "text\nmore\n"
    assert (store / "notes" / f"{unicodedata.normalize('NFC', name)}.md").exists()
    assert f"]({unicodedata.normalize('NFC', name)}.md)" in str(mem.context_block())


def test_a_note_from_a_system_that_decomposes_names_is_found(mem: Mem, store: Path) -> None:
    for name in ("한국어", "café"):
        path = store / "notes" / f"{unicodedata.normalize('NFD', name)}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("old\n", encoding="utf-8")
        mem.write("note", "new", name=name)
        assert mem.read("note", name) == "old\nnew\n"
        assert path.read_text(encoding="utf-8") == "old\nnew\n"
    assert len(list((store / "notes").glob("*.md"))) == 3


@pytest.mark.parametrize(
    ("first", "second"),
    rows("memory/twins"),
)
def test_a_name_that_looks_like_another_is_refused_and_names_it(mem: Mem, first: str, second: str) -> None:
    mem.write("note", "x", name=first)
    with pytest.raises(InputError, match="looks the same") as refused:
        mem.write("note", "y", name=second)
    assert repr(unicodedata.normalize("NFC", first)) in str(refused.value)


def test_a_title_with_other_accents_is_the_same_note(mem: Mem, store: Path) -> None:
    mem.remember("one", "Café menu")
    mem.remember("two", "Cafe\u0301 menu")
    assert len(list((store / "notes").glob("c*.md"))) == 1


def test_a_word_of_two_alphabets_is_reported_and_one_of_each_is_not(mem: Mem) -> None:
    assert "alphabets" in mem.write("note", "x", name="depлoy").warnings[0]
    assert mem.write("note", "x", name="настройка-nginx").warnings == []


@pytest.mark.parametrize("name", ["-rf", "~x", "a&b", "$(x)", "`x`", "a;b", "[a]", "{a}"])
def test_a_name_that_a_shell_acts_on_is_not_given_but_can_be_read(mem: Mem, store: Path, name: str) -> None:
    with pytest.raises(InputError, match="not allowed"):
        mem.write("note", "x", name=name)
    (store / "notes").mkdir(parents=True)
    (store / "notes" / f"{name}.md").write_text("by hand\n")
    assert mem.read("note", name) == "by hand\n"


SCRIPTS = st.sampled_from("ابتهیکמשלוםनमस्तेকখগதமிழ்ไทยខ្មែរ日本語カナ한국👩👍❤🏽\u064e\u05b8\u0301\u093f ")
JOINED = st.lists(SCRIPTS | st.sampled_from(["\u200c", "\u200d", "\ufe0f", " "]), max_size=30).map("".join)


@given(JOINED)
def test_letters_and_marks_of_all_scripts_are_never_touched(text: str) -> None:
    """Only a joiner or a selector that has nothing to act on may go; all that one sees stays, in order."""
    seen = str.maketrans("", "", "\u200c\u200d\ufe0f")
    assert clean(text) == (text, [])
    assert inert(text).translate(seen) == text.translate(seen)
    assert for_block(text) == inert(text)


@given(st.lists(st.sampled_from([*" ".join(WORDS.values()).split()]), max_size=12).map(" ".join))
def test_any_sequence_of_real_words_is_never_touched(text: str) -> None:
    if not any("\u0590" <= char <= "\u08ff" for char in text):
        text = text.replace("\u200e", "").replace("\u200f", "")
    assert inert(text) == text
    assert for_block(text) == text
