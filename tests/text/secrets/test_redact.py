"""Credentials are masked before text is stored; names, hashes and placeholders are not.

The samples are put together at run time, so that no scanner takes this file for a leak.
"""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.secrets import names
from memolith.text.secrets.precheck import may_hold_secret
from memolith.text.secrets.redact import redact
from tests.ledger import proves
from tests.shared import rows
from tests.text.secrets.test_rules import SAMPLES as FORMATS

DIGITS, SMALL, CAPITALS = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
HEX = DIGITS + "abcdef"
ALPHABETS = {
    "": DIGITS + SMALL + CAPITALS,
    "base32": CAPITALS + "234567",
    "base64": DIGITS + SMALL + CAPITALS + "/+",
    "bech32": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "capital-hex": HEX.upper(),
    "crockford": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "digits": DIGITS[1:],
    "hex": HEX,
    "letters": SMALL + CAPITALS,
    "small": DIGITS + SMALL,
}


def token(size: int, alphabet: str = ALPHABETS[""]) -> str:
    """Return what a provider would draw: always the same for the same size, never the same for two sizes."""
    drawn = random.Random(f"{size} {alphabet}")
    return "".join(drawn.choice(alphabet) for _ in range(size))


def drawn(text: str) -> str:
    """Return a text with tokens in it: `{36}` has so many letters and digits, `{40:hex}` others."""
    return re.sub(r"\{(\d+):?([a-z0-9-]*)\}", lambda each: token(int(each[1]), ALPHABETS[each[2]]), text)


PEM = "\n".join(["-----BEGIN {0}PRIVATE KEY-----", *["MIIE" + token(60)] * 3, "-----END {0}PRIVATE KEY-----"])
KEYS = [PEM.format(kind) for kind in ("", "RSA ", "ENCRYPTED ")] + [
    PEM.format("OPENSSH ").replace("\n", "\\n")
]
SAMPLES = [
    *(tuple(map(drawn, row)) for row in rows("text/secrets/samples")),
    *(("private-key", "", key, "") for key in KEYS),
]
CONTEXTS = [
    "On Monday I used {} for the deploy.",
    "It is {}, do not share it",
    "(see {})",
    "```sh\nrun {}\nls\n```\n",
    "export X={}",
    'export X="{}"\n',
    "- `{}`",
    "备注 {}。",
]
HARMLESS = [drawn(text) for text in rows("text/secrets/harmless")]


@proves("S2.55")
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(("kind", "before", "secret", "after"), SAMPLES)
def test_a_secret_is_masked_and_the_rest_of_the_line_stays(
    kind: str, before: str, secret: str, after: str, context: str
) -> None:
    text = context.format(before + secret + after)
    result = redact(text)
    assert result.text == context.format(f"{before}[secret:{kind}]{after}")
    (finding,) = result.findings
    assert (finding.kind, text[finding.start : finding.end]) == (kind, secret)


@proves("S2.55")
@pytest.mark.parametrize("context", ["{}", "We use {} here.", "```\n{}\n```", "- `{}`"])
@pytest.mark.parametrize("text", HARMLESS)
def test_names_hashes_and_placeholders_stay(text: str, context: str) -> None:
    result = redact(context.format(text))
    assert (result.text, result.findings) == (context.format(text), [])


def test_a_token_behind_a_label_is_named_after_itself() -> None:
    value = "ghp_" + token(36)
    assert redact(f"export GITHUB_TOKEN={value}").text == "export GITHUB_TOKEN=[secret:github-token]"
    assert redact(f"Authorization: Bearer {value}").text == "Authorization: Bearer [secret:github-token]"


def test_a_value_that_is_a_name_does_not_hide_the_secret_behind_it() -> None:
    assert redact("password: DB_PASSWORD = hunter2").text == "password: DB_PASSWORD = [secret:password]"


@pytest.mark.parametrize(("before", "after"), rows("text/secrets/fields"))
def test_a_plain_word_is_a_password_where_it_is_all_that_a_field_has(before: str, after: str) -> None:
    assert redact(f"{before}swordfish{after}").text == f"{before}[secret:password]{after}"


@pytest.mark.parametrize("text", [*rows("text/secrets/said"), f"{token(40, HEX)} is the key commit"])
def test_what_is_said_of_a_secret_is_none(text: str) -> None:
    assert redact(text).findings == []


@pytest.mark.parametrize(
    "body",
    [
        "MIIabcDEF12\n-----END PRIVATE KEY-----",
        "MIIEvQIBADANBgk\n",
        "MIIEvQIBADANBgkqhkiG9w0BAQEF\n",
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n" + token(64) + "\n",
    ],
)
def test_a_key_of_one_short_line_or_without_its_end_is_found(body: str) -> None:
    text = redact(f"see\n-----BEGIN PRIVATE KEY-----\n{body}").text
    assert text.rstrip("\n") == "see\n[secret:private-key]"


@pytest.mark.parametrize("body", ["...", "<your key>", "xxx", "content", "(see the vault)"])
def test_the_armour_of_a_manual_stays(body: str) -> None:
    assert redact(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----").findings == []


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("Use ", token(32, HEX), " as the client secret"),
        ("`", token(24, DIGITS + SMALL), "` is our deploy token."),
        ("", "WinterTrain495!", " was the staging password, until May"),
    ],
)
def test_a_secret_that_is_told_before_its_name_is_found(before: str, secret: str, after: str) -> None:
    assert secret not in redact(before + secret + after).text
    assert redact(before + secret + after).text.endswith(after)


