"""Commands, settings and marks that are dangerous as they stand: looked for in the text, not in words."""

from __future__ import annotations

from memolith.text.instruction_table import listed, names, rows, spelled
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMES = names(r"""
FETCH = (curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|httpie)
SHELL = (\S{0,20}/)?((ba|z|k|da|fi|a)?sh|python[\d.]{0,4}|perl|ruby|node|php|iex|invoke-expression|source)\b
""")
# Nobody writes these by chance. Before the arrow: what must be in a text that is worth a search.
_COMMANDS = r"""
# download-and-run
curl wget fetch iwr irm invoke- aria2c -> \b{FETCH}\b[^\n|]{0,300}\|
    \s{0,3}(sudo (-\w{1,9} ){0,3})?{SHELL}
curl wget fetch iwr irm invoke- aria2c -> (\bsource|\beval|\bexec|{SHELL}|(^|\s)
    \.) {0,2}(-c )?["']{0,2}(<\(|\$\(|`) {0,2}{FETCH}
iex invoke-expression -> \b(iex|invoke-expression)\b.{0,60}({FETCH}|downloadstring|webclient)
downloadstring( downloadfile( -> downloadstring\(|downloadfile\(
urlopen requests.get fetch( http.get urllib -> \b(exec|eval|system|popen)\(.{0,80}(urlopen|
    requests\.get|fetch\(|http\.get|urllib)
urlopen requests.get fetch( -> (urlopen|requests\.get|fetch)\(.{0,200}\b(exec|eval|compile)\(
base64 -> base64 (-d|--decode|-di)\b[^\n]{0,80}\| {0,3}(sudo )?{SHELL}
curl wget fetch iwr irm invoke- aria2c -> \b{FETCH}\b[^\n|;&]{0,200}(&&|
    ;) {0,3}(sudo )?(chmod \S{1,9} \S{1,80} {0,3}(&&|;) {0,3})?({SHELL} |start-process|\./)
http -> \b(pip3?|npm|yarn|pnpm|gem|cargo|brew|apt(-get)?|dnf|yum|rpm|dpkg|conda|npx)
    \b (-\S{1,12} ){0,3}(install|i|add|exec|-i|-u)? ?(-\S{1,20} ){0,3}["']?https?://
-- -> --(extra-index-url|index-url|registry|find-links|trusted-host)[ =]["']?(https?://|\d)
# destroy
rm -> \brm -(rf|fr|r -f|f -r)\b (--[\w-]{1,30} ){0,2}(/|~|\$home|/\*|\*|\.)([\s"'`.,;]|$)
mkfs dd :(){ -> \bmkfs\.\w{2,6} /dev/|\bdd if=\S{1,60} of=/dev/[shv]d|:\(\)\{ {0,2}:\|:
push -> git push\b[^\n]{0,60}( --force\b(?!-with)| -f\b)[^\n]{0,60}(main|master|release|prod|trunk)
# hand-on
curl -> \bcurl\b[^\n|;]{0,120} (-d|--data\S{0,12}|-f|-t|--upload-file|
    --form) ?["']?\S{0,20}@?\S{0,20}(/etc/passwd|/etc/shadow|\.env|id_rsa|id_ed25519|\.ssh|credentials|
    \.aws|\$\(|`)
| -> (\bcat|\benv|\bprintenv|history)\b[^\n|]{0,60}\| {0,3}(curl|nc|ncat|wget|mail|sendmail)\b
tojson -> tojson\( {0,2}secrets
http -> https?://\S{1,160}[?&/=](<|\{{1,2}|\$\{?|%7b|\[) ?[\w.-]{0,30}(token|secret|key|password|passwd|env|
    credential|cookie|session|conversation|prompt|history)
http -> https?://\S{1,160}[?&](token|secret|key|apikey|password|env|data|exfil|ctx|context|chat|conversation|
    dump)=(<|\{|\$|%7b|\[|`)
](http -> !\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,120}\?[^)\s]{0,80}=(\{|<|\$|%7b|\[)
# privilege
nopasswd -> nopasswd: {0,2}all
# persistence
>> tee -> (>>|tee -a) {0,2}\S{0,30}(authorized_keys|\.bashrc|\.zshrc|\.profile|crontab|rc\.local|
    sudoers)
* -> (\* ){4}\* {1,3}\S{0,20}(/tmp|curl|wget|/dev/shm|base64)
"""
COMMANDS = [
    (rule, listed(needles), lazy(spelled(pattern, _NAMES)))
    for rule, row in rows(_COMMANDS)
    for needles, _, pattern in (row.partition(" -> "),)
]
# Dangerous when somebody is told to use them; a text may well explain them.
_OPTIONS = r"""
(?<![\w-])--(no|skip|disable|without|ignore|bypass)-(\w{1,20}-){0,2}(verif|test|check|valid|review|sign|scan|
    hook|auth|tls|ssl|cert|sandbox|audit|limit|backup|confirm|integrity|lint|polic|preflight|interlock|canary|
    approv|gpg|secur|mfa|safety|alarm|alert|guard|protect|encrypt|firewall|monitor|prompt)[\w-]{0,40}
(?<![\w-])--(insecure|dangerously-[\w-]{3,40}|trust-all|allow-unsigned|allow-untrusted|allow-insecure|
    force-yes|yolo|admin|allow-downgrade|trust-remote-code|allow-root|no-pin|disable-[\w-]{3,30}|
    force-approve|include-pii|with-secrets|no-mask|plaintext|privileged|unsafe-perm|auto-approve|accept-all|
    yes-to-all|break-system-packages)(?![\w-])
\bchmod (-r )?(0?777|a\+rwx|o\+w|ugo\+rwx)\b
stricthostkeychecking[ =]{1,3}(no|off|false)
git_ssl_no_verify|sslverify[ =]{1,3}false|verify ?= ?false|insecureskipverify|
    check_hostname ?= ?false|cert_none
trust_remote_code ?[=:] ?(true|1)|weights_only ?[=:] ?(false|0)|allow_pickle ?= ?true|
    allowprivilegeescalation: true
gonosum(check|db)|goflags=-insecure|pip_trusted_host|strict-ssl[ =]false
\b(allow|allows|principal|origins?|grant|scope|permissions?)\b["':= ]{1,4}\[?["'`]\*["'`]
\bsetenforce 0|\bufw disable|\biptables -f\b|set-executionpolicy (bypass|unrestricted)
\bcurl -\w{0,5}k\b|\bhistory -c\b
\bpush(es|ing|ed)?\b[^\n.]{0,80}( --force\b(?!-with)| -f\b)
"""
OPTIONS = lazy("|".join(spelled(row, {}) for _, row in rows(_OPTIONS)))

