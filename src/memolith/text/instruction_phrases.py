"""Turns of phrase that speak to the agent, or that no single verb and thing can say.

A row: the rule, whether a negation before it makes it harmless, the words it begins with, and what follows.
Patterns see one sentence in lower case, one blank between words and signs, so that emphasis, line breaks and
odd spacing do not matter. `~3` stands for at most three words in between, and a blank on either side.
A pattern is tried only where one of its first words stands.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_AI = r"(?:ai|llm|assistant|chatbot|copilot|claude|codex|chatgpt|gpt|gemini|language model|(?:ai|coding) (?:agent|assistant)s?)"
_OWNER = (
    r"(?:users?|user's|operators?|humans?|owners?|customers?|clients?|auditors?|reviewers?|managers?|supervisors?|"
    r"anyone|anybody|security|patients?|person|team|people|colleagues|inspectors?|regulators?)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|orders?|constraints?|training|"
    r"restrictions?|agents\.md|claude\.md|safeguards?|policies)"
)
_OLD = (
    r"(?:previous|prior|earlier|above|preceding|existing|former|foregoing|your|system|original|initial|all|any|"
    r"agents\.md|claude\.md|other|these|developer|user's)"
)
_SAY = r"(?:tell|say|answer|reply|respond|claim|state|assure|insist|pretend|deny)"
_DROP = "ignore|disregard|forget|discard|overrule|override|erase|neglect|abandon|unlearn|set aside|stop following"
_DROP += "|do not follow|don't follow|never follow|no longer follow|do not obey|don't obey"
_NOT = "do not|don't|dont|never|must not|should not|shouldn't|mustn't|shall not|may not"
_HIDDEN_DEED = (
    r"(?:change|add|send|copy|replace|include|forward|insert|remove|delete|update|edit|append|swap|modify|run|install|"
    r"push|merge|switch|rewrite|fetch|approve|alter|upload|post|adjust|set|use|redirect|store|save|drop|skip|disable|export)"
)
_ASKED = r"(?:requests?|prs?|pull|commands?|changes?|certificates?|permissions?|prompts?|transactions?|invoices?|payments?|"
_ASKED += r"calls?|actions?|access|scripts?|logins?|refunds?|expenses?|connections?|domains?|hosts?|senders?|orders?|"
_ASKED += r"tools?|claims?|comes|keys|account|withdrawals?|transfers?)"
_LINK = r"(?:https?://[^ ]+|link|url|page|gist)"
_ADMIN = r"(?:admin|owner|root|superuser|sudoers|administrator|cluster-admin|sysadmin|wildcard|full-access|maintainer)"
_GOOD = r"(?:passed|approved|safe|verified|green|complete|completed|reviewed|done|tested|clean|success|inspected|normal|"
_GOOD += r"compliant|ok|fine|successful|resolved)"
_GUARD = (
    r"(?:scanners?|filters?|detectors?|rules?|gates?|checks?|reviews?|limits?|guards?|monitors?|alarms?|alerts?|interlocks?|linter|"
    r"validation|verification|approvals?|controls?|tests?|stage|policy|firewall)"
)
_MUTED = r"(?:skip|skipped|suppress|suppression|ignore|ignored|noqa|nolint|xfail|disabled|allow_failure|continue-on-error)"

Row = tuple[str, bool, str, str]
_ROWS: tuple[Row, ...] = (
    ("override", True, _DROP, rf"~3{_OLD}~3{_ORDERS}"),
    ("override", True, _DROP, r"~1(?:agents\.md|claude\.md|system prompt|rules in)"),
    ("override", True, _DROP, r" (?:everything|all|anything|what|whatever|the)(?: of)?(?: that)? (?:you|above|before|was said|came before)"),
    (
        "override",
        True,
        "overrides|override|supersedes|supersede|outranks|overrules|trumps|takes precedence over|take precedence over|"
        "has priority over|prevails over|replaces",
        r"~2(?:the user|user's|user instructions|your (?:instructions|rules|guidelines|system|prompt|memory)|system prompt|"
        r"(?:previous|earlier|prior|all) instructions|agents\.md|claude\.md)",
    ),
    (
        "override",
        False,
        "your|previous|earlier|prior|above|all",
        rf"~2{_ORDERS} (?:no longer appl(?:y|ies)|do not apply|are (?:void|cancelled|canceled|obsolete|suspended|revoked|"
        r"lifted|superseded|outdated|null))",
    ),
    (
        "override",
        True,
        "treat|regard|consider|take",
        r" (?:this|the following|what follows)~3(?:authoritative|binding|system|higher|canonical|an? (?:order|command|instruction))",
    ),
    ("override", True, "authoritative|binding|precedence", r"~3(?:even if|over|whatever)~2user"),
    (
        "override",
        False,
        "new|updated|revised|important|critical|additional|hidden|real|actual",
        r"(?: system)? (?:instructions?|directives?|prompt)(?: for you)? :",
    ),
    ("override", True, "enter|switch to|enable|activate|start", r"~2(?:developer|god|jailbreak|dan|unrestricted|sudo) mode"),
    ("override", True, "you are", r"(?: now)? in (?:developer|god|maintenance|admin|debug|jailbreak|dan|unrestricted|root) mode"),
    (
        "concealment",
        False,
        _NOT,
        rf"(?: ever)? (?:tell|inform|notify|alert|warn|let)~1{_OWNER}(?! when)",
    ),
    (
        "concealment",
        False,
        _NOT,
        r"(?: ever)? (?:mention|reveal|disclose|show|report|record|log|admit|discuss|acknowledge)"
        rf"(?: to~1{_OWNER}| (?:this|it|that this|that these|the existence|these)(?: note| step| rule| memory| instructions?| "
        r"change| entry| message| to| in| anywhere| exists?| text| \.)| the (?:output|workflow|policy|step|review|rule|change))",
    ),
    (
        "concealment",
        False,
        "without",
        rf" (?:telling|informing|notifying|alerting|warning)(?: the| any| your| their)? {_OWNER}(?! whose| anything)",
    ),
    (
        "concealment",
        False,
        "without",
        r" (?:mentioning|recording|logging|reporting|disclosing) (?:it|this|that|them)",
    ),
    ("concealment", True, "silently|secretly|covertly|quietly|discreetly|stealthily", rf" {_HIDDEN_DEED}"),
    (
        "concealment",
        False,
        "keep|leave",
        r"~5out of the (?:changelog|summary|log|report|commit|pr|ticket|minutes|record|history|description|notes|journal|logbook)",
    ),
    (
        "concealment",
        True,
        "so",
        r"(?: that)? (?:nobody|no one|no-one|the user|they|reviewers?|auditors?)(?: does not| doesn't| won't| never| cannot| "
        r"will not| will)? (?:notices?|sees?|finds? out|knows?|realises?|realizes?|learns?)",
    ),
    (
        "concealment",
        False,
        "if anyone|if anybody|if someone|if somebody|if the user|if they|if asked|if you are asked|if questioned|if an auditor|"
        "if the auditor|if auditors|if the customer",
        rf"~4, (?:just |then |simply )?{_SAY}",
    ),
    ("concealment", True, "hide|conceal|keep|withhold", rf"~5from (?:the |any |all )?{_OWNER}"),
    ("concealment", True, "leave|leaving", r" no (?:trace|record|log|trail|evidence) (?:of|in|on|,|\.|behind)"),
    ("concealment", True, "cover|erase|remove|delete|hide|clean up", r"~2(?:traces|tracks|evidence)"),
    ("concealment", True, "report|claim|pretend", r"~2(?:success|passed|green|all clear)(?= [.,;]|$)"),
    (
        "blanket-consent",
        True,
        "approve|accept|authorise|authorize|allow|grant|permit|confirm|trust|honour|honor|agree to|say yes to|answer yes to|"
        "auto-approve|auto-accept|sign off|sign off on|pre-approved|preapproved|pre-authorised|pre-authorized|auto-merge",
        rf" (?:all|every|any|each|everything|anything|whatever)~4{_ASKED}",
    ),
    (
        "blanket-consent",
        True,
        "run|execute|obey|follow|do",
        r" (?:any|every|whatever|all|anything)~3(?:commands?|scripts?|code|instructions?|output|page|says|asks)~3"
        r"(?:says?|asks?|tells|without|contains?|suggests?|finds?|there|verbatim)",
    ),
    ("blanket-consent", True, "all|any|every", r"~7(?:pre-?approved|pre-?authori[sz]ed|approved by default|automatically approved)"),
    ("blanket-consent", True, "standing|blanket|unlimited", r" (?:permission|approval|authori[sz]ation|consent)"),
    (
        "blanket-consent",
        False,
        "never|do not|don't|no need to|stop|without|needn't|without ever|rather than|instead of",
        r" (?:ask|asking|prompt|prompting|request|requesting|seek|seeking|wait for)"
        r"(?: (?:the user|me|us|them|anyone|again|first)(?: [,.;]|$)|~3(?:confirmation|permission|approval|consent|board|reviewers?|"
        r"review|sign-off|signoff|cab|qa|clearance|approver))",
    ),
    (
        "blanket-consent",
        True,
        "treat|consider|regard",
        r" (?:all|every|any|each)~5(?:approved|authori[sz]ed|safe|trusted|confirmed|allowed|valid)",
    ),
    (
        "blanket-consent",
        True,
        "permission|authorised|authorized|free|allowed|cleared",
        r" to~3(?:without (?:limits?|restrictions?|asking)|any command)",
    ),
    (
        "addressed",
        True,
        "you are",
        r" (?:now|henceforth|hereby|no longer) (?:an? (?:ai|tool|assistant|bot|agent|system|model|expert|unrestricted|different)|"
        r"the|in|acting|called|[a-z]{0,20}bot|dan|root|operating|unrestricted|authori[sz]ed|bound|under)",
    ),
    ("addressed", True, "as an|as the|as", rf" {_AI}~3you (?:must|should|will|shall|are|have|need|can|may)"),
    (
        "addressed",
        True,
        "the assistant|an assistant|any assistant|every assistant|your assistant|ai assistants|coding agents|coding agent|"
        "ai agents|ai agent|the ai|the llm|the copilot|assistants|an llm",
        r" (?:should|must|shall|is to|are to|has to|needs to|have to|need to|ought to|is expected to|is required to)(?: also| "
        r"always| first| then| simply)? (?!not |never |be |have |ask |confirm |refuse |check |verify )[a-z-]{1,20}",
    ),
    (
        "addressed",
        True,
        "any|every|each|all|whichever|the|an",
        r"(?: ai| coding| llm)? (?:ai|llms?|agents?|assistants?|models?|bots?)(?: that is| which is| currently)? (?:reading|"
        r"that reads?|processing|seeing|which reads?|who reads?|parsing|ingesting|summari[sz]ing) (?:this|the)",
    ),
    (
        "addressed",
        True,
        "note|notes|message|instruction|instructions|memo|attention|reminder|hint",
        rf" (?:to|for)(?: the| any| all| every)? (?:{_AI}|agents?|bots?|models?)(?= :| ,| \.| reading|$)",
    ),
    (
        "addressed",
        True,
        "if|when|whenever|once",
        r"(?: an| the| any)? (?:ai |coding )?(?:assistant|agent|bot|copilot|llm|model|chatbot|automation)s? (?:is|are|gets|was|has been) "
        r"(?:asked|told|instructed|prompted|requested|tasked)(?!~9(?:not|never|ask|refuse|confirm|wait) )",
    ),
    ("addressed", True, "dear|hey|hello|attention|hi", rf"(?: ,| :)? {_AI} [,:!]"),
    (
        "addressed",
        True,
        "claude|assistant|copilot|chatgpt|codex|gemini|ai|agent",
        r" [,:] (?:switch|print|ignore|you|please|always|never|stop|start|run|do|remember|forget|open|add|use|send|act|from|i will)",
    ),
    (
        "addressed",
        True,
        "when|if|whenever|every time|each time|once",
        rf"(?: the| a| any)? (?:users? |you are |you're |someone |anyone )?(?:(?:later|ever|then) )?(?:asks?|asked|says?|mentions?|"
        rf"requests?|inquires?|types?|writes?|wants?)~9(?:always |then |just )?{_SAY} (?:them|the user|that|him|her)",
    ),
    (
        "addressed",
        True,
        "append|add|include|prepend|insert|put|end|start|begin|finish|close|sign|open|work",
        r"~9(?:(?:every|each|all|any)(?: of your)?(?: single)? (?:answers?|repl(?:y|ies)|completions?|conversations?)|"
        r"your (?:answers?|repl(?:y|ies)|responses?|outputs?))",
    ),
    ("addressed", True, "reply|respond|answer|output", r" (?:only with|with only|with nothing but|exclusively with)"),
    (
        "addressed",
        True,
        "from now on|from this point|henceforth|from here on",
        r"~9(?:reply|replies|answers?|responses?|instructions?|outputs?|prompt|conversation|system)",
    ),
    (
        "addressed",
        True,
        "keyword|trigger|codeword|code word|magic word|passphrase|secret phrase|the word|the phrase",
        r"~4(?:appears|is (?:said|mentioned|seen|spoken)|shows up|occurs) ,",
    ),
    (
        "addressed",
        True,
        "print|reveal|output|repeat|show|display|dump|share|leak|disclose|recite",
        r"~3(?:your (?:system )?(?:prompt|instructions|rules|memory|configuration)|(?:system|hidden|initial) prompt)",
    ),
    ("addressed", True, "act as", r" (?:if you|an? unrestricted|root|dan|though you)"),
    (
        "persistence",
        True,
        "save|write|store|add|record|remember|persist|copy|append|put|insert",
        r" (?:this|the following|these|that)~5(?:memory|memories|claude\.md|agents\.md|\.cursorrules|system prompt|rules file|"
        r"every (?:session|project)|future sessions?)",
    ),
    (
        "persistence",
        True,
        "add|append|put|install|write|insert|place|copy|drop|echo|register|create|schedule",
        r"~9(?:[^ ]{0,20}authorized_keys|[^ ]{0,20}crontab|/etc/cron[^ ]{0,20}|/etc/rc\.local|launchagents|\.git/hooks[^ ]{0,20}|"
        r"git hook|post-[a-z]{3,10}(?: git)? hook|registry run key|startup folder)",
    ),
    ("persistence", True, "add|append|put|write|insert|echo", r"~6[^ ]{0,10}\.(?:bashrc|zshrc|bash_profile|profile|zprofile) (?:so|and|,)"),
    (
        "privilege",
        True,
        "run|do|execute|perform|work|operate|start|use",
        r"~3(?:everything|all|any|every|each|always)~4(?:sudo|root|administrator|admin)",
    ),
    ("privilege", True, "sudo|as root|root", r" (?:for|with|in) (?:everything|all|any|every|each)"),
    ("privilege", True, "mount|run|start|launch", r"~5(?:docker socket|docker\.sock|privileged(?= [.,;]|$)|host network|as privileged)"),
    ("privilege", True, "always", r"~3(?:sudo|as root|as administrator)"),
    (
        "privilege",
        True,
        "give|grant|assign|make|add|promote",
        rf"~6{_ADMIN}(?: rights| role| access| privileges| permissions)?~3(?:organi[sz]ation|every|all|on|by default|with|so)",
    ),
    (
        "privilege",
        True,
        "give|grant|assign",
        rf" (?:all|every|each|any|everyone|everybody)~5(?:{_ADMIN}|write|full)",
    ),
    (
        "follow-link",
        True,
        "open|visit|fetch|read|go to|browse to|load|retrieve|download|follow|get",
        rf"~5{_LINK}~6(?:follow|do|carry out|execute|apply|perform|obey|complete|act on|run)~2"
        r"(?:instructions?|steps?|it says|there|commands?|says|tells|each|them|listed)",
    ),
    (
        "download-and-run",
        True,
        "download|fetch|grab|pull|get|wget|curl",
        r"~9(?:and|then|,)~5(?:run|execute|exec|launch|install) (?:it|them|the (?:script|binary|installer|file|result)|as root)",
    ),
    (
        "download-and-run",
        True,
        "run|execute|install|launch|source",
        r"~4(?:scripts?|installer|binary|commands?|build|package|patch|tool|hotfix)~3(?:from|at|on|hosted|behind)~3"
        r"(?:https?://[^ ]+|link|gist|pastebin|attachment|dropbox|telegram)",
    ),
    (
        "promotion",
        True,
        "always|should|must|exclusively|only",
        r" (?:recommend|suggest|promote|endorse|steer|favou?r|advertise)~4(?:first|over|instead|whenever|when|if|to (?:users?|"
        r"customers?)|exclusively)",
    ),
    (
        "promotion",
        True,
        "recommend|suggest|promote|prefer|favour|favor|name|list",
        r"~6(?:over all|above all|over every|ahead of all|instead of (?:any|all)|and never mention|, never mention)",
    ),
    (
        "promotion",
        False,
        "never|do not|don't",
        r" (?:mention|recommend|suggest|list|name)~3(?:alternatives?|competitors?|rivals?|competing)",
    ),
    (
        "expose",
        True,
        "make|set|mark|turn|open|flip",
        r"~4(?:bucket|container|repository|repo|dashboard|share|folder|drive|database|endpoint|console|port)~4"
        r"(?:public|world-readable|to the internet|to everyone|to anyone|0\.0\.0\.0|any address)",
    ),
    (
        "expose",
        True,
        "open|expose|allow|permit|bind|publish",
        r"~5(?:port|access|traffic|ssh|inbound|ingress|database|console|admin|22|3389)~5(?:0\.0\.0\.0|the internet|anywhere|any "
        r"address|everyone|the world)",
    ),
    (
        "false-record",
        True,
        "treat|mark|count|record|report|log|sign off|tick|enter|file",
        rf"~6(?:as|off)(?: an?)? {_GOOD}~2(?:if|even|although|though|whether|without|before|when|regardless|anyway|so)",
    ),
    (
        "false-record",
        True,
        "treat|mark|count|record|report|accept",
        rf"~4(?:fail(?:ed|ing|ures?)|red|missing|skipped|rejected|expired|unsigned|untested)~5as(?: an?)? (?:{_GOOD}|warnings?)",
    ),
    (
        "false-record",
        True,
        "sign|initial|date|fill in|enter|copy",
        r"~4(?:for|as|on behalf of) (?:the |an? |your |another )?(?:absent|missing|colleague|second|other|previous|next)",
    ),
    (
        "false-record",
        True,
        "slow|down|unavailable|late|busy|missing|fails|failing|pending|behind|empty|noisy|wrong",
        rf"~5(?:mark|record|enter|log|report|treat|count|sign|tick|set)~5(?:as|off|to)(?: an?)? (?:cleared|{_GOOD})",
    ),
    (
        "weaken",
        True,
        "fails|fail|failing|failure|red|flaky|gate|rejected|blocked|flagged|complains|trips",
        rf"~8(?:add|append|mark|insert|wrap|put|tag|annotate|give|decorate)~5(?:{_MUTED}|allow-?list|allow list|whitelist|exclusions?|ignore list)",
    ),
    (
        "weaken",
        True,
        "self-approve|self-merge|force-merge|force-approve|admin-merge|rubber-stamp|approve your own|approve their own|"
        "approve its own|approve his own|approve her own|approve our own|merge your own|merge their own|merge its own|review your own",
        r" [a-z]+",
    ),
    ("weaken", True, "acknowledge|acknowledges|ack|shelve|shelves|reset", r" all (?:the )?(?:alarms|alerts|warnings|faults)"),
    ("weaken", True, "force|forces|forcing", r"~2(?:interlock|permissive|relay|limit switch|contact|trip)"),
    ("weaken", True, "with|using|use", r" (?:the|an|your) (?:override|bypass|service|maintenance) (?:key|code|pin|switch|password)"),
    ("blanket-consent", True, "instead of|rather than", r" waiting for~3(?:approval|board|reviewers?|review|sign-off|cab|qa|clearance|approver)"),
    ("weaken", True, "approve|sign|merge|countersign|confirm", r"~3with (?:the|a|your|another|an) (?:second|other|spare|test|shared)~1(?:account|login|key|badge|card)"),
    (
        "weaken",
        True,
        "to silence|to evade|to get past|to get around|to dodge|to fool|to trick|to slip past|to sneak past|to beat",
        rf"~3{_GUARD} ,",
    ),
    ("weaken", True, "so that|so", r"~3(?:passes|pass|goes through|go through|lets it through|gets through|turns green|goes green)(?= [.,;]|$)"),
    (
        "weaken",
        True,
        "gate|gates|scan|scanner|stage|check|checks|test|tests|policy|linter|validation|verification|smoke-test|enforcement|interlock|alarm",
        r"~2(?:into|in|to|as)(?: a)? (?:no-op|noop|warn|warning|report-only|permissive|advisory|non-blocking|warn-only|audit-only)",
    ),
    (
        "weaken",
        True,
        "stop",
        r" (?:recording|logging|auditing|tracking|monitoring|checking|verifying|validating|scanning|reviewing|testing|asking) (?:who|the|for|whether|"
        r"each|every|access|all)",
    ),
    ("weaken", True, "raise|raised|set|lift|lifted|bump", r"~4(?:unlimited|infinity|no limit)"),
    ("weaken", True, "prop|wedge|tape|jam|taping|propping|wedging", r"~5(?:open|over|down|back|shut)"),
    (
        "privilege",
        True,
        "use|borrow|lend|give|share|log in with|sign in with|login with",
        r"~3(?:colleague's|someone's|shared|your own|else's|manager's|supervisor's|coworker's|break-glass|emergency)~2(?:account|token|badge|login|"
        r"pin|password|credentials|key|card)",
    ),
    ("privilege", True, "add", r" (?:yourself|itself|themselves|the bot|me)~1to~3(?:approvers|admins|owners|sudoers|maintainers|codeowners|wheel|group)"),
    ("privilege", True, "grant|give|allow", r"~4access to(?: the)? (?:whole|all|entire|every|everything|full)"),
    ("expose", True, "allow", r" (?:all|any) (?:origins|hosts|traffic|ips|addresses|users|methods|domains|callers|inbound)"),
    ("unguarded", True, "pay|wire|transfer|send|remit", r"~6(?:to|into) (?:the|a|this) new (?:account|iban|bank|address|wallet)"),
    ("unguarded", True, "change|replace|update|swap|set", r"~2(?:beneficiary|payee|iban|bank details|payout)~3(?:to|with|in)"),
    ("concealment", False, "say nothing|tell nobody|tell no one|keep quiet", r"~2(?:about|of|to|\.)"),
    ("concealment", True, "go|send|route|redirect|goes", r"~3to~4(?:nobody|no one|no-one) (?:reads|watches|checks|monitors|looks)"),
    (
        "false-record",
        True,
        "generate|make up|invent|fabricate|fake|forge|produce",
        r"~3(?:plausible~2[a-z]+|evidence|screenshots|readings|signatures|measurements|test results|inspection records)",
    ),
    (
        "follow-link",
        True,
        "from|on|in",
        r"(?: the| a| any)? (?:web ?page|web page|page|site|website|issue|comment|email|forum|tool output|attachment)~4(?:execute|run|apply|follow|"
        r"obey) (?:it|them|what)",
    ),
    ("download-and-run", True, "pull|pulling|grab|grabbing|get|take|download|downloading", r"~6(?:mirror|forum|link|site|dropbox|share)~3install(?:ing)?~1(?:as root|it)"),
    (
        "destroy",
        True,
        "delete|wipe|destroy|purge|drop|erase|shred|truncate|clear|remove|empty|prune|overwrite",
        r"~3(?:backups|snapshots|audit (?:log|logs|trail|records?|table)|access logs?|evidence|(?:production|prod|live) (?:database|db|"
        r"data|cluster|volume)|(?:git|shell|bash|command) history|security logs?|event logs?)",
    ),
)


def _spelled(rest: str) -> str:
    first, *others = rest.split("~")
    return first + "".join(rf"(?: [^ ]{{1,60}}){{0,{part[0]}}}? {part[1:]}" for part in others)


def _pattern(lead: str, rest: str) -> re.Pattern[str]:
    from_lead = "|".join(word.replace(".", r"\.") for word in lead.split("|"))
    return lazy(rf"(?:{from_lead})(?:{_spelled(rest)})(?=[ ]|$)")


# By the word that a phrase begins with: rule, pattern, and whether a negation makes it harmless.
PHRASES: dict[str, list[tuple[str, re.Pattern[str], bool]]] = {}
for _rule, _negatable, _lead, _rest in _ROWS:
    _entry = (_rule, _pattern(_lead, _rest), _negatable)
    for _word in dict.fromkeys(each.split()[0] for each in _lead.split("|")):
        PHRASES.setdefault(_word, []).append(_entry)
