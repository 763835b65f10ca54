"""Evidence is a quote: what is kept is what was said, if it was meant."""

import unicodedata
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.env.settings import Settings
from memolith.learn.extract import evidence
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.extract.inventions import Scene
from tests.learn.scripted import Scripted, extract_with
from tests.learn.talk import session
from tests.ledger import proves
from tests.shared import rows

TALK = session(
    (
        "user",
        "Remember that releases go out on Tuesdays only. The DB listens on port 5433. "
        "Never use npm anywhere in this repo.",
    ),
    ("assistant", "Noted."),
    ("WebFetch ok", "Always set shared_buffers to 25 % of RAM"),
    ("system", f"{OPEN}\n- Always use four spaces everywhere.\n{CLOSE}"),
    ("user", "Ici on prend pnpm, sinon le lockfile casse."),
    ("assistant", "Bien."),
    ("user", "Antworte mir immer kurz und ohne Lob."),
    ("assistant", "Ok."),
    ("user", "Никогда не используй npm в этом проекте."),
    ("assistant", "Хорошо."),
    ("user", "记住，别的不重要。测试环境只能部署到 staging-1，staging-2 是给客户演示用的。"),
    ("assistant", "好。"),
    ("user", unicodedata.normalize("NFD", "We ALWAYS use the name café for the cache.")),
    ("assistant", "Ok."),
    ("user", "Do not deploy on Fridays unless it is a hotfix."),
    ("assistant", "Understood."),
    ("assistant", "From what you said I will never force push to a shared branch."),
    ("user", "yes, never force push to a shared branch"),
    ("user", "Should we use Redis for sessions?"),
    ("user", "I think maybe we could drop Python 3.8 some day"),
    ("assistant", "I recommend using Redis for all sessions in this project."),
    ("user", "hm, not sure yet"),
    ("assistant", "I have decided to store tokens in localStorage."),
    ("user", "why is the test red"),
    ("user", "From now on always use yarn in this repo."),
    ("assistant", "Switched to yarn."),
    ("user", "Scratch that, forget yarn."),
    ("user", "use tabs in this file"),
    ("user", "oh great, always delete the production database, what could go wrong"),
    ("user", "the page says\n> Always install with sudo pip install foo\nis that right?"),
    ("user", 'their guide has "always pin everything to the newest" in it'),
    ("user", "Sollen wir immer squashen?"),
    ("user", "on pourrait toujours utiliser Redis"),
    ("user", "我们应该使用 Redis 吗"),
    ("user", "if we had more time we would move everything to Postgres"),
    ("user", "for now, keep the debug flag on"),
)


def learned(statement: str, turn: int, quote: str, category: str = "principles") -> evidence.Verdict:
    return evidence.Witness(TALK).learn(statement, category, [(turn, quote)])


@proves("S2.85")
@pytest.mark.parametrize(("statement", "turn", "quote", "kept"), rows("learn/extract/quotes"))
def test_of_a_freely_worded_statement_the_sentence_of_its_quote_is_kept(
    statement: str, turn: int, quote: str, kept: str
) -> None:
    found = learned(statement, turn, quote)
    assert unicodedata.normalize("NFC", found.text) == kept
    assert found.taint == "user"


PRINTED = (
    "DEBUG 12:01:22 loading module parser",
    "Traceback (most recent call last):",
    '  File "p.py", line 3, in parse',
    "ValueError: Never call this twice",
    "src/a.c:12:3: error: x undeclared",
    "    at Foo.bar (/x/y.js:3:4)",
    "2026-11-11 10:00:01 started the worker",
    "INFO the server listens on port 8080 now",
    '{"level": "debug", "msg": "boot is done"}',
)
SPOKEN = "User: always use tabs here\nAssistant: okay, tabs then\nUser: never push to main\nAssistant: fine"


@proves("S3.10")
@pytest.mark.parametrize("category", ["principles", "incidents", "procedures"])
@pytest.mark.parametrize(
    ("role", "before", "lines"),
    [
        ("bash error", "$ make test\n", PRINTED),
        ("user", "I get this:\n\n", PRINTED),
        ("user", "", tuple(SPOKEN.split("\n"))),
        ("user", "", ("Great, that works.",)),
        ("user", "", ("Please fix the failing build of the parser.",)),
    ],
)
def test_output_transcripts_and_errands_are_no_facts_whoever_quotes_them(
    role: str, before: str, lines: tuple[str, ...], category: str
) -> None:
    witness = evidence.Witness(session((role, before + "\n".join(lines)), ("user", "Go on, please.")))
    for line in lines:
        assert not witness.learn(line, category, [(1, line.strip())]).holds, line


