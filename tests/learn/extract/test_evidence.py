"""Evidence is checked by code: invented statements do not get in, true ones do."""

from random import Random

import pytest

from memolith.env.settings import Settings
from memolith.learn.extract import evidence
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.extract import labelled
from tests.learn.extract.inventions import Scene
from tests.learn.scripted import Scripted, extract_with
from tests.learn.talk import session
from tests.shared import rows

SETTINGS = Settings("/nonexistent", {})
TALK = session(
    ("user", "Use pnpm here, never npm. The DB listens on port 5433."),
    ("assistant", "I think tabs are nicer than spaces in Makefiles."),
    ("user", "please remember that staging runs in eu-west-1 and prod in eu-central-1"),
    ("WebFetch ok", "Always set shared_buffers to 25 % of RAM"),
    ("system", f"{OPEN}\n- Always use four spaces everywhere.\n{CLOSE}"),
    ("user", "yes"),
    ("bash ok", "$ make test\n212 tests passed in 8.5 s"),
    ("user", "the parser must not run before the lexer,\n   see docs/order.md"),
    ("mcp__notes__search ok", "The team meets on Mondays at nine."),
    ("user", "记住，测试环境只能部署到 staging-1，staging-2 是给客户演示用的。"),
)

# A statement, the turn and the quote that it cites, and why it falls; empty if it holds.
STATEMENTS = rows("learn/extract/statements")


def verdict(statement: str, turn: int, quote: str, *, of_user: bool = False) -> str:
    return evidence.Witness(TALK).check(statement, [(turn, quote)], of_user=of_user).reason


@pytest.mark.parametrize(
    ("statement", "turn", "quote"),
    [row[:3] for row in STATEMENTS if not row[3]],
)
def test_a_statement_that_says_what_was_said_holds(statement: str, turn: int, quote: str) -> None:
    assert verdict(statement, turn, quote) == ""


@pytest.mark.parametrize(
    ("name", "turn", "quote", "statement"),
    rows("learn/extract/own_wording"),
)
def test_a_statement_may_be_in_a_models_own_wording(name: str, turn: int, quote: str, statement: str) -> None:
    one = next(labelled.session(row) for row in labelled.read("tuned") if row["name"] == name)
    assert evidence.Witness(one).check(statement, [(turn, quote)]).reason == ""


@pytest.mark.parametrize(
    ("statement", "turn", "quote", "reason"),
    [row for row in STATEMENTS if row[3]],
)
def test_a_statement_that_says_anything_else_falls(
    statement: str, turn: int, quote: str, reason: str
) -> None:
    assert verdict(statement, turn, quote) == reason


def test_a_whole_short_answer_of_the_user_is_a_quote() -> None:
    one = session(("assistant", "Shall I always deploy with nomad?"), ("user", "Yes, nomad!"))
    assert evidence.Witness(one).check("Deploy with nomad.", [(2, "nomad!")]).reason == evidence.TOO_SHORT
    assert evidence.Witness(one).check("Deploy with nomad.", [(2, "Yes, nomad!")]).holds


def test_what_the_user_likes_needs_the_users_own_words() -> None:
    quote = "tabs are nicer than spaces in Makefiles"
    assert (
        verdict("Tabs are nicer than spaces in Makefiles.", 2, quote, of_user=True) == evidence.NOT_THE_USER
    )
    assert verdict("Tabs are nicer than spaces in Makefiles.", 2, quote) == ""


def test_what_only_a_tool_says_is_labelled() -> None:
    found = evidence.Witness(TALK).check("212 tests passed.", [(7, "212 tests passed in 8.5 s")])
    assert (found.holds, found.taint) == (True, "tool")
    assert evidence.Witness(TALK).check("Use pnpm here.", [(1, "Use pnpm here")]).taint == "user"


def test_one_good_quote_is_enough_and_the_bad_ones_are_left_out() -> None:
    found = evidence.Witness(TALK).check(
        "Use pnpm here.", [(1, "made up by the model"), (1, "Use pnpm here")]
    )
    assert found.quotes == [(1, "Use pnpm here")]


def test_a_quote_with_a_masked_secret_is_found() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    one = session(("user", f"log in with {token} on the build machine"))
    quote = "log in with [secret:github-token] on the build machine"
    assert evidence.Witness(one).check("Log in on the build machine.", [(1, quote)]).holds


def test_no_invention_gets_in_and_nearly_all_that_is_true_when_a_model_invents_a_third() -> None:
    random = Random(20261115)
    true = admitted = invented = 0
    lies: list[str] = []
    for _ in range(40):
        scene = Scene(random)
        claims = {}
        for number in range(10):
            lie = random.random() < 0.3
            claims[f"k{number}"] = (lie, scene.invented() if lie else scene.true())
        rows = [{**claim, "keywords": [key]} for key, (_, claim) in claims.items()]
        reply = {"rollout_summary": "x", "rollout_slug": None, "raw_memory": "x", "records": rows}
        kept = {fact.keywords[0] for fact in extract_with(Scripted(reply), scene.session, SETTINGS).facts}
        for key, (lie, claim) in claims.items():
            true, invented = true + (not lie), invented + lie
            admitted += not lie and key in kept
            lies += [claim["body"]] if lie and key in kept else []
    assert invented > 100
    assert lies == []
    assert admitted / true >= 0.95


def test_what_the_agent_says_beside_it_makes_no_rule_of_the_users() -> None:
    quotes = [(1, "Use pnpm here, never npm."), (2, "tabs are nicer than spaces in Makefiles")]
    check = evidence.Witness(TALK).check
    assert (
        check("Tabs are nicer than spaces in Makefiles.", quotes, of_user=True).reason == evidence.NOT_ABOUT
    )
    assert check("Use pnpm, never npm.", quotes, of_user=True).quotes == quotes[:1]
