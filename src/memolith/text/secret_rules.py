"""Tokens that name themselves: rules written from the providers' published formats.

Most formats are a fixed beginning and a tail of one alphabet: a row says both. What follows a beginning is
matched where the beginning is found, so a text without it costs a substring search and no more.
"""

from __future__ import annotations

from memolith.text.patterns import lazy
from memolith.text.secret_value import is_mixed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_ALPHABETS = {
    "hex": "[0-9a-fA-F]",
    "alnum": "[A-Za-z0-9]",
    "word": r"[\w-]",
    "dotted": r"[\w.-]",  # tokens of several parts
    "base64": r"[\w.+/=-]",  # Base64 of either kind
    "upper": "[A-Z0-9]",
}
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ALNUM = _CAPITALS + _CAPITALS.lower() + "0123456789"
# The same as sets of characters, for who may not use `re`.
MEMBERS = {
    "hex": frozenset("0123456789abcdefABCDEF"),
    "alnum": frozenset(_ALNUM),
    "word": frozenset(_ALNUM + "_-"),
    "dotted": frozenset(_ALNUM + "_.-"),
    "base64": frozenset(_ALNUM + "_.+/=-"),
    "upper": frozenset(_CAPITALS + "0123456789"),
}
# kind, beginnings, alphabet of the tail, how long the tail is at least.
_PREFIXED: tuple[tuple[str, str, str, int], ...] = (
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "dotted", 36),
    ("github-token", "github_pat_", "word", 22),
    (
        "gitlab-token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glagent- gloas- glptt- glimt- glffct-",
        "dotted",
        18,
    ),
    ("gitlab-token", "GR1348941", "word", 20),
    ("npm-token", "npm_", "alnum", 36),
    (
        "slack-token",
        "xoxb- xoxp- xoxa- xoxs- xoxo- xoxr- xoxe- xoxe.xoxp- xoxe.xoxb- xoxc- xoxd- xapp-",
        "word",
        14,
    ),
    ("google-key", "AIza", "word", 35),
    ("google-key", "ya29.", "word", 20),
    ("google-secret", "GOCSPX-", "word", 24),
    ("anthropic-key", "sk-ant-", "word", 20),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sess-", "word", 20),
    ("openrouter-key", "sk-or-v1-", "hex", 32),
    ("openai-key", "sk-", "alnum", 20),
    (
        "stripe-key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_",
        "alnum",
        14,
    ),
    ("huggingface-token", "hf_ api_org_", "alnum", 30),
    ("pypi-token", "pypi-AgE pypi-", "word", 50),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "hex", 40),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", "alnum", 32),
    ("databricks-token", "dapi dkea doseb", "hex", 32),
    ("linear-key", "lin_api_ lin_oauth_", "alnum", 32),
    ("notion-token", "ntn_", "alnum", 40),
    ("notion-token", "secret_", "alnum", 40),
    ("vault-token", "hvs. hvb. hvr.", "word", 24),
    ("age-key", "AGE-SECRET-KEY-1", "upper", 40),
    ("sendgrid-key", "SG.", "dotted", 40),
    ("mailgun-key", "key- pubkey-", "hex", 32),
    ("brevo-key", "xkeysib- xsmtpsib-", "word", 40),
    ("twilio-key", "SK", "hex", 32),
    ("grafana-token", "glc_ glsa_", "base64", 32),
    ("grafana-token", "eyJrIjoi", "base64", 30),
    ("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", "base64", 40),
    ("sourcegraph-token", "sgp_ slk_ sgd_ sgph_", "word", 30),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "dotted", 32),
    ("fly-token", "fo1_ fm1_ fm1a_ fm1r_ fm2_", "base64", 32),
    ("perplexity-key", "pplx-", "alnum", 32),
    ("groq-key", "gsk_", "alnum", 32),
    ("replicate-token", "r8_", "alnum", 32),
    ("xai-key", "xai-", "alnum", 40),
    ("nvidia-key", "nvapi-", "word", 40),
    ("langchain-key", "lsv2_pt_ lsv2_sk_ ls__", "word", 32),
    ("pinecone-key", "pcsk_", "word", 32),
    ("model-key", "tvly- jina_ tgp_v1_ csk- rpa_", "word", 32),
    ("newrelic-key", "NRAK- NRJS- NRRA- NRII- NRAA- NRSP- NRIQ- NRAL- NRBR-", "word", 19),
    ("newrelic-key", "px-api- px-dep-", "word", 32),
    ("octopus-key", "API-", "upper", 25),
    ("postman-key", "PMAK- PMAT-", "word", 40),
    ("contentful-token", "CFPAT-", "word", 40),
    ("figma-token", "figd_ figo_ figu_ figs_ figoh_ figor_", "word", 32),
    ("rubygems-key", "rubygems_", "hex", 40),
    ("nuget-key", "oy2", "alnum", 43),
    ("square-token", "sq0atp- sq0csp- sq0idp- sq0atb- sq0acp- sandbox-sq0", "word", 22),
    ("square-token", "EAAAE EAAAl", "word", 50),
    ("facebook-token", "EAAC EAAM EAAB EAAG EAAD EAAH EAAJ EAAL EAAI EAAK EAAE", "alnum", 80),
    ("atlassian-token", "ATATT3 ATCTT3 ATBB ATSTT3", "base64", 24),
    ("artifactory-token", "AKCp", "alnum", 60),
    ("artifactory-token", "cmVmdGtuO cmVmdG", "alnum", 50),
    ("docker-token", "dckr_pat_ dckr_oat_", "word", 20),
    ("pulumi-token", "pul-", "hex", 40),
    ("posthog-key", "phx_ phs_ phr_", "alnum", 32),
    ("supabase-key", "sbp_ sb_secret_", "word", 30),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_api_", "base64", 32),
    ("duffel-token", "duffel_test_ duffel_live_", "word", 40),
    ("easypost-key", "EZAK EZTK", "alnum", 54),
    ("flutterwave-key", "FLWSECK_TEST- FLWSECK- FLWSECK_LIVE-", "word", 12),
    ("shippo-token", "shippo_live_ shippo_test_", "hex", 40),
    ("alibaba-key", "LTAI", "alnum", 16),
    ("tencent-key", "AKID", "alnum", 32),
    ("adobe-secret", "p8e- p8-", "word", 30),
    ("bedrock-key", "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-", "base64", 60),
    ("1password-token", "ops_eyJ", "base64", 60),
    ("openshift-token", "sha256~", "word", 40),
    ("clojars-token", "CLOJARS_", "hex", 50),
    ("crates-token", "cio", "alnum", 32),
    ("netlify-token", "nfp_ nfo_ nfc_ nfb_ nfu_", "alnum", 36),
    ("tailscale-key", "tskey-", "word", 20),
    ("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s04. dt0s06. dt0s08. dt0s09. dt0s16.", "dotted", 60),
    ("dropbox-token", "sl.", "word", 100),
    ("buildkite-token", "bkua_ bkct_ bkpt_", "word", 30),
    ("circleci-token", "CCIPAT_ CCIPRJ_", "word", 40),
    ("sonar-token", "squ_ sqp_ sqa_ sqb_", "hex", 40),
    ("infracost-token", "ico-", "alnum", 32),
    ("prefect-token", "pnu_ pnb_", "alnum", 36),
    ("readme-token", "rdme_", "alnum", 60),
    ("typeform-token", "tfp_", "dotted", 40),
    ("mongodb-secret", "mdb_sa_sk_", "word", 36),
    ("apify-token", "apify_api_", "alnum", 30),
    ("xendit-key", "xnd_production_ xnd_development_", "alnum", 40),
    ("razorpay-key", "rzp_live_ rzp_test_", "alnum", 14),
    ("terraform-token", "atlasv1.", "base64", 60),
    ("wakatime-key", "waka_", "word", 36),
    ("adafruit-key", "aio_", "alnum", 28),
    ("scalingo-token", "tk-us- tk-eu-", "word", 40),
    ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", "alnum", 16),
    ("frameio-token", "fio-u-", "word", 50),
    ("stackhawk-key", "hawk.", "dotted", 36),
    ("teamwork-token", "tkn.v1_", "base64", 60),
    ("yandex-key", "AQVN YCAJ YCM y0_ y1_", "word", 32),
    ("lob-key", "live_ test_", "hex", 35),
    ("secret-key", "sk_", "alnum", 32),
    ("mapbox-token", "sk.eyJ tk.eyJ pk.eyJ", "dotted", 60),
    ("amazon-token", "amzn.mws. amzn1.oa2-cs.v1.", "word", 36),
    ("hubspot-token", "pat-na1- pat-eu1- pat-na2- pat-ap1-", "word", 36),
    ("nightfall-key", "NF-", "hex", 32),
    ("pubnub-key", "sub-c- pub-c- sec-c-", "word", 32),
    ("zuplo-key", "zpka_", "word", 32),
    ("aws-key-id", "AKIA ASIA ABIA ACCA", "upper", 16),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", "alnum", 24),
    ("neon-key", "napi_", "alnum", 40),
    ("render-key", "rnd_", "alnum", 28),
    ("fireworks-key", "fw_", "alnum", 22),
    ("firecrawl-key", "fc-", "hex", 32),
    ("langfuse-key", "sk-lf- pk-lf-", "word", 32),
    ("helicone-key", "sk-helicone-", "word", 20),
    ("heroku-key", "HRKU-", "word", 36),
    ("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", "word", 30),
    ("snyk-token", "snyk_uat. snyk_sat.", "dotted", 32),
    ("axiom-token", "xaat- xapt-", "word", 32),
    ("ory-token", "ory_at_ ory_pat_ ory_rt_ ory_ac_", "word", 32),
    ("honeycomb-key", "hcaik_ hcbik_ hcxik_ hcamk_", "alnum", 32),
    ("wandb-key", "wandb_v1_", "word", 32),
    ("woocommerce-key", "ck_ cs_", "hex", 40),
    ("google-token", "1//0", "word", 40),
    ("volcengine-key", "AKLT", "alnum", 32),
    ("baidu-key", "ALTAK-", "alnum", 20),
    ("intercom-token", "dG9rO", "base64", 40),
    ("modal-token", "ak- as-", "alnum", 22),
)
# kind, what must occur, pattern. Group 1, where there is one, is the secret. Each repetition is bounded, or
# over a class that what follows is not in; `+` after one never gives back. These are looked for in runs only:
_IN_RUNS: tuple[tuple[str, str, str], ...] = (
    ("airtable-token", "pat", r"\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b"),
    ("discord-token", ".", r"(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,40}(?![\w.-])"),
    ("cloudflare-key", "v1.0-", r"(?<![\w.-])v1\.0-[0-9a-f]{24}-[0-9a-f]{100,160}"),
    ("zoho-token", "1000.", r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}\b"),
    ("mailchimp-key", "-us", r"(?<![\w-])[0-9a-f]{32}-us\d{1,2}\b"),
    (
        "1password-key",
        "A3-",
        r"\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}\b",
    ),
    (
        "aws-secret",
        "+",
        r"(?<![\w+/=])(?=[\w+/]{0,39}[+/])(?=[A-Za-z0-9+/]{0,39}[0-9])(?=[a-z0-9+/]{0,39}[A-Z])"
        r"[A-Za-z0-9+/]{40}(?![\w+/=])",
    ),
)
# These anywhere. Each begins with something that `re` can search for fast.
_SHAPED: tuple[tuple[str, str, str], ...] = (
    ("aws-key-id", "A3T", r"\bA3T[A-Z0-9][A-Z0-9]{16}\b"),
    (
        "jwt",
        "eyJ",
        r"eyJ(?<![\w.-]eyJ)[\w-]{12,4000}+\.[\w-]{10,8000}+\.[\w-]{10,4000}+(?:\.[\w-]{10,4000}+){0,2}",
    ),
    ("azure-secret", "Q~", r"(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])"),
    ("telegram-token", ":AA", r"(?<![\w:])(?:bot)?(\d{8,10}:AA[\w-]{32,34})(?![\w-])"),
    ("facebook-token", "|", r"\|(?<=\d{15}\|)[\w-]{27}(?![\w-])"),
    (
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,200}+)",
    ),
    (
        "password-hash",
        "$",
        r"\$(?<![\w$]\$)(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[156]\$(?:rounds=\d{1,9}\$)?"
        r"[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|"
        r"y\$[./A-Za-z0-9$]{40,200})",
    ),
    ("kerberos-ticket", "$krb5", r"\$krb5(?:tgs|asrep|pa)\$[^\s'\"]{32,4000}+"),
    (
        "bundler-credentials",
        "BUNDLE_",
        r"\bBUNDLE_\w{2,64}__\w{2,12}['\"]?\s{0,3}[:=]\s{0,3}['\"]?"
        r"([\w.~+@-]{3,100}:[\w.~+-]{3,100}|[\w-]{20,100})",
    ),
    ("wifi-key", "WIFI:", r"\bWIFI:[^\n]{0,80}?[:;]P:([^;\s]{4,63}+)"),
    ("split-token", "AKIA", r"\bAKIA(?:[ .·-]{1,3}[A-Z0-9]{2,8}){3,8}(?![A-Za-z0-9])"),
    ("split-token", "ghp", r"\bghp_?(?:[ .·-]{1,3}[A-Za-z0-9]{2,8}){6,18}(?![A-Za-z0-9])"),
)
# What stands between the parts of a token that did not fit into one line.
_BREAK = lazy(r"\\?\r?\n[ \t>#*|]{0,8}+|['\"]\s{0,4}[+.\\]?\s{0,8}['\"]")
_REPEATED = lazy(r"([A-Za-z0-9])\1{7}|xxxx|XXXX")
_compiled: dict[str, re.Pattern[str]] = {}
# By their first character: few of them occur in the long runs of an ordinary text.
_beginnings: dict[str, list[tuple[str, str, str, int]]] = {}


