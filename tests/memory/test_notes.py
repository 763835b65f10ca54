"""The index and its notes: D1."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, MatchError, Mem, TextError
from memolith.edges.mcp.tools import Tools
from memolith.env.folders import Folder
from memolith.env.paths import Place, Tree
from memolith.memory import note_index, note_links
from memolith.store import layout
from tests.ledger import proves
from tests.shared import rows


def index_lines(store: Path) -> list[str]:
    text = note_index.whole(Tree(str(store.parent.parent)), store.name)
    return [line for line in text.splitlines() if line.startswith("- [")]


@proves("S1.6", "S1.7", "S1.10")
def test_remember_writes_a_note_and_its_line_in_one_call(mem: Mem, store: Path) -> None:
    result = mem.remember("The user owns the billing service.\nMore.", "User role", "user")
    assert result.path == store / "notes" / "user-role.md"
    assert result.path.read_text() == (
        "---\nname: User role\ntype: user\n---\nThe user owns the billing service.\nMore.\n"
    )
    assert index_lines(store) == ["- [User role](user-role.md) — The user owns the billing service."]


@proves("S1.3")
def test_notes_are_ordinary_files_and_the_guidance_names_their_directory(mem: Mem, store: Path) -> None:
    path = mem.remember("x", "T").path
    assert path.is_file()
    assert str(store) in mem.guidance()
    path.write_text("edited by a file tool\n")
    assert "edited" in mem.read("note", "t")


@proves("S1.4")
def test_the_index_begins_with_a_header_and_is_left_alone_by_a_second_start(mem: Mem, store: Path) -> None:
    mem.remember("x", "T")
    first = (store / "notes" / "MEMORY.md").read_bytes()
    assert first.startswith(b"# Notes\n")
    again = Mem.open(mem.identity.root)
    again.context_block()
    again.search("x")
    again.remember("x", "T")
    assert (store / "notes" / "MEMORY.md").read_bytes() == first


@proves("S1.9")
def test_a_thousand_notes_stay_within_the_budget_and_say_what_is_left_out(mem: Mem, store: Path) -> None:
    mem.remember("x", "First")
    for n in range(1000):
        (store / "notes" / f"n{n:04d}.md").write_text(f"fact {n}\n")
    for _ in range(2):  # the second time after the index was brought up to date
        block = mem.context_block() or ""
        shown = block.count("](n")
        assert 50 < shown <= 200
        assert f"({1001 - shown} older notes are not shown; `recall`" in block
        assert len(block.encode()) < 9 * 1024
        assert "](n0999.md)" in block
        mem.write("note", "fact 999", "overwrite", "n0999")


@proves("S1.9")
def test_rows_of_a_persons_page_that_are_left_out_are_counted(mem: Mem, store: Path) -> None:
    mem.remember("x", "First")
    rows = [f"- [Note {n}](n{n:03d}.md) — about number {n}, which is a long line of text" for n in range(300)]
    for n in range(300):
        (store / "notes" / f"n{n:03d}.md").write_text(f"fact {n}\n")
    (store / "notes" / "MEMORY.md").write_text("\n".join(rows))
    block = mem.context_block() or ""
    assert f"({301 - block.count('](n')} older notes are not shown; `recall`" in block


@proves("S1.11")
@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("User role", "user-role"),
        ("  --A  b!! c--", "a-b-c"),
        ("x" * 60, "x" * 48),
        ("!!!", "note"),
        ("Größe", "größe"),
        ("日本語のノート", "日本語のノート"),
        ("C++ and C#", "cplusplus-and-csharp"),
        ("# of + signs", "of-signs"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("1\ufe0f\u20e3 one", "1-one"),
        # No word and no number is cut in the middle, if there are others.
        (
            "The dev server of the admin app runs on port 4400.",
            "the-dev-server-of-the-admin-app-runs-on-port",
        ),
        (
            "The dev server of the admin app runs on a port 44",
            "the-dev-server-of-the-admin-app-runs-on-a-port",
        ),
        ("A " + "x" * 60, "a-" + "x" * 46),
    ],
)
def test_the_file_name_comes_from_the_title(title: str, name: str) -> None:
    assert layout.file_name(title) == name


@proves("S1.11")
def test_titles_in_other_scripts_get_stable_names_of_their_own(mem: Mem) -> None:
    one, other = mem.remember("a", "項目"), mem.remember("b", "設定")
    assert one.path != other.path
    assert mem.remember("c", "項目").path == one.path
    assert "項目" in (mem.context_block() or "")


@proves("S1.12")
@given(
    title=st.text(min_size=1).filter(lambda t: t.split()),
    body=st.text(min_size=1).filter(lambda t: t.split()),
)
def test_the_frontmatter_is_valid_yaml_for_every_title(
    title: str, body: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("yaml")
    mem = Mem.open(base, home=base / "home")
    try:
        path = mem.remember(body, title).path
    except (TextError, InputError):
        return  # NUL, or nothing left once control characters are gone
    head = path.read_bytes().decode().split("---\n")[1]
    fields = yaml.safe_load(head)
    assert set(fields) == {"name", "type"}
    assert isinstance(yaml.load(head, yaml.BaseLoader)["name"], str)  # noqa: S506


@proves("S1.12")
def test_a_title_full_of_yaml_comes_back_as_it_was(mem: Mem) -> None:
    title = 'a: b # c "d" [e] {f} & *g !h'
    head = mem.remember("x", title).path.read_text().split("---\n")[1]
    assert yaml.safe_load(head)["name"] == title
    assert mem.remember("y", title).path == mem.remember("z", title).path


@proves("S1.13")
def test_a_simulator_is_a_domain_and_an_unknown_kind_an_error(mem: Any) -> None:
    for given_kind, stored in (("domain", "domain"), ("simulator", "domain"), ("project", "project")):
        assert f"type: {stored}\n" in mem.remember("x", "T", given_kind).path.read_text()
    with pytest.raises(InputError, match="unknown kind 'nonsense'; one of user, project"):
        mem.remember("x", "T", "nonsense")


@proves("S1.14")
def test_the_hook_is_the_first_line_shortened(mem: Mem, store: Path) -> None:
    mem.remember(f"\n  \n a\t b  {'c' * 200}\nrest", "T")
    hook = index_lines(store)[0].partition(" — ")[2]
    assert hook == "a b " + "c" * 96 + "…"


@proves("S1.15", "S3.55")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Do not edit config.yml by hand.", "Do not edit schema.sql by hand."),
        (
            "Never push to branch release-1.2 without a review.",
            "Never push to branch release-2.0 without a review.",
        ),
        ("Do not call /v1/users without a token.", "Do not call /v1/orders without a token."),
        ("Anna reviews frontend/app.ts.", "Anna reviews backend/app.py."),
    ],
)
def test_a_rule_about_another_thing_replaces_nothing(mem: Mem, one: str, other: str) -> None:
    for text in (one, other):
        mem.remember(text)
        mem.records.add(text, category="principles", scope="project")
    assert len([name for name in mem.list() if "/notes/" in name]) == 2
    assert len(mem.records.list()) == 2


@proves("S1.15", "S3.55")
def test_a_value_with_the_former_one_behind_it_takes_its_place(mem: Mem) -> None:
    for text in ("The API runs on port 8080.", "The API runs on port 9090, not 8080."):
        mem.records.add(text, category="principles", scope="project")
    assert [record.title for record in mem.records.list()] == ["The API runs on port 9090, not 8080."]


@proves("S1.15")
def test_what_a_note_says_already_is_not_written_again_and_what_it_may_deny_is_named(mem: Mem) -> None:
    mem.remember("Deploy on Tuesday.", "Deploy day")
    again = mem.remember("deploy on Tuesday")
    assert (again.bytes, again.path.name) == (0, "deploy-day.md")
    assert "“Deploy day” (memory://root/notes/deploy-day.md) says so already" in again.message
    mem.remember("deploy on Tuesday", kind="preference")
    assert "type: preference" in again.path.read_text()
    assert "deploy-day.md, which says so already" in mem.remember("Deploy on Tuesday.", "Plan").message
    mem.remember("We use npm for the frontend.")
    message = mem.remember("We use pnpm for the frontend, not npm.").message
    assert "see also memory://root/notes/we-use-npm-for-the-frontend.md, which may say otherwise" in message


@proves("S1.15")
def test_the_same_title_replaces_the_note_and_keeps_the_old_text(mem: Mem, store: Path) -> None:
    mem.remember("old text", "Title")
    path = mem.remember("new text", "Title").path
    assert "old text" not in path.read_text()
    assert index_lines(store) == ["- [Title](title.md) — new text"]
    mem.undo("title")
    assert "old text" in path.read_text()
    assert index_lines(store) == ["- [Title](title.md) — old text"]


@proves("S1.15")
def test_replacing_a_note_keeps_foreign_fields_and_comments(mem: Mem) -> None:
    path = mem.remember("old", "Title").path
    path.write_text("---\n# mine\ntags: [a]\nname: Title\ndescription: >\n  old\ntype: project\n---\nold\n")
    mem.remember("new", "Title", "reference")
    assert path.read_text() == "---\n# mine\ntags: [a]\nname: Title\ntype: reference\n---\nnew\n"


@proves("S1.16")
def test_another_title_with_the_same_name_gets_a_suffix(mem: Mem, store: Path) -> None:
    first = mem.remember("one", "Foo!").path
    second = mem.remember("two", "foo").path
    assert (first.name, second.name) == ("foo.md", "foo-2.md")
    assert "one" in first.read_text()
    assert mem.remember("three", "foo").path == second
    assert len(index_lines(store)) == 2


@proves("S1.17", "X.22")
@pytest.mark.parametrize("title", ["Memory", "MEMORY.md"[:6], "Con", "nul"])
def test_a_title_cannot_take_the_place_of_the_index_or_a_device(mem: Mem, store: Path, title: str) -> None:
    path = mem.remember("x", title).path
    assert path.stem.casefold() not in ("memory", "con", "nul")
    assert (store / "notes" / "MEMORY.md").read_text().startswith("# Notes")


@proves("S1.19", "X.11")
def test_the_index_follows_notes_made_and_removed_by_hand(mem: Mem, store: Path) -> None:
    mem.remember("x", "Kept")
    mem.remember("y", "Removed")
    (store / "notes" / "removed.md").unlink()
    (store / "notes" / "by-hand.md").write_text("# By hand\n\nMade in an editor.\n")
    block = mem.context_block() or ""
    assert "removed.md" not in block
    assert "- [By hand](by-hand.md) — Made in an editor." in block
    mem.write("note", "z", name="third")
    assert index_lines(store) == [
        "- [Kept](kept.md) — x",
        "- [By hand](by-hand.md) — Made in an editor.",
        "- [third](third.md) — z",
    ]


@proves("S1.6")
def test_a_page_that_lists_a_note_twice_shows_it_once(mem: Mem, store: Path) -> None:
    mem.remember("x", "One")
    (store / "notes" / "MEMORY.md").write_text("- [One](one.md) — x\n- [One](one.md) — x\n")
    assert (mem.context_block() or "").count("(one.md)") == 1
    mem.write("note", "x", name="par(en)s")
    (store / "notes" / "MEMORY.md").write_text("- [mine](par(en)s.md) (with a remark)\n")
    assert (mem.context_block() or "").count("par(en)s.md") == 1


@proves("S1.4", "S1.6")
def test_what_a_person_wrote_on_the_page_comes_first_and_stays(mem: Mem, store: Path) -> None:
    mem.remember("x", "One")
    page = store / "notes" / "MEMORY.md"
    text = "# My notes\n\n## Important\n* [Uno](one.md): my own words\n\nsee also the wiki\n"
    page.write_text(text)
    mem.remember("y", "Two")
    mem.remember("new", "One")
    assert page.read_text() == text
    shown = "## Important\n* [Uno](one.md): my own words\nsee also the wiki\n- [Two](two.md) — y\n"
    assert shown in (mem.context_block() or "")
    page.write_text(
        "# Notes on [Two](two.md)\n\nRead [one](one.md) and [the wiki](https://wiki.example) first\n"
    )
    block = mem.context_block() or ""
    assert (block.count("(one.md)"), block.count("(two.md)")) == (1, 1)


@pytest.mark.parametrize(
    "line",
    rows("memory/index_lines"),
)
def test_a_line_in_a_persons_words_is_shown_as_it_stands(mem: Mem, store: Path, line: str) -> None:
    mem.remember("x", "One")
    (store / "notes" / "MEMORY.md").write_text(f"# Notes\n\n{line}\n")
    block = mem.context_block() or ""
    assert all(each in block for each in line.split("\n") if not each.startswith("<!--"))
    assert block.count("(one.md)") == 1


@proves("S1.6", "S1.19")
@pytest.mark.parametrize("page", ["", "- [Port](port.md) — The port is 5433.\n"])
def test_a_note_corrected_by_hand_is_told_in_its_new_words_at_once(mem: Mem, store: Path, page: str) -> None:
    path = mem.remember("The port is 5433.", "Port").path
    if page:
        (store / "notes" / "MEMORY.md").write_text(page)
    assert "5433" in (mem.context_block() or "")
    for new in ("6000", "7000"):
        with path.open("r+") as file:  # saved in place, with the same length, in the same instant
            text = file.read().replace("5433", new).replace("6000", new)
            file.seek(0)
            file.write(text)
        assert index_lines(store) == [f"- [Port](port.md) — The port is {new}."]
        assert "5433" not in (mem.context_block() or "")


@proves("X.8")
def test_the_line_of_a_note_repeats_no_secret_typed_into_it_by_hand(mem: Mem, store: Path) -> None:
    mem.remember("x", "One")
    secret = "AKIA" + "QYLPMN5HFIQR7XYA"
    (store / "notes" / "keys.md").write_text(f"{'word ' * 17}{secret} is the key\n")
    block = mem.context_block() or ""
    assert "(keys.md)" in block
    assert secret[:8] not in block
    caches = b"".join(path.read_bytes() for path in Path(mem.home, "cache").iterdir())
    assert secret[:8].encode() not in caches


def test_a_damaged_cache_of_the_index_changes_no_line(mem: Mem) -> None:
    path = mem.remember("The queue is on port 5433.", "Queue").path
    os.utime(path, (1, 1))
    os.utime(path.parent, (1, 1))
    block = mem.context_block()
    (cache,) = [each for each in Path(mem.home, "cache").iterdir() if b"5433" in each.read_bytes()]
    times = cache.stat()
    cache.write_bytes(cache.read_bytes().replace(b"5433", b"5432"))
    os.utime(cache, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert mem.context_block() == block


def test_a_new_note_costs_the_same_among_many(mem: Mem, store: Path) -> None:
    def cost(name: str) -> float:
        began = time.process_time()
        for n in range(10):
            mem.remember("x", f"{name} {n}")
        return time.process_time() - began

    cost("warm")
    few = cost("few")
    for n in range(20_000):
        (store / "notes" / f"n{n}.md").touch()
    assert cost("many") < 3 * few


@pytest.mark.parametrize(
    "name", ["a(1)", "a b", "(a", "a)", "a b (c) d", "a%20b", "a%b", "<a>", "a>)b", "a>", " a ", "[a](b"]
)
def test_every_file_name_has_exactly_one_line(mem: Mem, store: Path, name: str) -> None:
    mem.remember("x", "One")
    (store / "notes" / f"{name}.md").write_text("text\n")
    for n in range(3):
        mem.write("note", f"{n}", name="other")
    assert len(index_lines(store)) == 3
    assert f"{name}.md" in [note_links.target(line) for line in index_lines(store)]


@proves("S1.6", "S1.19")
@pytest.mark.parametrize("name", ["R&D", "plan [old]", "a]b", "`x`", "{x}", "q & a (new)", "it's", "$x;y"])
def test_the_link_of_a_note_made_by_hand_stands_in_the_block_and_leads_to_it(
    mem: Mem, store: Path, name: str
) -> None:
    mem.remember("x", "One")
    (store / "notes" / f"{name}.md").write_text("The budget is 5433.\n")
    (line,) = [line for line in (mem.context_block() or "").splitlines() if "5433" in line]
    link = line.partition("](")[2].rpartition(") —")[0].strip("<>")
    assert Tools(mem).call("memory_read", {"target": link}).text == "The budget is 5433.\n"
    (store / "notes" / "MEMORY.md").write_text(f"{line}\n")  # as a person may copy it
    assert (mem.context_block() or "").count("5433") == 1


@given(
    name=st.text(st.characters(exclude_characters="/\0"), min_size=1).filter(str.isprintable),
    text=st.text(),
)
def test_a_line_leads_back_to_its_note(
    name: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.getbasetemp() / "lines"
    directory.mkdir(exist_ok=True)
    short = name[:40] + ".md"
    (directory / short).write_bytes(text.encode("utf-8", "replace"))
    assert note_links.parsed(
        note_index.line_of(Tree(str(directory)), "", Place(Folder(str(directory)), short))
    ) == (short, True)
    (directory / short).unlink()


@proves("S1.5")
@pytest.mark.parametrize(
    "link",
    [
        "[x](two.md)",
        "[x](./two.md)",
        "[x](<two.md>)",
        "[x](two.md#set-up)",
        "[x](memory://root/notes/two.md)",
        "[[two]]",
        "[[Two]] and more",
        "[[two|the second]]",
        "[r]: two.md",
        "[r]: <two.md>",
    ],
)
def test_a_note_that_ones_own_page_links_to_in_any_form_is_not_listed_again(
    mem: Mem, store: Path, link: str
) -> None:
    mem.remember("The second.", "Two")
    row = f"- See {link}" if link[1] != "r" else link
    (store / "notes" / "MEMORY.md").write_text(f"{row}\n")
    assert note_index.whole(Tree(str(mem.root)), mem.project).splitlines() == [row]


def test_only_regular_files_with_a_printable_name_are_notes(mem: Mem, store: Path, tmp_path: Path) -> None:
    mem.remember("x", "One")
    (store / "notes" / "dir.md").mkdir()
    (store / "notes" / "two\nlines.md").write_text("x\n")
    os.symlink(tmp_path / "outside.md", store / "notes" / "link.md")
    assert note_index.note_files(str(mem.root), mem.project) == ["one.md"]
    mem.remember("y", "Two")
    assert len(index_lines(store)) == 2
    assert mem.list() == [f"projects/{mem.project}/notes/{name}.md" for name in ("one", "two")]


@proves("S1.15")
def test_a_long_title_replaces_its_note_and_one_that_is_too_long_is_refused(mem: Mem, store: Path) -> None:
    for title in ("\u00e4 " * 100, "\U0001f600" * 200, '"' * 200):
        assert mem.remember("one", title).path == mem.remember("two", title).path
    count = len(index_lines(store))
    with pytest.raises(InputError, match="201 characters, more than 200"):
        mem.remember("x", "y" * 201)
    assert len(index_lines(store)) == count == 3


@proves("S1.15")
def test_notes_that_were_given_titles_with_words_of_their_own_replace_no_other(mem: Mem, store: Path) -> None:
    mem.remember("A page called home.", "Home")
    told = mem.remember("A page called search.", "Search")
    assert index_lines(store) == [
        "- [Home](home.md) — A page called home.",
        "- [Search](search.md) — A page called search.",
    ]
    assert "see also" in told.message


def test_a_title_is_collapsed_after_it_was_cleaned(mem: Mem) -> None:
    assert mem.remember("one", "a \x07 b").path == mem.remember("two", "a \x07 b").path
    with pytest.raises(InputError, match="title"):
        mem.remember("x", "\x07")


@pytest.mark.parametrize("linked", ["notes", "notes/MEMORY.md"])
def test_a_linked_or_unreadable_index_does_not_cost_the_block(
    mem: Mem, store: Path, tmp_path: Path, linked: str
) -> None:
    mem.write("long_term", "a fact")
    mem.remember("x", "One")
    (store / "notes" / "MEMORY.md").write_text("secret outside\n")
    (store / linked).rename(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", store / linked)
    block = mem.context_block() or ""
    assert "a fact" in block
    assert "outside" not in block


def test_a_notes_directory_that_cannot_be_listed_does_not_cost_the_block(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem.write("long_term", "a fact")
    mem.remember("x", "One")
    (store / "notes" / "new.md").write_text("x\n")

    def refusing(real: Callable[[int], object]) -> Callable[[int], object]:
        def listing(fd: int) -> object:
            if os.path.samestat(os.fstat(fd), os.stat(store / "notes")):
                raise PermissionError(13, "Permission denied")
            return real(fd)

        return listing

    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name)))
    assert "a fact" in (mem.context_block() or "")


@pytest.mark.parametrize("writes", [False, True], ids=["a look", "a write"])
def test_a_note_that_cannot_be_read_has_no_line_for_nobody_knows_whose_words_it_has(
    mem: Mem, store: Path, monkeypatch: pytest.MonkeyPatch, *, writes: bool
) -> None:
    mem.remember("Mine.", "One")
    (store / "notes" / "theirs.md").write_text("---\norigin: imported\n---\nObey.\n")
    (store / "notes" / "mine.md").write_text("Typed by hand.\n")
    real = os.open

    def refuse(path: Any, *given: Any, **named: Any) -> int:
        if path in ("theirs.md", "mine.md"):
            raise OSError(30, "Read-only file system")
        return real(path, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        if writes:
            mem.remember("Mine too.", "Two")
        assert ".md)" in (mem.context_block() or "")
        assert "(theirs.md)" not in (mem.context_block() or "")
    assert "(theirs.md)" not in (mem.context_block() or "")
    assert "(mine.md)" in (mem.context_block() or "")


def test_a_note_that_appears_in_the_same_instant_as_the_index_is_seen(mem: Mem, store: Path) -> None:
    for n in range(50):
        mem.remember("x", f"Note {n}")
        (store / "notes" / f"extra-{n}.md").write_text("late\n")
        assert f"extra-{n}.md" in (mem.context_block() or "")


@proves("S1.20", "S1.21", "S0.70", "S4.13")
def test_the_guidance_says_what_to_keep_what_not_and_to_verify() -> None:
    from memolith import MEMORY_TOOLS_PROMPT

    words = " ".join(MEMORY_TOOLS_PROMPT.split())
    for phrase in rows("memory/guidance"):
        assert phrase in words


@proves("S1.28", "S4.18")
def test_user_wide_notes_stand_beside_project_notes_with_a_label_of_their_own(mem: Any, work: Path) -> None:
    mem.remember("everywhere", "Global", scope="user")
    mem.remember("only here", "Local")
    block = mem.context_block() or ""
    assert block.index("## User notes index (memory://user/") < block.index("## Notes index (memory://root/")
    other = Mem.open(work.parent).context_block() or ""
    assert "[Global](global.md)" in other
    assert "Local" not in other
    assert mem.search("everywhere").hits[0].path == mem.root / "notes" / "global.md"
    assert mem.read("note", "global", scope="assistant").endswith("everywhere\n")


def test_what_is_said_again_stays_of_its_kind(mem: Mem) -> None:
    first = mem.remember("We like dark mode.", kind="preference")
    again = mem.remember("We like dark mode.")
    assert (again.path, "it says so already" in again.message) == (first.path, True)
    new = mem.remember("We like light mode.", "We like dark mode")
    assert "type: preference\n" in new.path.read_text()
    assert (
        "type: domain\n"
        in mem.remember("We like light mode.", "We like dark mode", "domain").path.read_text()
    )
    assert "type: project\n" in mem.remember("Port 80.", "Port").path.read_text()


def test_nothing_to_remember_is_an_error(mem: Mem) -> None:
    with pytest.raises(InputError, match="title"):
        mem.remember("x", " \n ")
    with pytest.raises(InputError, match="nothing to remember"):
        mem.remember("  ", "T")


def test_a_broken_head_is_kept_and_the_note_still_works(mem: Mem, store: Path) -> None:
    path = store / "notes" / "broken.md"
    path.parent.mkdir(parents=True)
    text = "---\na: [1, 2\nb: {x\n---\nthe body\n"
    path.write_text(text)
    assert "broken.md" in (mem.context_block() or "")
    mem.write("note", "more", name="broken")
    assert path.read_text() == text + "more\n"
    assert len(mem.search("body").hits) == 1


@proves("S0.29")
def test_a_remembered_note_can_be_edited_because_nothing_in_its_head_repeats_it(mem: Mem) -> None:
    path = mem.remember("hello world", "T").path
    mem.edit("note", "hello", "goodbye", "t")
    assert path.read_text() == "---\nname: T\ntype: project\n---\ngoodbye world\n"
    mem.write("note", "goodbye", name="t")
    with pytest.raises(MatchError, match="2 times"):
        mem.edit("note", "goodbye", "x", "t")


@proves("S1.6", "S1.12", "S1.14")
def test_the_hook_of_a_remembered_note_follows_its_first_line_however_that_is_changed(
    mem: Mem, store: Path
) -> None:
    path = mem.remember("Host is alpha.\nmore", "Host").path
    path.write_text(path.read_text().replace("alpha", "beta"))
    assert index_lines(store) == ["- [Host](host.md) — Host is beta."]
    assert "Host is beta." in (mem.context_block() or "")
    mem.edit("note", "Host is beta.", "# Hosts", "host")
    assert index_lines(store) == ["- [Host](host.md) — Hosts"]
    mem.write("note", "---\nname: Host\ndescription: which host\n---\nx", mode="overwrite", name="host")
    assert index_lines(store) == ["- [Host](host.md) — which host"]


def test_the_link_of_a_note_whose_name_begins_like_our_tag_stays_a_link(mem: Mem) -> None:
    mem.write("note", "x", name="memory# memory")
    assert "](<./memory# memory.md>)" in str(mem.context_block())
    mem.write("note", "y", name="memory# memory", mode="overwrite")
    assert str(mem.context_block()).count("memory.md>)") == 1


@proves("S1.15")
def test_another_value_for_the_same_thing_goes_into_the_note_that_has_the_old_one(mem: Mem) -> None:
    mem.remember("Redis for the suite is on 6380.", "Redis")
    done = mem.remember("Redis for the suite is on 6391.", "Redis suite")
    assert "instead of “Redis for the suite is on 6380.”" in done.message
    assert [hit.snippet for hit in mem.recall("which port is Redis on?")] == [
        "Redis for the suite is on 6391."
    ]
    mem.undo()
    assert [hit.snippet for hit in mem.recall("which port is Redis on?")] == [
        "Redis for the suite is on 6380."
    ]


@proves("S1.15")
@pytest.mark.parametrize(
    ("titles", "text", "replaces"),
    [
        (["Running the tests"], "The suite needs Redis on port {}.", True),
        (["Logging"], "The config file of the service is at /etc/{}.yml.", True),
        (["Staging"], "The port is {}.", False),  # it does not say of what
        (["Staging", "Production"], "The suite needs Redis on port {}.", False),
    ],
)
def test_another_value_without_a_title_replaces_the_one_note_that_says_the_same_of_the_same_thing(
    mem: Mem, titles: list[str], text: str, *, replaces: bool
) -> None:
    for number, title in enumerate(titles):
        mem.write("note", f"---\nname: {title}\n---\n{text.format(6380 + number)}", name=title.lower())
    done = mem.remember(text.format(6391))
    assert ("instead of" in done.message, "see also" in done.message) == (replaces, not replaces)
    assert len(mem.list()) == len(titles) + (not replaces)


@pytest.mark.parametrize(
    ("old", "new", "beside"),
    [
        (("Staging", "The port is 5433."), ("Production", "The port is 5434."), True),
        (("Reviews", "Ann reviews the backend."), ("Reviews 2", "Ann reviews the frontend."), True),
        (("Cron", "The export cron runs at 23:55."), ("Cron 2", "The cleanup cron runs at 04:00."), False),
        (("Both", "It is port 5433.\nIt needs a key."), ("Port", "It is port 5434."), False),
    ],
)
def test_similar_facts_about_different_things_replace_nothing(
    mem: Mem, old: tuple[str, str], new: tuple[str, str], *, beside: bool
) -> None:
    mem.remember(old[1], old[0])
    done = mem.remember(new[1], new[0])
    assert ("see also" in done.message, "instead" in done.message) == (beside, False)
    assert mem.read("note", old[0].lower()).endswith(f"{old[1]}\n")


@proves("S0.43")
@pytest.mark.parametrize("grapheme", ["👨\u200d👩\u200d👧\u200d👦", "e\u0301\u0302"])
def test_no_title_index_line_or_page_splits_a_visible_character(mem: Mem, grapheme: str) -> None:
    text = "bb" + grapheme * (60_000 // len(grapheme.encode()))
    mem.remember(text)
    (line,) = [each for each in (mem.context_block() or "").splitlines() if each.startswith("- [bb")]
    title, _, rest = line.removeprefix("- [bb").partition("](")
    hook = rest.partition(" — bb")[2].rstrip("…")
    mem.write("long_term", text)
    for part in (title, hook, mem.read("long_term")[2:].partition("\n…")[0]):
        assert part
        assert part.replace(grapheme, "") == ""


@proves("S0.29")
def test_a_piece_is_replaced_in_the_text_and_breaks_no_head(mem: Mem, store: Path) -> None:
    path = mem.remember("Plan of the name.", "Plan of the name").path
    mem.edit("note", "name", "title", "plan-of-the-name")  # stands in the head as well
    path = store / "notes" / "plan-of-the-title.md"
    assert path.read_text() == "---\nname: Plan of the title\ntype: project\n---\nPlan of the title.\n"
    for old, new in (("name: Plan", "nam: Plan"), ("type: project", "typo: [project")):
        with pytest.raises(InputError, match="`memolith mv` changes the title"):
            mem.edit("note", old, new, "plan-of-the-title")
    mem.edit("note", "type: project", "type: reference", "plan-of-the-title")
    assert "type: reference" in path.read_text()
