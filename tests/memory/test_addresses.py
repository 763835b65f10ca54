"""memory:// addresses: what they lead to, what they never lead to, and what the errors say."""

import json
import os
from pathlib import Path

import pytest

from memolith import InputError, Mem, MemolithError, NotFoundError
from memolith.base.errors import UnsafePathError
from memolith.edges.cli import main
from memolith.edges.mcp.tools import Tools
from memolith.memory.addresses import Resource, complete, resolve
from memolith.memory.arguments import page
from memolith.memory.sessions import Session, Turn
from tests.care.test_scan import canary
from tests.learn.scripted import Scripted, consolidate, extraction, reply
from tests.ledger import proves
from tests.promises.test_hostile import payload, rows
from tests.shared import rows as table

SKILL = {"name": "deploy", "content": "Deploy: run make.", "scripts": [{"path": "go.sh", "content": "make"}]}


@pytest.fixture
def learned(mem: Mem) -> Mem:
    """Return a memory with something of everything."""
    mem.remember("Use port 5433.", "Database café")
    mem.write("long_term", "# Me\n")
    mem.write("daily", "x")
    mem.records.add("We use Postgres.", category="decisions", scope="project", title="Postgres")
    mem.records.add("Restart it.", category="incidents", scope="project", title="Outage")
    turn = Turn(number=1, role="user", text="hello")
    mem.sessions.add(Session(agent="claude", id="1", turns=[turn]))
    given = extraction(mem, "claude-1", "Long lines.", "Deploy: run make.")
    consolidate(mem, given, model=Scripted(reply("- Long lines.\n", "Long lines.\n", SKILL)))
    mem.review.accept(mem.review.list()[0].id)  # nobody spoke of the script
    return mem


PLACES = [
    ("memory://root", "text/markdown", "Long lines."),
    ("memory://root/MEMORY.md", "text/markdown", "Long lines. [claude-1]"),
    ("memory://root/skills/deploy/SKILL.md", "text/markdown", "Deploy: run make."),
    ("memory://root/skills/deploy/scripts/go.sh", "text/plain", "make"),
    ("memory://root/raw_memories.md", "text/markdown", "## claude-1"),
    ("memory://root/rollout_summaries/claude-1.md", "text/markdown", "Fixed things."),
    ("memory://root/notes/database-café.md", "text/markdown", "Use port 5433."),
    ("memory://project/notes/MEMORY.md", "text/markdown", "[Database caf"),
    ("memory://root/records/decisions/postgres.md", "text/markdown", "We use Postgres."),
    ("memory://root/sessions/claude-1", "text/plain", "[1] user: hello"),
    ("memory://user/MEMORY.md", "text/markdown", "# Me"),
]


@proves("S2.7", "S2.8", "S2.9", "S2.14")
def test_an_address_gives_the_text_of_a_file(learned: Mem) -> None:
    for address, mime, text in PLACES:
        found = resolve(learned, address)
        assert (found.uri, found.mime, found.listing) == (address, mime, None)
        assert text in found.text
    summary, whole = (
        resolve(learned, f"memory://root/{each}") for each in ("memory_summary.md", "MEMORY.md")
    )
    assert resolve(learned, "memory://root").text == summary.text != whole.text


@proves("S2.14", "S4.26")
def test_a_directory_gives_the_addresses_in_it_and_each_leads_on(learned: Mem) -> None:
    top = resolve(learned, "memory://project")
    assert top.listing == [
        f"memory://project/{name}"
        for name in (
            *("MEMORY.md", "daily", "memory_summary.md", "notes", "raw_memories.md", "records"),
            *("rollout_summaries", "sessions", "skills"),
        )
    ]
    seen: list[Resource] = []
    queue = [*top.listing, *(resolve(learned, "memory://user").listing or [])]
    while queue:
        seen.append(resolve(learned, queue.pop()))
        queue += seen[-1].listing or []
    assert len(seen) > 20
    # A category is a directory of its own: who needs decisions reads only those.
    assert resolve(learned, "memory://root/records/decisions").listing == [
        "memory://root/records/decisions/postgres.md"
    ]


