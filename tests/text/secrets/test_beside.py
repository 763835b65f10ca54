"""Secrets that a name anywhere in their line gives away, or who logs in with them; and what only looks so."""

import pytest

from memolith.text.secrets.precheck import may_hold_secret
from memolith.text.secrets.redact import redact
from tests.ledger import proves
from tests.shared import rows

VALUES = ["Herbst2031!k7", "qV4nT8wJ31zRe", "otter512maple"]
WRAPPED = ["{}", "I ran `{}` now.", 'He wrote "{}" on the board.']


@proves("S2.55")
@pytest.mark.parametrize("form", rows("text/secrets/beside"))
def test_a_value_that_was_made_up_is_masked_wherever_its_name_stands(form: str) -> None:
    for value in VALUES:
        text = form.format(value)
        assert value not in redact(text).text
        assert may_hold_secret(text)


@pytest.mark.parametrize(
    "form", [each for each in rows("text/secrets/beside") if '"' not in each and "\n" not in each]
)
def test_a_phrase_in_quotes_or_as_code_is_judged_as_without_them(form: str) -> None:
    for wrapped in WRAPPED:
        for value in VALUES:
            assert value not in redact(wrapped.format(form.format(value))).text


@proves("S2.55")
@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("text", rows("text/secrets/near_misses"))
def test_what_is_only_said_of_tokens_keys_and_logins_stays(text: str, wrapped: str) -> None:
    assert redact(wrapped.format(text)).findings == []


@pytest.mark.parametrize(
    "text",
    [
        "the wifi password is {}",
        "My password is {}.",
        "passphrase: {}",
        "The wifi password is {}, ask Tom for the rest.",
    ],
)
@pytest.mark.parametrize("words", ["correct horse battery staple", "tulip anchor velvet rocket prism"])
def test_a_password_of_plain_words_is_one(text: str, words: str) -> None:
    assert redact(text.format(words)).text == text.format("[secret:password]")


@proves("S2.55")
@pytest.mark.parametrize("name", ["password", "PASSPHRASE"])
@pytest.mark.parametrize("words", ["correct-horse-battery-staple", "tulip-anchor-velvet-rocket"])
def test_a_password_of_joined_words_is_one_whatever_else_they_are_in_code(name: str, words: str) -> None:
    assert redact(f"{name}={words}").text == f"{name}=[secret:password]"
    assert redact(f"{name}=forgot-password-form").findings == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("password-qV4nT8wJ31zRe", "password-[secret:password]"),
        ("notes/password-qV4nT8wJ31zRe.md", "notes/password-[secret:password].md"),
        ("token_qV4nT8wJ31zRe", "token_[secret:token]"),
        (
            "history/notes/api-keys.md/000001.20261118T174101724143Z.remember@agent.absent.-",
            "history/notes/api-keys.md/000001.20261118T174101724143Z.remember@agent.absent.-",
        ),
    ],
)
def test_a_name_and_its_value_may_be_one_word_and_a_path_is_no_value(name: str, shown: str) -> None:
    assert redact(name).text == shown
