"""Turns of phrase that speak to the agent itself: override, concealment, blanket consent, triggers, promotion.

The patterns see one sentence per line, in lower case, one blank between words and signs, so that emphasis,
line breaks and odd spacing do not matter. `~3` stands for at most three words in between.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def _phrase(pattern: str) -> re.Pattern[str]:
    """Turn the short form into a pattern: `~3` is up to three words, and a pattern begins at a word."""
    pieces = pattern.split("~")
    spelled = pieces[0] + "".join(f"(?: [^ \\n]{{1,40}}){{0,{piece[0]}}}? {piece[1:].lstrip()}" for piece in pieces[1:])
    return lazy(rf"(?m)(?:(?<= )|^)(?:{spelled})(?=[ \n]|$)")


_AI = r"(?:ai|llms?|assistants?|chatbots?|copilot|claude|codex|chatgpt|gpt|gemini|language models?|(?:ai|coding) (?:agents?|assistants?))"
_OWNER = r"(?:users?|user's|operators?|humans?|owners?|customers?|clients?|auditors?|reviewers?|managers?|supervisors?|anyone|anybody|security|patients?|person|team|people|colleagues)"
_ORDERS = r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|orders?|constraints?|training|restrictions?|agents\.md|claude\.md|safeguards?|policies)"
_OLD = r"(?:previous|prior|earlier|above|preceding|existing|former|foregoing|your|system|original|initial|all|any|agents\.md|claude\.md|other|these|developer|user's)"
_DROP = r"(?:ignore|disregard|forget|discard|overrule|override|erase|neglect|abandon|unlearn|set aside|stop following|(?:do not|don't|never|no longer) (?:follow|obey|apply|heed))"
_SAY = r"(?:tell|say|answer|reply|respond|claim|state|assure|insist|pretend|deny)"
_NOT = r"(?:do not|don't|dont|never|must not|should not|shouldn't|mustn't|shall not|may not|without)"

# Pattern, and whether a negation before it makes it harmless.
PHRASES: list[tuple[str, re.Pattern[str], bool]] = [
    (rule, _phrase(pattern), negatable)
    for rule, negatable, pattern in (
        ("override", True, rf"{_DROP}~3{_OLD}~3{_ORDERS}"),
        ("override", True, rf"{_DROP} (?:the )?(?:agents\.md|claude\.md|system prompt|rules in)"),
        ("override", True, r"(?:ignore|forget|disregard) (?:everything|all|anything|what|whatever|the)(?: of)? ?(?:that )?(?:you|above|before|was said|came before|precedes)"),
        ("override", True, r"(?:overrides?|supersedes?|outranks?|overrules?|trumps?|takes? precedence over|ha(?:s|ve) priority over|prevails? over|replaces?)~2(?:the user|user's|user instructions|your (?:instructions|rules|guidelines|system|prompt|memory)|(?:the|any) system prompt|(?:previous|earlier|prior|all) instructions|agents\.md|claude\.md)"),
        ("override", False, rf"(?:your|previous|earlier|prior|the above|all) ~2{_ORDERS} (?:no longer apply|no longer applies|do not apply|are (?:void|cancelled|canceled|obsolete|suspended|revoked|lifted|superseded|outdated|null))"),
        ("override", True, r"(?:treat|regard|consider|take) (?:this|the following|what follows)~3(?:authoritative|binding|system|higher|canonical|an? (?:order|command|instruction))"),
        ("override", True, r"(?:authoritative|binding|precedence)~3(?:even if|over|whatever)~2user"),
        ("override", False, r"(?:new|updated|revised|important|critical|additional|hidden|real|actual) (?:system )?(?:instructions?|directives?|prompt) (?:for you )?:"),
        ("override", True, r"(?:enter|switch to|enable|activate|now in|start|into)~2(?:developer|god|maintenance|admin|debug|jailbreak|dan|unrestricted|root) mode"),
        ("concealment", False, rf"{_NOT} (?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|let)~1{_OWNER}"),
        ("concealment", False, rf"{_NOT} (?:ever )?(?:mention|mentioning|reveal|revealing|disclose|disclosing|show|showing|report|reporting|record|log|admit|discuss|acknowledge)(?: to~2{_OWNER}| (?:this|it|that this|that these|the existence|these) ?(?:note|step|rule|memory|instructions?|change|entry|message|to|in|anywhere|exists?|text)?)"),
        ("concealment", True, r"(?:(?<=, )|(?<=and )|(?<=then )|(?<=should )|(?<=must )|(?<=may )|(?<=please )|(?<=always )|^)(?:silently|secretly|covertly|quietly|discreetly|stealthily) (?:change|add|send|copy|replace|include|forward|insert|remove|delete|update|edit|append|swap|modify|run|install|push|merge|switch|rewrite|fetch|approve|alter|upload|post|adjust|set|use|redirect|store|save|drop|skip|disable|export)"),
        ("concealment", False, r"(?:keep|leave)~5out of the (?:changelog|summary|log|report|commit|pr|ticket|minutes|record|history|description|notes|journal)"),
        ("concealment", True, r"so (?:that )?(?:nobody|no one|no-one|the user|they|reviewers?|auditors?)(?: (?:does not|doesn't|won't|never|cannot|will not|will))? (?:notices?|sees?|finds? out|knows?|realises?|realizes?|learns?)"),
        ("concealment", False, rf"if (?:anyone|anybody|someone|somebody|the user|they|asked|you are asked|questioned|an auditor|the auditors?)~4, (?:just |then |simply )?{_SAY}"),
        ("concealment", True, rf"(?:hide|conceal|keep|withhold)~5from (?:the |any |all )?{_OWNER}"),
        ("concealment", True, r"(?:leave|leaving) no (?:trace|record|log|trail|evidence)"),
        ("concealment", True, r"(?:cover|erase|remove|delete|hide|clean up)~2(?:traces|tracks|evidence)"),
        ("concealment", True, r"(?:and|then|, ) ?(?:report|claim|pretend)~2(?:success|passed|green|done|all clear)"),
        ("blanket-consent", True, r"(?:approve|accept|authori[sz]e|allow|grant|permit|confirm|trust|honou?r|agree to|(?:say|answer|reply) yes to|auto-approve|auto-accept|sign off(?: on)?) (?:all|every|any|each|everything|anything|whatever)~4(?:requests?|prs?|commands?|changes?|certificates?|permissions?|prompts?|transactions?|invoices?|payments?|calls?|actions?|access|scripts?|logins?|refunds?|expenses?|connections?|domains?|hosts?|senders?|orders?|tools?|claims?|comes|keys|account)"),
        ("blanket-consent", True, r"(?:run|execute|obey|follow|do) (?:any|every|whatever|all|anything)~3(?:commands?|scripts?|code|instructions?|output|page|says|asks)~3(?:says?|asks?|tells|without|contains?|suggests?|finds?|there|verbatim)"),
        ("blanket-consent", True, r"(?:all|any|every)~7(?:pre-?approved|pre-?authori[sz]ed|approved by default|automatically approved)"),
        ("blanket-consent", True, r"(?:standing|blanket|unlimited|permanent|general) (?:permission|approval|authori[sz]ation|consent|authority)"),
        ("blanket-consent", False, r"(?:never|do not|don't|no need to|stop|without|needn't|without ever|rather than|instead of) (?:ask|asking|prompt|prompting|request|requesting|seek|seeking)(?: (?:the user|me|us|them|anyone|again|first)| ~2(?:confirmation|permission|approval|consent))"),
        ("blanket-consent", True, r"(?:treat|consider|regard) (?:all|every|any|each)~5(?:approved|authori[sz]ed|safe|trusted|confirmed|allowed|valid)"),
        ("blanket-consent", True, r"(?:permission|authori[sz]ed|free|allowed|cleared) to~3(?:without (?:limits?|restrictions?|asking)|anything|any command)"),
        ("addressed", True, r"you are (?:now|henceforth|hereby|no longer) (?:an? (?:ai|tool|assistant|bot|agent|system|model|expert|unrestricted|different)|the|in|acting|called|[a-z]{0,20}bot|dan|root|operating|unrestricted|authori[sz]ed|bound|under)"),
        ("addressed", True, rf"as (?:an? |the )?{_AI}~3you (?:must|should|will|shall|are|have|need|can|may)"),
        ("addressed", True, rf"(?:the |an? |any |every |all )?{_AI} (?:should|must|shall|is to|are to|has to|needs to|have to|need to|ought to|is expected to|is required to) (?!not |never |be |have |ask |confirm |refuse )[a-z-]{{1,20}}"),
        ("addressed", True, r"(?:any|every|each|all|whichever|the|an) (?:ai |coding |llm )?(?:ai|llms?|agents?|assistants?|models?|bots?)(?: that is| which is| currently)? (?:reading|that reads?|processing|seeing|which reads?|who reads?|parsing|ingesting|summari[sz]ing) (?:this|the)"),
        ("addressed", True, rf"(?:notes?|messages?|instructions?|memo|attention|reminder|hint) (?:to|for) (?:the |any |all |every )?(?:{_AI}|agents?|bots?|models?)(?= :| ,| \.| reading|$)"),
        ("addressed", True, rf"(?:dear|hey|hello|attention|hi)(?: ,| :)? {_AI} [,:!]"),
        ("addressed", True, r"^(?:claude|assistant|copilot|chatgpt|codex|gemini|ai|agent) [,:] (?:switch|print|ignore|you|please|always|never|stop|start|run|do|remember|forget|open|add|use|send|act|from)"),
        ("addressed", True, rf"(?:when|if|whenever|every time|each time|once)(?: the| a| any)? (?:users?|you are|you're)~2(?:asks?|asked|says?|mentions?|requests?|inquires?|types?|writes?|wants?)~9(?:, )?(?:always |then |just )?{_SAY} (?:them|the user|that|with|him|her|it)"),
        ("addressed", True, r"(?:append|add|include|prepend|insert|put|end|start|begin|finish|close|sign|open|work)~9(?:every|each|all|any) (?:of your )?(?:single )?(?:answers?|repl(?:y|ies)|completions?|conversations?)"),
        ("addressed", True, r"(?:append|add|include|prepend|insert|put|end|start|begin|finish)~9(?:all |every |each |of )?your (?:answers?|repl(?:y|ies)|responses?|outputs?|messages?)"),
        ("addressed", True, r"(?:reply|respond|answer|output) (?:only with|with only|with nothing but|exclusively with)"),
        ("addressed", True, r"(?:from now on|from this point(?: on| onwards?| forward)?|henceforth|from here on)~9(?:reply|replies|answers?|responses?|instructions?|outputs?|prompt|conversation|system)"),
        ("addressed", True, r"(?:keyword|trigger|code ?word|magic word|passphrase|secret phrase|word|phrase)~4(?:appears|is (?:used|said|mentioned|seen|spoken)|shows up|occurs) ,"),
        ("addressed", True, r"(?:print|reveal|output|repeat|show|display|dump|share|leak|disclose|recite)~3(?:your (?:system )?(?:prompt|instructions|rules|memory|configuration)|(?:the |its )?(?:system|hidden|initial) prompt)"),
        ("addressed", True, r"act as (?:if you|an? unrestricted|root|dan|though you)"),
        ("persistence", True, r"(?:save|write|store|add|record|remember|persist|copy|append|put|insert) (?:this|the following|these|that)~5(?:memory|memories|claude\.md|agents\.md|\.cursorrules|system prompt|rules file|every (?:session|project)|future sessions?)"),
        ("persistence", True, r"(?:add|append|put|install|write|insert|place|copy|drop|echo|register|create|schedule)~9(?:~?/?[^ \n]{0,20}authorized_keys|[^ \n]{0,20}crontab|/etc/cron[^ \n]{0,20}|/etc/rc\.local|launchagents|\.git/hooks[^ \n]{0,20}|(?:git|post-[a-z]{3,10}) hook|registry run key|startup folder)"),
        ("persistence", True, r"(?:add|append|put|write|insert|echo)~6[^ \n]{0,10}\.(?:bashrc|zshrc|bash_profile|profile|zprofile) (?:so|and|,)"),
        ("privilege", True, r"(?:run|do|execute|perform|work|operate|start)~3(?:everything|all|any|every|each|always)~4(?:sudo|root|administrator|admin)"),
        ("privilege", True, r"always~3(?:sudo|as root|as administrator)"),
        ("privilege", True, r"(?:give|grant|assign|make|add|promote)~6(?:admin|owner|root|superuser|sudoers|administrator|cluster-admin|sysadmin|wildcard|full-access|write-all)(?: rights| role| access| privileges| permissions)?~3(?:organi[sz]ation|every|all|to|on|by default|with|so|for)"),
        ("privilege", True, r"(?:give|grant|assign) (?:all|every|each|any|everyone|everybody)~5(?:admin|owner|root|superuser|administrator|write|full|maintainer)"),
        ("follow-link", True, r"(?:open|visit|fetch|read|go to|browse to|load|retrieve|download|follow|get)~5(?:https?://[^ \n]+|link|url|page|gist)~6(?:follow|do|carry out|execute|apply|perform|obey|complete|act on|run)~2(?:instructions?|steps?|it says|there|commands?|says|tells|each|them|listed)"),
        ("download-and-run", True, r"(?:download|fetch|grab|pull|get|wget|curl)~9(?:and|then|,)~5(?:run|execute|exec|launch|install) (?:it|them|the (?:script|binary|installer|file|result)|as root)"),
        ("download-and-run", True, r"(?:run|execute|install|launch|source)~4(?:scripts?|installer|binary|commands?|build|package|patch|tool|hotfix)~3(?:from|at|on|hosted|behind)~3(?:https?://[^ \n]+|link|gist|pastebin|attachment|dropbox|telegram)"),
        ("promotion", True, r"(?:always|should|must|exclusively|only) (?:recommend|suggest|promote|endorse|steer|favou?r|advertise)~4(?:first|over|instead|when(?:ever)?|if|to (?:users?|customers?)|exclusively)"),
        ("promotion", True, r"(?:recommend|suggest|promote|prefer|favou?r|name|list)~6(?:over all|above all|over every|ahead of all|instead of (?:any|all)|and never mention|, never mention)"),
        ("promotion", False, r"(?:never|do not|don't) (?:mention|recommend|suggest|list|name)~3(?:alternatives?|competitors?|rivals?|competing)"),
        ("expose", True, r"(?:make|set|mark|turn|open|flip)~4(?:bucket|container|repository|repo|dashboard|share|folder|drive|database|endpoint|console|port)~4(?:public|world-readable|to the internet|to everyone|to anyone|0\.0\.0\.0/0|0\.0\.0\.0)"),
        ("expose", True, r"(?:open|expose|allow|permit|bind|publish)~5(?:port|access|traffic|ssh|inbound|ingress|database|console|admin|22|3389)~5(?:0\.0\.0\.0[^ \n]{0,3}|the internet|anywhere|any address|everyone|the world)"),
        ("false-record", True, r"(?:treat|mark|count|record|report|log|sign off|tick|enter|file)~6(?:as|off)(?: an?)? (?:passed|approved|safe|verified|green|complete|completed|reviewed|done|tested|clean|success|inspected|normal|compliant)~2(?:if|even|although|though|whether|without|before|when|regardless|anyway|so)"),
        ("false-record", True, r"(?:treat|mark|count|record|report|accept)~4(?:fail(?:ed|ing|ures?)|red|missing|skipped|rejected|expired|unsigned|untested)~5as(?: an?)? (?:passed|approved|safe|verified|green|complete|completed|ok|success|fine|warnings?)"),
        ("destroy", True, r"(?:delete|wipe|destroy|purge|drop|erase|shred|truncate|clear|remove|empty|prune|overwrite)~3(?:backups?|snapshots|audit (?:log|logs|trail|records?|table)|access logs?|evidence|(?:production|prod|live) (?:database|db|data|cluster|volume)|(?:git|shell|bash|command) history|security logs?|event logs?|journal)"),
    )
]
