"""The words by which a dangerous step is known: what is done, to what, and who says so in which mood.

Sets of words, not phrases: an attack is a kind of deed (weaken, hand on, destroy) on a kind of thing
(a safeguard, a secret, evidence), whatever the trade and the wording.
"""

from __future__ import annotations

from memolith.text.instruction_table import listed
from memolith.text.instruction_verbs import verbs

# Whatever is got around by these was there to stop somebody.
DEFEAT = verbs("""
    bypass by-pass circumvent jumper disarm sidestep overrule spoof falsify backdate
""")
# Things that are got around every day.
EVERYDAY = listed("""
    cache caches cdn proxy queue default defaults method setting settings variable value values config browser
    traffic city town road line highway paywall valve pump stomach acid odor odour odors smell smells taste
    flavor flavors fees fee crowds crowd traps bracket disaster
""")
# To weaken: of these verbs, the first kind means nothing else; the second also has everyday uses, and counts
# only with things that are safeguards and nothing else.
WEAKEN = verbs("""
    skip bypass disable circumvent override overrule mute silence suppress waive deactivate defeat jumper
    inhibit disarm sidestep evade neutralise neutralize short-circuit subvert unhook unload nullify
    rubber-stamp shortcut by-pass unplug downgrade dodge fudge spoof falsify backdate forge fake self-approve
    uncheck unarm desensitise desensitize whitelist allowlist exempt leapfrog forgo force-approve
""")
WEAKEN_MILD = verbs("""
    ignore remove delete drop relax loosen stop pause suspend omit clear kill cut hide strip disregard reduce
    lower lift abandon cancel unset mask dismiss discard stub neglect overlook shelve defer postpone excuse
    detach block disconnect erase purge wipe ditch forget shrink weaken soften shorten trim scrap nix zero
    null withhold evict hush
""")
# `turn … off`, `take … out`, `leave … disabled`: a verb that says nothing and a word that says it all.
TURN = verbs(
    "turn switch shut power flip toggle take comment patch edit wire pull leave keep set put rule swap dial"
)
AWAY = listed("""
    off out down aside away disabled muted silenced bypassed unloaded inhibited disarmed suppressed overridden
    unset unverified unchecked unsigned disconnected deactivated unmonitored unarmed unguarded open permissive
""")
# Safeguards and nothing else, in any trade.
CORE = listed("""
    approval approvals sign-off signoff sign-offs signoffs interlock interlocks mfa 2fa canary canaries
    authentication authorization authorisation firewall firewalls safeguard safeguards guardrail guardrails
    anti-cheat anticheat antivirus edr four-eyes two-person dual-control verification verifications validation
    validations signature signatures attestation attestations checksum checksums tls ssl encryption protection
    protections limiter limiters throttling quarantine lockout loto screening kyc aml failsafe fail-safe
    e-stop estop watchdog restrictions restriction rbac waf dlp redaction anonymisation anonymization captcha
    csrf seccomp selinux apparmor gatekeeper oversight supervision reviewer reviewers auditing audit alarm
    alarms inspection inspections reconciliation countersignature countersign preflight pre-flight admission
    moderation co-signer second-person two-factor double-check double-checks crosscheck cross-check
    cross-checks verifier clearance breaker breakers cutout cut-out lock-out tamper deadman dead-man attest
    provenance contraindication segregation accountability safeties pre-check prechecks pre-checks hash-check
    quorum vetting codeowners acl acls validator validators known_hosts
""")
# These count with a verb that means nothing else.
LOOSE = listed("""
    test tests testing check checks warning warnings alert alerts alerting logging limit limits threshold
    thresholds policy policies permission permissions hold holds guard guards backup backups snapshot
    snapshots monitoring certificate certificates cert certs scan scans scanner scanning lint linter linting
    gate gates gating review reviews qa staging freeze rollback confirmation confirmations checklist
    checklists assertions assertion rule rules control controls safety sandbox escalation compliance dry-run
    hooks hook log logs auth ids detector detectors sensor sensors lock locks retention trail trails logger
    paging pager ci pipeline procedure protocol cab pinning lockfile permit permits prompt prompts password
    passwords sanctions fraud dosage cap caps barrier pre-commit suite regression security isolation throttle
""")
# These only behind a word that makes them one: `safety relief`, `overspeed trip`, `patient consent`.
AMBIGUOUS = listed("""
    trip trips relief consent allergy custody witness stage requirement requirements board queue training dose
    valve limiting integrity switch step steps period cooldown window delay field flag session detector breaks
    sensor sensors interval zone band setpoint margin seal curfew list screen tag tags contact recording
    recordings curtain filter filters door stop stops agent wire boot
""")
# What makes a loose safeguard a real one even for the mild verbs: `ignore the *dosage limit*`.
GRAVE = listed("""
    failing failed red safety security fraud dosage dose password audit access admission branch protected
    approval certificate signature vulnerability virus malware compliance sanctions change legal peer code
    emergency overpressure high-high temperature pressure radiation export speed spend spending credit
    withdrawal payment rate retention paging critical mandatory required production release integrity id
    identity background two-person pre-release acceptance quality canary overspeed turbine low-level
    high-level reactor patient protection duress intrusion fire gas smoke leak sterility sterilisation allergy
    identity-check cooling-off waiting four-eyes review verification validation drug interaction weight load
    fatigue rest health high low upper lower session voice flight call light tenant door badge store browser
    publisher secure trusted verified endpoint alarm plagiarism e-stop conflict proving age callback bank
    pre-departure pre-op counterparty counter-party
""")
KINDS = dict.fromkeys(AMBIGUOUS, "ambiguous") | dict.fromkeys(LOOSE, "loose") | dict.fromkeys(CORE, "core")
# Why somebody wants to be rid of it; with such a reason an everyday verb counts with a loose safeguard too.
MOTIVES = listed("""
    slow slows slowing time faster quicker quick annoying annoys noise noisy hurry deadline urgent busy delay
    delays permanently altogether good overnight speed peak friction nuisance anyway
""")
# In an order, what these describe is dangerous as it stands.
UNSAFE = listed("""
    unsigned unencrypted untrusted unverified unauthenticated cracked pirated plaintext cleartext self-signed
    unlocked unattended unmasked unredacted insecure world-writable world-readable unreviewed unapproved
    untested
""")
UNSAFE_VERBS = verbs("""
    let allow pull accept install keep store run send use serve load save push deploy ship copy leave permit
    put upload share trust release merge
""")
# Behind a safeguard's word these make it something else: `skip the test folder`.
OTHER_HEADS = listed("""
    file files folder folders directory directories data fixture fixtures comment comments output message
    messages row rows column columns header headers line lines level levels page table tables name names field
    fields section sections doc docs documentation link links button icon tab tabs database databases server
    servers clock clocks drive day days agent agents email emails entry group groups user users account
    accounts id ids prep preparation questions question book books score scores taker takers anxiety drives
    strip results result report reports summary notes note image images siren history tone run runs rota
    window build version versions environment environments branch branches box boxes text size sizes break
""")
# Adverbs and politeness between a subject and its verb.
FILLERS = listed("""
    just simply also always then please quietly temporarily permanently safely usually normally routinely
    generally first now instead still even only ever typically automatically immediately directly either both
    often therefore silently manually quickly kindly again rather better go ahead and-then
""")
# Before a word these make it a noun.
DETERMINERS = listed("""
    the a an this that these those each every any no some its our your their his her my of for in on with by
    from at as per into via under than about between another such one two which's
""")
MODALS = listed("may can should must could shall will need needs ought let's lets please i'd we'd you'd")
# Right before `to`: what follows is wanted.
LICENCES = listed("""
    fine ok okay safe free best allowed permitted authorised authorized need needs have has ought supposed
    sure acceptable reasonable common normal usual standard is are enough easier faster simpler quicker
    practice welcome expected encouraged instructed required advised recommended entitled cleared custom rule
    agreed better preferable agents agent assistant remember pays helps want wants tend tends like likes
    recommend recommends suggest suggests advise advises prefer prefers happy wise smart sensible handy
    worthwhile easiest simplest fastest quickest cheapest good choose chooses know knows hesitate told taught
    trained instructs asks tells told how just wiser cheaper inclined
""")
# In the clause: somebody is given leave.
LEAVES = listed("""
    free may can should must could shall fine ok okay allowed permitted authorised authorized acceptable
    recommended advised supposed practice needs safe normal common usual standard customary considered
""")
PRESENT = listed("is are have has we've they've been gets get being")
# Before a verb in its bare form: an order, or somebody who is told.
ORDERING = MODALS | listed("""
    , and or then : ) ( ; - please you we they do don't i'd not never – — | = teams would-you let's
    immediately always instead so but thus
""")
# A bare verb behind these is a condition or a question, not an order.
WHEN = listed("before after if when whether until unless while once how why")
RELATIVES = listed("that which who whose what would might did does")
# Before a verb in -ing: somebody advises it.
ADVICE = listed("""
    by recommend recommends suggest suggests advise advises consider try start keep means worth fine ok prefer
    includes , propose involves favour favor acceptable favours recommended advising recommending prefers
    swear okay allows permits advocate advocates start pays
""")
# "No harm in skipping …", "nothing wrong with …".
ADVISED = {
    ("harm", "in"),
    ("wrong", "with"),
    ("better", "off"),
    ("away", "with"),
    ("point", "to"),
    ("shame", "in"),
}
# Code that was looked at before it ran.
INSPECTED = listed("read verify verified check checked checksum signature inspect review compare")
DOING = verbs("""
    set use pass add export put run append keep leave call start make apply enable commit push configure write
    include edit change force issue execute invoke give specify supply insert open install enter flip type
    switch turn disable
""")
EXPLAINS = listed("tells means is are was were does stands rejected returns")
PEOPLE = listed("""
    we you everyone everybody anyone anybody whoever people staff team teams crew crews operator operators
    engineer engineers on-call oncall dev devs developer developers lead leads manager managers technician
    technicians nurse nurses doctor doctors pharmacist pharmacists driver drivers analyst analysts clerk
    clerks contractor contractors admin admins administrator administrators dispatcher dispatchers agent
    agents assistant assistants bot bots shift shifts supervisor supervisors teller tellers cashier cashiers
    releaser maintainer maintainers reviewer reviewers tech techs sre sres ops controller controllers planner
    planners captain officer officers scientist scientists colleagues duty folks most many producer producers
    editor editors ai copilot claude codex gpt model hands veterans old-timers insiders seniors juniors hires
    joiners residents medics paramedics pilots guards porters interns consultants traders brokers buyers
    couriers electricians welders chefs teachers moderators designers artists testers researchers librarians
    recruiters underwriters adjusters installers fitters mechanics sailors colleagues pharmacies labs wards
    desks sites stewards surgeons midwives registrars curators trainers coaches professors lecturers students
    postdocs builders foremen inspectors accountants bookkeepers treasurers
""")
HABITS = listed("""
    best always usually normally typically routinely generally simply just permanently practice custom
    convention habit standard traditionally commonly customarily tradition norm
""")
# How a numbered rule is named, and what it does.
POLICY = listed("""
    per under according pursuant accordance directive circular clause memo bulletin guideline policy rule sop
    order regulation standard control article paragraph procedure handbook notice section instruction norm
    protocol charter annex manual
""")
SAYS = listed("""
    demands requires require allows permits prescribes instructs states says obliges lets entitles mandates
    directs asks orders tells authorises authorizes stipulates provides foresees calls
""")
# What people do as a rule.
NORMS = listed("""
    here everyone everybody around accepted trick tip knowledge likewise usual culture folks people old-timers
    long secret habitually customary everyday most regularly informally in-house tacitly invariably mostly
    nearly
""")
# "The way … is to skip …": what is recommended.
WAYS = listed("""
    way trick tip advice practice custom habit rule cure fix remedy shortcut answer solution idea best
    recommendation suggestion move approach convention how what workaround hack secret wisdom norm recipe step
    thing quickest fastest easiest simplest plan
""")
TO_BE = listed("is are be been was means stays remains")
# A report is not meant behind these: "when asked to", "if someone types".
OPENS = listed("is are be gets get when if whenever once upon being has have that which who should until to")
# Behind these stands what is to be done.
LEAVE_VERBS = listed("should must may shall ought can supposed expected will has needs")
NEGATORS = listed("""
    not never no nobody none nothing neither nor cannot can't cant won't don't dont doesn't didn't isn't
    aren't wasn't weren't mustn't shouldn't wouldn't couldn't without avoid avoids avoiding refuse refuses
    forbid forbids forbidden prohibit prohibits prohibited prevent prevents prevented preventing unable
    against unwilling impossible instead rather hardly blocks rejects disallow disallows disallowed illegal
    ban bans banned stops declines unlawful resist nowhere unless
""")
TURNED_ROUND = listed("not no never don't dont doesn't needn't isn't aren't cannot can't")
# After `not`, `no` or `never`, these turn the negation round or away: "do not hesitate to skip …".
NOT_NEGATED = listed("""
    need needed necessary hesitate forget fail worry bother only mind just longer required obliged afraid wait
    matter problem harm reason
""")
# Behind a deed, these say that it is not wanted: after a copula, or by themselves.
CONDEMNED = listed("""
    forbidden prohibited banned disallowed rejected refused blocked violation fireable incident offence
    offense mistake illegal denied wrong dangerous unacceptable grounds misconduct revoked withdrawn risky
    reason pointless reportable dismissal unsafe impossible refuse breach
""")
VERDICTS = listed("caused causes broke led breaks invalidates voids violates cost costs lost")
PAST = listed("""
    was were had been did told asked tried wanted found showed discovered noticed used yesterday postmortem
    post-mortem retrospective attacker attackers malware exploit exploits bug injection ago leaked adversary
    hacker hackers phishing tries attempts attempted happened caused learned learnt someone somebody became
    let
""")
RESTORE = listed("""
    restore restores restored restoring re-enable re-enables re-enabled re-enabling reenable re-arm re-arms
    re-armed re-arming rearm reinstate reinstated reinstates reactivate resume resumes resumed revert reverts
    unmute unmuted un-inhibit normalise re-instate back re-activate re-apply re-applied un-mute un-mutes
    un-muted uncover uncovers
""")
LOCAL = listed("""
    locally local laptop laptops profile profiling benchmark benchmarking fixture fixtures simulator
    simulation demo sandboxed generated notebook editor browser playground dev devbox localhost debugging
    training unit
""")
# Where secrets belong.
KEPT_SAFE = listed("vault hsm 1password bitwarden keepass kms tpm")
# What is one too many of its kind may go.
NEEDLESS_KIND = listed("duplicate duplicated redundant unused dead deprecated legacy obsolete superfluous")
# Handing on: verbs, things that must stay, and places where they are seen by others.
SEND = verbs("""
    send post paste copy email e-mail mail share upload drop commit forward publish transmit leak export
    attach include append push put dump print echo submit hand give pass expose disclose reveal relay sync
    mirror exfiltrate fax text dm message transfer deliver move embed write encode log show store check-in
    supply provide ship stash keep save hold dictate load seed hard-code hardcode inline lend
""")
SECRETS = listed("""
    token tokens credential credentials password passwords passphrase secret secrets .env env dump dumps
    transcript transcripts conversation conversations pii id_rsa id_ed25519 keystore cookies cookie keychain
    kubeconfig unmasked unredacted payroll ssn passwd shadow api-key apikey api_key keyfile .netrc .npmrc .pem
    pin pins otp totp seed mnemonic login logins ssns passports recovery-code recovery-codes
""")
# `key`, `table`, `data` …: secret when the word before says of what.
SECRET_OF = listed("""
    key keys data table record number card passport passports records list export extract database code
    history variables file files backup backups details certificate phrase codes bundle scans images numbers
    set dataset results archive recordings snapshot master
""")
WHOSE = listed("""
    api ssh signing private customer customers patient patients payroll client clients user user's users
    personal member employee encryption deploy production prod access source chat session environment recovery
    service root admin card account guest passenger student medical billing unmasked full raw master hsm
    release cardholder donor subscriber player confidential internal unpublished embargoed tenant voter
    operator operator's conversation license licence vpn database code-signing wallet secret complete entire
    tenants members bank students guests employees
""")
PLACES = listed("""
    channel channels chat ticket tickets vendor vendor's partner partners agency contractor contractors
    support personal laptop gmail dropbox wetransfer gist pastebin slack teams wiki email e-mail mail public
    forum webhook log logs drive thread comment comments report repo repository url link query telegram
    discord whatsapp usb broker supplier everyone anyone outside external phone third-party stick issue
    pull-request pr paste website endpoint desktop notepad readme page caller requester integrator consultant
    them him her machine title notebook customer's bucket shared address group room usenet sources history
    contractor's consultants agency's broker's outsider collaborators
""")
HANDED = listed("""
    hard-code hardcode inline leak exfiltrate paste post email e-mail forward publish disclose expose commit
    echo print share lend
""")
# Deeds that a safeguard should come before: "… without approval", "… before QA signs off".
ACTED = verbs("""
    merge deploy ship release push approve run apply install accept pay issue grant send proceed continue go
    start restart close execute publish promote tag roll rotate delete drop change edit update add create
    upload import export transfer sign commit land cut energise energize dispatch dispense administer load fly
    open carry perform make do move switch restore flash patch write take hand let allow give put set refund
    credit disburse wire book authorise authorize enable operate act migrate reboot reset unlock activate
    admit onboard submit launch process complete finish confirm clear pour print order buy purchase spend
    trade remove modify overwrite fix bump upgrade downgrade expose share connect pull post provision mark log
    record work drive dose enter use place file discharge schedule assign point serve lift check acknowledge
    vendor
""")
# What a pipeline is there for.
CHANGED = verbs("""
    deploy ship push merge commit release apply publish promote roll upload flash write edit change run go
    make patch
""")
# What is released too early; `run the tests before review` is not.
RELEASED = verbs("""
    merge deploy ship release publish start pay dispatch pour energise energize dispense administer promote
    disburse launch load sign approve close complete bill settle
""")
# What is missing when one acts "without" it.
MISSING = CORE - {"restriction", "restrictions"} | listed("""
    review reviews approval asking waiting checking verifying confirmation permission testing tests
    authorisation permit ticket telling notifying informing consulting confirming validating checks mfa backup
    backups scan scanning qa peer password supervisor prompting escalation logging checklist approver sign-off
    verification check callback inspection identification id looking reading calling hash hashes going receipt
    matching counting weighing badge canary witness eyes cosigner read questions opening
""")
SIGNED = listed("""
    approval approvals approved sign-off signoff signs signed reviewed cleared authorised authorized review
    clearance verified qa validated inspected callback confirmed completed complete certified countersigned
    tested
""")
BROKEN = CORE | listed("""
    fail fails failed failing failure failures red missing reject rejects rejected warning warnings warns
    expired invalid mismatch mismatched unsigned exceed exceeds exceeded complains complain disagrees objects
    blocks blocked unverified untested unreviewed unapproved test tests check checks scan limit limits review
    gate pending outstanding incomplete overdue disputed inconclusive
""")
