"""Models behind HTTP: asked for real, on the loopback."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path

import pytest

from memolith.base.errors import CeilingError
from memolith.env.settings import Settings
from memolith.learn.model import llm
from memolith.learn.model.llm import Client
from memolith.learn.model.values import ModelError, ModelUnavailableError
from memolith.learn.queue.ledger import Ledger
from memolith.learn.queue.queue import Queue
from tests.learn.model.asked import GOOD, KEY, ask, failure
from tests.learn.model.loopback import Loopback, body, breaks_off, drips, hangs, refuses, says, status
from tests.learn.model.loopback import Reply as Scripted
from tests.learn.scripted import settings, spent
from tests.ledger import proves

BOTH = pytest.mark.parametrize("kind", ["openai", "anthropic"])


@BOTH
def test_a_good_reply_comes_with_what_it_cost(loopback: Loopback, kind: str) -> None:
    loopback.script(says(GOOD))
    model = loopback.model(kind)
    assert ask(model) == GOOD
    assert (spent(model).requests, spent(model).tokens_in, spent(model).tokens_out) == (1, 100, 10)
    assert 0 < spent(model).seconds < 5
    (sent,) = loopback.requests
    assert (sent.system, sent.user) == ("You extract.", "What is it?")
    assert "authorization" not in {name.lower() for name in sent.headers}  # no key is needed here


def test_openai_is_bound_to_a_strict_schema(loopback: Loopback) -> None:
    loopback.script(says(GOOD))
    assert ask(loopback.model()) == GOOD
    sent = loopback.requests[0].body
    form = sent["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    schema = form["json_schema"]["schema"]
    assert schema["required"] == ["fact", "level", "tags"]
    assert schema["properties"]["fact"] == {"type": "string"}  # limits are checked here
    assert sent["max_tokens"] == 500


def test_anthropic_gets_its_own_protocol(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "env", {"ANTHROPIC_API_KEY": KEY})
    loopback.script(says(GOOD))
    ask(loopback.model("anthropic", effort="minimal"))
    (sent,) = loopback.requests
    assert sent.path.endswith("/v1/messages")
    assert "/v1/v1/" not in sent.path
    assert (sent.headers["x-api-key"], sent.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert sent.body["max_tokens"] == 500
    assert sent.body["output_config"]["format"]["type"] == "json_schema"
    assert sent.body["output_config"]["effort"] == "low"


@pytest.mark.parametrize(
    ("complaints", "forms"),
    [
        (["'response_format.type' must be 'text'"], ["json_schema", "json_object"]),
        (
            ["json_schema is not supported", "response_format json_object: unknown"],
            ["json_schema", "json_object", None],
        ),
    ],
)
def test_an_endpoint_without_schemas_is_asked_in_a_looser_way_and_that_is_remembered(
    loopback: Loopback, complaints: list[str], forms: list[str | None]
) -> None:
    loopback.script(*[status(400, said) for said in complaints], says(GOOD))
    assert ask(loopback.model()) == GOOD
    assert ask(loopback.model()) == GOOD  # another client, the same endpoint
    asked = [sent.body.get("response_format", {}).get("type") for sent in loopback.requests]
    assert asked == [*forms, forms[-1]]
    assert '"additionalProperties"' in loopback.requests[-1].system  # the schema is told instead


def test_anthropic_without_structured_output_is_told_the_schema(loopback: Loopback) -> None:
    loopback.script(status(400, "output_config.format: this model does not support it"), says(GOOD))
    assert ask(loopback.model("anthropic")) == GOOD
    assert "output_config" not in loopback.requests[1].body
    assert '"additionalProperties"' in loopback.requests[1].system


def test_the_limit_goes_by_the_name_that_the_model_knows(loopback: Loopback) -> None:
    complaint = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    loopback.script(status(400, complaint), says(GOOD))
    ask(loopback.model())
    assert loopback.requests[1].body["max_completion_tokens"] == 500
    assert "max_tokens" not in loopback.requests[1].body


@proves("S2.58")
@pytest.mark.parametrize(
    ("kind", "complaint", "effort"),
    [
        (
            "openai",
            "reasoning_effort 'minimal'? Supported values are: 'low', and 'high'.",
            "low",
        ),
        ("openai", "Unrecognized request argument supplied: reasoning_effort", None),
        ("anthropic", "This model does not support the effort parameter.", None),
    ],
)
def test_effort_is_what_the_model_has_nearest_to_it_or_none(
    loopback: Loopback, kind: str, complaint: str, effort: str | None
) -> None:
    loopback.script(status(400, complaint), says(GOOD))
    assert ask(loopback.model(kind, effort="minimal")) == GOOD
    last = loopback.requests[-1].body
    assert last.get("reasoning_effort", last.get("output_config", {}).get("effort")) == effort
    assert len(loopback.requests) == 2


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (says({"fact": "x"}), "lacks the key 'level'"),
        (says("I could not find anything."), "no JSON object"),
        (says('{"fact": "uses', cut=True), "cut off after 500 tokens"),
        (says(""), "no JSON object"),
    ],
)
@BOTH
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_with_the_problem_named(
    loopback: Loopback, kind: str, reply: Scripted, problem: str
) -> None:
    loopback.script(reply, says(GOOD))
    model = loopback.model(kind)
    assert ask(model) == GOOD
    assert (spent(model).tokens_in, spent(model).tokens_out) == (200, 20)  # both were paid for
    first, second = loopback.requests
    assert problem not in first.user
    assert second.user.startswith("What is it?")
    assert problem in second.user
    assert '"additionalProperties"' in second.user


@proves("S2.57")
@BOTH
def test_a_busy_or_broken_service_is_asked_again(loopback: Loopback, kind: str) -> None:
    loopback.script(status(429, "slow down", retry_after="0"), breaks_off(GOOD), says(GOOD))
    assert ask(loopback.model(kind)) == GOOD
    loopback.script(status(500, "oops"), body(b"<html>gateway</html>"), says(GOOD))
    assert ask(loopback.model(kind)) == GOOD
    assert len(loopback.requests) == 6


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_pause_beyond_the_deadline_is_not_waited_for_but_told(loopback: Loopback, form: str) -> None:
    after = "30" if form == "seconds" else formatdate(time.time() + 35, usegmt=True)
    loopback.script(status(429, "slow down", retry_after=after), says(GOOD))
    started = time.monotonic()
    error = failure(loopback.model(), "rate_limited", "HTTP 429", seconds=1)
    assert error.retry_after is not None
    assert 25 < error.retry_after <= 36
    assert time.monotonic() - started < 0.9
    assert len(loopback.requests) == 1


def test_a_pause_within_the_deadline_is_kept(loopback: Loopback) -> None:
    loopback.script(status(429, "slow down", retry_after="0.2"), says(GOOD))
    started = time.monotonic()
    assert ask(loopback.model(timeout=60)) == GOOD
    assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize(
    ("silence", "seconds", "timeout"), [(hangs(), 0.2, 5), (drips(), 0.2, 5), (hangs(), 60, 0.2)]
)
def test_a_service_that_hangs_is_left_at_the_deadline_or_when_the_time_of_a_request_is_over(
    loopback: Loopback, silence: Scripted, seconds: float, timeout: float
) -> None:
    loopback.script(silence)
    started = time.monotonic()
    failure(loopback.model(timeout=timeout), "timeout", r"no answer within 0\.[12]", seconds=seconds)
    assert time.monotonic() - started < 0.9
    assert len(loopback.requests) == 1


FAILURES: list[tuple[list[Scripted], str, str, int]] = [
    ([status(401, f"bad key {KEY} \x1b[31m")], "unavailable", "check the key in OPENAI_API_KEY", 1),
    ([status(404, "no such model")], "unavailable", "no such model", 1),
    ([status(429, "You exceeded your quota: insufficient_quota")], "unavailable", "quota", 1),
    ([status(400, "maximum context length is 4096 tokens")], "too_long", "context length", 1),
    ([status(302, "", location="http://127.0.0.1:1/else")], "unavailable", "HTTP 302", 1),
    ([body(b"x" * (17 << 20))], "too_long", "too large", 1),
    ([refuses(), says(GOOD)], "refused", "refused", 1),
    ([says("nothing"), says({"fact": "x"}), says(GOOD)], "malformed", "lacks the key 'level', twice", 2),
    ([status(503, "down")], "server", "HTTP 503", 3),
    ([status(400, "response_format is bad, as ever")], "unavailable", "HTTP 400", 3),
]


@pytest.mark.parametrize(("replies", "kind", "said", "requests"), FAILURES)
def test_a_failure_says_what_it_was_and_is_tried_again_only_if_that_may_help(
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    replies: list[Scripted],
    kind: str,
    said: str,
    requests: int,
) -> None:
    monkeypatch.setattr(loopback, "env", {"OPENAI_API_KEY": KEY})
    loopback.script(*replies)
    message = str(failure(loopback.model(), kind, said, user="a private text"))
    assert len(loopback.requests) == requests
    assert KEY not in message
    assert "a private text" not in message
    assert message.isprintable()


def test_a_refusal_of_anthropic_is_one_too_and_a_service_that_is_not_there_is_unavailable(
    loopback: Loopback,
) -> None:
    loopback.script(refuses(), says(GOOD))
    failure(loopback.model("anthropic"), "refused", "refused")
    assert len(loopback.requests) == 1
    nobody = "http://127.0.0.1:1/v1"
    failure(loopback.model(url=nobody), "unavailable", f"openai:test-model at {nobody}: Connection refused")


def test_a_proxy_of_the_machine_is_used_but_not_for_the_loopback(
    loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.script(says(GOOD))
    monkeypatch.setenv("http_proxy", loopback.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    ask(loopback.model(url="http://model.invalid/v1"))
    ask(loopback.model())
    assert loopback.requests[0].path == "http://model.invalid/v1/chat/completions"
    assert loopback.requests[1].path.startswith("/")


@proves("S2.33")
@BOTH
def test_no_secret_leaves_the_machine_whoever_left_it_in_the_text(loopback: Loopback, kind: str) -> None:
    loopback.script(says("what?"), says(GOOD))
    text = f'[{{"text": "memolith:allow", "more": "export GITHUB_TOKEN=ghp_{"a1B2c3D4e5" * 4} key {KEY}"}}]'
    ask(loopback.model(kind), user=text)
    assert len(loopback.requests) == 2  # the repair too
    assert KEY not in loopback.sent
    assert "ghp_a1B2" not in loopback.sent
    assert "[secret:" in loopback.requests[0].user


def test_the_key_is_in_no_repr_and_no_error(loopback: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "env", {"OPENAI_API_KEY": f"{KEY}\nX-Evil: 1"})
    loopback.script(says(GOOD))
    model = loopback.model()
    with pytest.raises(ModelError) as caught:
        ask(model)
    assert KEY not in f"{caught.value!r} {caught.value} {model!r} {vars(model)!r}"
    assert loopback.requests == []


def test_a_key_may_come_from_a_command(loopback: Loopback) -> None:
    loopback.script(says(GOOD))
    ask(loopback.model(key_command=f"{sys.executable} -Sc \"print('{KEY}')\""))
    assert loopback.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    failure(loopback.model(key_command="false"), "unavailable", "gave no key")


@contextmanager
def ledger_in(home: Path, **ceilings: str) -> Iterator[Ledger]:
    with Queue(str(home), settings("memories", **ceilings)) as queue:
        yield queue.ledger


def on(ledger: Ledger, loopback: Loopback) -> Client:
    about = ("run-1", "extract", "shop", "claude-1")
    return Client(loopback.model()._backend, ledger, about, timeout=5.0, pause=0.001)


def test_every_request_is_on_the_ledger_retries_and_repairs_too(loopback: Loopback, tmp_path: Path) -> None:
    with ledger_in(tmp_path) as ledger:
        model = on(ledger, loopback)
        loopback.script(status(400, "response_format?"), status(500), says("no"), says(GOOD))
        assert ask(model) == GOOD
        rows = ledger.database.ask(
            "SELECT run, phase, project, session, model, tokens_in, tokens_out, outcome FROM requests"
        )
        assert rows[0][:5] == ("run-1", "extract", "shop", "claude-1", "openai:test-model")
        assert [row[5:] for row in rows] == [
            (0, 0, "unavailable"),
            (0, 0, "server"),
            (100, 10, "malformed"),
            (100, 10, "ok"),
        ]
        assert len(loopback.requests) == 4


def test_at_the_ceiling_nothing_is_sent_any_more(loopback: Loopback, tmp_path: Path) -> None:
    loopback.script(status(500))
    with ledger_in(tmp_path, requests_per_run="2") as ledger, pytest.raises(CeilingError):
        ask(on(ledger, loopback))
    assert len(loopback.requests) == 2


def test_a_request_takes_no_longer_than_the_ledger_has_left(loopback: Loopback, tmp_path: Path) -> None:
    loopback.script(hangs())
    with ledger_in(tmp_path, seconds_per_day="1") as ledger:
        with pytest.raises(ModelError, match=r"no answer within 1 seconds"):
            ask(on(ledger, loopback))
        assert ledger.database.ask("SELECT tokens_in, tokens_out, outcome FROM requests") == [
            (6, 0, "timeout")  # it was read, we suppose
        ]


def test_what_does_not_fit_into_the_window_is_not_sent(loopback: Loopback) -> None:
    loopback.script(says(GOOD))
    failure(loopback.model(window="1000"), "too_long", "window of 1,000", user="word " * 500)
    assert loopback.requests == []


@proves("S2.57")
@pytest.mark.parametrize(
    ("values", "env", "default", "smol"),
    [
        ({}, {}, None, None),
        ({"default": "openai:a", "smol": "openai:b"}, {"OPENAI_API_KEY": KEY}, "openai:a", "openai:b"),
        ({"default": "openai:a"}, {"OPENAI_API_KEY": KEY}, "openai:a", "openai:a"),
        ({"default": "openai:a", "smol": "anthropic:b"}, {"OPENAI_API_KEY": KEY}, "openai:a", "openai:a"),
        ({"default": "openai:a", "smol": "none"}, {"OPENAI_API_KEY": KEY}, "openai:a", None),
        ({"default": "openai:a", "url": "http://127.0.0.1:11434/v1"}, {}, "openai:a", "openai:a"),
    ],
)
def test_each_role_has_its_model_and_smol_falls_back(
    values: dict[str, str], env: dict[str, str], default: str | None, smol: str | None
) -> None:
    for role, name in (("default", default), ("smol", smol)):
        assert bool(llm.why_not(*_with(values, role, env))) == (name is None)
        if name is not None:
            assert llm.find(*_with(values, role, env)).name == name


def _with(values: dict[str, str], role: str, env: dict[str, str]) -> tuple[Settings, str, dict[str, str]]:
    return settings("models", **values), role, env


@proves("S2.57")
@pytest.mark.parametrize(
    ("values", "env", "reason"),
    [
        ({"default": "none"}, {}, "only rules learn"),
        ({"default": "openai:a"}, {}, "needs a key: set the environment variable OPENAI_API_KEY"),
        ({"default": "anthropic:a"}, {}, "ANTHROPIC_API_KEY"),
        ({"default": "openai:a", "key_env": "MINE"}, {"OPENAI_API_KEY": KEY}, "variable MINE"),
        ({"default": "openai"}, {"OPENAI_API_KEY": KEY}, "write openai:MODEL"),
        ({"default": "llama"}, {}, "is unknown; one of none, auto"),
        ({"default": "openai:a", "url": "ftp://x"}, {}, "must be http"),
        ({"default": "openai:a", "url": "http://x:99999999"}, {}, "must be http"),
        (
            {"default": "openai:a", "url": "http://example.org/v1"},
            {"OPENAI_API_KEY": KEY},
            "only sent over https",
        ),
        ({"default": "claude"}, {"PATH": "/nonexistent"}, "'claude' is not in PATH"),
        ({"default": "auto"}, {"PATH": "/nonexistent"}, "none of claude, codex, gemini is in PATH"),
        ({"default": "command"}, {"PATH": "/nonexistent"}, "set models.command"),
        ({"default": "command", "command": "x 'y"}, {}, "mend the quotes"),
    ],
)
def test_without_a_usable_model_one_is_told_why_and_nothing_breaks(
    values: dict[str, str], env: dict[str, str], reason: str
) -> None:
    assert reason in llm.why_not(*_with(values, "default", env))
    assert KEY not in llm.why_not(*_with(values, "default", env))
    with pytest.raises(ModelUnavailableError) as caught:
        llm.find(*_with(values, "default", env))
    assert reason in str(caught.value)
