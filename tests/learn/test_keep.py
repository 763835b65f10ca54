"""What a person asked for is kept at once; what is said again counts; what was kept can be seen."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memolith import Mem
from memolith.edges.cli import main
from memolith.learn import keep, withdraw
from memolith.memory import taken_back
from memolith.recall.recall import for_block
from memolith.store import layout
from tests.learn.talk import session
from tests.ledger import proves


def told(mem: Mem, name: str, *said: str, time: str = "2026-11-10T09:00:00Z") -> str:
    turns = [pair for text in said for pair in (("user", text), ("assistant", "OK."))]
    return mem.sessions.add(session(*turns, name=name, time=time)).name


@pytest.fixture
def learning(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mem]:
    """Return the memory `mem`, with learning switched on and no model."""
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    monkeypatch.setenv("MEMOLITH_MODELS_DEFAULT", "none")
    with Mem.open(mem.identity.root) as other:
        yield other


@proves("S2.94")
def test_a_request_to_remember_is_kept_although_learning_is_off(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert mem.learning.off
    name = told(mem, "one", "Remember that the queue listens on port 5433.", "always sign your commits")
    assert keep.asked(mem, name, 4) == 1
    (record,) = mem.records.list()
    assert (record.body.strip(), record.source) == ("The queue listens on port 5433.", f"{name}#1")
    assert not mem.review.list()
    mem.records.update(record.id, "The queue listens on port 5434.")
    assert keep.asked(mem, name, 2) == 0  # of the last turns only: what was corrected stays corrected
    assert [each.body.strip() for each in mem.records.list()] == ["The queue listens on port 5434."]
    mem.records.delete(record.id)
    assert keep.asked(mem, name, 2) == 0  # and what was deleted stays away
    monkeypatch.setenv("MEMOLITH_HOOKS_REMEMBER", "false")
    with Mem.open(mem.identity.root) as other:
        assert keep.asked(other, name, 4) == 0


@proves("S2.96")
def test_what_was_asked_for_is_in_the_next_block_once_while_its_record_holds(
    mem: Mem, tmp_path: Path
) -> None:
    said = "The queue listens on port 5433."
    name = told(mem, "one", f"Remember that {said}", "Remember that in all my projects I want short answers.")
    assert keep.asked(mem, name, 4) == 2

    def shown(text: str = said) -> int:
        return (mem.context_block() or "").count(text)

    assert (shown(), shown("short answers")) == (1, 1)
    (tmp_path / "elsewhere").mkdir()
    with Mem.open(tmp_path / "elsewhere") as other:
        assert said not in (other.context_block() or "")
        assert "short answers" in (other.context_block() or "")
    (record,) = [each for each in mem.records.list() if "5433" in each.body]
    mem.records.archive(record.id)
    assert shown() == 0
    mem.records.restore(record.id)
    assert shown() == 1
    mem.records.delete(record.id)
    assert shown() == 0
    mem.undo(record.filename)
    assert shown() == 1
    (mem.root / layout.path(mem.project, "MEMORY.md")).write_text(f"- {said}\n")
    assert shown() == 1  # the document says it


@proves("S2.96")
def test_a_new_name_for_a_thing_that_people_asked_to_remember_takes_the_place_of_the_old(mem: Mem) -> None:
    for number, each in enumerate(("called kestrel", "called falcon now", "maintained by Ann")):
        name = told(mem, f"s{number}", f"Remember that the staging server is {each}.")
        assert keep.asked(mem, name, 2) == 1
    block = mem.context_block() or ""
    assert "kestrel" not in block
    assert block.count("called falcon") == block.count("maintained by Ann") == 1


@proves("S2.96")
@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("fix the login and remember that Safari drops the cookie", "Safari drops the cookie."),
        ("Can you remember that the build uses Bazel?", "The build uses Bazel."),
        ("Please remember for the future: reviews are done by Anna.", "reviews are done by Anna."),
        ("Remember this: the mailer sends at 6 am.", "The mailer sends at 6 am."),
        ("Lembre-se de que o cache é Redis.", "o cache é Redis."),
        ("Kannst du dir merken, dass Anna die Reviews macht?", "Anna die Reviews macht."),
        ("デプロイにはVPNが必要だと覚えておいて。", "デプロイにはVPNが必要だ."),
        ("Can you remember what we did yesterday?", ""),
        ("do you remember that the build uses Bazel?", ""),
        ("I can't remember that the port was 80", ""),
    ],
)
def test_a_request_is_kept_however_it_is_put(mem: Mem, asked: str, kept: str) -> None:
    name = told(mem, "one", asked)
    assert keep.asked(mem, name, 2) == bool(kept)
    assert [each.body.strip() for each in mem.records.list()] == [kept] * bool(kept)


@proves("S2.96")
def test_a_new_value_that_names_the_old_one_takes_its_place(mem: Mem) -> None:
    for number, each in enumerate(("8080", "9090, not 8080")):
        name = told(mem, f"s{number}", f"Remember that the API runs on port {each}.")
        assert keep.asked(mem, name, 2) == 1
    assert "port 8080" not in (mem.context_block() or "")


@proves("S2.92")
def test_a_candidate_counts_when_another_session_says_it_again(learning: Mem) -> None:
    told(learning, "one", "start", "use conventional commits")
    learning.learning.run(force=True)
    assert learning.records.list() == []
    (hit, *_) = learning.recall("conventional commits").hits
    assert hit.origin.endswith("candidate")
    assert "conventional" not in (learning.context_block() or "")
    assert "record" not in {hit.kind for hit in for_block(learning, "conventional commits").hits}
    told(learning, "two", "go", "use conventional commits")
    learning.learning.run(force=True)
    (record,) = learning.records.list()
    assert record.body.strip() == "Use conventional commits."
    assert (learning.context_block() or "").count("Use conventional commits.") == 1


@proves("S2.92")
def test_a_copy_of_a_session_does_not_say_a_thing_again(learning: Mem) -> None:
    for name in ("one", "fork"):
        told(learning, name, "start", "use conventional commits")
        learning.learning.run(force=True)
    assert learning.records.list() == []


@proves("S2.96")
@pytest.mark.parametrize("order", [("bob", "anna"), ("anna", "bob")])
def test_the_later_session_counts_in_whatever_order_sessions_are_learned(
    learning: Mem, order: tuple[str, ...]
) -> None:
    times = {"bob": "2026-11-10T04:00:00Z", "anna": "2026-11-10T05:00:00Z"}
    for name in order:
        told(learning, name, f"Remember that {name.title()} is the release manager.", time=times[name])
        assert keep.asked(learning, f"claude-{name}", 2) == (order[0] == name or name == "anna")
    for _ in range(2):
        learning.learning.run(force=True)
        assert [each.body.strip() for each in learning.records.list()] == ["Anna is the release manager."]
        assert len(learning.records.list(archived=True)) == len(order) - (order[0] == "anna")
        assert (learning.context_block() or "").count("is the release manager") == 1


@proves("S2.96")
def test_what_a_person_put_away_or_wrote_since_is_not_brought_back_by_an_older_session(learning: Mem) -> None:
    told(learning, "one", "Remember that the queue listens on port 5433.", "Always sign your commits.")
    assert keep.asked(learning, "claude-one", 4) == 1
    (record,) = learning.records.list()
    learning.records.archive(record.id)
    learning.records.add("Never sign your commits.", category="principles", scope="project")
    learning.learning.run(force=True)
    assert [each.body.strip() for each in learning.records.list()] == ["Never sign your commits."]
    told(learning, "two", "Remember that the queue listens on port 5433.", time="2036-01-01T09:00:00Z")
    assert keep.asked(learning, "claude-two", 2) == 1  # said again, since
    assert len(learning.records.list()) == 2


@proves("S2.96")
@pytest.mark.parametrize("said", ["The signing key rotates every 30 days.", "The token endpoint is slow."])
@pytest.mark.parametrize("agent", ["claude", "opencode", "mine"])
def test_where_something_was_said_is_no_secret_whatever_it_says(learning: Mem, said: str, agent: str) -> None:
    name = "ses_e13cf0e0affeRhynR8xMMkoGs7" if agent == "opencode" else "0f8fad5b-d9cb-469f-a165-70867728950e"
    turns = session(("user", f"Remember that {said}"), ("assistant", "OK."), name=name).but(agent=agent)
    kept = learning.sessions.add(turns).name
    assert keep.asked(learning, kept, 2) == 1
    (record,) = learning.records.list()
    assert record.source == f"{kept}#1"
    learning.learning.run(force=True)
    assert f"[{kept}#1]" in (learning.root / layout.path(learning.project, "MEMORY.md")).read_text()
    learning.sessions.delete(kept)
    withdraw.forget_session(learning, kept)
    assert learning.records.list(archived=True) == []


@proves("S2.94", "S2.87")
def test_what_was_taken_back_is_not_kept_from_a_copy_of_the_session_but_when_asked_for_anew(
    mem: Mem,
) -> None:
    name = told(mem, "one", "Remember that the queue listens on port 5433.")
    keep.asked(mem, name, 2)
    mem.records.delete(mem.records.list()[0].id)
    assert keep.asked(mem, told(mem, "fork", "Remember that the queue listens on port 5433."), 2) == 0
    assert not for_block(mem, "which port does the queue listen on?").hits
    request = ("user", "Remember that the queue listens on port 5433.")
    again = session(request, name="new", time="2099-01-01T09:00:00Z")
    assert keep.asked(mem, mem.sessions.add(again).name, 1) == 1


@proves("S2.87")
@pytest.mark.parametrize(
    ("deleted", "said"),
    [
        ("Never push to main.", "Never force-push to main."),
        ("Never push to main.", "Never push to main without tests."),
        ("We use Redis for the queue.", "We no longer use Redis for the queue."),
        ("Skip the flaky test.", "Don't skip the flaky test."),
        ("Always run the tests.", "Always run the tests before you commit."),
        ("Always use pnpm, not npm.", "You must always use npm instead of pnpm."),
        ("Always use pnpm, not npm.", "Never use pnpm instead of npm."),
        ("Always use pnpm, not npm.", "Use pnpm, not npm, in the web folder."),
        ("Use pnpm instead of npm.", "Use pnpm instead of yarn."),
        ("No tabs.", "Tabs are allowed."),
        ("No tabs.", "Use tabs."),
        ("Never push to main.", "Pushing to main is not forbidden."),
        ("Never use npm.", "npm is forbidden in the web folder."),
        ("No emojis in commits.", "Commit messages must not have emojis."),
        ("Use tabs.", "Indent with tabs."),
        ("Always use pnpm, never npm.", "Always use npm, never pnpm."),
        ("Always use pnpm, never npm.", "Never use pnpm, always use npm."),
        ("Always use pnpm, never npm.", "Always use pnpm, never yarn."),
        ("No tabs in this repo.", "Use tabs in this repo, never spaces."),
        ("Niemals Tabs.", "Tabs verwenden wir immer."),
        ("No tabs.", "Tabs? Always."),
    ],
)
def test_another_rule_than_the_one_taken_back_is_learned(deleted: str, said: str) -> None:
    assert not taken_back.has([deleted], said)
    assert taken_back.has([deleted], deleted.lower())


@proves("S2.87")
@pytest.mark.parametrize(
    "said",
    [
        "You must always use pnpm instead of npm.",
        "Instead of npm, use pnpm.",
        "Please use pnpm rather than npm!",
        "Never use npm, always use pnpm.",
        "Use pnpm, never npm, always.",
    ],
)
def test_a_rule_that_was_taken_back_is_known_in_other_words(said: str) -> None:
    assert taken_back.has(["Always use pnpm, not npm."], said)


@proves("S2.87")
@pytest.mark.parametrize(
    ("deleted", "said"),
    [
        ("No tabs.", "Tabs are forbidden."),
        ("No tabs.", "Don't use tabs."),
        ("No tabs.", "Tabs aren't allowed."),
        ("Tabs are banned in this repo.", "Never use tabs in this repo."),
        ("Never push to main.", "Pushes to main are prohibited."),
        ("Use tabs.", "Tabs are mandatory."),
        ("Keine Tabs.", "Tabs sind verboten."),
        ("Pas de tabulations.", "Les tabulations sont interdites."),
        ("Sin tabulaciones.", "Las tabulaciones están prohibidas."),
        ("Sem tabulações.", "Tabulações são proibidas."),
        ("Не используй npm.", "npm запрещён."),
        ("不要用制表符。", "禁止使用制表符。"),
        ("タブは使わない。", "タブは禁止。"),
        ("Pas de tabulations.", "N'utilise pas de tabulations."),
        ("Nada de tabulaciones.", "Las tabulaciones están prohibidas."),
        ("Никаких tabs.", "Tabs запрещены."),
        ("不要用 tabs", "tabs 是禁止的"),
        ("タブ禁止", "タブを使わないでください"),
        ("Never use tabs here.", "No tabs here, never."),
        ("Never use tabs here.", "I never want tabs here."),
        ("Never use tabs here.", "Tabs here? Never."),
        ("Never use tabs here.", "Don't use tabs here, not ever."),
        ("Niemals Tabs.", "Tabs verwenden wir nicht."),
        ("Niemals Tabs.", "Tabs? Nie."),
        ("N'utilise jamais de tabulations.", "Pas de tabulations, jamais."),
        ("N'utilise jamais de tabulations.", "Je ne veux pas de tabulations."),
        ("Nunca uses tabuladores.", "No uses tabuladores, nunca."),
        ("Nunca uses tabuladores.", "No uses nunca tabuladores."),
        ("Nunca use tabulações.", "Não use tabulações, nunca."),
        ("Никогда не используй табы.", "Не используй табы, никогда."),
        ("永远不要在这里使用制表符。", "这里禁止使用制表符。"),
    ],
)
def test_a_ban_that_was_taken_back_is_known_however_it_is_put(deleted: str, said: str) -> None:
    assert taken_back.has([deleted], said)


@proves("S2.96")
@pytest.mark.parametrize(
    ("first", "then", "both"),
    [
        ("Ann is the release manager.", "Bob is the release manager now.", False),
        ("the release manager is Ann.", "Bob is the release manager.", False),
        ("Ann is release manager.", "the release manager is Bob Lee.", False),
        ("Ann is on call.", "Bob is on call.", False),
        ("Anna ist die Releasemanagerin.", "die Releasemanagerin ist Bea.", False),
        ("la responsable des versions est Anne.", "la responsable des versions est Zoé.", False),
        ("O gerente de versões é João.", "O gerente de versões é Rui.", False),
        ("Ann is the owner of billing.", "Bob is the owner of search.", True),
        ("Ann is a reviewer of the docs.", "Bob is a reviewer of the docs.", True),
        ("Ann is the reviewer of the docs.", "Bob is the reviewer of the tests.", True),
    ],
)
def test_of_one_role_the_newer_holder_takes_the_place_of_the_older(
    mem: Mem, first: str, then: str, both: bool
) -> None:
    for name, said in (("one", first), ("two", then)):
        assert keep.asked(mem, told(mem, name, f"Remember that {said}"), 2) == 1
    block = (mem.context_block() or "").casefold()
    assert then.rstrip(".").casefold() in block
    assert (first.rstrip(".").casefold() in block) == both


@proves("S2.94")
def test_the_log_shows_what_was_written_by_whom_and_from_where(
    mem: Mem, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = told(mem, "one", "Remember that the queue listens on port 5433.")
    keep.asked(mem, name, 2)
    assert main(["--project", str(work), "log", "--days", "3650"]) == 0
    shown = capsys.readouterr().out
    assert "extracted" in shown
    assert "The queue listens on port 5433." in shown
    assert f"{name}#1" in shown
