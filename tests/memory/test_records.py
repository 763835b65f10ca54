"""Records: typed facts that a person can make, move and correct by hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import InputError, Mem, NotFoundError, TooLargeError
from memolith.memory.entries import EntryResult
from memolith.memory.record import read
from memolith.store.layout import CATEGORIES
from memolith.text.words import likeness
from tests.conftest import Clock
from tests.ledger import proves

FACT = "Deploys go through the release train on Thursdays."


def add(mem: Mem, text: str = FACT, category: str = "decisions", scope: str = "project", **more: Any) -> str:
    return mem.records.add(text, category=category, scope=scope, **more).id


def add_whole(mem: Mem, text: str, **more: Any) -> EntryResult:
    return mem.records.add(text, category="decisions", scope="project", **more)


@proves("S3.20", "S3.21", "S3.31")
def test_a_record_is_one_file_in_the_directory_of_its_category(mem: Mem, store: Path) -> None:
    done = mem.records.add(
        FACT,
        category="procedures",
        scope="project",
        title="Release train",
        aliases=["deploy day"],
        keywords=["thursday", "ship, it"],
        source="retro",
    )
    path = store / "records" / "procedures" / "release-train.md"
    assert (done.id, done.filename) == ("release-train", str(path))
    assert path.read_text() == (
        "---\nid: release-train\ncategory: procedures\nscope: project\ntitle: Release train\n"
        'created: "2026-11-15"\nupdated: "2026-11-15"\nsource: retro\naliases:\n  - deploy day\n'
        "keywords:\n  - thursday\n  - ship, it\nstatus: active\ntemporal: permanent\n---\n" + FACT + "\n"
    )
    assert [record.id for record in mem.records.list()] == ["release-train"]


@proves("S3.7")
def test_there_are_five_categories_and_another_is_an_error_that_lists_them(mem: Mem) -> None:
    assert CATEGORIES == ("decisions", "procedures", "principles", "incidents", "preferences")
    for number, category in enumerate(CATEGORIES):
        add(mem, f"Fact {number} about {category}.", category)
    with pytest.raises(InputError, match=", ".join(CATEGORIES)):
        add(mem, category="thoughts")


@proves("S3.3", "S3.4", "S3.5")
def test_a_project_sees_its_own_records_and_the_users_but_no_other_projects(mem: Mem, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Mem.open(tmp_path / "other")
    add(mem, "Here we use tabs.")
    add(mem, "I like short answers.", "preferences", "assistant")
    add(other, "There they use spaces.")
    assert {record.title for record in mem.records.list()} == {"Here we use tabs.", "I like short answers."}
    assert {record.title for record in other.records.list()} == {
        "There they use spaces.",
        "I like short answers.",
    }


@proves("S3.8")
def test_only_incidents_expire_and_an_expired_one_keeps_its_file(mem: Mem, clock: Clock) -> None:
    record = mem.records.get(add(mem, "Staging is down.", "incidents", expires="2026-11-16"))
    assert record.temporal == "temporary"
    assert record.holds("2026-11-16")
    assert not record.holds("2026-11-17")
    clock.seconds += 3 * 86_400
    assert mem.records.get(record.id) == record
    with pytest.raises(InputError, match="only incidents can expire"):
        add(mem, expires="2026-12-01")
    with pytest.raises(InputError, match="'soon' is not a date"):
        add(mem, "x y", "incidents", expires="soon")


@proves("S3.11")
def test_a_secret_is_masked_in_text_and_metadata_and_the_reply_says_so(mem: Mem) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    done = mem.records.add(
        f"The bot uses {token}.",
        category="decisions",
        scope="project",
        title=f"Bot {token}",
        keywords=[token],
    )
    assert token not in Path(done.filename).read_text()
    assert any("masked" in warning for warning in done.warnings)


@proves("S3.11")
@pytest.mark.parametrize(
    "secret", ["password=Tr0ub4dor3xyzzy", "AKIAZ7QX2M4N6P8R1T3V", "ghp_" + "aB3dE5fG7h" * 4]
)
def test_no_secret_becomes_part_of_an_id_a_path_or_a_recalled_brief(mem: Mem, secret: str) -> None:
    value = secret.rpartition("=")[2]
    done = [
        add_whole(mem, f"The deploy key {secret} is for zebra."),
        add_whole(mem, "It opens the zebra house.", title=f"Key {secret}"),
        mem.tickets.add(f"Rotate {secret} of zebra"),
        mem.tickets.add("Zebra key", f"Rotate {secret}."),
    ]
    assert all(any("masked" in each for each in one.warnings) for one in done)
    told = [f"{one.id} {one.message} {one.filename}" for one in done]
    told += [str(mem.recall("zebra", semantic=False).as_dict()), mem.context_block("zebra key") or ""]
    told += [str(path.relative_to(mem.home)) for path in Path(mem.home).rglob("*")]
    flat = value.casefold().replace("_", "-")
    assert not [each for each in told if flat in each.casefold().replace("_", "-")]


@proves("S3.12")
@pytest.mark.parametrize("role", ["User", "**Human**", "> assistant", "AI"])
def test_a_conversation_or_a_book_is_not_a_record(mem: Mem, role: str) -> None:
    pasted = "\n".join(f"{role.strip('*')}: line {n}\nAssistant: reply {n}" for n in range(4))
    with pytest.raises(InputError, match="conversation"):
        add(mem, pasted)
    headings = "## User\nhello\n**Assistant**\nhi\n" * 4
    for other in (headings, json.dumps([{"role": "user", "content": "hi"}] * 4)):
        with pytest.raises(InputError, match="conversation"):
            add(mem, other)
    with pytest.raises(TooLargeError, match="8,192"):
        add(mem, "long " * 2000)


@proves("S3.12")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[10:01] user: {}", "[10:02] assistant: {}"),
        ("2026-11-11 10:00 user: {}", "2026-11-11 10:01 assistant: {}"),
        ("[2026-11-11 10:00:03] Ann: {}", "[2026-11-11 10:01:07] Ben: {}"),
        ("[user] {}", "[assistant] {}"),
        ("<user>{}</user>", "<assistant>{}</assistant>"),
        ("<user>\n{}\n</user>", "<assistant>\n{}\n</assistant>"),
        ("You: {}", "ChatGPT: {}"),
        ("**Me:** {}", "**Claude:** {}"),
        ("Benutzer: {}", "Assistent: {}"),
        ("Utilisateur : {}", "Assistant : {}"),
        ("Пользователь: {}", "Ассистент: {}"),
        ("用户：{}", "助手：{}"),
        ("ユーザー：{}", "アシスタント：{}"),
        ("Ann Lee (10:01 AM): {}", "Ben: {}"),
        ("### Ann\n\n{}\n", "### Ben\n\n{}\n"),
    ],
)
def test_two_speakers_who_take_turns_are_a_conversation(mem: Mem, one: str, other: str) -> None:
    pasted = "\n".join(f"{one}\n{other}".format(f"do thing {n}", f"did thing {n}") for n in range(4))
    with pytest.raises(InputError, match=r"conversation \(8 turns\)"):
        add(mem, pasted)


@pytest.mark.parametrize(
    "text",
    [
        "Problem: the cache lost its keys.\nFix: restart Redis.\nProblem: DNS.\nFix: the hosts file.",
        "Staging: 10.0.0.1\nProduction: 10.0.0.2\nBackup: 10.0.0.3\nLogs: 10.0.0.4\nCache: 10.0.0.5",
        "# Deploys\n\n## Staging\n\nBy hand.\n\n## Production\n\nBy the train.\n\n## Rollback\n\nAsk Ann.",
        "user: ada\nhost: db1\nport: 5432\npassword: in the vault",
        "[build] runs first\n[test] runs next\n[lint] runs last\n[docs] never",
    ],
)
def test_labels_before_lines_are_no_speakers(mem: Mem, text: str) -> None:
    assert add(mem, text)


@proves("S3.22")
def test_what_a_person_edits_in_the_file_counts(mem: Mem) -> None:
    number = add(mem)
    path = Path(mem.records.get(number).filename)
    full = mem.root / path
    full.write_text(full.read_text().replace("Thursdays", "Mondays"))
    assert "Mondays" in mem.records.get(number).body


@proves("S3.23")
def test_a_file_made_by_hand_is_a_record_with_what_is_missing_filled_in(mem: Mem, store: Path) -> None:
    mem.write("scratchpad", "x")
    directory = store / "records" / "incidents"
    directory.mkdir(parents=True)
    (directory / "bare.md").write_text("The cache lost its keys.\n")
    (directory / "head.md").write_text("---\nkeywords: redis\n---\n# Cache outage\nIt was DNS.\n")
    (directory / "broken.md").write_text("---\ntitle: [\n---\nStill here.\n")
    records = {record.id: record for record in mem.records.list()}
    assert records["bare"].title == "The cache lost its keys."
    assert (records["bare"].status, records["bare"].category) == ("active", "incidents")
    assert (records["head"].title, records["head"].keywords) == ("Cache outage", ["redis"])
    assert records["broken"].problem
    assert "Still here." in records["broken"].body
    before = (directory / "broken.md").read_text()
    with pytest.raises(InputError, match=r"broken\.md: its head cannot be read"):
        mem.records.update("broken", "Another text.")  # which would drop the head
    with pytest.raises(InputError, match=r"broken\.md: its head cannot be read"):
        mem.records.update("broken", keywords=["dns"])  # which would bury it in the text
    with pytest.raises(InputError, match=r"broken\.md: its head cannot be read"):
        mem.records.reclassify("broken", "principles")
    assert (directory / "broken.md").read_text() == before
    mem.records.archive("broken")
    assert before in (directory / "broken.md").read_text()
    archived = mem.records.get("broken")
    assert (archived.status, archived.title) == ("archived", records["broken"].title)


@proves("S3.32", "S3.47")
def test_the_same_fact_again_is_one_record_with_more_sources(mem: Mem) -> None:
    first = add(mem)
    for number in range(10):
        done = mem.records.add(
            "Deploys go through the release train, on Thursdays!",
            category="decisions",
            scope="project",
            source=f"session {number}",
        )
        assert (done.id, done.created) == (first, False)
    (record,) = mem.records.list()
    assert record.sources == ["agent", *(f"session {number}" for number in range(10))]
    long = "Deploys of the web shop go through the release train every Thursday at noon, says Ada"
    assert add(mem, long) == add(mem, f"{long} again.") != first
    assert mem.records.add(FACT, category="decisions", scope="project", force=True).created


@proves("S3.32")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I always squash commits before merge.", "Always squash commits before merge."),
        ("My machine has 16 GB of RAM", "The machine has 16 GB RAM"),
        ("Prefer short answers.", "I prefer short answers"),
        ("Mein Rechner hat 16 GB RAM.", "Der Rechner hat 16 GB RAM"),
    ],
)
def test_who_says_it_makes_no_second_record_and_whose_it_is_does(mem: Mem, one: str, other: str) -> None:
    assert add(mem, one) == add(mem, other)
    assert not [each for each in mem.doctor().findings if each.kind == "duplicate"]
    assert add(mem, "My phone has 8 GB of RAM") != add(mem, "Her phone has 8 GB of RAM")


@proves("S3.32")
@pytest.mark.parametrize("titles", [("Package manager", None), (None, "Package manager")])
def test_the_same_text_is_one_record_unless_both_were_given_titles(
    mem: Mem, titles: tuple[str | None, str | None]
) -> None:
    first, second = (add_whole(mem, "Use pnpm 9 for installs, not npm.", title=each) for each in titles)
    assert (second.id, second.created) == (first.id, False)
    assert "Package manager" in {(known := mem.records.get(first.id)).title, *known.aliases}
    of_web = add_whole(mem, "At most 10 MB.", title="Uploads in the web app")
    of_mail = add_whole(mem, "At most 10 MB.", title="Mail attachments")
    assert of_mail.created
    assert of_mail.message.endswith(f"(see also {of_web.id}, which says so already)")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Staging runs Kubernetes 1.31.", "Staging runs Kubernetes 1.32."),
        ("The suite needs Redis on port 6380.", "The suite now needs Redis on port 6390."),
        ("Session caching uses cache-alpha.", "Session caching moved to cache-bravo."),
    ],
)
def test_another_value_for_the_same_thing_supersedes_the_old_one_at_once(
    mem: Mem, old: str, new: str
) -> None:
    before = add(mem, old)
    done = mem.records.add(new, category="decisions", scope="project")
    assert done.superseded == [before]
    assert [record.id for record in mem.records.list()] == [done.id]
    assert mem.records.get(before).status == "superseded"
    assert mem.records.get(before).valid_until == "2026-11-15"
    assert mem.records.get(done.id).supersedes == [before]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Worker 3 needs 16 GB.", "Worker 4 needs 16 GB."),
        ("Staging listens on 8080.", "Production listens on 9090."),
        ("Use tabs in Go.", "Use spaces in Python."),
        ("Ask Ada about billing.", "Ask Bob about shipping."),
    ],
)
def test_facts_about_different_things_stand_beside_each_other(mem: Mem, one: str, other: str) -> None:
    add(mem, one)
    add(mem, other)
    assert len(mem.records.list()) == 2


def test_supersedes_can_be_said(mem: Mem) -> None:
    old = add(mem, "We deploy by hand.")
    new = add(mem, "A pipeline ships each merge.", supersedes=[old])
    assert mem.records.get(new).supersedes == [old]
    with pytest.raises(NotFoundError):
        add(mem, "z", supersedes=["nothing-like-it"])
    mem.records.restore(old)
    assert mem.records.get(old).holds(mem.today)


@proves("S3.33")
def test_an_update_keeps_id_creation_date_comments_and_foreign_keys(mem: Mem, clock: Clock) -> None:
    number = add(mem)
    path = mem.root / mem.records.get(number).filename
    path.write_text(path.read_text().replace("status:", "# mine\nteam: core\nstatus:"))
    clock.seconds += 86_400
    mem.records.update(number, "Deploys go out daily.", keywords=["deploy", "daily"])
    text = path.read_text()
    assert "# mine\nteam: core\n" in text
    record = mem.records.get(number)
    assert (record.created, record.updated) == ("2026-11-15", "2026-11-16")
    assert (record.body, record.keywords) == ("Deploys go out daily.\n", ["deploy", "daily"])
    with pytest.raises(InputError, match="what should change"):
        mem.records.update(number)


@proves("S3.33")
def test_a_record_without_a_head_keeps_the_day_it_was_saved_as_its_creation_date(
    mem: Mem, store: Path
) -> None:
    path = store / "records" / "decisions" / "bare.md"
    path.parent.mkdir(parents=True)
    path.write_text("By hand.\n")
    os.utime(path, (1_770_000_000, 1_770_000_000))
    created = mem.records.get("bare").created
    assert created == "2026-02-02"
    mem.records.update("bare", "By hand, edited.")
    assert mem.records.get("bare").created == created
    mem.records.reclassify("bare", "procedures")
    assert mem.records.get("bare").created == created


@proves("S3.34")
def test_reclassifying_moves_the_file_and_keeps_the_id(mem: Mem, store: Path) -> None:
    number = add(mem)
    mem.records.reclassify(number, "procedures")
    assert not (store / "records" / "decisions" / f"{number}.md").exists()
    record = mem.records.get(number)
    assert (record.id, record.category) == (number, "procedures")
    assert "category: procedures" in (mem.root / record.filename).read_text()


def test_an_incident_that_becomes_something_else_does_not_expire(mem: Mem) -> None:
    number = add(mem, "Down.", "incidents", expires="2026-11-16")
    assert mem.records.reclassify(number, "principles").warnings
    assert mem.records.get(number).holds("2027-01-01")


@proves("S3.35", "S3.37")
def test_an_archived_record_is_listed_only_if_asked_and_can_come_back(mem: Mem) -> None:
    number = add(mem)
    other = add(mem, "I like tea.", "preferences", "user")
    mem.records.archive(number)
    assert [record.id for record in mem.records.list()] == [other]
    assert [record.id for record in mem.records.list(status="archived")] == [number]
    assert len(mem.records.list(archived=True)) == 2
    assert [record.id for record in mem.records.list(scope="user")] == [other]
    assert [record.id for record in mem.records.list("preferences")] == [other]
    mem.records.restore(number)
    assert len(mem.records.list()) == 2
    assert [record.id for record in mem.records.list("preferences")] == [other]
    with pytest.raises(InputError, match="unknown status"):
        mem.records.list(status="gone")


@proves("S3.36", "S3.38")
def test_get_and_delete_take_the_beginning_of_an_id_and_know_what_is_not_there(mem: Mem) -> None:
    number = add(mem)
    add(mem, "Deploys need two approvals.")
    assert mem.records.get(number[:14]).id == number
    with pytest.raises(InputError, match="short for"):
        mem.records.get("deploys")
    with pytest.raises(NotFoundError, match=f"did you mean '{number}'"):
        mem.records.get(number.replace("train", "trains"))
    path = mem.root / mem.records.get(number).filename
    mem.records.delete(number)
    assert not path.exists()
    with pytest.raises(NotFoundError):
        mem.records.delete(number)
    mem.undo(str(path))
    assert mem.records.get(number).id == number


def test_two_titles_with_the_same_name_get_two_ids(mem: Mem) -> None:
    assert add(mem, "alpha", title="Foo!") == "foo"
    assert add(mem, "beta gamma", "principles", title="foo?") == "foo-2"


def test_a_link_in_place_of_a_record_is_not_followed(mem: Mem, store: Path, tmp_path: Path) -> None:
    add(mem)
    outside = tmp_path / "outside.md"
    outside.write_text("private")
    (store / "records" / "decisions" / "link.md").symlink_to(outside)
    assert read(str(mem.root), f"projects/{mem.project}/records/decisions/link.md") is None
    assert len(mem.records.list()) == 1


@proves("S3.32", "S3.47")
@pytest.mark.parametrize(
    ("fact", "leads"),
    [
        (
            "Never push to main directly.",
            ["Please", "So,", "No,", "Actually,", "No, please", "Well, so", "Ok,", "Yes.", "Right,"],
        ),
        ("Niemals direkt auf main pushen.", ["Bitte", "Nein,", "Also,", "Eigentlich", "Ach nein, bitte"]),
        (
            "Ne pousse jamais sur main directement.",
            ["S'il te plaît,", "Non,", "En fait,", "Donc", "S’il vous plaît"],
        ),
        ("Nunca hagas push a main.", ["Por favor,", "No,", "En realidad,", "Entonces,"]),
        ("Nunca faça push na main.", ["Por favor,", "Não,", "Na verdade,", "Então"]),
        ("Никогда не пушь в main напрямую.", ["Пожалуйста,", "Нет,", "На самом деле,", "Итак,"]),
        ("不要直接推送到main。", ["请", "不，", "其实，", "所以，"]),
        ("mainに直接プッシュしないでください。", ["いや、", "実は、", "だから、"]),
    ],
)
def test_what_leads_to_a_statement_makes_no_second_record(mem: Mem, fact: str, leads: list[str]) -> None:
    first = add(mem, fact)
    for lead in leads:
        said = fact if lead[-1] in "请，、" else f"{fact[0].lower()}{fact[1:]}"
        assert add(mem, f"{lead}{'' if lead[-1] in '请，、' else ' '}{said}") == first, lead
    assert len(mem.records.list()) == 1


@given(st.text(), st.text())
def test_likeness_is_symmetric_and_never_both_same_and_contrary(one: str, other: str) -> None:
    assert likeness.same(one, other) == likeness.same(other, one)
    assert likeness.contradicts(one, other) == likeness.contradicts(other, one)
    assert not (likeness.same(one, other) and likeness.contradicts(one, other))


@proves("S3.32")
@pytest.mark.parametrize(
    ("old", "new"), [("Use Node 22", "Use Node 24"), ("We pin Python to 3.11.", "We pin Python to 3.13.")]
)
def test_another_version_of_the_same_thing_is_recorded_instead_of_the_old_one(
    mem: Mem, old: str, new: str
) -> None:
    first = mem.records.add(old, category="decisions", scope="project")
    done = mem.records.add(new, category="decisions", scope="project")
    assert done.superseded == [first.id]
    assert f"(instead of {first.id})" in done.message
    mem.undo()
    assert [each.id for each in mem.records.list()] == [first.id]


def test_a_fact_that_differs_in_one_word_replaces_nothing_and_says_what_it_stands_beside(mem: Mem) -> None:
    first = mem.records.add("Use Helm for deploys.", category="decisions", scope="project")
    assert [each.id for each in mem.records.rivals("Use Kustomize for deploys.", scope="project")] == [
        first.id
    ]
    assert mem.records.rivals("Use Helm for releases of the shop.", scope="project") == []
    done = mem.records.add("Use Kustomize for deploys.", category="decisions", scope="project")
    assert (done.superseded, f"beside {first.id}" in done.message) == ([], True)


def test_a_new_record_waits_for_no_session_to_be_indexed_and_recall_finds_both(mem: Mem) -> None:
    said = [{"role": "user", "content": "The parrot cage is beside the loading dock."}]
    mem.sessions.end(said, agent="claude", session_id="one")
    first = add(mem, "Parrots are fed at noon by the night shift.")
    assert mem.index.status([mem.project]).changed > 1  # the session, too
    assert add(mem, "Parrots are fed at noon by the night shift.") == first
    assert any("loading dock" in hit.snippet for hit in mem.recall("where is the parrot cage?"))
    assert any("night shift" in hit.snippet for hit in mem.recall("when are parrots fed?"))


@proves("S3.35")
def test_a_restored_record_keeps_an_end_of_its_own_and_loses_that_of_its_successor(
    mem: Mem, store: Path, clock: Clock
) -> None:
    ending = add(mem, "Freeze in December.", valid_until="2027-01-01")
    mem.records.archive(ending)
    mem.records.restore(ending)
    assert mem.records.get(ending).valid_until == "2027-01-01"
    for own in ("", "2027-02-01"):
        old = add(mem, f"We deploy by hand {own}.", valid_until=own or None)
        clock.seconds += 86_400
        add(mem, f"A pipeline ships each merge {own}.", supersedes=[old])
        clock.seconds += 86_400
        mem.records.restore(old)
        assert mem.records.get(old).valid_until == own
        assert mem.records.get(old).holds(mem.today)
        assert "superseded_by: a-pipeline" not in (store / "records/decisions" / f"{old}.md").read_text()
