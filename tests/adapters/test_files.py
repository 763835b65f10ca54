"""The memory tool of Anthropic: its calls as the reference answers them, on files that are memory."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memolith import InputError, Mem, MemolithError, NotFoundError, TooLargeError
from memolith.adapters.files import Memories
from tests.care.test_scan import canary, hits
from tests.shared import SAMPLES

KEY = canary("memory tool")

WITH_SAMPLES = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason=f"{SAMPLES} is not there; MEMOLITH_SAMPLES says where the samples are"
)


@pytest.fixture
def tool(mem: Mem) -> Memories:
    return Memories(mem)


def answered(tool: Memories, given: Mapping[str, object]) -> dict[str, str]:
    """Return what a call gives, as the samples have it."""
    try:
        return {"result": tool.run(given)}
    except MemolithError as error:
        return {"error": str(error)}
    except NotImplementedError as error:
        return {"exception": f"NotImplementedError: {error}"}


@WITH_SAMPLES
def test_all_calls_of_the_reference_are_answered_byte_for_byte(tool: Memories) -> None:
    cases = json.loads((SAMPLES / "memory_tool" / "calls.json").read_text(encoding="utf-8"))["cases"]
    assert len(cases) == 31
    for case in cases:
        assert {"input": case["input"], **answered(tool, case["input"])} == case


def test_a_file_of_the_tool_is_a_plain_file_that_is_searched_recalled_and_read(
    tool: Memories, mem: Mem, store: Path
) -> None:
    tool.create("/memories/ops/database.md", "# Database\n\nThe replica listens on port 5433.\n")
    tool.create("/memories/raw.txt", "replica 5433")
    path = store / "memories" / "ops" / "database.md"
    assert path.read_text() == "# Database\n\nThe replica listens on port 5433.\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [hit.name for hit in mem.search("replica")] == [f"projects/{mem.project}/memories/ops/database.md"]
    (hit,) = mem.recall("which port has the replica?", semantic=False)
    assert Path(hit.filename) == path
    tool.delete("/memories/ops")
    assert not (store / "memories" / "ops").exists()
    assert not mem.recall("which port has the replica?", semantic=False)
    tool.create("/memories/deep/er/note.md", "The replica is gone.")
    assert mem.recall("replica", semantic=False)


def test_what_the_tool_did_is_undone_as_one(tool: Memories, mem: Mem, store: Path) -> None:
    for name in "ab":
        tool.create(f"/memories/old/{name}.md", name)
    tool.rename("/memories/old", "/memories/new")
    assert sorted(path.name for path in (store / "memories").rglob("*")) == ["a.md", "b.md", "new"]
    mem.undo()
    assert sorted(path.name for path in (store / "memories").rglob("*.md")) == ["a.md", "b.md"]
    assert "old/a.md" in tool.view("/memories")
    tool.delete("/memories/old")
    assert tool.view("/memories").endswith("4K\t/memories")
    mem.undo()
    assert tool.view("/memories/old/b.md").endswith("     1\tb")
    tool.str_replace("/memories/old/b.md", "b", "c")
    mem.undo("memories/old/b.md")
    assert (store / "memories" / "old" / "b.md").read_text() == "b"
    assert tool.clear() == tool.clear() == "All memory cleared"


def test_a_secret_is_masked_and_the_answer_says_so(tool: Memories, mem: Mem, store: Path) -> None:
    said = tool.create("/memories/keys.md", f"token {KEY}\nx\n")
    first, second = said.split("\n")
    assert first == "File created successfully at: /memories/keys.md"
    assert second.startswith("note: masked 1 secret")
    assert "note: masked" in tool.str_replace("/memories/keys.md", "x", f"y {KEY}")
    assert "note: masked" in tool.insert("/memories/keys.md", 0, KEY)
    for given in (
        {"command": "create", "path": f"/memories/{KEY}.md", "file_text": "x"},
        {"command": "rename", "old_path": "/memories/keys.md", "new_path": f"/memories/{KEY}"},
    ):
        assert "looks like a secret" in answered(tool, given)["error"]
    assert hits(Path(mem.home), [KEY]) == []
    (store / "memories" / "keys.md").write_text(f"by hand {KEY}\n")
    assert KEY not in tool.view("/memories/keys.md")


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../x.md",
        "/memories/a/../../x.md",
        "/memories/link/x.md",
        "/memories/link",
        "/memoriesx/y.md",
        "memories/x.md",
        "/memories/\0.md",
        "/memories/.hidden.md",
        "/memories/a\\b.md",
        "/memories/con.md",
        "/memories/" + "long/" * 60 + "x.md",
        "/memories/file.md/below.md",
        "/memories/x ",
        "/memories/x.",
        "/memories/x /y.md",
        "/memories/ x.md",
        "/memories/x\u3000",
        "/memories/x./y.md",
        "/memories/FILE.md",
        "/memories/File.MD",
        "",
    ],
)
def test_no_path_leads_out_and_nothing_is_written_for_one_that_tries(
    tool: Memories,
    mem: Mem,
    store: Path,
    tmp_path: Path,
    path: str,
    snapshot: Callable[[Path], dict[str, bytes]],
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("theirs")
    tool.create("/memories/file.md", "x")
    (store / "memories" / "link").symlink_to(outside)
    before = snapshot(tmp_path)
    for given in (
        {"command": "create", "path": path, "file_text": "x"},
        {"command": "rename", "old_path": "/memories/file.md", "new_path": path},
        {"command": "str_replace", "path": path, "old_str": "theirs", "new_str": "ours"},
        {"command": "insert", "path": path, "insert_line": 0, "insert_text": "ours"},
        {"command": "delete", "path": path},
    ):
        told = answered(tool, given)["error"]
        assert str(tmp_path) not in told
    assert "theirs" not in str(answered(tool, {"command": "view", "path": path}))
    assert snapshot(tmp_path) == before
    assert mem.home


def test_wrong_arguments_and_too_much_text_are_told(tool: Memories, mem: Mem) -> None:
    assert answered(tool, {"command": "view"})["error"] == "view needs `path`: a text, not NoneType"
    given = {"command": "insert", "path": "/memories/a", "insert_line": True, "insert_text": "x"}
    assert "whole number" in answered(tool, given)["error"]
    with pytest.raises(TooLargeError):
        tool.create("/memories/a.md", "x" * 2_000_000)
    tool.create("/memories/a.md", "x" * 1_000_000)
    with pytest.raises(TooLargeError, match=r"/memories/a\.md would have 1,100,001 bytes"):
        tool.insert("/memories/a.md", 0, "y" * 99_999)
    with pytest.raises(InputError, match="into itself"):
        tool.rename("/memories/a.md", "/memories/a.md/b.md")
    with pytest.raises(NotFoundError):
        tool.rename("/memories/none", "/memories/b")
    with pytest.raises(InputError, match="only an agent or its user"):
        Memories(mem.from_source("agent", "web"))


def test_writers_at_once_lose_no_line(mem: Mem, work: Path) -> None:
    Memories(mem).create("/memories/log.md", "start\n")

    def write(number: int) -> None:
        tool = Memories(Mem.open(work))
        for count in range(5):
            tool.insert("/memories/log.md", 1, f"{number}.{count}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = Memories(mem).view("/memories/log.md").split("\n")
    assert len({line.partition("\t")[2] for line in lines[2:-1]}) == 20


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        ("caf\u00e9.md", "cafe\u0301.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("OK.md", "ok.md"),
        ("Dir/a.md", "dir/b.md"),
        ("a/STRASSE/x.md", "a/stra\u00dfe/y.md"),
        ("\u00c9t\u00e9/a.md", "e\u0301te\u0301"),
    ],
)
def test_a_name_that_is_another_one_on_some_systems_is_refused_and_the_other_is_named(
    tool: Memories, store: Path, there: str, wanted: str
) -> None:
    top = store / "memories"
    (top / there).parent.mkdir(parents=True)
    (top / there).write_text("x")
    tool.create("/memories/other.md", "y")
    for given in (
        {"command": "create", "path": f"/memories/{wanted}", "file_text": "x"},
        {"command": "rename", "old_path": "/memories/other.md", "new_path": f"/memories/{wanted}"},
    ):
        clash = next(part for part in there.split("/") if part not in wanted.split("/"))
        assert f"{clash} exists" in answered(tool, given)["error"]
    assert sorted(path for path in top.rglob("*") if path.is_file()) == sorted(
        [top / there, top / "other.md"]
    )
    tool.create(f"/memories/{there}.txt", "z")


@pytest.mark.parametrize(
    "given", [["a", "b"], [1], [1, 2, 3], "12", 7, [1.5, 2], [True, 2], [None, None], {"a": 1}]
)
def test_a_range_that_is_none_gets_the_tools_error(tool: Memories, given: object) -> None:
    tool.create("/memories/a.md", "one\ntwo\n")
    told = answered(tool, {"command": "view", "path": "/memories/a.md", "view_range": given})
    assert told["error"].startswith("Invalid `view_range` parameter: ")
