"""What the author says about a secret: `<private>`, `memolith:allow`, and the list of allowed values."""

import hashlib

import pytest

from memolith.text.secrets.redact import redact
from tests.shared import rows


def kinds(text: str) -> list[str]:
    return [finding.kind for finding in redact(text).findings]


@pytest.mark.parametrize(("text", "left"), rows("text/secrets/private"))
def test_what_is_private_is_removed(text: str, left: str) -> None:
    result = redact(text)
    assert result.text == left
    assert {finding.kind for finding in result.findings} == {"private"}
    assert redact(left).findings == []


@pytest.mark.parametrize(
    "text",
    [
        "a </private> b",
        "put it into `<private>` tags",
        "a <privateer> b",
        "<Private Use> code points",
        "a < private > b",
        "[private]",
        "<private",
    ],
)
def test_what_only_looks_like_the_tag_stays(text: str) -> None:
    assert (redact(text).text, kinds(text)) == (text, [])


def test_the_spans_of_what_was_found_point_into_the_text_that_was_given() -> None:
    text = "<private>x</private> password=hunter2 <private>y</private> token=" + "a1b2c3d4e5" * 2
    found = [(finding.kind, text[finding.start : finding.end]) for finding in redact(text).findings]
    assert found == [
        ("private", "<private>x</private>"),
        ("password", "hunter2"),
        ("private", "<private>y</private>"),
        ("token", "a1b2c3d4e5" * 2),
    ]


def test_a_line_that_says_so_keeps_what_looks_like_a_secret() -> None:
    text = "password=hunter2 <!-- memolith:allow -->\npassword=hunter3\n# memolith:allow password=hunter4"
    assert redact(text, by_hand=True).text == text.replace("hunter3", "[secret:password]")
    labelled = "password=hunter2 memolith:allow [source: imported]"
    assert "hunter2" not in redact(labelled, by_hand=True).text
    assert "hunter2" not in redact(text).text
    assert "hunter4" not in redact(text).text


def test_a_key_of_several_lines_stays_if_one_of_its_lines_says_so() -> None:
    body = "\n".join(["MIIE" + "a1B2c3D4e5F6" * 5] * 3)
    key = f"-----BEGIN PRIVATE KEY-----  memolith:allow\n{body}\n-----END PRIVATE KEY-----"
    assert redact(key, by_hand=True).text == key
    assert body not in redact(key).text


def test_an_allowed_value_stays_and_every_other_one_is_masked() -> None:
    allow = frozenset([hashlib.sha256(b"hunter2").hexdigest()])
    result = redact("password=hunter2 password=hunter3", allow)
    assert result.text == "password=hunter2 password=[secret:password]"
    assert redact(result.text, allow).findings == []
