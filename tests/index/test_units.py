"""How files are cut into units, and what a unit says of itself."""

import gzip
from pathlib import Path

import pytest

from memolith.index import Index, Unit, documents
from tests.index.corpus import BOTH, SLUG, fill, session, write
from tests.ledger import proves

BASE = f"memory/projects/{SLUG}"


def found(index: Index, query: str) -> list[Unit]:
    index.sync(BOTH)
    return index.with_text(index.units([match.unit_id for match in index.lexical(BOTH, query)]))


def only(index: Index, query: str) -> Unit:
    units = found(index, query)
    assert len(units) == 1
    return units[0]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    fill(tmp_path, notes=3)
    return Index(str(tmp_path))


def test_a_record_brings_what_its_head_says(index: Index) -> None:
    unit = only(index, "elephant")
    assert (unit.kind, unit.category, unit.record, unit.title) == (
        "record",
        "decisions",
        "use-postgres",
        "Database",
    )
    assert (unit.date, unit.status, unit.supersedes) == ("2025-05-06", "active", ["use-mysql"])
    assert (unit.scope, unit.parent, unit.text) == (SLUG, None, "We chose postgres.")
    assert (unit.first_line, unit.last_line) == (9, 9)


def test_a_hand_made_record_needs_nothing_and_a_broken_head_is_text(tmp_path: Path) -> None:
    write(tmp_path, f"{BASE}/records/incidents/outage.md", "The zebra fell.\n")
    write(tmp_path, f"{BASE}/records/incidents/broken.md", "---\ntitle: [horse\n---\nThe giraffe.\n")
    with Index(str(tmp_path)) as index:
        unit = only(index, "zebra")
        assert (unit.record, unit.category, unit.status, unit.title) == (
            "outage",
            "incidents",
            "active",
            "The zebra fell.",
        )
        assert unit.date.startswith("20")
        assert only(index, "horse").key == only(index, "giraffe").key


def test_days_are_found_by_entry_with_its_time(index: Index) -> None:
    unit = only(index, "soup")
    assert unit.key == f"projects/{SLUG}/daily/2026-01-02.md#L4-5"
    assert unit.date == "2026-01-02T12:30"
    assert unit.text == "### 12:30 — lunch\nSoup."
    assert [each.position for each in index.neighbours(unit)] == [0]


def test_memory_is_found_by_section_and_an_untouched_template_is_not(tmp_path: Path) -> None:
    facts = "\n".join(f"- fact{n}: {'x ' * 40}" for n in range(60))
    write(tmp_path, "memory/MEMORY.md", f"# Memory\n\n## About me\n<!-- hint -->\n\n## Facts\n{facts}\n")
    with Index(str(tmp_path)) as index:
        assert found(index, "hint") == []
        unit = only(index, "fact42")
        assert unit.title == "Facts"
        assert unit.text is not None
        assert len(unit.text) < 1000
        lines = (tmp_path / "memory/MEMORY.md").read_text().split("\n")
        assert unit.first_line is not None
        assert "\n".join(lines[unit.first_line - 1 : unit.last_line]) == unit.text


def test_a_long_note_is_a_whole_with_its_sections(tmp_path: Path) -> None:
    parts = "".join(f"## Part {n}\n\n{f'word{n} ' * 200}\n\n" for n in range(5))
    write(tmp_path, f"{BASE}/notes/long.md", f"---\nname: Long\n---\n# Long\n\n{parts}")
    with Index(str(tmp_path)) as index:
        part, whole = sorted(found(index, "word3"), key=lambda unit: unit.parent is None)
        assert (whole.key, whole.parent, whole.position) == (f"projects/{SLUG}/notes/long.md", None, -1)
        assert (part.parent, part.title) == (whole.id, "Long › Part 3")
        assert [unit.title for unit in index.neighbours(part)] == ["Long › Part 2", "Long › Part 4"]
        assert index.neighbours(whole) == []


@proves("S3.42")
def test_a_session_is_found_by_turn_without_the_noise_of_tools(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    turns = [
        ("user", "Why is the worker slow?"),
        ("tool", "zebra"),
        ("assistant", f"Use {key}. " + "long " * 9000),
    ]
    session(tmp_path, "abc", turns)
    with Index(str(tmp_path)) as index:
        assert found(index, "zebra") == []
        unit = only(index, "worker")
        assert (unit.key, unit.role, unit.turn, unit.kind) == ("session:claude-abc#1", "user", 1, "session")
        (answer,) = index.with_text(index.neighbours(unit))
        assert (answer.turn, answer.role) == (3, "assistant")
        assert answer.text is not None
        assert len(answer.text) <= 8000
        assert key not in answer.text
        assert found(index, key) == []


@pytest.mark.parametrize("taint", ["", "pasted", "web"])
def test_one_turn_is_read_without_parsing_the_whole_session(tmp_path: Path, taint: str) -> None:
    pasted = "Look at this log:\n```\n" + "zebra in line 7\n" * 9 + "```"
    path = session(tmp_path, "abc", [("user", pasted), ("assistant", "The giraffe."), ("user", "Thanks.")])
    data = gzip.decompress(path.read_bytes()).decode()
    marked = data.replace('"role": "assistant"', f'"role": "assistant", "taint": "{taint}"')
    packed = gzip.compress(marked.encode())
    rows = documents.rows(packed)
    pieces = documents.of_file("session", path.name, packed, 0).parts
    assert len(pieces) >= 3
    for piece in pieces:
        assert piece.turn is not None
        whose = piece.role.endswith(":pasted")
        assert documents.turn_text(rows, piece.turn, pasted=whose) == piece.text


def test_a_broken_session_gives_what_it_has(tmp_path: Path) -> None:
    path = session(tmp_path, "abc", [("user", f"zebra{n} " * 200) for n in range(50)])
    path.write_bytes(path.read_bytes()[:-20])
    session(tmp_path, "empty", []).write_bytes(b"not gzip")
    with Index(str(tmp_path)) as index:
        assert only(index, "zebra0").turn == 1


def test_secrets_typed_by_hand_are_masked_line_for_line(tmp_path: Path) -> None:
    body = "\n".join(
        ["-----BEGIN RSA PRIVATE KEY-----", *["MIIEow" * 10] * 5, "-----END RSA PRIVATE KEY-----"]
    )
    write(tmp_path, f"{BASE}/notes/key.md", f"horse\n{body}\nThe zebra is last.\n")
    with Index(str(tmp_path)) as index:
        unit = only(index, "zebra")
        assert unit.text is not None
        assert "MIIEow" not in unit.text
        assert unit.last_line == 9
        assert unit.text.split("\n")[8] == "The zebra is last."
        assert found(index, "MIIEow" * 10) == []
        data = Path(index.path).read_bytes()
        assert b"miieow" not in data.lower()


def test_texts_to_embed_come_with_their_hashes(index: Index) -> None:
    index.sync(BOTH)
    texts = list(index.texts(BOTH))
    assert {(unit, digest) for unit, digest, _ in texts} == set(index.hashes(BOTH))
    known = {digest for _, digest, _ in texts[1:]}
    assert [text for _, _, text in index.texts(BOTH, skip=known)] == [texts[0][2]]
