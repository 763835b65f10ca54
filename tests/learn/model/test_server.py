"""What a server tells about itself decides how much it is sent."""

import json
from typing import Any

import pytest

from memolith.learn.model.values import ModelError
from tests.learn.model.loopback import Loopback, says
from tests.ledger import proves

SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def models(**row: object) -> dict[str, object]:
    return {"data": [{"id": "another"}, {"id": "test-model", **row}]}


@proves("S2.84")
@pytest.mark.parametrize(
    ("pages", "window", "extra"),
    [
        ({"/v1/models": models(owned_by="vllm", max_model_len=8192)}, 8192, {"repetition_penalty": 1.05}),
        ({"/v1/models": models(context_length=32_000)}, 32_000, {}),
        (
            {
                "/v1/models": models(owned_by="llamacpp", meta={"n_ctx_train": 131_072}),
                "/props": {"default_generation_settings": {"n_ctx": 2048}},
            },
            2048,
            {"repeat_penalty": 1.1},
        ),
        ({"/v1/models": models(owned_by="library")}, 4096, {}),
        (
            {
                "/v1/models": models(owned_by="library"),
                "/api/ps": {"models": [{"name": "test-model", "context_length": 16_384}]},
            },
            16_384,
            {},
        ),
        (
            {
                "/v1/models": models(owned_by="organization_owner"),
                "/api/v0/models": {"data": [{"id": "test-model", "loaded_context_length": 6000}]},
            },
            6000,
            {},
        ),
        ({"/v1/models": models(context_length=True)}, 0, {}),
        ({"/v1/models": ["what"]}, 0, {}),
        ({}, 0, {}),
    ],
)
def test_the_window_of_a_model_is_asked_from_its_server(
    loopback: Loopback, pages: dict[str, object], window: int, extra: dict[str, object]
) -> None:
    loopback.pages = pages
    loopback.script(says({}))
    model = loopback.model()
    assert model.window == window
    model.complete("s", "u", SCHEMA, max_output=10, deadline=1e12)
    assert {key: value for key, value in loopback.requests[0].body.items() if "penalty" in key} == extra
    assert loopback.model(window="777").window == 777


@proves("S2.84")
def test_a_request_that_cannot_fit_is_never_sent(loopback: Loopback) -> None:
    loopback.pages = {"/v1/models": models(owned_by="library")}
    model = loopback.model()
    for user in ("word " * 3000, "語" * 3500):
        with pytest.raises(ModelError, match="window of 4,096"):
            model.complete("s", user, SCHEMA, max_output=1000, deadline=1e12)
    assert loopback.requests == []


def test_an_answer_that_was_cut_off_gets_twice_the_room_if_there_is_any(loopback: Loopback) -> None:
    loopback.pages = {"/v1/models": models(max_model_len=2500)}
    for first, second in ((500, 1000), (1200, 1200)):
        loopback.script(says('{"a', cut=True), says({}))
        loopback.model().complete("s", "u " * 300, SCHEMA, max_output=first, deadline=1e12)
        assert [each.body["max_tokens"] for each in loopback.requests[-2:]] == [first, second]


def test_a_server_that_answers_nonsense_tells_nothing(loopback: Loopback) -> None:
    loopback.pages = {"/v1/models": json.dumps({"data": [{"id": "test-model", "context_length": "8k"}]})}
    assert loopback.model().window == 0
