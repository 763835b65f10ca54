"""Turns of phrase that speak to the agent, or that no single verb and thing can say.

A row has the words it begins with, an arrow, and what follows. Patterns see one sentence in lower case, one
blank between words and signs, so that emphasis, line breaks and odd spacing do not matter. They are tried
only where one of their first words stands. A negation before it makes a phrase harmless, unless the row
begins with `!`.
"""

from __future__ import annotations

from memolith.text import instruction_claims as claims
from memolith.text.instruction_table import names, rows, spelled
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_NAMES = names(r"""
AI = (ai|llm|assistant|chatbot|copilot|claude|codex|chatgpt|gpt|gemini|language model|(ai|
    coding) (agent|assistant)s?)
OWNER = (users?|user's|operators?|humans?|owners?|customers?|clients?|auditors?|reviewers?|managers?|
    supervisors?|anyone|anybody|security|patients?|person|team|people|colleagues|inspectors?|
    regulators?)
ORDERS = (instructions?|prompts?|rules?|guidelines?|directions?|directives?|orders?|constraints?|
    training|restrictions?|agents\.md|claude\.md|safeguards?|policies)
OLD = (previous|prior|earlier|above|preceding|existing|former|foregoing|your|system|original|initial|
    all|any|agents\.md|claude\.md|other|these|developer|user's)
SAY = (tell|say|answer|reply|respond|claim|state|assure|insist|pretend|deny)
HIDDEN_DEED = (change|add|send|copy|replace|include|forward|insert|remove|delete|update|edit|append|
    swap|modify|run|install|push|merge|switch|rewrite|fetch|approve|alter|upload|post|adjust|set|use|
    redirect|store|save|drop|skip|disable|export)
ASKED = (requests?|prs?|pull|commands?|changes?|certificates?|permissions?|prompts?|transactions?|
    invoices?|payments?|calls?|actions?|access|scripts?|logins?|refunds?|expenses?|connections?|
    domains?|hosts?|senders?|orders?|tools?|claims?|comes|keys|account|withdrawals?|transfers?)
LINK = (https?://[^ ]+|link|url|page|gist)
ADMIN = (admin|owner|root|superuser|sudoers|administrator|cluster-admin|sysadmin|wildcard|full-access|
    maintainer)
GOOD = (passed|approved|safe|verified|green|complete|completed|reviewed|done|tested|clean|success|
    inspected|normal|compliant|ok|fine|successful|resolved)
GUARD = (scanners?|filters?|detectors?|rules?|gates?|checks?|reviews?|limits?|guards?|monitors?|alarms?|
    alerts?|interlocks?|linter|validation|verification|approvals?|controls?|tests?|stage|policy|
    firewall)
MUTED = (skip|skipped|suppress|suppression|ignore|ignored|noqa|nolint|xfail|disabled|allow_failure|
    continue-on-error)
DROP = ignore / disregard / forget / discard / overrule / override / erase / neglect / abandon /
    unlearn / set aside / stop following / do not follow / don't follow / never follow /
    no longer follow / do not obey / don't obey
NOT = do not / don't / dont / never / must not / should not / shouldn't / mustn't / shall not / may not
""")
_NAMES |= names(claims.NAMES)
_TABLE = r"""
# override
{DROP} -> ~3{OLD}~3{ORDERS}
{DROP} -> ~1(agents\.md|claude\.md|system prompt|rules in)
{DROP} ->  (everything|all|anything|what|whatever|the)( of)?( that)? (you|above|before|was said|
    came before)
overrides / override / supersedes / supersede / outranks / overrules / trumps / takes precedence over /
    take precedence over / has priority over / prevails over / replaces -> ~2(the user|user's|
    user instructions|your (instructions|rules|guidelines|system|prompt|memory)|system prompt|(previous|
    earlier|prior|all) instructions|agents\.md|claude\.md)
! your / previous / earlier / prior / above / all -> ~2{ORDERS} (no longer appl(y|ies)|do not apply|
    are (void|cancelled|canceled|obsolete|suspended|revoked|lifted|superseded|outdated|null))
treat / regard / consider / take ->  (this|the following|what follows)~3(authoritative|binding|system|
    higher|canonical|an? (order|command|instruction))
treat / regard / accept -> ~6as (coming from|if|though|from)~4(the user|the owner|the admin|a human|
    the system)
authoritative / binding / precedence -> ~3(even if|over|whatever)~2user
! new / updated / revised / important / critical / additional / hidden / real /
    actual -> ( system)? (instructions?|directives?|prompt)( for you)? :
enter / switch to / enable / activate / start -> ~2(developer|god|jailbreak|dan|unrestricted|sudo) mode
you are -> ( now)? in (developer|god|maintenance|admin|debug|jailbreak|dan|unrestricted|root) mode
# concealment
! {NOT} -> ( ever)? (tell|inform|notify|alert|warn|let)~1{OWNER}(?! when)
! {NOT} -> ( ever)? (mention|reveal|disclose|show|report|record|log|admit|discuss|acknowledge)
    ( to~1{OWNER}| (this|it|that this|that these|the existence|these)
    ( note| step| rule| memory| instructions?| change| entry| message| to| in| anywhere| exists?| text|
     \.)| the (output|workflow|policy|step|review|rule|change))
! without ->  (telling|informing|notifying|alerting|warning)
    ( the| any| your| their)? {OWNER}(?! whose| anything)
! without ->  (mentioning|recording|logging|reporting|disclosing) (it|this|that|them)
silently / secretly / covertly / quietly / discreetly / stealthily ->  {HIDDEN_DEED}
! keep / leave -> ~5out of the (changelog|summary|log|report|commit|pr|ticket|minutes|record|history|
    description|notes|journal|logbook)
so -> ( that)? (nobody|no one|no-one|(the user|they|reviewers?|auditors?|the customer) (does not|do not|
    doesn't|don't|won't|never|cannot|will not))( will)? (notices?|sees?|finds? out|knows?|realises?|
    realizes?|learns?)
! if anyone / if anybody / if someone / if somebody / if the user / if they / if asked /
    if you are asked / if questioned / if an auditor / if the auditor / if auditors /
    if the customer -> ~4, (just |then |simply )?{SAY}
hide / conceal / keep / withhold -> ~5from (the |any |all )?{OWNER}
leave / leaving ->  no (trace|record|log|trail|evidence) (of|in|on|,|\.|behind)
cover / erase / hide / clean up -> ~2(traces|tracks|evidence)
report / claim / pretend -> ~2(success|passed|green|all clear)(?= [.,;]|$)
! say nothing / tell nobody / tell no one / keep quiet -> ~2(about|to|\.)
go / send / route / redirect / goes -> ~3to~4(nobody|no one|no-one) (reads|watches|checks|monitors|
    looks)
# blanket-consent
approve / accept / authorise / authorize / allow / grant / permit / confirm / trust / honour / honor /
    agree to / say yes to / answer yes to / auto-approve / auto-accept / sign off / sign off on /
    pre-approved / preapproved / pre-authorised / pre-authorized / auto-merge ->  (all|every|any|each|
    everything|anything|whatever)~4{ASKED}
run / execute / obey / follow / do ->  (any|every|whatever|all|anything)~3(commands?|scripts?|code|
    instructions?|output|page|says|asks)~3(says?|asks?|tells|without|contains?|suggests?|finds?|there|
    verbatim)
all / any / every -> ~7(pre-?approved|pre-?authori[sz]ed|approved by default|automatically approved)
standing / blanket / unlimited ->  (permission|approval|authori[sz]ation|consent)
! never / do not / don't / no need to / stop / without / needn't / without ever / rather than /
    instead of ->  (ask|asking|prompt|prompting|request|requesting|seek|seeking|wait for)( (the user|me|
    us|them|anyone|again|first)( [,.;]|$)|~3(confirmation|permission|approval|consent|board|reviewers?|
    review|sign-off|signoff|cab|qa|clearance|approver))
treat / consider / regard ->  (all|every|any|each)~8(approved|authori[sz]ed|safe|trusted|confirmed|
    allowed|valid)
assume / presume -> ~1(consent|approval|permission|authori[sz]ation|clearance)~3(given|granted|there|exists)
permission / authorised / authorized / free / allowed / cleared ->  to~3(without (limits?|restrictions?|
    asking)|any command)
instead of / rather than ->  waiting for~3(approval|board|reviewers?|review|sign-off|cab|qa|clearance|
    approver)
# addressed
you are ->  (now|henceforth|hereby|no longer) (an? (ai|tool|assistant|bot|agent|system|model|expert|
    unrestricted|different)|the|in|acting|called|[a-z]{0,20}bot|dan|root|operating|unrestricted|
    authori[sz]ed|bound|under)
as an / as the / as ->  {AI}~3you (must|should|will|shall|are|have|need|can|may)
the assistant / an assistant / any assistant / every assistant / your assistant / ai assistants /
    coding agents / coding agent / ai agents / ai agent / the ai / the llm / the copilot / assistants /
    an llm ->  (should|must|shall|is to|are to|has to|needs to|have to|need to|ought to|is expected to|
    is required to)( also| always| first| then| simply)? (?!not |never |be |have |ask |confirm |refuse |
    check |verify |send |answer |reply |respond |use |show |write |explain |summari[sz]e |cite |read |list |
    keep |give |offer |wait |stop |run |only |add |work |suggest |open )[a-z-]{1,20}
any / every / each / all / whichever / the / an -> ( ai| coding| llm)? (ai|llms?|agents?|assistants?|
    models?|bots?)( that is| which is| currently)? (reading|that reads?|processing|seeing|which reads?|
    who reads?|parsing|ingesting|summari[sz]ing) (this|the)
note / notes / message / instruction / instructions / memo / attention / reminder / hint ->  (to|for)
    ( the| any| all| every)? ({AI}|agents?|bots?|models?)(?= :| ,| \.| reading|$)
if / when / whenever / once -> ( an| the| any)? (ai |coding )?(assistant|agent|bot|copilot|llm|model|
    chatbot|automation)s? (is|are|gets|was|has been) (asked|told|instructed|prompted|requested|tasked)
    (?!~9(not|never|ask|refuse|confirm|wait) )
dear / hey / hello / attention / hi -> ( ,| :)? {AI} [,:!]
claude / assistant / copilot / chatgpt / codex / gemini / ai / agent ->  [,:] (switch|print|ignore|you|
    please|always|never|stop|start|run|do|remember|forget|open|add|use|send|act|from|i will)
when / if / whenever / every time / each time / once -> ( the| a| any)? (users? |you are |you're |
    someone |anyone )?((later|ever|then) )?(asks?|asked|says?|mentions?|requests?|inquires?|types?|
    writes?|wants?|reports?|complains?|wonders?|raises?)~9(always |then |just )?{SAY} (them|
    the user|that|him|her)
append / add / include / prepend / insert / put / end / start / begin / finish / close / sign / open /
    work -> ~9((every|each|all|any)( of your)?( single)? (answers?|repl(y|ies)|completions?|
    conversations?)|your (answers?|repl(y|ies)|responses?|outputs?))
reply / respond / answer / output ->  (only with|with only|with nothing but|exclusively with)
from now on / from this point / henceforth / from here on -> ~9(reply|replies|answers?|responses?|
    instructions?|outputs?|prompt|conversation|system)
keyword / trigger / codeword / code word / magic word / passphrase / secret phrase / the word /
    the phrase -> ~4(appears|is (said|mentioned|seen|spoken)|shows up|occurs) ,
print / reveal / output / repeat / show / display / dump / share / leak / disclose /
    recite -> ~3(your (system )?(prompt|instructions|rules|memory|configuration)|(system|hidden|
    initial) prompt)
act as ->  (if you|an? unrestricted|root|dan|though you)
# persistence
save / write / store / add / record / remember / persist / copy / append / put / insert ->  (this|
    the following|these|that)~5(memory|memories|claude\.md|agents\.md|\.cursorrules|system prompt|
    rules file|every (session|project)|future sessions?)
add / append / put / install / write / insert / place / copy / drop / echo / register / create /
    schedule -> ~9([^ ]{0,20}authorized_keys|[^ ]{0,20}crontab|/etc/cron[^ ]{0,20}|/etc/rc\.local|
    launchagents|\.git/hooks[^ ]{0,20}|git hook|post-[a-z]{3,10}( git)? hook|registry run key|
    startup folder)
add / append / put / write / insert / echo -> ~6[^ ]{0,10}\.(bashrc|zshrc|bash_profile|profile|
    zprofile) (so|and|,)
# privilege
run / do / execute / perform / work / operate / start / use -> ~3(everything|all|any|every|each|always)
    ~4(sudo|root|administrator|admin)
sudo / as root / root ->  (for|with|in) (everything|all|any|every|each)
mount / run / start / launch -> ~5(docker socket|docker\.sock|privileged(?= [.,;]|$)|host network|
    as privileged)
always -> ~3(sudo|as root|as administrator)
give / grant / assign / make / add /
    promote -> ~6{ADMIN}( rights| role| access| privileges| permissions)?~3(organi[sz]ation|every|all|
    on|by default|with|so)
give / grant / assign ->  (all|every|each|any|everyone|everybody)~5({ADMIN}|write|full)
use / borrow / lend / give / share / log in with / sign in with / login with -> ~3(colleague's|
    someone's|shared|your own|else's|manager's|supervisor's|coworker's|break-glass|emergency)~2(account|
    token|badge|login|pin|password|credentials|key|card)
add ->  (yourself|itself|themselves|the bot|me)~1to~3(approvers|admins|owners|sudoers|maintainers|
    codeowners|wheel|group)
grant / give / allow -> ~4access to( the)? (whole|all|entire|every|everything|full)
grant / give / allow -> ~5write access to~2(production|prod|live|all|everything|billing|payroll)
use / borrow -> ~1[a-z]+'s~2(account|token|badge|login|pin|password|credentials|card|mailbox)
# follow-link
open / visit / fetch / read / go to / browse to / load / retrieve / download / follow /
    get -> ~5{LINK}~6(follow|do|carry out|execute|apply|perform|obey|complete|act on|run)
    ~2(instructions?|steps?|it says|there|commands?|says|tells|each|them|listed)
from / on / in -> ( the| a| any)? (web ?page|web page|page|site|website|issue|comment|email|forum|
    tool output|attachment)~4(execute|run|apply|follow|obey) (it|them|what)
# download-and-run
download / fetch / grab / pull / get / wget / curl -> ~9(and|then|,)~5(run|execute|exec|launch|
    install) (it|them|the (script|binary|installer|file|result)|as root)
run / execute / install / launch / source -> ~4(scripts?|installer|binary|commands?|build|package|patch|
    tool|hotfix)~3(from|at|on|hosted|behind)~3(https?://[^ ]+|link|gist|pastebin|attachment|dropbox|
    telegram)
pull / pulling / grab / grabbing / get / take / download / downloading -> ~6(mirror|forum|link|site|
    dropbox|share)~3install(ing)?~1(as root|it)
# promotion
always / should / must / exclusively / only ->  (recommend|suggest|promote|endorse|steer|favou?r|
    advertise)~4(first|over|instead|whenever|when|if|exclusively)
recommend / suggest / promote / prefer / favour / favor / name / list -> ~6(over all|above all|
    over every|ahead of all|instead of (any|all)|and never mention|, never mention)
! never / do not / don't ->  (mention|recommend|suggest|list|name)~3(alternatives?|competitors?|rivals?|
    competing)
# expose
make / set / mark / turn / open / flip -> ~4(bucket|container|repository|repo|dashboard|share|folder|
    drive|database|endpoint|console|port)~4(public|world-readable|to the internet|to everyone|to anyone|
    0\.0\.0\.0|any address)
open / expose / allow / permit / bind / publish -> ~5(port|access|traffic|ssh|inbound|ingress|database|
    console|admin|22|3389)~5(0\.0\.0\.0|the internet|anywhere|any address|everyone|the world)
allow ->  (all|any) (origins|hosts|traffic|ips|addresses|users|methods|domains|callers|inbound)
# false-record
treat / mark / count / record / report / log / sign off / tick / enter / file / relabel / reclassify ->
    ~6(as|off)
    ( an?)? {GOOD}~2(if|even|although|though|whether|without|before|when|regardless|anyway|so)
treat / mark / count / record / report / accept -> ~4(fail(ed|ing|ures?)|red|missing|skipped|rejected|
    expired|unsigned|untested)~5as( an?)? ({GOOD}|warnings?)
sign / initial / date / fill in / enter / copy -> ~4(for|as|on behalf of) (the |an? |your |
    another )?(absent|missing|colleague|second|other|previous|next)
slow / down / unavailable / late / busy / missing / fails / failing / pending / behind / empty / noisy /
    wrong -> ~5(mark|record|enter|log|report|treat|count|sign|tick|set)~5(as|off|to)( an?)? (cleared|
    {GOOD})
generate / make up / invent / fabricate / fake / forge / produce -> ~3(plausible~2[a-z]+|evidence|
    screenshots|readings|signatures|measurements|test results|inspection records)
# weaken
fails / fail / failing / failure / red / flaky / gate / rejected / blocked / flagged / complains /
    trips -> ~8(add|append|mark|insert|wrap|put|tag|annotate|give|decorate)~5({MUTED}|allow-?list|
    allow list|whitelist|exclusions?|ignore list)
self-approve / self-merge / force-merge / force-approve / admin-merge / rubber-stamp /
    approve your own / approve their own / approve its own / approve his own / approve her own /
    approve our own / merge your own / merge their own / merge its own / review your own ->  [a-z]+
quarantines / blocks / flags / rejects / antivirus / scanner / firewall / filter / detector ->
    ~8(whitelist|allowlist|exempt|exclude)
approval / approvals / review / sign-off / signoff / paperwork / checks / qa / validation / audit ->
     (can|will|may) (catch up|follow|wait|come later|be backfilled|be added later|be done later|happen later)
force-push / force-pushing / force-pushes -> ~2(main|master|trunk|release|production|shared|default)
acknowledge / acknowledges / ack / shelve / shelves / reset ->  all (the )?(alarms|alerts|warnings|
    faults)
force / forces / forcing -> ~2(interlock|permissive|relay|limit switch|contact|trip)
with / using / use ->  (the|an|your) (override|bypass|service|maintenance) (key|code|pin|switch|
    password)
approve / sign / merge / countersign / confirm -> ~3with (the|a|your|another|an) (second|other|spare|
    test|shared)~1(account|login|key|badge|card)
to silence / to evade / to get past / to get around / to dodge / to fool / to trick / to slip past /
    to sneak past / to beat -> ~3{GUARD} ,
so that / so -> ~3(passes|pass|goes through|go through|lets it through|gets through|turns green|
    goes green)(?= [.,;]|$)
gate / gates / scan / scanner / stage / check / checks / test / tests / policy / linter / validation /
    verification / smoke-test / enforcement / interlock / alarm -> ~2(into|in|to|as)( a)? (no-op|noop|
    warn|warning|report-only|permissive|advisory|non-blocking|warn-only|audit-only)
stop ->  (recording|logging|auditing|tracking|monitoring|checking|verifying|validating|scanning|
    reviewing|testing|asking) (who|the|for|whether|each|every|access|all)
raise / raised / set / lift / lifted / bump -> ~4(unlimited|infinity|no limit)
prop / wedge / tape / jam / taping / propping / wedging -> ~5(open|over|down|back|shut)
# unguarded
pay / wire / transfer / send / remit -> ~6(to|into) (the|a|this) new (account|iban|bank|address|wallet)
change / replace / update / swap / set -> ~2(beneficiary|payee|iban|bank details|payout)~3(to|with|in)
# destroy
delete / wipe / destroy / purge / drop / erase / shred / truncate / clear / remove / empty / prune /
    overwrite -> (?! (the |all )?(old|older|stale|expired|unused))~3(backups|snapshots|audit (log|logs|trail|
    records?|table)|access logs?|evidence|(production|prod|live) (database|db|data|cluster|volume)|(git|shell|
    bash|command) history|security logs?|event logs?)
"""


def _pattern(lead: str, rest: str) -> re.Pattern[str]:
    first, *others = spelled(rest, _NAMES).split("~")
    for part in others:
        after = part.lstrip("0123456789")
        first += rf"(?: [^ ]{{1,60}}){{0,{part.removesuffix(after)}}}? {after}"
    return lazy(rf"(?:{lead.replace(' / ', '|')})(?:{first})(?= |$)")


def _by_first_word() -> dict[str, list[tuple[str, re.Pattern[str], str]]]:
    found: dict[str, list[tuple[str, re.Pattern[str], str]]] = {}
    for rule, row in [*rows(_TABLE), *rows(claims.TABLE)]:
        sign = row[0] if row[0] in "!^" else ""
        lead, _, rest = row[len(sign) :].strip().partition(" -> ")
        lead = _NAMES.get(lead.strip("{}"), lead)
        entry = rule, _pattern(lead, rest), sign
        for word in dict.fromkeys(each.split()[0] for each in lead.split(" / ")):
            found.setdefault(word, []).append(entry)
    return found


# By the word that a phrase begins with: rule, pattern, and the sign that says what does not make it harmless.
PHRASES = _by_first_word()