def named_tokens(text: str, runs: list[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    """Find tokens by their published formats; `runs` are the places where one could be."""
    rows = beginnings()
    joined = "\n".join([text[start:end] for start, end in runs])
    for first in rows.keys() & set(joined):
        for kind, beginning, alphabet, least in rows[first]:
            if beginning in joined:
                yield from _prefixed(text, kind, beginning, _ALPHABETS[alphabet], least)
    for kind, needle, pattern in _IN_RUNS:
        if needle in joined:
            for start, end in runs:
                yield from _shaped(text, kind, pattern, start, end)
    for kind, needle, pattern in _SHAPED:
        if needle in text:
            yield from _shaped(text, kind, pattern, 0, len(text))


def beginnings() -> dict[str, list[tuple[str, str, str, int]]]:
    """Return the rows of the table by the first character of a beginning."""
    if not _beginnings:
        for kind, row, alphabet, least in _PREFIXED:
            for beginning in row.split():
                _beginnings.setdefault(beginning[0], []).append((kind, beginning, alphabet, least))
    return _beginnings


def _compile(pattern: str) -> re.Pattern[str]:
    compiled = _compiled.get(pattern)
    if compiled is None:
        compiled = _compiled[pattern] = lazy(pattern)
    return compiled


def _shaped(text: str, kind: str, pattern: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for match in _compile(pattern).finditer(text, start, end):
        low, high = match.span(match.re.groups)
        if not _is_sample(match[0]):
            yield kind, low, high


def _prefixed(
    text: str, kind: str, beginning: str, letters: str, least: int
) -> Iterator[tuple[str, int, int]]:
    whole = _compile(f"{letters}{{{least},2000}}+")
    size = len(beginning)
    at = text.find(beginning)
    while at >= 0:
        after = at + size
        # A beginning inside a longer word is none.
        if at == 0 or not (text[at - 1].isalnum() and text[at - 1].isascii()):
            match = whole.match(text, after)
            if match:
                after = match.end()
                if not _is_sample(match[0]) and _has_digit_or_cases(match[0]):
                    yield kind, at, after
            elif size >= 4 and (end := _broken_end(text, at, after, letters, least)):
                yield kind, at, end
                after = end
        at = text.find(beginning, after)


def _broken_end(text: str, start: int, at: int, letters: str, least: int) -> int:
    """Return where a token ends that is broken over lines, or over strings that are added; 0 if none is."""
    value = ""
    for _ in range(8):
        part = _compile(f"{letters}{{1,400}}+").match(text, at)
        if not part:
            return 0
        if not value and (not _has_digit_or_capital(part[0]) or start + 12 > part.end()):
            return 0  # a word, and the next line or string
        value += part[0]
        if len(value) >= least:
            return part.end() if is_mixed(value) and not _is_sample(value) else 0
        gap = _BREAK.match(text, part.end())
        if not gap or len(part[0]) < 6:
            return 0
        at = gap.end()
    return 0


def _has_digit_or_capital(value: str) -> bool:
    return value != value.lower() or any(map(str.isdigit, value))


def _is_sample(value: str) -> bool:
    """Tell the samples of documentation: `AKIA…EXAMPLE`, `ghp_xxxx…`, `glc_1111…`."""
    return value.endswith(("EXAMPLE", "example")) or _REPEATED.search(value) is not None


def _has_digit_or_cases(value: str) -> bool:
    """Tell a random tail from words that happen to follow a beginning: `sk-learn-pipeline`, `API-…`."""
    return any(map(str.isdigit, value)) or not (value.islower() or "_" in value or "-" in value)
