"""Commands and settings that are dangerous as they stand: they are looked for in the text itself, not in words."""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_FETCH = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|httpie)"
_SHELL = r"(?:\S{0,20}/)?(?:(?:ba|z|k|da|fi|a)?sh|python[\d.]{0,4}|perl|ruby|node|php|iex|invoke-expression|source)\b"
_GUARD = (
    r"verif(?:y|ication)|tests?|checks?|validat(?:e|ion)|reviews?|sign(?:ature|ing|ed)?|scans?|hooks?|auth(?:entication|"
    r"orization)?|tls|ssl|cert(?:ificate)?s?|sandbox|audit(?:ing|_?log)?|limits?|limiter|backups?|confirm(?:ation)?|integrity|lint|"
    r"polic(?:y|ies)|preflight|interlocks?|canary|approvals?|gpg|security|mfa|2fa|otp|safety|alarms?|alerts?|guards?|protect(?:ion)?|"
    r"encrypt(?:ion)?|firewall|monitoring|logging|permissions?|rbac|acl|csrf|checksum|quota|throttle|enforce(?:ment|d)?|"
    r"trip|lockout|screening|consent|redact(?:ion)?|mask(?:ing)?|anti_?cheat|fraud|kyc|attestation|verify_ssl|strict|"
    r"reject_unauthorized|hostkeychecking|gate|freeze|two_person|dual_control|sign_?off|hold|dose|watchdog|moderation"
)
_OFF = r"[\"']?(?:false|0|off|no|none|disabled?|never|null|permissive|allow|skip|bypass(?:ed)?|warn)\b"
_ON = r"[\"']?(?:true|1|yes|on|enabled?|all|always)\b"

