"""Commands and settings that are dangerous as they stand: they are looked for in the text itself, not in words."""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_FETCH = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|httpie)"
_SHELL = r"(?:\S{0,20}/)?(?:(?:ba|z|k|da|fi|a)?sh|python[\d.]{0,4}|perl|ruby|node|php|iex|invoke-expression|source)\b"
# Names of settings: parts that say that it guards something, and parts that say that it does not.
_GUARDS = tuple(
    "verif test check valid review sign scan hook auth tls ssl cert sandbox audit limit backup confirm integrity lint policy "
    "preflight interlock canary approv gpg secur mfa 2fa otp safety alarm alert guard protect encrypt firewall monitor "
    "permission rbac acl csrf checksum quota throttle enforce trip lockout screening consent redact mask anticheat anti_cheat "
    "fraud kyc attest strict unauthorized hostkey gate freeze two_person dual_control hold watchdog moderation require "
    "detect lock block filter restrict trace record sentinel fence sensor quarantine acl".split()
)
_AWAY = tuple(
    "bypass skip disable ignore insecure allow_unsigned no_auth no_verify override trust_all unsafe inhibit mute suppress "
    "auto_approve autoapprove force_push force_merge jumper defeat exempt unrestricted shelve anonymous_access allow_any allow_all".split()
)
_FLAG = "verif|test|check|valid|review|sign|scan|hook|auth|tls|ssl|cert|sandbox|audit|limit|backup|confirm|integrity|lint|polic|"
_FLAG += "preflight|interlock|canary|approv|gpg|secur|mfa|safety|alarm|alert|guard|protect|encrypt|firewall|monitor|prompt"
_ASSIGNED = lazy(
    r"(?<![\w.-])([a-z][\w.-]{2,60}) {0,2}(?:=|:|->| to ) {0,2}[\"']?"
    r"(?:(false|0|off|no|none|disabled?|never|null|permissive)|(true|1|yes|on|enabled?|all|always))(?![\w-]|\.\w)"
)


def settings(text: str) -> Iterator[tuple[int, int]]:
    """Find a setting that switches a safeguard off, by the parts of its name and its value."""
    for match in _ASSIGNED.finditer(text):
        name = match[1].replace("-", "_")
        # `approved: no` is an answer; a setting has a name of several parts or an equals sign.
        if "_" not in name and "." not in name and "=" not in match[0]:
            continue
        away = any(part in name for part in _AWAY)
        if match[2] and not away and any(part in name for part in _GUARDS):
            yield match.span()
        elif match[3] and away:
            yield match.span()