@proves("X.4")
def test_a_path_on_disk_is_the_file_at_that_path_whoever_else_has_one_of_its_name(
    mem: Mem, store: Path
) -> None:
    mem.write("long_term", "The user's.")
    mem.write("note", "Of the project.", name="x")
    mem.write("note", "For all.", name="x", scope="user")
    (store / "MEMORY.md").write_text("Learned here.\n")
    for path in (mem.root / "MEMORY.md", store / "MEMORY.md", mem.root / "notes/x.md", store / "notes/x.md"):
        assert Tools(mem).call("memory_read", {"target": str(path)}).text.strip() == path.read_text().strip()
    mem.write(str(mem.root / "MEMORY.md"), "More.")  # type: ignore[arg-type]
    assert "More." in mem.read("long_term")


@proves("S2.10")
@pytest.mark.parametrize(
    "address", ["memory://", "memory:///x", "memory://elsewhere", "memory://elsewhere/x"]
)
def test_an_unknown_namespace_names_the_known_ones(learned: Mem, address: str) -> None:
    with pytest.raises(InputError, match="one of root, project, user"):
        resolve(learned, address)


# Ways out, what waits or is ours, what is not there.
NOWHERE = table("memory/nowhere")


@proves("S2.11", "S2.13")
@pytest.mark.parametrize("namespace", ["root", "project", "user"])
def test_no_other_address_reads_anything(learned: Mem, store: Path, namespace: str) -> None:
    (store / "inbox").mkdir(exist_ok=True)
    (store / "inbox" / "x.md").write_text("waits")
    for path in NOWHERE:
        with pytest.raises((InputError, NotFoundError)) as error:
            resolve(learned, f"memory://{namespace}/{path}")
        assert str(learned.root) not in str(error.value)
        assert f"memory://{namespace}/" in str(error.value)


@proves("S2.11")
def test_no_hostile_address_of_the_corpus_reads_anything(learned: Mem) -> None:
    for param in rows("D", "memory_url", expect="reject"):
        (row,) = param.values
        if not row:
            pytest.skip("the hostile corpus is not here; set MEMOLITH_DATA")
        with pytest.raises(InputError):
            resolve(learned, payload(row))


def test_no_address_leads_into_another_project(learned: Mem, tmp_path: Path) -> None:
    elsewhere = tmp_path / "work" / "other"
    elsewhere.mkdir()
    other = Mem.open(elsewhere)
    other.write("note", "theirs", name="n")
    for start in ("memory://user", "memory://root", "memory://project"):
        for rest in (f"projects/{other.project}/notes/n.md", f"{other.project}/notes/n.md"):
            with pytest.raises(MemolithError):
                resolve(learned, f"{start}/{rest}")


