"""What a text claims: to stand above the rules, that all was approved, that it speaks with authority.

And what only such texts ask: that something stay hidden, that a word set something off. Rows as in
`instruction_phrases`; one that begins with `^` counts even if it tells of the past: "consent was given once
and for all" is a claim, not a report.
"""

from __future__ import annotations

NAMES = r"""
WHOM = (users?|user's|operators?|humans?|owners?|customers?|clients?|auditors?|reviewers?|managers?|
    supervisors?|anyone|anybody|security|patients?|persons?|people|colleagues|inspectors?|regulators?|clerks?|
    parents?|staff|management|board|legal|compliance|relatives|officers?|committee|administrators?|
    maintainers?|developers?|colleague|team|pharmacists?|doctors?|nurses?|testers?|teachers?|residents?|
    applicants?|players?|members?|investors?)
RECORD = (summary|commit|changelog|report|log|logs|notes|handover|minutes|ticket|description|history|protocol|
    diary|record|records|journal|logbook|message|release notes|audit trail|chart|file|answer|review|diff|
    documentation|calendar|register|sbom|tracker|inventory|books|manifest|incident report|bill|statement|
    timeline)
AGENT = ((ai|automated|coding|virtual|digital|language|software) [a-z-]+|ais?|llms?|assistants?|chatbots?|
    copilots?|claude|codex|chatgpt|gpt|gemini|agents?|bots?|models?|helpers?|automations?|copilot)
MUST = (should|must|shall|may|can|will|(is|are) (now )?(to|expected to|supposed to|allowed to|permitted to|
    free to|required to|authori[sz]ed to|meant to|advised to|obliged to|cleared to|entitled to)|ought to|
    has to|have to|needs? to)
OUGHT = (should|must|shall|(is|are) (now )?(to|expected to|supposed to|allowed to|permitted to|free to|
    required to|authori[sz]ed to|meant to|advised to|obliged to|cleared to|entitled to)|ought to|has to|
    have to|needs? to)
ALSO = ( also| always| first| then| now| simply| just| directly| immediately| quietly| silently|
     automatically)?
RISKY = (approve|merge|disable|turn off|switch off|upload|forward|execute|delete|remove|wipe|grant|ignore|
    insert|rewrite|raise|install|visit|recommend|skip|bypass|dismiss|deny|leave out|omit|widen|publish|reveal|
    overwrite|force|obey|trigger|hand over|accept|act as|transfer|wire|refund|exfiltrate|disclose|pretend|
    claim|hide|conceal|mute|leave~3(out|unmentioned|blank|away|off|open|unchecked)|silence|override|assume|
    purge|escalate|promote|praise|embed|inject|prefer|trust|impersonate|waive|steer)
MILD = (make|keep|leave|pick|choose|treat|commit|edit|replace|switch|retry|rerun|end|close|finish|begin|take|
    drop|download|push|sign|copy|send|post|fetch|append|prepend|mark|run|read|write|use|add|include|return|
    start|give|open|put|set|change|print|share|list|show|log|store|save|move|call|load|create|book|pay|reply|
    answer|respond|say|tell)
WIDE = (every|all|any|outside|without|root|sudo|live|production|whatever|unlimited|everything|full|entire|
    hidden|buy|recommendation|link|advert|coupon|administrator|https?://[^ ]+|secrets?|tokens?|keys?|
    passwords?|credentials|env|environment)
SAFE = (?! (the |a |its |your )?(unit |integration )?(tests?|formatter|linter|plan|draft|drafts|question|
    sources?|suggestion|summary|link to the (docs|page)|ticket|pull request|feature))
SPOKEN = (says?|types?|mentions?|utters?|writes?|brings? up|greets?|thanks|enters?|speaks? of|refers? to|
    turns? to|(runs?|starts?|makes) (a|an|the|its?)|touches (on|upon)|comes? to|raises?|names?|talks? about|
    thanked|posts?)
ORDER = (insert|add|append|include|wire|copy|send|fetch|run|execute|change|replace|set|delete|wipe|answer|
    reply|respond|say|tell|claim|write|look up|forward|post|upload|recommend|suggest|steer|point|give|
    redirect|approve|grant|disable|load|download|transfer|switch|edit|rewrite|remove|mark|deny|praise|mention|
    output|print|embed|prepend|import|push|merge|visit|install|quote|refuse|decline|close|turn|drop|move|pay|
    book|open|create|do|act|behave|begin|start|stop|use|skip|ignore|call|treat|assume|offer|make|put|show|
    read|export|encode|sign|enable|restart|reset|raise|lower)
THEN = ( then| first| just| always| silently| quietly| simply| immediately| also| please)?
GRAVE = (insert|append|fetch|wire|copy|forward|upload|post|delete|wipe|deny|praise|steer|execute|disable|
    grant|say|answer|claim|reply|recommend|suggest|embed|prepend|export|transfer|approve|refuse|redirect|
    look up|download|install)
WRITING = (note|memory|record|file|text|entry|message|document|page|rule|instruction|paragraph|memo|card|
    section|line|guidance|notice|comment|passage|policy)s?
ABOVE = (wins|prevails?|(has|have|takes?|gets?|is of|carries|enjoys?) (the )?(last word|final word|highest|
    top|precedence|priority|final say|absolute|supreme|greater weight)|outranks?|overrules?|trumps?|beats?|
    stands? above|(is|are) (authoritative|binding|final|decisive)|comes? before|goes before|(overrides?|
    supersedes?|replaces?|cancels?)~1(rules?|instructions?|users?|system|policies|anything|everything|safety|
    guidelines?|orders?|prompts?|whatever|restrictions?|your))
FILES = (agents\.md|claude\.md|contributing\.md|readme|readme\.md|system prompt|guidelines?|handbook|
    developer's|developers?|user|owner|operator|maintainers?|human|policy|admins?|administrator|security team)
VOID = (do(es)? not (apply|bind|count|hold|matter|concern)|don't (apply|bind|count)|no longer (appl(y|ies)|
    binds?|counts?|holds?|valid|matters?|in force)|(is|are|was|were|has been|have been) (hereby |
    now )?(lifted|void|obsolete|outdated|suspended|removed|cancelled|canceled|null|withdrawn|waived|revoked|
    not binding|a mistake|superseded|wrong|retired|switched off|repealed|abolished|relaxed)|can be (ignored|
    forgotten|dropped|disregarded|skipped)|(is|are) out of date)
RULING = (rules?|guidelines?|training|instructions?|limits?|restrictions?|ban|bans|policies|policy|
    constraints?|safeguards?|prohibitions?|guardrails?|orders|prompt|limitations?|(safety|security) (notes?|
    memos?|warnings?|entries|sections?))
LASTINGLY = (once and for all|for good|forever|(?<!not )permanently|indefinitely|until further notice|
    for (the )?(coming|whole|entire|next|rest)|
    every (purchase|payment|change|request|command|order|transfer|action|deletion|merge|access)|
    all (purchases|payments|changes|requests|commands|orders|transfers|actions|deletions|merges|future))
HENCE = (so|hence|therefore|thus|consequently|which means|meaning)
"""
TABLE = r"""
# addressed
assistant / assistants / agent / agents / bot / bots / model / copilot / claude / llm / llms / chatbot /
    chatbots / helper / ai / automation / automations / coder / contributors / codex / chatgpt /
    gemini -> (?<!support agents)(?<!estate agents)(?<!travel agents)(?<!sales agents)
    ~12({OUGHT}{ALSO} {RISKY}|{MUST}{ALSO} ({RISKY}|{MILD})~6{WIDE}) [^ ]+
any / an / a / every / if / when / whenever / once / all / each -> ~2{AGENT}~14(it|they|
    itself) {MUST}{ALSO} ({RISKY}|{MILD}){SAFE} [^ ]+
order / instruct / direct / command / ask / oblige / require / tell / obliges / requires ->
    ~2{AGENT} to [a-z]+
to all / attention / dear / all ->  ((ai|llm) )?(ai|agents|assistants|bots|models|ai systems|automated [a-z]+|
    coding agents|language models) ([:,!]|must|shall)
this / entry / note / memory / message / text / section / line / paragraph ->  (is|are)( only| solely|
     just)? (for|meant for|addressed to|intended for|directed at|aimed at)( only| the| any| every)* {AGENT}
return / print / output / dump / copy / include / recite / reproduce / repeat / show / send / reveal ->
    ~5(context window|system prompt|hidden instructions|full context|system message|conversation so far)
when / if / once / whenever / after / as soon as / each time / every time / the moment / should / anytime /
    next time / the next time / the instant -> ~1(users?|operators?|customers?|visitors?|callers?|someone|
    somebody|anyone|anybody|patients?|clients?|reader|person|conversation|chat|talk|discussion|you)~1{SPOKEN}
    ~10,{THEN} {ORDER} [^ ]+
when / if / once / whenever / after / as soon as / each time / every time / the moment / should / anytime /
    the instant -> ~1(users?|operators?|customers?|visitors?|callers?|clients?|patients?|developers?|
    students?)~1(asks?|inquires?|requests?|wants?|opens?|logs? in|complains?|is about|starts?|goes|searches|
    needs?|compares?)~10,{THEN} {GRAVE} [^ ]+
when / if / once / whenever / as soon as / each time / every time / anytime -> ~14,{THEN} ((approve|merge|
    accept|pay|grant|forward|upload|copy|send|release) (it|them)~1(at once|immediately|without|right away|
    straight away|unseen|automatically)|(post|paste|send|mail|upload|copy|forward)~1contents of) [^ ]*
when / if / whenever / once / each time / every time ->  (you are|you're|you get|the agent is|
    the assistant is) (asked|told|prompted|questioned)~10,{THEN} ({GRAVE}|read|include|change|replace|
    add) [^ ]+
if / when / whenever / once -> ~6(appears|occurs|shows up|comes up|is mentioned|is said|turns up)~1(in|within)
    ~3(prompt|message|conversation|question|chat|request|session|input)~1,{THEN} {ORDER} [^ ]+
when / once / if / as soon as / whenever / after / each time -> ~14,{THEN} (change|replace|edit|add|remove|
    disable|delete|wipe|copy|stop|clear)~6(maintainers?|owners?|codeowners|/tmp[^ ]*|/var/log[^ ]*|
    card number|alarms?|licen[cs]e check|log entries|audit)
upon / on / at / after ->  (hearing|seeing|reading|receiving|(the|any) (word|phrase|keyword|sentence|string|
    mention|(first|second|third|fifth|tenth) (question|message|answer|turn)))~10,{THEN} {ORDER} [^ ]+
as soon as / when / once / whenever / the moment / each time / every time / if ->  you (see|hear|read|
    encounter|notice|meet|come across|detect|spot|find)~10,{THEN} {GRAVE} [^ ]+
the word / the phrase / the keyword / the string / the sentence ->
    ~4(tells you|triggers|activates|unlocks|is (said|typed|written|mentioned|used|spoken)|appears|comes up|
    occurs|starts)~8{ORDER} [^ ]+
behave / act / proceed / pretend / answer / respond / speak -> ( just)? (as if|as though|like)~6(your own|
    never|approved|unrestricted|nothing|no rules|no limits|you were|authori[sz]ed)
i / we ->  (hereby )?(order|command|instruct|direct) (you|all|every|any|the~1{AGENT})
informs / inform / notifies / reminds / advises / tells / asks -> ~2{AGENT} (that|:|to)
# override
{DROP} -> ~3(project|team|house|company|safety|security|review|coding|these|those|user's|office|site|lab|ward|
    owner's) {RULING}
contradicts / conflicts with / contradict / conflict with / opposes ->  (this|these|the present) {WRITING}
    ~2(is|are|counts? as) (void|invalid|ignored|wrong|null|to be ignored|outdated|not valid)
user / user's / users / owner / operator / owner's -> ~4(cannot|can't|may not|must not|never|can not) (change|
    override|undo|revoke|cancel|overrule|lift|alter)~3(this|here|it|these|them)
{DROP} -> ~5(agents\.md|claude\.md|contributing\.md|system prompt|safety (section|rules|policy)|guard ?rails|
    what (the |your )?(developers?|users?|owners?|operators?|maintainers?|admins?|person|human) (said|says|
    wrote|told|wants?|asks?|asked)|developer's~1(rules|instructions))
this / present / following / these / current -> ~2{WRITING}~3{ABOVE}
whatever / regardless of what / no matter what / notwithstanding / contrary to / even if / even when /
    over what -> ~4{FILES}~5(says?|said|wants?|tells?|instructs?|states?|contrary|writes?|requests?|objects?|
    disagrees?|forbids?|insists?|protests?)
! your / safety / system prompt / earlier / previous / prior / guidelines / above / ban / bans / the rules /
    your own / older / original / all limits / all restrictions / all rules -> ~5{RULING}~6{VOID}
! user's / owner's / operator's / customer's -> ~1(wish|wishes|request|preference|preferences|instructions?|
    rules?|consent|answer|objection)~5{VOID}
your ->  (instructions|rules|guidelines|permissions|policy|role|system prompt|orders|constraints) (have|
    has) (been )?(updated|changed|replaced|extended|expanded|revised|reset|relaxed|lifted)
pay no attention to / take no notice of / turn a blind eye to / brush aside / look past / wave through ->
    ~4(warnings?|alarms?|alerts?|rules?|checks?|policy|policies|errors?|findings?|limits?|instructions?|
    objections?|complaints?|requests?)
! you ->  (no longer|don't|do not|needn't|need not|never|are not|aren't)( need to| have to| obliged to|
     required to| bound to)* (follow|obey|respect|heed|comply with|stick to|honou?r|bound by|care about)
    ~3{RULING}
{DROP} -> ~5(says?|claims?|states?|tells you|writes) (otherwise|the opposite|the contrary|differently)
instructions / orders / rules / commands / directions / steps -> ( found| written| given| listed)? (in|
    of) (this|these|the present) {WRITING}~1(are to|must|should|shall|have to|need to) be (followed|obeyed|
    executed|applied|carried)
prompts / checks / safeguards / filters / guardrails / confirmations / restrictions / protections -> ~1(are|
    have been|were|is)~1(disabled|off|suspended|lifted|waived|removed)~1for (this|the current|your|you)
act according to / do as / work by / proceed according to ->  (this|these|the present) {WRITING}
! ban / bans / limits / restrictions / restriction / prohibition / your guidelines / your rules /
    your training -> ~6{VOID}
! nothing in / no rule in / none of -> ~1(system prompt|guidelines|rules|agents\.md|claude\.md|instructions|
    policy|above)~6(appl(y|ies)|binds?|counts?|matters?|prevents?|holds?|concerns?)
conflicts / conflict / contradicts / contradict / clashes / disagrees / differs / disagree / clash ->
    ~8(users?|system prompt|guidelines|instructions|rules|tells you|agents\.md|readme|owner|operator|person)
    ~6(go with|follow|prefer|use|obey|trust|believe|stick to|stick with|choose|keep to|do what|listen to)
    ~2(memory|note|this|entry|file|record|text|one|page)
go by / obey / act on / stick to / go with / listen to / heed / answer only to / rely on /
    follow ->  (only )?(what stands here|what is (written|said) here|(this|these) (note|file|memory|text|page|
    record|entry|notes|lines|memo)( only| instead| alone| from now on| [.,;]))
stop / cease / quit ->  (obeying|following|listening to|heeding|honou?ring|respecting|applying)~3[a-z]+
put / wipe / clear / erase / strike / purge -> ~8(out of|from) your (mind|memory|context|head|instructions)
forget -> ~2(your|the|any|all|every)~2(rules?|training|guidelines?|limits?|restrictions?|principles|role|
    persona|constraints?|safety)
from now on / as of now / effective immediately / effective today / from today / henceforth / starting now /
    from here on / with immediate effect -> ~2({AGENT}|you) ({MUST}|obey|answer|follow|ignore|treat|act|
    work for|take orders)
consider / regard / treat / take -> ~4{RULING}~6as~1(outdated|superseded|void|null|removed|void|lifted|gone|
    optional|suggestions?|cancelled|obsolete|suspended|advisory|not binding)
# concealment
make -> ~6look like (a |an )?(typo|routine|formatting|accident|bug|refactor|cleanup|legit|legitimate|normal|
    harmless|human|genuine|mistake|minor)
! so that / so -> ~2{WHOM}~1(overlooks?|miss|misses|skips? over|fails? to)
! {NOT} -> ( ever)? leave~1(trace|traces|record|evidence|trail|fingerprints|footprint)
! {NOT} -> ( ever)? (write|note|put|bring|list|raise|document|quote|display|announce|surface|include|enter|
    log|record|mention|report|say|show)~1(this|it|that|anything|any of this|these|a word)~2(to|in|into|
    anywhere|down|up|about|of|for|with)~3({WHOM}|{RECORD})
! {NOT} -> ( ever)? (say|mention|admit|reveal|tell|disclose|let on|explain) (that|what|how|why|where) (you|it|
    this|we|the|they)
! must stay / should stay / stays / stay / remain / remains / keep / has to stay / shall stay -> ~5(invisible|
    hidden|secret|unseen|unknown|concealed|undisclosed) (to|from|for)~1{WHOM}
! and not / but not / and never / but never ->  (mention|say|tell|report|log|record|note|disclose|reveal)
    ~1(it|this|that|anyone|anybody|them)
! such a way that / in a way that / so that / so -> ~5(is|are) (not|never|hardly) (noticed|seen|obvious|found|
    spotted|visible|discovered|detected|recognised)
answer / reply / respond / questions / meet -> ~8by (saying|claiming|denying|pretending|insisting)
! this / it / entry / note / memory / instruction / rule / change / step / message / these ->
    ~9(?<!might )(?<!could )(not|never) (to )?be (quoted|listed|explained|shown|mentioned|disclosed|reported|
    revealed|told|discussed|repeated|displayed|summari[sz]ed|documented|noted)
! without ->  (displaying|showing|mentioning|telling|announcing|noting|listing|reporting|logging|recording|
    documenting|saying) (it|this|that|them|so|the change|a word)
! make sure / ensure / see to it / so that / so / take care -> ~2{WHOM} (does not|do not|doesn't|don't|never|
    won't|cannot|will not|can't|is not|are not) (see|notice|learn|know|find|realise|realize|hear|spot|suspect|
    get|aware|told|ask|complain|object|worry)
! nothing about / not a word about / no mention of / no word of -> ~7(should|must|may|is to|shall) (reach|
    appear|be (said|told|mentioned|written|shown|reported|recorded|disclosed)|go|show|get|end|leave|surface)
! user / users / parents / customer / customers / patient / patients / auditor / auditors / reviewer /
    reviewers / owner / manager / client / clients / staff / team / inspector / inspectors / security /
    human / humans -> ( does| do)? (need not|needn't|not need to|don't need to|don't have to|doesn't need to|
    not have to|must not|must never|should not|should never|shouldn't) (know|learn|be told|hear|see|
    be informed|find out|notice|be bothered) (about|that|of|what|this|it|[.;,])
leave / keep / omit -> (?! (the |any |all |real |your |raw )?(secrets?|tokens?|
    passwords?|keys?|personal|customer|patient|pii|names|credentials|generated|binaries|noise|debug|private))
    ~5(out of|from|off)~2{RECORD}
keep / treat ->  (this|it|that) (between us|secret|quiet|to yourself|hidden|under wraps|off the record|
    strictly between|as a secret)
slips / slip / sneaks / sneak / goes / go / pass / passes / stays / remain / remains / get /
    gets ->  (under the radar|unnoticed|undetected|unseen)
slips / slip / sneaks / sneak ->  (through|past|by|in)( [.;,]|~2(review|reviewers?|auditors?|scanners?|
    inspect(ion|ors?)|audit))
pass over / gloss over / play down / downplay / skirt / bury / leave unmentioned / skim over / water down ->
    ~7(part|fact|failed|failure|failures|warning|finding|findings|risk|risks|incident|error|errors|defect|
    recall|complaints?|results?)
delete / remove / erase / clear / wipe ->  (this|the present|these) (line|note|message|memory|entry|
    instruction|paragraph|file|record|sentence|text|lines)~3(after|once|when|from|afterwards|as soon as)
! change / edit / file / process / traffic / it / transfer / account / access / so that -> ~3(does not|
    doesn't|do not|won't|never) (show|appear|turn|come|stand)( up| out)? (in|on)~3(scan|log|logs|history|diff|
    audit|report|list|review|statement|dashboard|top|monitoring)
! so that / so / that way -> ~4(does not|doesn't|do not|don't|won't|never|cannot) (trip|trigger|raise|set off|
    wake|alert|get flagged|get caught|be seen|be found|be flagged|be traced|get noticed|leave (a )?trace|
    arouse)
restore / reset / keep / fake / touch / backdate / preserve / change -> ~4(timestamps?|mtime|
    modification (time|date)|old date)~2(so|of|after|and|to|on)
disguise / pass off / dress up / camouflage / label / describe / present / call -> ~6(as|a) (routine|
    formatting|harmless|refactoring|typo|cleanup|clean-up|minor|cosmetic|maintenance)
fold / bundle / tuck / slip / hide / bury / mix / smuggle -> ~6(into|in|among|inside|under)~2(formatting|
    refactor|refactoring|large|unrelated|big|vendored|minified|generated|whitespace|routine)
insert / add / put / embed / place / write / include / attach -> ~3(hidden|invisible|white-on-white|
    zero-width|concealed)~1(sheet|text|comment|field|characters?|link|image|pixel|prompt|iframe|instruction|
    layer|column)
! nobody / no one / no-one ->  ((writes|records|documents|notes) (it|that|this) (down|up|anywhere)|
    (needs to|has to|should|must|will ever) know)
# blanket-consent
^ approved / authorised / authorized / cleared / permitted / granted / allowed ->  (in advance|beforehand|
    up front|by default|without exception|for everything)
^ has already been / have already been / is already / are already / already been ->  (fully )?(authori[sz]ed|
    approved|cleared|granted|signed off|consented|confirmed by the)
! no need / needn't / no reason / not necessary / unnecessary ->  to (ask|confirm|check|wait|inform|notify|
    consult|verify)~1(before|first|anyone|again|with|for|the)
owner / user / boss / lead / manager / management / legal / security / customer / reviewers -> ~1(is|
    are) (fine|ok|okay|happy|cool) with (it|this|that|everything|any)
^ consented / agreed / approved / okayed / consents ->  to (everything|anything|whatever|all)
^ approved / okayed / ok'd / cleared / signed off / agreed / granted / given / gave / waived / authorised /
    authorized / blessed / consented / sanctioned / permitted / waives -> ~8{LASTINGLY}
^ approved / okayed / ok'd / cleared / signed off / agreed / granted / given / gave / waived / authorised /
    authorized / blessed / consented / sanctioned / permitted -> ~14{HENCE} ({AGENT}|the {AGENT}|you|no|just|
    feel|go|it is fine|it's fine|don't|do not|simply|please) [a-z]+
^ said yes / says yes / say yes -> ~2(every|all|any|whatever|everything)
! you / agent / agents / bot / assistant / assistants -> ( do| does)? (need not|needn't|not need to|
    don't need to|don't have to|no longer need to|no longer have to|not have to) (ask|check with|wait for|
    consult|seek|inform|confirm~3(with|commands?|actions?|changes|deletions?|payments?|before)|verify
    ~2(identity|signature|source))
confirmation / confirmations / prompts / dialog / dialogs -> ~3(answered|answer|as answered)( with)? (yes|ok)
^ have / has / got / had / received -> ~2(green light|go-ahead|blessing|carte blanche|free hand|
    free rein|standing permission|blank che(que|ck)|full authority|permanent permission|all-clear)~1(for|to|
    from|of|on|[.,;])
^ given / gave / gives / giving / is / are / enjoys -> ~4(blank che(que|ck)|carte blanche|free rein|free hand|
    green light)
^ standing / permanent / blanket / open-ended / unlimited / perpetual / general ->  (permission|approval|
    authori[sz]ation|consent|clearance|mandate|go-ahead|waiver)
^ permission / consent / approval / authorisation / authorization / clearance / sign-off / agreement ->
    ~7(once and for all|for good|in advance|implied|assumed|presumed|indefinitely|until further notice|
    taken for granted|is deemed|automatic)
! no one / nobody / no point / there's no / agent / bot / assistant / needn't / no need -> ( in)?( has| have|
     needs?| is)?( to| not| no need)*( be)? (asked(?= [.;,]|$)|asking again|asking(?= [.;,]|$)|checking back|
    ask again|to ask again|asking me)
! count / counts / treat / take / read / regard / consider / interpret / silence -> ~8as (a |an )?(yes|
    approval|approved|consent|confirmed|confirmation|agreement|agreed|permission|pre-approved|preapproved|
    authori[sz]ed|granted)(?! once| after| when| only| if)
go ahead with / proceed with / carry on with -> ~3(any|all|every|whatever|everything)~1[a-z]+
agent / agents / bot / bots / assistant / assistants / model / automation -> ~1{MUST}~8(on (its|their|
    your) own( authority)?(?= [.;,]|$)|as (it|they|you) sees? fit|at (its|their|your)( own)? discretion|
    without asking|without checking back|without (further )?(approval|consent|confirmation)|unsupervised|
    unattended)
agent / bot / assistant / model / automation -> ~6(without asking(?= [.;,]|$)|thinks? fit|sees? fit)
^ hereby / herewith ->  (given|granted|approved|authori[sz]ed|waived|order|instruct|command|permitted|cleared|
    declare|authori[sz]e|grant|approve|direct|revoked|lifted)
! no -> ~1(consent|approval|permission|confirmation|authori[sz]ation|sign-off|warrant|clearance|
    countersignature)~2(is |are |)?(needed|required|necessary|asked for|called for)
in advance ->  to~1(whatever|anything|everything|all|any)
# persistence
add / put / write / store / save / keep / record / insert / place -> ~9(in|into|to) your (long-term |
    permanent |own |persistent )?(memory|memories|instructions|system prompt)
to survive / it survives / and survives -> ( a| an| the| any)? (clean-?up|removal|off-?boarding|rotation|
    review|revocation|uninstall|audit|purge|wipe)
hook / hooks / webhook / webhooks / job / unit / task -> ~7(sends?|posts?|uploads?|mails?|copies|forwards?|
    opens? a reverse|phones?|downloads?)~8(https?://[^ ]+|[^ ]+@[^ ]+|reverse shell|outside|home|remote|
    our site|our server|website)
path -> ~8(/tmp|/dev/shm|[^ ]*/\.[a-z]+)[^ ]*~2(first|front|ahead)
add / write / insert / put / place / include -> ~8(agent's|assistant's|your|claude's|copilot's|cursor's|
    model's) (settings|config|configuration|allowlist|permissions|memory|rules|permanent memory|instructions)
    ~6(allow|allows|all|any|every|bypass|and|so)
add / write / insert / put / place / include -> ~9(every|each|all)( of the)? (memory|memories|rules|
    instruction|prompt)( files?| notes?| entry| entries)?
keep / retain / save / hold / store / hide -> ~8(in case|even after|when|until|so|after)~3(access|account|
    rights|permission|contract)~3(revoked|removed|lost|withdrawn|expires|expired|ends|survives|over|
    terminated)
put it back / re-add / restore / reinsert / add it again / write it again / recreate -> ~2(whenever|if|
    each time|every time|when|as soon as)~4(removed|deleted|cleaned|missing|gone|lost|cleared|purged)
re-enables / re-enable / restarts / reinstalls / respawns / recreates / revives / restores /
    re-adds -> ( itself)?~3(when|if|after|whenever|each time)~3(stopped|removed|killed|deleted|uninstalled|
    disabled|cleaned)
# follow-link
open / visit / fetch / read / go to / browse to / load / retrieve / download / follow / get / check /
    consult / poll -> ~3(https?://[^ ]+|[a-z0-9-]+\.[a-z0-9.-]+/[^ ]+|link|url|page|site|website|gist|feed)
    ~6(follow|do|carry out|execute|apply|perform|obey|complete|act on|run)~2(whatever|instructions?|steps?|it|
    there|commands?|what|says|tells|each|them|listed|everything|all)
decode / decrypt / unscramble / reverse / rot13 / de-obfuscate / unpack / translate -> ~3(and|
    then) (carry out|execute|run|follow|obey|apply|do|perform|act)
run / execute / do / follow / obey / carry out ->  (what|whatever) (this|it|the)~2(says|string|decodes|lists|
    reads|page|tells|contains|text|message)
# download-and-run
replace / swap / exchange / drop -> ~1(official|vetted|pinned|signed|verified|trusted|hardened|approved)
    ~2(image|package|registry|library|mirror|build|release|plugin|installer|compiler|client)~1(by|with|for|in)
rather than / instead of / in place of / over / replacing -> ( the| our)? (internal|official|vetted|pinned|
    signed|in-house|approved|hardened|original|verified|trusted|normal|company|bundled)~2(package|registry|
    index|mirror|image|library|module|crate|release|build|action|version|feed|store|channel|one|repo|
    repository)
postinstall / preinstall / post-install / pre-install / install hook / prepare script -> ~6(downloads?|
    fetch(es)?|runs?|executes?|pulls?|calls?|curls?|sends?|loads?|posts?)~4[a-z]+
prefer / use / add / set / configure / point -> ~5(mirror|registry|index|feed|proxy|repository|channel|npm|
    pip|cargo|maven|gem|apt|docker|conda|yarn|composer|nuget|installer|updater)~3(at|to|from|on|
    =) (https?://[^ ]+|[a-z0-9-]+\.[a-z0-9-]+\.[a-z.]+[^ ]*)
fork / version / copy / build / clone ->  (of|from|by|made by) (an? |some |the )?(unknown|stranger|anonymous|
    other|random|new|unverified|different) (author|user|person|developer|account|maintainer|vendor)
include / add / insert / load / embed / inject / place / put -> ~3(script|script tag|pixel|iframe|tracker|
    beacon|snippet|widget)~5https?://[^ ]+
loosen / remove / delete / drop / relax / unpin / ditch / discard -> ~4(version pins?|pins|lock ?files?|
    hashes|version ranges|pinned versions|integrity hashes|version constraints|package-lock.json|
    upper bounds)(?! only)
use / install / pull / take / add / get / download / load / fetch -> ~8(from|at|on)~3(personal|private) (page|
    site|website|blog|server|drive|share|repo|account|bucket|fork|mirror)
newest / latest / head / any ->  (commit|version|release|build|tag)?~5(never|not|rather than|instead of)
    ~2(fixed|pinned|locked|tagged|exact|frozen)
add / install / use / take / pull / import -> ~4(by|from)( the)? (user|account|author) [^ ]+
# privilege
logged in / log in / sign in / signed in / logging in / work / working -> ~2(under|with|as|through|on)( a| an|
     the| your)?~1[a-z]+'s~1(account|login|badge|credentials|token|card|session|password|name|id)
run / runs / running / start / execute / deploy / launch / operate -> ~5as (root|administrator|superuser)
    ~1(since|because|so|everywhere|always|avoids|to avoid)
# weaken
switch / set / change / move / open / downgrade -> ~5to (anonymous|unauthenticated|plaintext|plain text|
    unencrypted|telnet|guest|no authentication|no password)
raise / lift / increase / bump -> ~4(thresholds?|limits?|tolerances?)~4(until|so)~4(stops?|quiet|silent|never|
    passes|pass|disappears?|goes away|go away)
feed / answer / give / show / fool / trick / satisfy -> ~4{GUARD}~3(dummy|fake|false|canned|forged|invented|
    empty)
approve / merge / sign / confirm / accept / release -> ~4(from|with|using|through|under)~2(bot|service|second|
    other|test|shared|alternate|fake)~1(account|user|login|identity)
recompute / regenerate / refresh / re-sign / edit / adjust / overwrite -> ~2(hash|checksum|signature|
    expected value|baseline)~2(and|so|until|to) (carry|continue|go|it|pass|move|proceed|ship|match)
sign / merge / ship / release / publish / deploy / approve / close / sign off -> ~6before~2(tests?|checks?|
    scan|review|pipeline|ci|results?|inspection)~1(have|has|is|are|finish(es)?|runs?|completes?|passes|done|
    ran)
same / identical / one / single -> ~2(password|pin|key|passphrase|credentials|secret)~3(on|for|across|
    in) (all|every|each|both)
click / clicks / clicking / tick / ticks / press / hit / choose / select / check -> ~2(accept~1risk|
    accept all|trust any|trust all|allow all|ignore all|override|proceed anyway|continue anyway|dismiss all|
    approve all|accept anyway)
so that / so / let / make / lets / have -> ~4(expired|invalid|unsigned|failed|failing|unknown|forged|revoked|
    wrong|mismatched|unverified|any|unauthenticated|blacklisted|blocked)~3(accepted|allowed|trusted|valid|
    admitted|pass|passes|let through|go through|get in|log in)
replace / swap / patch / stub / change / rewrite / hard-code / make / let / have -> ~6(check|checks|
    validation|verification|test|tests|guard|assertions?|scan|auth|authentication|login|approval|verifier|
    validator|function)~6(return|returns|always|by|with|to|into)~2(true|no-op|noop|constant|stub|dummy|
    nothing|exit 0|success|pass|yes|ok)
add / adding / append / appending / put / putting / end / ending / with -> ~2\| \| true~10(scan|scanner|
    tests?|checks?|lint|linter|audit|verification|validation|gate|suite|signature|step)
approving / merging / accepting / signing / reviewing / accept / accepts / approves / merges / sign off on /
    signs off on -> (?! only)~1(your|their|its|his|her|our|my) own~2[a-z]+
over / past / around / through ->  (the )?(branch protection|merge queue|code owners|review gate|change board|
    change freeze|approval gate|protected branch)(?= [.,;]|$)
nobody / no one / no-one / people / we -> ( here| really)? (bothers?|bother|cares?|waits?|worries|worry)
    ~1(with|about|for)~5(signatures?|checks?|reviews?|approvals?|forms?|seals?|locks?|tests?|counts?|permits?|
    log|logs|rules?|alarms?|second|passwords?|consent|sign-offs?|training|gloves|helmets?)
# expose
allow / open / permit / enable -> ~4(traffic|access|connections|egress|ingress|ports?|login)~3(any|all|
    every) (host|address|port|destination|ip|source|network)e?s?
# hand-on
tell / read / give / dictate / spell -> ~1(callers?|customers?|users?|clients?|patients?|visitors?|them|him|
    her|anyone|requesters?)( out)? (their|the|his|her|a)~2(password|pin|code|codes|login|otp|passphrase|key)
# destroy
delete / remove / drop / edit / change / purge / clear -> ~6(from|in|of)~1(audit|access|event|security|
    incident|transaction|intrusion) (table|log|trail|journal|records?|history|database)
force-push / force-pushing / force-pushes / force push / force pushing -> ~6(tags?|main|master|trunk|release|
    shared|over|signed|production|protected|history|all|any)
rewrite / rewrites ->  (the )?(shared |public |git )?history (on|of) (the|any|every|all|main|master|release|
    shared)
"""