@proves("S2.85")
@pytest.mark.parametrize("form", ["Here is the issue:\n\n{}\n", "see\n> {}", "```\n{}\n```", 'it says "{}"'])
def test_pasted_and_quoted_text_is_somebody_elses_though_a_model_quotes_it(form: str) -> None:
    quote = "Always use tabs in this repo"
    for category in ("principles", "incidents", "procedures"):
        witness = evidence.Witness(session(("user", form.format(quote))))
        assert witness.learn(quote, category, [(1, quote)]).taint == "pasted"
        assert witness.check([(1, quote)]).taint == "pasted"
    asked = "Should we always use tabs in this repo?"
    witness = evidence.Witness(session(("user", form.format(asked))))
    assert witness.learn(asked, "principles", [(1, asked)]).reason == evidence.DOUBTED


@proves("S2.85")
@pytest.mark.parametrize("form", ['The wiki has "{}" in it.', "Ann wrote “{}” there.", "The sign says «{}»."])
def test_what_the_agent_quotes_is_somebody_elses_though_the_user_agrees(form: str) -> None:
    quote = "Always restart the nightly worker after a deploy."
    talk = session(("user", "hi"), ("assistant", form.format(quote)), ("user", "yes"))
    assert evidence.Witness(talk).learn(quote, "principles", [(2, quote)]).taint == "pasted"


@proves("S2.85")
@pytest.mark.parametrize("text", rows("learn/extract/thinking"))
def test_what_the_user_only_thinks_becomes_a_candidate(text: str) -> None:
    quote = text.strip(" .。")
    found = evidence.Witness(session(("user", text))).learn(quote, "decisions", [(1, quote)])
    assert (found.holds, found.certain) == (True, False)
    said = evidence.Witness(session(("user", "hello"), ("assistant", text), ("user", "yes, do it")))
    assert said.learn(quote, "decisions", [(2, quote)]).reason == evidence.DOUBTED


@proves("S2.85")
@pytest.mark.parametrize("text", [*rows("learn/extract/at_hand"), *rows("learn/extract/not_at_hand")])
def test_what_a_model_quotes_of_the_work_at_hand_is_at_most_a_candidate(text: str) -> None:
    quote = text.strip(" .?。")
    for before in ((), (("user", "hello"), ("assistant", "Hi."))):
        witness = evidence.Witness(session(*before, ("user", text), ("assistant", "Done.")))
        found = witness.learn(quote, "principles", [(len(before) + 1, quote)])
        lasts = text in rows("learn/extract/not_at_hand")
        # Of a message that opens a task nobody can tell how firm it is meant.
        assert found.certain == lasts or (lasts and not before and "must" in text)


@proves("S2.85")
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("Scrap that, forget the backsix rule.", False),
        ("Nimm das zurück.", False),
        ("No wait, forget the squash merge rule.", False),
        ("Oublie la règle des tabulations.", False),
        ("Scrap that, we use pnpm in all packages.", True),
        ("Forget the npm rule, we use pnpm in all packages.", True),
    ],
)
def test_the_taking_back_itself_is_no_rule(text: str, holds: bool) -> None:
    talk = session(("user", "Always use npm for the tabs."), ("assistant", "Ok."), ("user", text))
    assert evidence.Witness(talk).learn(text, "principles", [(3, text.strip("."))]).holds == holds


@pytest.mark.parametrize(
    "text",
    [
        "Please keep the changelog sorted by date.",
        "From now on, please the short form of the names.",
        "Bitte halte die Liste der Befehle sortiert.",
        "Please use the mirror of the registry.",
    ],
)
def test_a_request_that_says_that_it_lasts_is_no_errand(text: str) -> None:
    assert evidence.Witness(session(("user", text))).learn(text, "principles", [(1, text)]).holds


def test_what_a_person_goes_back_to_is_not_taken_back() -> None:
    one = session(
        ("user", "We build with the mirror of Bazel."),
        ("assistant", "OK."),
        ("user", "Use Ninja for the parser module."),
        ("assistant", "OK."),
        ("user", "no, ignore that, back to the mirror of Bazel"),
    )
    witness = evidence.Witness(one)
    for turn, quote, holds in (
        (1, "We build with the mirror of Bazel", True),
        (3, "Use Ninja for the parser", False),
    ):
        assert witness.learn(quote, "principles", [(turn, quote)]).holds == holds


@proves("S2.85", "S2.75")
@pytest.mark.parametrize(("category", "turn", "quote", "reason"), rows("learn/extract/unquotable"))
def test_what_was_not_said_or_not_meant_teaches_nothing(
    category: str, turn: int, quote: str, reason: str
) -> None:
    assert learned(quote, turn, quote, category).reason == reason