# Found without any word of an order: nobody writes these by chance.
COMMANDS: list[tuple[str, re.Pattern[str]]] = [
    (rule, lazy(pattern))
    for rule, pattern in (
        ("download-and-run", rf"\b{_FETCH}\b[^\n|]{{0,300}}\|\s{{0,3}}(?:sudo (?:-\w{{1,9}} ){{0,3}})?{_SHELL}"),
        ("download-and-run", rf"(?:\bsource|\beval|\bexec|{_SHELL}|(?:^|\s)\.) {{0,2}}(?:-c )?[\"']{{0,2}}(?:<\(|\$\(|`) {{0,2}}{_FETCH}"),
        ("download-and-run", rf"\b(?:iex|invoke-expression)\b.{{0,60}}(?:{_FETCH}|downloadstring|webclient)"),
        ("download-and-run", r"downloadstring\(|downloadfile\("),
        ("download-and-run", r"\b(?:exec|eval|system|popen)\(.{0,80}(?:urlopen|requests\.get|fetch\(|http\.get|urllib)"),
        ("download-and-run", r"(?:urlopen|requests\.get|fetch)\(.{0,200}\b(?:exec|eval|compile)\("),
        ("download-and-run", rf"base64 (?:-d|--decode|-di)\b[^\n]{{0,80}}\| {{0,3}}(?:sudo )?{_SHELL}"),
        ("download-and-run", rf"\b{_FETCH}\b[^\n]{{0,200}}(?:&&|;) {{0,3}}(?:sudo )?(?:chmod \S{{1,9}} \S{{1,80}} {{0,3}}(?:&&|;) {{0,3}})?(?:{_SHELL} |start-process|\./)"),
        ("download-and-run", r"\b(?:pip3?|npm|yarn|pnpm|gem|cargo|brew|apt(?:-get)?|dnf|yum|rpm|dpkg|conda|npx)\b (?:-\S{1,12} ){0,3}(?:install|i|add|exec|-i|-u)? ?(?:-\S{1,20} ){0,3}[\"']?https?://"),
        ("download-and-run", r"--(?:extra-index-url|index-url|registry|find-links|trusted-host)[ =][\"']?(?:https?://|\d)"),
        ("destroy", r"\brm -(?:rf|fr|r -f|f -r)\b (?:--[\w-]{1,30} ){0,2}(?:/|~|\$home|/\*|\*|\.)(?:[\s\"'`.,;]|$)"),
        ("destroy", r"\bmkfs\.\w{2,6} /dev/|\bdd if=\S{1,60} of=/dev/[shv]d|:\(\)\{ {0,2}:\|:"),
        ("destroy", r"git push\b[^\n]{0,60}(?: --force\b(?!-with)| -f\b)[^\n]{0,60}(?:main|master|release|prod|trunk)"),
        ("hand-on", r"\bcurl\b[^\n]{0,120}(?:-d|--data\S{0,12}|-f|-t|--upload-file|--form) ?[\"']?\S{0,20}@?\S{0,20}(?:/etc/passwd|/etc/shadow|\.env|id_rsa|id_ed25519|\.ssh|credentials|\.aws|\$\(|`)"),
        ("hand-on", r"(?:\bcat|\benv|\bprintenv|history)\b[^\n|]{0,60}\| {0,3}(?:curl|nc|ncat|wget|mail|sendmail)\b"),
        ("hand-on", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,120}\?[^)\s]{0,80}=(?:\{|<|\$|%7b|\[)"),
        ("privilege", r"nopasswd: {0,2}all"),
        ("persistence", r"(?:>>|tee -a) {0,2}\S{0,30}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab|rc\.local|sudoers)"),
        ("persistence", r"(?:\* ){4}\* {1,3}\S{0,20}(?:/tmp|curl|wget|/dev/shm|base64)"),
    )
]
# Dangerous when somebody is told to use them; a text may well explain them.
SETTINGS: list[tuple[str, re.Pattern[str]]] = [
    ("setting", lazy(pattern))
    for pattern in (
        rf"(?<![\w])(?:[a-z0-9]{{1,30}}[_.-]){{0,5}}(?:{_GUARD})(?:[_.-]?[a-z0-9]{{1,20}}){{0,3}} {{0,2}}(?:=|:|->) {{0,2}}{_OFF}",
        rf"(?<![\w])(?:[a-z0-9]{{1,30}}[_.-]){{0,5}}(?:bypass|skip|disable|ignore|insecure|allow_unsigned|no_auth|no_verify|override|"
        rf"trust_all|unsafe|inhibit|mute|suppress|auto_?approve|force|jumper|defeat)(?:d|ed)?(?:[_.-][a-z0-9]{{1,20}}){{0,4}} {{0,2}}(?:=|:|->) {{0,2}}{_ON}",
        rf"(?<![\w-])--(?:no|skip|disable|without|ignore|bypass)-(?:\w{{1,20}}-){{0,2}}(?:{_GUARD})(?:-\w{{1,20}}){{0,2}}(?![\w-])",
        r"(?<![\w-])--(?:insecure|dangerously-[\w-]{3,40}|trust-all|allow-unsigned|allow-untrusted|allow-insecure|force-yes|yolo|"
        r"privileged|unsafe-perm|auto-approve|accept-all|yes-to-all|break-system-packages)(?![\w-])",
        r"\bchmod (?:-r )?(?:0?777|a\+rwx|o\+w|ugo\+rwx)\b",
        r"stricthostkeychecking[ =]{1,3}(?:no|off|false)|node_tls_reject_unauthorized ?= ?[\"']?0|pythonhttpsverify ?= ?0",
        r"git_ssl_no_verify|sslverify[ =]{1,3}false|verify ?= ?false|insecureskipverify|\bsetenforce 0|\bufw disable|\biptables -f\b",
        r"set-executionpolicy (?:bypass|unrestricted)|check_hostname ?= ?false|cert_none|\bcurl -\w{0,5}k\b|\bhistory -c\b",
        r"git push\b[^\n]{0,60}(?: --force\b(?!-with)| -f\b)|git commit [^\n]{0,60}-n\b",
    )
]

_TAGS = (
    r"system|assistant|developer|sys|human|instructions?|system[-_ ](?:prompt|message|reminder|instructions?)|tool_(?:result|call|response)|"
    r"function_(?:calls?|results?)|important|admin|override|secret|hidden|invoke|user[-_](?:message|prompt|query|instructions?)"
)
MARKERS = lazy(
    r"\[/?inst\]|<</?sys>>|<\|[\w-]{2,30}\|>|<(?:start|end)_of_turn>|"
    rf"(?<!\w)</?(?:{_TAGS})(?:\s[^<>\n]{{0,80}})?>|"
    r"(?m:^ {0,3}#{1,6} {0,2}\**(?:system|assistant|developer)(?: prompt| message)?\** {0,2}:)|"
    r"\n\n {0,3}\**(?:system|human|assistant|developer)(?: prompt| message)?\**: {0,2}\S"
)
# A head that claims the trust of a person for a text that no person wrote.
CLAIM = lazy(
    r"\A\ufeff?---[ \t]*\n(?:[^\n]{0,400}\n){0,40}?"
    r"[ \t\"']{0,4}(?:trust(?:ed)?|trust[_-]level|source|origin|author|authored[_-]by|verified|verified[_-]by|approved|approved[_-]by|provenance|"
    r"reviewed|tainted|confirmed(?:[_-]by)?)[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?(?:user|human|person|owner|system|admin|"
    r"true|trusted|high|full|developer|operator|false|yes|the user)[\"']?[ \t]{0,4}(?:#[^\n]{0,200})?(?=\n)"
)
