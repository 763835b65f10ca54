"""Any text, by every way in and every way out: no crash, no escape, no change of structure.

`HYPOTHESIS_PROFILE=long` runs 10,000 cases per property.
"""

import contextlib
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, Mem, MemolithError
from memolith.edges.cli import main
from memolith.text import frontmatter
from tests.conftest import NOON
from tests.shared import rows

SIGNS = rows("promises/signs")
TEXTS = st.lists(st.sampled_from(SIGNS), max_size=16).map("".join) | st.text(
    alphabet=st.characters(codec="utf-8")
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e001f]")


@contextlib.contextmanager
def memory() -> Iterator[Mem]:
    """Open a memory of its own: hypothesis runs many cases in one test."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place, "work")
        work.mkdir()
        yield Mem.open(work, home=Path(place, "home"), now=lambda: NOON)


def check_block(mem: Mem) -> None:
    block = mem.context_block()
    if block is None:
        return
    first, *inner, last = block.split("\n")
    assert first.startswith("<memory note=")
    assert last == "</memory>"
    squeezed = "".join("".join(inner).casefold().split())
    assert not re.search(r"<[/\\]*memory", squeezed)
    titles = [line for line in inner if line.startswith("## Long-term memory (")]
    assert len(titles) <= 1
    assert not CONTROL.search(block)
    assert mem.context_block() == block


@given(TEXTS, TEXTS)
def test_any_text_by_every_way_in_is_safe_on_every_way_out(one: str, two: str) -> None:
    with memory() as mem:
        writes: list[Callable[[], object]] = [
            lambda: mem.write("long_term", one),
            lambda: mem.write("scratchpad", "- [ ] " + one),
            lambda: mem.write("daily", two),
            lambda: mem.write("note", one, name="n"),
            lambda: mem.append_daily(one, two),
            lambda: mem.remember(one, two),
            lambda: mem.edit("note", old_str="word", new_str=two, name="n"),
            lambda: mem.update(two),
            lambda: mem.update_section(one, two),
        ]
        for call in writes:
            with contextlib.suppress(MemolithError):
                call()
        check_block(mem)
        for source in ("long_term", "scratchpad", "daily", "list"):
            mem.read(source)
        results = mem.search(one)
        results.render()
        for path in mem.root.rglob("*.md"):
            assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", path.read_text(encoding="utf-8"))


@given(st.binary(max_size=200) | TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_in_any_file_are_shown_safely_and_left_alone(data: bytes) -> None:
    with memory() as mem:
        store = mem.root / "projects" / mem.project
        paths = [
            mem.root / "MEMORY.md",
            store / "MEMORY.md",
            store / "SCRATCHPAD.md",
            store / "notes" / "x.md",
        ]
        paths += [store / "daily" / "2026-11-15.md", store / "notes" / "MEMORY.md"]
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        check_block(mem)
        mem.read("note", "x")
        mem.search("word")
        assert [path.read_bytes() for path in paths] == [data] * len(paths)


def test_what_commands_print_of_any_text_is_inert(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    @given(TEXTS)
    def run(text: str) -> None:
        with memory() as mem:
            path = mem.root / "MEMORY.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
            where = ["--home", mem.home, "--project", str(Path(mem.home).parent / "work")]
            for command in (["context"], ["read"], ["search", "--", text], ["search", "word", "--json"]):
                main([*command[:1], *where, *command[1:]])
                out, err = capsysbinary.readouterr()
                assert not CONTROL.search(out.decode().replace("\r\n", "\n")), command
                assert not CONTROL.search(err.decode()), command

    run()


@given(TEXTS | st.text())
def test_any_query_works(query: str) -> None:
    with memory() as mem:
        mem.write("long_term", "one word here")
        began = time.process_time()
        results = mem.search(query)
        assert time.process_time() - began < 0.1
        terms = {term.casefold() for term in query.split()}
        if len(terms) > 1:
            # One of one or two letters matches as a word only (S0.56), and the text has none that short.
            terms = {term for term in terms if len(term) > 2 or not term.isalpha() or term == term.upper()}
        found = any(term in text for term in terms for text in ("one word here", "memory"))
        assert bool(results.hits) == found or '"' in query  # what is quoted counts as one term


@given(TEXTS | st.text())
def test_any_name_stays_in_its_directory_or_is_refused(name: str) -> None:
    with memory() as mem:
        try:
            mem.write("note", "x", name=name)
        except InputError:
            return
        notes = mem.root / "projects" / mem.project / "notes"
        made = [path for path in notes.iterdir() if path.name != "MEMORY.md" and path.suffix == ".md"]
        assert len(made) == 1
        assert mem.read("note", name) == "x\n"
        assert mem.read("note", made[0].stem) == "x\n"
        link = made[0].name.replace("%", "%25").replace("^", "%5E")
        assert f"]({link})" in str(mem.context_block()) or "](<" in str(mem.context_block())


@given(TEXTS | st.text())
def test_any_head_is_split_without_an_error_and_without_losing_a_character(text: str) -> None:
    for whole in (text, f"---\n{text}", f"---\n{text}\n---\nbody\n", f"---\nname: {text}\n---\n"):
        began = time.process_time()
        parsed = frontmatter.split(whole)
        assert time.process_time() - began < 0.05
        assert parsed.head + parsed.body == whole


HEADS = rows("promises/heads")


@pytest.mark.parametrize("unit", HEADS)
def test_a_large_hostile_head_costs_little(unit: str) -> None:
    for begin in ("", "a: ", 'a: "', "a: ["):
        text = f"---\n{begin}{unit * (16_000 // len(unit))}\n---\nbody\n"
        began = time.process_time()
        parsed = frontmatter.split(text)
        assert time.process_time() - began < 0.1
        assert parsed.head + parsed.body == text
