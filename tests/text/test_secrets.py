"""Credentials are masked before text is stored; names, hashes and placeholders are not.

The samples are put together at run time, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.text.secrets import redact
from tests.ledger import proves

MIX = "a1B2"
PEM = "\n".join(["-----BEGIN {0}PRIVATE KEY-----", *["MIIE" + MIX * 15] * 3, "-----END {0}PRIVATE KEY-----"])
TOKENS = [
    ("github-token", "ghp_" + "a1" * 18),
    ("github-token", "github_pat_" + "1A" * 11 + "_" + "b2" * 29),
    ("npm-token", "npm_" + "a1" * 18),
    ("slack-token", "xoxb-" + "123456789012-" * 2 + MIX * 6),
    ("google-key", "AI" + "za" + "Sy" + "a1B_" * 8 + "x"),
    ("aws-key-id", "AKIA" + "ABCD2345" * 2),
    ("openai-key", "sk-" + MIX * 12),
    ("openai-key", "sk-" + "proj-" + MIX * 12 + "_-" + MIX),
    ("anthropic-key", "sk-" + "ant-api03-" + MIX * 20 + "-AA"),
    ("jwt", ".".join(["ey" + "J" + MIX * 5, "ey" + "J" + MIX * 8, MIX * 8 + "_-"])),
    ("private-key", PEM.format("")),
    ("private-key", PEM.format("RSA ")),
    ("private-key", PEM.format("OPENSSH ").replace("\n", "\\n")),
]
# Known by what stands before them.
AWS_SECRET = "wJalr" + "XUtnFEMI/K7MDENG/" + "bPxRfiCY" + MIX * 2 + "zz"
LABELLED = [
    ("aws-secret", "aws_secret_access_key = ", AWS_SECRET, ""),
    ("aws-secret", "AWS_SECRET_ACCESS_KEY=", AWS_SECRET, ""),
    ("aws-secret", '"SecretAccessKey": "', AWS_SECRET, '"'),
    ("bearer-token", "Authorization: Bearer ", MIX * 8, ""),
    ("bearer-token", "-H 'authorization: bearer ", MIX * 8, "'"),
    ("password", "password=", "hunter2", ""),
    ("password", "DB_PASSWORD='", "Tr0ub4dor&3", "'"),
    ("password", "password: ", "correct-horse9", ""),
    ("password", '{"api_key": "', MIX * 4, '"}'),
    ("url-password", "postgres://bob:", "s3cret", "@db/shop"),
    ("url-password", "https://bob:", "hunter", "@example.org/x.git"),
    ("url-password", "redis://:", "pa:ss", "@cache"),
]
SAMPLES = [*[(kind, "", token, "") for kind, token in TOKENS], *LABELLED]
CONTEXTS = [
    "On Monday I used {} for the deploy.",
    "It is {}, do not share it",
    "(see {})",
    "```sh\nrun {}\nls\n```\n",
    "export X={}",
    'export X="{}"\n',
    "- `{}`",
    "密钥 {}。",
]
HARMLESS = [
    "task_scheduler_config.yaml",
    "tokenization_strategy",
    "tokenization_strategy: bpe",
    "keyboardShortcutHandler",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "fixed in 517c5d1",
    "123e4567-e89b-12d3-a456-426614174000",
    "password = <your password>",
    "password: ********",
    "token=$TOKEN",
    "export API_KEY=${VAR}",
    'password="$PW"',
    "token: {{ token }}",
    "token=%TOKEN%",
    "secret=vault:kv/data/shop",
    "password: vault://shop/db",
    "secret: secret/data/shop",
    "api_key = os.environ['X']",
    "API_KEY=your-api-key",
    "password: required",
    "password = getpass()",
    "max_tokens=4096",
    "http://localhost:3000/x",
    "https://example.org:8080/a@b",
    "risk-assessment-2024-for-the-whole-team",
    "sk-learn-pipeline-with-many-words-2024",
    "the bearer of this letter",
]


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
    token = "ghp_" + "a1" * 18
    assert redact(f"export GITHUB_TOKEN={token}").text == "export GITHUB_TOKEN=[secret:github-token]"
    assert redact(f"Authorization: Bearer {token}").text == "Authorization: Bearer [secret:github-token]"


def test_a_value_that_is_a_name_does_not_hide_the_secret_behind_it() -> None:
    assert redact("password: DB_PASSWORD = hunter2").text == "password: DB_PASSWORD = [secret:password]"


@given(
    st.lists(
        st.sampled_from(["".join(sample[1:]) for sample in SAMPLES] + HARMLESS)
        | st.sampled_from(
            [" ", "\n", "=", ":", "'", '"', "`", "-", "[secret:password]", "password=", "://", "@"]
        )
        | st.text(max_size=8),
        max_size=8,
    ).map("".join)
)
def test_masking_twice_changes_nothing(text: str) -> None:
    once = redact(text)
    again = redact(once.text)
    assert (again.text, again.findings) == (once.text, [])
    # Spans point into the text that was given, in order, and what lies between them stays.
    at, rest = 0, once.text
    for finding in once.findings:
        assert at <= finding.start < finding.end
        assert rest.startswith(text[at : finding.start] + f"[secret:{finding.kind}]")
        rest = rest[finding.start - at + len(f"[secret:{finding.kind}]") :]
        at = finding.end
    assert rest == text[at:]


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "a.",
        "a-",
        "ey" + "J",
        "eyJ-",
        "eyJ.",
        "eyJaaaaaaaa.",
        "://",
        "a://b:",
        "password:",
        "password='",
        "token=",
        "bearer ",
        "sk-",
        "sk-a",
        "sk-ant-",
        "ghp_",
        "xoxb-",
        "pypi-",
        "AKIA",
        "aws",
        "secret key is ",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY----- a\n",
        "[secret:x]",
        "password=a1b2c3 [secret:x] ",
        "https://a:bcd@x ",
    ],
)
def test_hostile_text_is_not_slow(unit: str) -> None:
    # The end makes every rule run.
    text = (unit * 65_536)[:65_536] + " :// eyj bearer private key sk- gh aws aiza token xox pypi- akia"
    began = time.process_time()
    redact(text)
    assert time.process_time() - began < 0.25