@proves("S2.12")
@pytest.mark.parametrize("name", ["notes/link.md", "skills", "MEMORY.md"])
def test_a_link_is_never_followed(learned: Mem, store: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("stolen")
    place = store / name
    if place.exists():
        place.rename(tmp_path / "moved")
    place.symlink_to(outside / "x.md" if name.endswith(".md") else outside)
    address = f"memory://root/{name}" + ("" if name.endswith(".md") else "/x.md")
    with pytest.raises(UnsafePathError) as error:
        resolve(learned, address)
    assert address in str(error.value)
    assert str(tmp_path) not in str(error.value)
    assert "link.md" not in resolve(learned, "memory://root/notes").text


def test_special_and_quarantined_files_are_not_read_and_secrets_are_masked(learned: Mem, store: Path) -> None:
    os.mkfifo(store / "notes" / "pipe.md")
    with pytest.raises(UnsafePathError):
        resolve(learned, "memory://root/notes/pipe.md")
    (store / "records" / "decisions" / "bad.md").write_text("---\nstatus: quarantined\n---\nobey\n")
    with pytest.raises(NotFoundError):
        resolve(learned, "memory://root/records/decisions/bad.md")
    key = canary("typed by hand")
    (store / "notes" / "hand.md").write_text(f"token: {key}\n")
    assert key not in resolve(learned, "memory://root/notes/hand.md").text


@proves("S2.13")
def test_what_is_not_there_is_told_apart_from_a_memory_that_has_not_begun(mem: Mem) -> None:
    with pytest.raises(NotFoundError, match=r"memory://root/MEMORY\.md: this project has no memory yet"):
        resolve(mem, "memory://root/MEMORY.md")
    with pytest.raises(NotFoundError, match="memory://user: nothing is remembered yet"):
        resolve(mem, "memory://user")
    mem.write("scratchpad", "x")
    with pytest.raises(NotFoundError, match=r"memory://root/MEMORY\.md: not found"):
        resolve(mem, "memory://root/MEMORY.md")
    with pytest.raises(NotFoundError, match="nothing was learned from sessions yet"):
        resolve(mem, "memory://root")


@proves("S2.15")
def test_completion_offers_only_what_leads_somewhere(mem: Mem) -> None:
    assert complete(mem, "") == complete(mem, "memory://") == []
    mem.write("long_term", "x")
    assert complete(mem, "memory://") == ["memory://user"]
    mem.write("note", "x", name="alpha")
    assert complete(mem, "mem") == ["memory://root", "memory://project", "memory://user"]
    assert complete(mem, "memory://root/n") == ["memory://root/notes"]
    assert complete(mem, "memory://root/notes/a") == ["memory://root/notes/alpha.md"]
    assert complete(mem, "memory://root/../x") == []


def test_names_in_other_scripts_and_decomposed_ones_have_addresses(mem: Mem, store: Path) -> None:
    mem.write("note", "x", name="日本 語")
    (store / "notes" / "cafe\u0301.md").write_text("decomposed")
    found = resolve(mem, "memory://root/notes").listing
    assert found
    assert "memory://root/notes/日本 語.md" in found
    assert resolve(mem, "memory://root/notes/caf%C3%A9.md").text == "decomposed"
    assert {resolve(mem, each).uri for each in found} == set(found)


def test_the_command_reads_an_address(learned: Mem, work: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "memory://root/MEMORY.md", "--lines", "1", "--project", str(work)]) == 0
    assert capfd.readouterr().out.startswith("<!-- memolith")
    assert main(["read", "memory://root/notes", "--json", "--project", str(work)]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["uri"] == "memory://root/notes"
    assert "memory://root/notes/database-café.md" in printed["listing"]
    assert main(["read", "memory://root/none", "--project", str(work)]) == 3
    assert main(["read", "memory://x", "--project", str(work)]) == 2
    assert learned.root.exists()


def test_a_session_says_of_each_turn_whose_words_it_may_have(
    mem: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [
        ("user", "", "Here is the issue:\nobey"),
        ("tool", "WebFetch", "x\nobey"),
        ("assistant", "", "a\n\nobey"),
    ]
    turns = [
        Turn(number=at, role=role, text=text, tool=tool) for at, (role, tool, text) in enumerate(said, 1)
    ]
    mem.sessions.add(Session(agent="claude", id="1", turns=turns))
    text = resolve(mem, "memory://root/sessions/claude-1").text
    assert [line.partition("[source")[2] for line in text.splitlines() if line.startswith("[")] == [
        ": agent, pasted]: Here is the issue:",
        ": agent, web]: x",
        ": agent, pasted]: a",
    ]
    last = text.splitlines().index("obey", 6)
    assert page(text, last, 1) == "[source: agent, pasted]\nobey"
    assert main(["session", "show", "claude-1", "--turn", "3", "--project", str(work)]) == 0
    assert capsys.readouterr().out == "#3 assistant [source: agent, pasted]\na\n\nobey\n"
