"""What strangers found: secrets that stayed, and texts that were masked although they tell none."""

import pytest

from memolith.text.budget import head
from memolith.text.secrets.redact import redact
from tests.shared import rows

UUID = "6a21555a-6761-d615-91f9-456cfa11c1eb"
MD5 = "0cc175b9c0f1b6a831c399e269772661"
GITHUB = "ghp_2Rd1SZnhQzKJtrJEKmWcpRJ4o8Ly004e" + "PFcS"


def test_a_copy_that_is_masked_uncovers_the_token_that_was_glued_to_it() -> None:
    once = redact(f"{GITHUB} passw{GITHUB}sha256~Yk9VhGpngmiLHb8nPLHdC4vYoqUz1it6M1ohStC9").text
    assert once == "[secret:github-token] passw[secret:github-token][secret:openshift-token]"
    assert redact(once).text == once


@pytest.mark.parametrize(("before", "secret", "after"), rows("text/secrets/strangers"))
def test_a_secret_is_known_by_the_way_it_is_told(before: str, secret: str, after: str) -> None:
    text = redact(before + secret + after).text
    assert text.startswith(f"{before}[secret:")
    assert text.endswith(f"]{after}")


@pytest.mark.parametrize(
    "text",
    [
        f"Parola yanlış.\nTenant {UUID} belongs to Acme.",
        f"It is in the auth log.\nTenant {UUID} belongs to Acme.",
        f"They changed the password form\nmd5sum {MD5}  sync.iso",
        f"Whoever has the token?\n{UUID} is the tenant.",
        "Fehlercode: ERR-4711\nThe code is PROJ-1234.",
    ],
)
def test_a_finished_sentence_names_nothing_in_the_next_line(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("sign", [":", " =", " ->"])
def test_a_line_that_points_on_names_what_is_in_the_next(sign: str) -> None:
    assert UUID not in redact(f"the API token{sign}\n{UUID}").text


@pytest.mark.parametrize(
    "shown", ["{1}", "{0:6}→{1}", "{0:6}\t{1}", "{0}:{1}", "app.yml-{0}-{1}", "{0} | {1}"]
)
@pytest.mark.parametrize("text", rows("text/secrets/below"))
def test_a_number_before_each_line_parts_no_name_from_its_value(text: str, shown: str) -> None:
    lines = text.format("Xk7wombatQ2").split("\n")
    found = redact("\n".join(shown.format(number, line) for number, line in enumerate(lines, 9)))
    assert "wombat" not in found.text
    assert redact(found.text).text == found.text


def test_a_mask_in_round_brackets_is_a_mask() -> None:
    for title in ("(secret:password)", "admin password: (secret:password)", "token (secret:token) of CI"):
        text = f"- [{title}](notes/{title.replace(' ', '-')}.md) - {title}"
        assert redact(text).text == text


@pytest.mark.parametrize("mask", ["[secret:token]", "(secret:token)"])
def test_no_mask_is_cut_in_the_middle(mask: str) -> None:
    text = f"use {mask} here"
    assert {head(text, size).rstrip() for size in range(5, 18)} == {"use"}
    assert head(text, 18) == f"use {mask}"