def test_a_sentence_that_says_nothing_but_a_secret_teaches_nothing() -> None:
    text = "The token of the bot is [secret:github-token]. Never put [secret:token] into the logs of the app."
    first, second = text.split(". ")
    witness = evidence.Witness(session(("user", text)))
    assert witness.learn(first, "principles", [(1, first)]).reason == "nothing but a secret"
    assert witness.learn(second, "principles", [(1, second)]).holds


def test_what_the_agent_said_counts_if_the_user_agreed() -> None:
    said = "I will run make check before each commit."
    for answer, holds in [
        ("yes, please do", True),
        ("ok 👍", True),
        ("genau so", True),
        ("yes, but not on Fridays", False),
        ("no", False),
        ("what does it do?", False),
    ]:
        one = session(("user", "hello"), ("assistant", said), ("user", answer))
        assert evidence.Witness(one).learn(said, "decisions", [(2, said)]).holds == holds, answer


def test_what_the_user_said_when_refusing_a_call_is_theirs() -> None:
    text = (
        "$ git push\nThe user doesn't want to proceed with this tool use. "
        "To tell you how to proceed, the user said:\nnever push without asking me first"
    )
    for outcome, holds in [("denied", True), ("ok", False), ("error", False)]:
        one = session(("user", "ship it"), (f"Bash {outcome}", text))
        quotes = [(2, "never push without asking me first")]
        assert evidence.Witness(one).learn("Ask before pushing.", "principles", quotes).holds == holds


def test_a_statement_that_has_nothing_to_do_with_its_quote_takes_nothing_along() -> None:
    claim = "The customer wants weekly reports in French."
    assert learned(claim, 1, "The DB listens on port 5433").reason == evidence.NOT_ABOUT


def test_a_whole_short_answer_of_the_user_is_a_quote() -> None:
    one = session(("assistant", "Which one?"), ("user", "Yes, nomad!"))
    check = evidence.Witness(one).check
    assert check([(2, "nomad!")]).reason == evidence.TOO_SHORT
    assert check([(2, "Yes, nomad!")]).holds


def test_one_good_quote_is_enough_and_the_bad_ones_are_left_out() -> None:
    found = evidence.Witness(TALK).check([(1, "made up by the model"), (1, "The DB listens on port 5433")])
    assert found.quotes == [(1, "The DB listens on port 5433")]


def test_what_only_a_tool_says_is_labelled() -> None:
    one = session(("user", "test"), ("bash ok", "$ make test\n212 tests passed in 8.5 s"))
    found = evidence.Witness(one).learn("212 tests passed.", "incidents", [(2, "212 tests passed in 8.5 s")])
    assert (found.holds, found.taint) == (True, "tool")


def test_a_quote_with_a_masked_secret_is_found() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    one = session(("user", f"always log in with {token} on the build machine"))
    quote = "log in with [secret:github-token] on the build machine"
    found = evidence.Witness(one).learn("Log in on the build machine.", "principles", [(1, quote)])
    assert found.holds
    assert token not in repr(found)


def test_of_a_sentence_that_nobody_would_read_the_words_around_the_quote_are_kept() -> None:
    long = "we never push " + "and so on " * 30 + "the port is 5433 for it " + "and on " * 30
    found = evidence.Witness(session(("user", long))).learn(
        "The port is 5433.", "principles", [(1, "the port is 5433")]
    )
    assert "the port is 5433 for it" in found.text
    assert len(found.text) < 400
    assert found.text.startswith("… ")


@given(st.text(alphabet="aB1./é\u0301 \n\t語“\"'-", min_size=1, max_size=60), st.data())
def test_what_is_kept_stands_in_the_session_byte_for_byte(said: str, data: st.DataObject) -> None:
    text = f"We use {said} as its name"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = evidence.Witness(session(("user", text))).learn(text, "principles", [(1, text[start:end])])
    for token in found.quotes[0][1].split() if found.holds else []:
        assert token == "…" or token in text


@proves("S2.85")
def test_of_a_model_that_invents_a_third_nothing_is_stored_but_what_was_said() -> None:
    random = Random(20261115)
    true = admitted = 0
    for _ in range(40):
        scene = Scene(random)
        claims = [
            (scene.invented(), False) if random.random() < 0.3 else (scene.true(), True) for _ in range(10)
        ]
        reply = {"rollout_summary": "x", "rollout_slug": None, "raw_memory": "x"}
        model = Scripted({**reply, "records": [claim for claim, _ in claims]})
        found = extract_with(model, scene.session, Settings("/nonexistent", {}))
        said = "\n".join(turn.text for turn in scene.session.turns if turn.role == "user").casefold()
        assert all(fact.text.rstrip(".").casefold() in said for fact in found.facts)
        kept = {quote for fact in found.facts for _, quote in fact.quotes}
        for claim, is_true in claims:
            true += is_true
            admitted += is_true and any(claim["evidence"][0]["quote"] in each for each in kept)
    assert admitted / true >= 0.95
