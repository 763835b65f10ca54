"""A secret is kept out whichever way it comes: its name may be in the line, above it, or in another field."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prove import ask

from memolith import InputError, Mem, NotFoundError, redact
from memolith.care.erase import purge
from memolith.care.scan import scan_home
from memolith.store.screen import settled
from tests.care.test_scan import hits
from tests.shared import rows

VALUE = "Zebra!Strasse9"
WEAK = "Sommerregen12"


@pytest.fixture
def mem(tmp_path: Path) -> Iterator[Mem]:
    work = tmp_path / "secrets" / "shop"
    work.mkdir(parents=True)
    for command in ("init -q", "-c user.name=a -c user.email=a@b.example commit -q --allow-empty -m x"):
        subprocess.run(["git", *command.split()], cwd=work, check=True)
    with Mem.open(work, home=tmp_path / "home") as mem:
        yield mem


def edited(mem: Mem) -> None:
    mem.write("note", "Passwort: (siehe unten), bitte merken", name="n")
    mem.edit("note", "(siehe unten)", VALUE, name="n")


def appended(target: Any) -> Callable[[Mem], None]:
    def steps(mem: Mem) -> None:
        mem.write(target, "The root password is:", name="n" if target == "note" else None)
        mem.write(target, VALUE, name="n" if target == "note" else None)

    return steps


def recorded(mem: Mem) -> None:
    text = f"The staging password is {VALUE}."
    mem.records.add(text, category="decisions", scope="project", keywords=[VALUE], aliases=[VALUE.lower()])
    mem.records.add(text, category="decisions", scope="project", title=VALUE, force=True)


def retitled(mem: Mem) -> None:
    mem.tickets.update(mem.tickets.add("Words", ticket_id="t").id, title=TABLE)


TOLD = "kotek_kotek_46152"
TABLE = f"| user | पासवर्ड |\n|---|---|\n| bob | {TOLD} |"
WAYS: dict[str, Callable[[Mem], object]] = {
    "an edit of the value": edited,
    "a list below its title": lambda mem: mem.write("long_term", f"Passwords\n- db: {VALUE}\n- web: {WEAK}"),
    "a section": lambda mem: mem.update_section("Admin password", VALUE),
    "the next line of long-term memory": appended("long_term"),
    "the next line of the daily log": appended("daily"),
    "the next line of a note": appended("note"),
    "a heading": lambda mem: mem.append_daily("The root password", VALUE),
    "the title of a note": lambda mem: mem.remember(VALUE, "Admin password"),
    "the name of a note": lambda mem: mem.write("note", VALUE, name="router-kennwort"),
    "a title that repeats it": lambda mem: mem.remember(f"The password is {VALUE}", VALUE),
    "keywords, aliases and the title of a record": recorded,
    "the title of a ticket": lambda mem: mem.tickets.add(VALUE, f"its password is {VALUE}"),
    # What is told by lines, where only one line is kept.
    "a table as the title of a note": lambda mem: mem.remember("Words.", TABLE),
    "a table as the title of a record": lambda mem: mem.records.add(
        "Words.", category="decisions", scope="project", title=TABLE
    ),
    "a table as the title of a ticket": lambda mem: mem.tickets.add(TABLE),
    "a table as the new title of a ticket": retitled,
    "a table as a section": lambda mem: mem.update_section(TABLE, "Words."),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_file_will_tell_as_it_stands_is_masked(way: str, mem: Mem) -> None:
    WAYS[way](mem)
    assert hits(Path(mem.home), [VALUE, TOLD]) == []


def test_a_name_that_the_text_tells_to_be_a_secret_is_refused(mem: Mem) -> None:
    with pytest.raises(InputError, match="choose another"):
        mem.write("note", f"The staging password is {WEAK}.", name=WEAK.lower())
    assert hits(Path(mem.home), [WEAK]) == []


DRAWN = "qV4nT8wJ31zRe"


@pytest.mark.parametrize(
    "named",
    [
        lambda mem: mem.write("note", "x", name=f"password-{DRAWN}"),
        lambda mem: mem.tickets.add("t", ticket_id=f"password-{DRAWN}"),
    ],
)
def test_a_name_with_a_password_in_it_is_refused_with_the_next_step(
    named: Callable[[Mem], object], mem: Mem
) -> None:
    with pytest.raises(InputError, match="choose another"):
        named(mem)
    assert hits(Path(mem.home), [DRAWN]) == []


def test_a_folder_with_a_password_in_its_name_is_written_down_masked(tmp_path: Path) -> None:
    work = tmp_path / f"password-{DRAWN}"
    work.mkdir()
    with Mem.open(work, home=tmp_path / "home") as mem:
        mem.remember("The shop listens on port 8080.")
        assert hits(Path(mem.home), [DRAWN]) == []


def test_no_suggestion_shows_a_password(mem: Mem) -> None:
    first = Path(mem.write("note", "x", name="password-one").filename)
    first.rename(first.with_name(f"password-{DRAWN}.md"))  # as an older version stored it
    ticket = Path(mem.tickets.add("t", ticket_id="password-two").filename)
    ticket.rename(ticket.with_name(f"password-{DRAWN}.md"))
    for find in (mem.find, mem.tickets.get):
        with pytest.raises(NotFoundError) as raised:
            find(f"password-{DRAWN[:-2]}xx")
        assert DRAWN not in str(raised.value)


def test_the_writer_is_told_what_was_masked_and_what_was_not_touched_stays(mem: Mem) -> None:
    mem.write("note", "Passwort: ?\nline two\n", name="n")
    path = Path(mem.write("note", "the end", name="n").filename)
    path.write_text(path.read_text() + "password: typed-by-hand-1\n")
    done = mem.edit("note", "Passwort: ?", f"Passwort: {VALUE}", name="n")
    assert any("masked 1 secret" in each for each in done.warnings)
    assert "typed-by-hand-1" in path.read_text()


@pytest.mark.parametrize("change", rows("text/secrets/changes"))
def test_only_the_lines_that_a_change_touches_are_masked(change: list[str]) -> None:
    old, new, after = (text.format(value=VALUE) for text in change)
    assert settled(old, new, frozenset)[0] == after


@pytest.mark.parametrize(
    "text", [f'echo -e "{WEAK}\\n{WEAK}" | passwd u', f"password: {WEAK} (yes, {WEAK.upper()} it is)"]
)
def test_what_is_a_secret_once_is_one_everywhere_in_the_text(text: str) -> None:
    assert WEAK.lower() not in redact(text).text.lower()


def test_a_purge_leaves_what_identifies_a_project_and_the_index_is_no_finding(mem: Mem) -> None:
    mem.remember(f"the password is {VALUE}", "Words")
    mem.recall("password")
    before = [path.read_text() for path in Path(mem.home).rglob("memory/projects/*/project.yml")]
    assert "root_commit" in before[0]
    assert [str(leak) for leak in scan_home(mem).leaks] == []
    assert purge(mem) == []
    assert before == [path.read_text() for path in Path(mem.home).rglob("memory/projects/*/project.yml")]


def test_a_folder_called_secrets_makes_nothing_else_one() -> None:
    text = "/srv/secrets/shop/workspace is known to workspace-31d9aa84f7919fab and other-31d9aa84f7919fac"
    assert redact(text).findings == []


def test_what_hooks_write_down_of_an_ordinary_session_holds_no_secret(tmp_path: Path) -> None:
    place = ask.Place(tmp_path)
    for number in range(3):
        session = f"0f8fad5b-d9cb-469f-a165-7086728{number}951e"
        for event, fields in (
            ("SessionStart", {"source": "startup"}),
            ("UserPromptSubmit", {"prompt": "Why does the login prompt ask for the token twice?"}),
            ("PostCompact", {"compact_summary": "We looked at the login prompt and the password reset."}),
            ("UserPromptSubmit", {"prompt": "And the sign-in page of shop-da6df3e6?"}),
        ):
            ask.hook(event, place.work, session, home=place.home, **fields)
    with Mem.open(place.work, home=place.home) as mem:
        files = [path for path in (place.home / "state").rglob("*") if path.suffix in {".log", ".shown"}]
        assert files
        assert [path for path in files if mem.scan(path.read_bytes()).leaks] == []


@pytest.mark.parametrize(
    "text",
    [
        "prompt\tc7580de510510ded.38",
        "error: '../../etc/passwd' is not a date; write it as YYYY-MM-DD",
        "login prompt, session 0f8fad5b-aaaa4bbb, memory://root/sessions/claude-0f8fad5b/1",
        "Please sign in.\nproject      shop-da6df3e6",
    ],
)
def test_names_and_hashes_of_our_own_are_no_secrets(text: str) -> None:
    assert redact(text).text == text


def test_a_scan_finds_what_redact_masks(mem: Mem) -> None:
    for text in (f"jelszó: {VALUE}", "kapukód: 19K38", f"no name for {VALUE}", "recovery codes: 7f3k-9q2m"):
        assert len(mem.scan(text.encode()).leaks) == len(redact(text).findings), text


def test_a_title_made_of_the_first_words_has_none_of_a_long_secret(mem: Mem, store: Path) -> None:
    words = "legal winner thank year wave sausage worth useful legal winner thank yellow"
    result = mem.remember(f"recovery phrase: {words}")
    assert "winner" not in str(result)
    assert not [path for path in Path(mem.home).rglob("*") if "winner" in path.name]
    assert [b"winner" in path.read_bytes() for path in (store / "notes").iterdir()] == [False, False]