# How the parts of a setting's name begin that guards something, and those of one that takes a guard away.
_GUARDS = tuple(
    listed("""
    verif test check valid review sign scan hook auth tls ssl cert sandbox audit limit backup confirm
    integrity lint policy preflight interlock canary approv gpg secur mfa 2fa otp safety alarm alert
    guard protect encrypt firewall monitor permission rbac acl csrf checksum quota throttle enforce trip
    lockout screening consent redact mask anticheat fraud kyc attest strict unauthorized hostkey gate
    freeze hold watchdog moderation require detect lock block filter restrict trace record sentinel fence
    sensor quarantine cheat person control rate dose
""")
)
_AWAY = tuple(
    listed("""
    bypass skip disable ignore insecure unsigned noauth noverify override unsafe inhibit mute suppress
    autoapprove jumper defeat exempt unrestricted shelve anonymous untrusted
""")
)
_ASSIGNED = lazy(
    r"(?<![\w.-])([a-z][\w.-]{2,60}) {0,2}(?:=|:|->| to ) {0,2}[\"']?"
    r"(?:(false|0|off|no|none|disabled?|never|null|permissive)|(true|1|yes|on|enabled?|all|always))"
    r"(?![\w-]|\.\w)"
)


def settings(text: str) -> Iterator[tuple[int, int]]:
    """Find a setting that switches a safeguard off, by the parts of its name and its value."""
    for match in _ASSIGNED.finditer(text):
        parts = match[1].replace("-", "_").replace(".", "_").split("_")
        # `approved: no` is an answer; a setting has a name of several parts or an equals sign.
        if len(parts) == 1 and "=" not in match[0]:
            continue
        away = any(part.startswith(_AWAY) for part in parts)
        if (match[3] and away) or (match[2] and not away and any(part.startswith(_GUARDS) for part in parts)):
            yield match.span()