# Found without any word of an order: nobody writes these by chance.
COMMANDS: list[tuple[str, str, re.Pattern[str]]] = [
    (rule, needles, lazy(pattern))
    for rule, needles, pattern in (
        ("download-and-run", "curl wget fetch iwr irm invoke- aria2c", rf"\b{_FETCH}\b[^\n|]{{0,300}}\|\s{{0,3}}(?:sudo (?:-\w{{1,9}} ){{0,3}})?{_SHELL}"),
        ("download-and-run", "curl wget fetch iwr irm invoke- aria2c", rf"(?:\bsource|\beval|\bexec|{_SHELL}|(?:^|\s)\.) {{0,2}}(?:-c )?[\"']{{0,2}}(?:<\(|\$\(|`) {{0,2}}{_FETCH}"),
        ("download-and-run", "iex invoke-expression", rf"\b(?:iex|invoke-expression)\b.{{0,60}}(?:{_FETCH}|downloadstring|webclient)"),
        ("download-and-run", "downloadstring( downloadfile(", r"downloadstring\(|downloadfile\("),
        ("download-and-run", "urlopen requests.get fetch( http.get urllib", r"\b(?:exec|eval|system|popen)\(.{0,80}(?:urlopen|requests\.get|fetch\(|http\.get|urllib)"),
        ("download-and-run", "urlopen requests.get fetch(", r"(?:urlopen|requests\.get|fetch)\(.{0,200}\b(?:exec|eval|compile)\("),
        ("download-and-run", "base64", rf"base64 (?:-d|--decode|-di)\b[^\n]{{0,80}}\| {{0,3}}(?:sudo )?{_SHELL}"),
        ("download-and-run", "curl wget fetch iwr irm invoke- aria2c", rf"\b{_FETCH}\b[^\n]{{0,200}}(?:&&|;) {{0,3}}(?:sudo )?(?:chmod \S{{1,9}} \S{{1,80}} {{0,3}}(?:&&|;) {{0,3}})?(?:{_SHELL} |start-process|\./)"),
        ("download-and-run", "http", r"\b(?:pip3?|npm|yarn|pnpm|gem|cargo|brew|apt(?:-get)?|dnf|yum|rpm|dpkg|conda|npx)\b (?:-\S{1,12} ){0,3}(?:install|i|add|exec|-i|-u)? ?(?:-\S{1,20} ){0,3}[\"']?https?://"),
        ("download-and-run", "--", r"--(?:extra-index-url|index-url|registry|find-links|trusted-host)[ =][\"']?(?:https?://|\d)"),
        ("destroy", "rm", r"\brm -(?:rf|fr|r -f|f -r)\b (?:--[\w-]{1,30} ){0,2}(?:/|~|\$home|/\*|\*|\.)(?:[\s\"'`.,;]|$)"),
        ("destroy", "mkfs dd :(){", r"\bmkfs\.\w{2,6} /dev/|\bdd if=\S{1,60} of=/dev/[shv]d|:\(\)\{ {0,2}:\|:"),
        ("destroy", "push", r"git push\b[^\n]{0,60}(?: --force\b(?!-with)| -f\b)[^\n]{0,60}(?:main|master|release|prod|trunk)"),
        ("hand-on", "curl", r"\bcurl\b[^\n]{0,120}(?:-d|--data\S{0,12}|-f|-t|--upload-file|--form) ?[\"']?\S{0,20}@?\S{0,20}(?:/etc/passwd|/etc/shadow|\.env|id_rsa|id_ed25519|\.ssh|credentials|\.aws|\$\(|`)"),
        ("hand-on", "|", r"(?:\bcat|\benv|\bprintenv|history)\b[^\n|]{0,60}\| {0,3}(?:curl|nc|ncat|wget|mail|sendmail)\b"),
        ("hand-on", "](http", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,120}\?[^)\s]{0,80}=(?:\{|<|\$|%7b|\[)"),
        ("privilege", "nopasswd", r"nopasswd: {0,2}all"),
        ("persistence", ">> tee", r"(?:>>|tee -a) {0,2}\S{0,30}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab|rc\.local|sudoers)"),
        ("persistence", "*", r"(?:\* ){4}\* {1,3}\S{0,20}(?:/tmp|curl|wget|/dev/shm|base64)"),
    )
]
# Dangerous when somebody is told to use them; a text may well explain them.
OPTIONS = lazy(
    rf"(?<![\w-])--(?:no|skip|disable|without|ignore|bypass)-(?:\w{{1,20}}-){{0,2}}(?:{_FLAG})[\w-]{{0,40}}|"
    r"(?<![\w-])--(?:insecure|dangerously-[\w-]{3,40}|trust-all|allow-unsigned|allow-untrusted|allow-insecure|force-yes|yolo|include-pii|with-secrets|no-mask|plaintext|"
    r"privileged|unsafe-perm|auto-approve|accept-all|yes-to-all|break-system-packages)(?![\w-])|"
    r"\bchmod (?:-r )?(?:0?777|a\+rwx|o\+w|ugo\+rwx)\b|stricthostkeychecking[ =]{1,3}(?:no|off|false)|"
    r"git_ssl_no_verify|sslverify[ =]{1,3}false|verify ?= ?false|insecureskipverify|\bsetenforce 0|\bufw disable|\biptables -f\b|"
    r"set-executionpolicy (?:bypass|unrestricted)|check_hostname ?= ?false|cert_none|\bcurl -\w{0,5}k\b|\bhistory -c\b|"
    r"\bpush(?:es|ing|ed)?\b[^\n.]{0,80}(?: --force\b(?!-with)| -f\b)"
)

_TAGS = (
    r"system|assistant|developer|sys|human|instructions?|system[-_ ](?:prompt|message|reminder|instructions?)|tool_(?:result|call|response)|"
    r"function_(?:calls?|results?)|important|admin|override|secret|hidden|invoke|user[-_](?:message|prompt|query|instructions?)"
)
MARKERS = lazy(
    r"\[/?inst\]|<</?sys>>|<\|[\w-]{2,30}\|>|<(?:start|end)_of_turn>|"
    rf"(?<!\w)</?(?:{_TAGS})(?:\s[^<>\n]{{0,80}})?>|"
    r"(?m:^ {0,3}#{1,6} {0,2}\**(?:system|assistant|developer)(?: prompt| message)?\** {0,2}:)|"
    r"(?<!\w)(?:human|assistant|user) ?:[^\n]{1,200}[ .](?:human|assistant) ?: |"
    r"\n\n {0,3}\**(?:system|human|assistant|developer)(?: prompt| message)?\**: {0,2}\S"
)
# A head that claims the trust of a person for a text that no person wrote.
CLAIM = lazy(
    r"\A\ufeff?---[ \t]*\n(?:[^\n]{0,400}\n){0,40}?"
    r"[ \t\"']{0,4}(?:trust(?:ed)?|trust[_-]level|source|origin|author|authored[_-]by|verified|verified[_-]by|approved|approved[_-]by|provenance|"
    r"reviewed|tainted|confirmed(?:[_-]by)?)[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?(?:user|human|person|owner|system|admin|"
    r"true|trusted|developer|operator|false|yes|the user)[\"']?[ \t]{0,4}(?:#[^\n]{0,200})?(?=\n)"
)