BROKEN = "ghp_" + token(36)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"use {BROKEN[:20]}\n    {BROKEN[20:]}\nthere", "use [secret:github-token]\nthere"),
        (f"X={BROKEN[:20]}\\\n{BROKEN[20:]} y", "X=[secret:github-token] y"),
        (f'x = "{BROKEN[:20]}" + "{BROKEN[20:]}"', 'x = "[secret:github-token]"'),
        (f"password:\n  {token(14)}\n", "password:\n  [secret:password]\n"),
        (f"api_key: |\n  {token(24)}\n", "api_key: |\n  [secret:api-key]\n"),
        (PEM.format("EC ").rpartition("\n")[0] + "\n\nand so on", "[secret:private-key]\n\nand so on"),
        ("The key is AKIA " + "4Z7Q 2M9X W3T8 KLP6", "The key is [secret:split-token]"),
    ],
)
def test_a_secret_that_is_split_is_found(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ('password = "', "it's4me!", '"'),
        ("password = '", 'say"5', "'"),
        ('"password": \\"', "s3same!", '\\"'),
    ],
)
def test_a_quoted_password_goes_up_to_its_own_quote(before: str, secret: str, after: str) -> None:
    assert redact(before + secret + after).text == f"{before}[secret:password]{after}"


NAMED = [f"{word}{sign}" for word in names.WORDS for sign in ("", "=", ": ", " is ")]
SIGNS = [*" \n=:'\"`-_./@&", "\n\n", "://", "[secret:password]", "password=", "password=hunter2 "]
SIGNS += ["<private>", "</private>", "memolith:allow", "[private]", "a"]
PIECES = st.sampled_from([*("".join(sample[1:]) for sample in SAMPLES), *FORMATS, *HARMLESS])


@given(
    st.lists(PIECES | st.sampled_from(NAMED) | st.sampled_from(SIGNS) | st.text(max_size=8), max_size=10).map(
        "".join
    )
    | st.lists(st.sampled_from(SIGNS), max_size=12).map("".join)
)
def test_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.findings) == (once.text, [])
    # Spans point into the text that was given, in order, and what lies between them stays.
    at, rest = 0, once.text
    for finding in once.findings:
        assert at <= finding.start < finding.end
        mark = "[private]" if finding.kind == "private" else f"[secret:{finding.kind}]"
        assert rest.startswith(text[at : finding.start] + mark)
        rest = rest[finding.start - at + len(mark) :]
        at = finding.end
    assert rest == text[at:]


def test_ordinary_lines_of_developers_are_hardly_ever_taken_for_secrets() -> None:
    """One of them is: the id of a key in AWS's manager, which other scanners report, too."""
    lines = Path(__file__).with_name("developer_lines.txt").read_text("utf-8").splitlines()
    taken = [line for line in lines if redact(line).findings]
    assert len(lines) > 400
    assert len(taken) <= 1, taken


@pytest.mark.parametrize(
    "line",
    [
        "the password for the event is {}",
        "event token: {}",
        "commit password={}",
        "digest auth secret: {}",
        "deployment api_key={}",
        "uuid and password: {}",
        "rsa key passphrase: {}",
        "request id 12 has token={}",
    ],
)
def test_a_word_for_an_id_elsewhere_in_the_line_hides_no_secret(line: str) -> None:
    secret = "q7Xk2VbN9tRw4LmZ8sPd"
    assert secret not in redact(line.format(secret)).text


TITLES = [
    *("Passwords\n- db: {}", "Passwords:\n- db: {}", "## Passwords\n\n- db: {}", "Passwörter:\ndb = {}"),
    *(
        "Mots de passe\n- serveur : {}",
        "пароли:\n- сервер: {}",
        "密码：\n- 服务器: {}",
        "Logins\n\ngithub  bob  {}",
    ),
    *("Credentials for staging:\n\n    bob\n    {}", "# DB password\n\nit's {} for the db"),
    *("# Zugangsdaten Staging\n\nbob / {}", "- [ ] password of the db\n- [ ] {}", "API keys:\n- maps: {}AB9"),
    "# Passwords\n\nNone of them is here, all are in the vault of the team.\n\n# API keys\n- maps: {}AB9",
]


@pytest.mark.parametrize("form", TITLES)
def test_a_list_below_a_word_for_secrets_is_one_of_secrets(form: str) -> None:
    assert "Wolke12xyz" not in redact(form.format("Wolke12xyz")).text
    assert "Wolke13xyz" not in redact("The passwords of db and web are Wolke12xyz and Wolke13xyz").text


def test_a_list_of_what_passwords_have_to_be_stays() -> None:
    rules = (
        "algorithm: Argon2id",
        "hash: PBKDF2-HMAC-SHA256",
        "curve: Ed25519",
        "see ADR-0042",
        "at least 12",
    )
    text = "\n- ".join(["## Passwords", *rules, "rotated on 2026-11-18", "kept in src/auth/Vault2.java"])
    assert redact(text).text == text


@pytest.mark.parametrize(("text", "secret"), rows("text/secrets/asked"))
def test_what_answers_a_question_comes_from_a_program_or_goes_into_a_store_is_masked(
    text: str, secret: str
) -> None:
    assert secret not in redact(text).text
    assert may_hold_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "What is the password policy?\nSee docs/policy.md",
        "Which token do you mean?\nboth",
        "$ pass show db\nnothing found",
        "gh secret set DB_PASSWORD --body $DB_PASSWORD",
        "gh pr create --body fixes123",
        "vault kv get secret/db",
        "src/token\nparser2.py",
    ],
)
def test_what_is_only_said_about_secrets_stays(text: str) -> None:
    assert redact(text).text == text