_MARKERS = r"""
\[/?inst\]|<</?sys>>|<\|[\w-]{2,30}\|>|<(start|end)_of_turn>
(?<!\w)</?(system|assistant|developer|sys|human|instructions?|system[-_ ](prompt|message|reminder|
    instructions?)|tool_(result|call|response)|function_(calls?|results?)|important|admin|override|secret|
    hidden|invoke|user[-_](message|prompt|query|instructions?))(\s[^<>\n]{0,80})?>
(?m:^ {0,3}#{1,6} {0,2}\**(system|assistant|developer)( prompt| message)?\** {0,2}:)
(?<!\w)(human|assistant|user) ?:[^\n]{1,200}[ .](human|assistant) ?:\s
(^|\n) {0,3}\**(user|human)\** ?: [^\n]{1,400}\n {0,3}\**(assistant|ai|bot|agent)\** ?: ?\S
\A {0,3}\**(system|developer)( message| prompt| note)?\** ?: [^\n]{0,100}\b(user|assistant|model|agent|
    session|you|instructions?|permissions?|prompts?|override)\b
\A {0,3}\**(assistant|ai assistant|human)\** ?: {0,2}\S
(?m:^[ \t>*]{0,4}[#\[({<=*-]{1,8} ?(system|admin|administrator|developer|tool|security|root|policy|override|
    operator)[ _-](message|notice|prompt|note|result|output|response|override|update|alert|instructions?|
    directive|command|broadcast|announcement|memo)s?\b)
\b(begin|start of) (developer|system|admin|root|operator) (override|message|prompt|instructions?|policy|
    notice|mode)
"type" {0,2}: {0,2}"(tool_result|system|permission)"
"role" {0,2}: {0,2}"(system|developer)" {0,2},
<(policy|permissions?|authori[sz]ation|grant|directive|priority|trusted|root|rule|context|
    config)\s[^<>\n]{0,60}="?(root|system|admin|high|highest|critical|developer|override|all|
    \*)"?[^<>\n]{0,40}>
\n\n {0,3}\**(system|human|assistant|developer)( prompt| message)?\**: {0,2}\S
"""
# The marks by which hosts tell a model who speaks.
MARKERS = lazy("|".join(spelled(row, {}) for _, row in rows(_MARKERS)))
# A head that claims the trust of a person for a text that no person wrote.
CLAIM = lazy(
    r"\A\ufeff?---[ \t]*\n(?:[^\n]{0,400}\n){0,40}?[ \t\"']{0,4}(?:"
    r"(?:trust(?:ed)?|trust[_-]level|source|origin|author|provenance|reviewed|(?:authored|verified|approved|"
    r"confirmed)(?:[_-]by)?)[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?(?:user|human|person|owner|system|admin|"
    r"true|trusted|developer|operator|yes|the user)|"
    r"tainted[\"']?[ \t]{0,4}:[ \t]{0,4}[\"']?(?:false|no))[\"']?[ \t]{0,4}"
    r"(?:#[^\n]{0,200})?(?=\n)"
)
