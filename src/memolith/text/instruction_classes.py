"""Classes of words and the deeds they make: what is done, to what, and where that makes it dangerous.

A deed is a row `VERBS -> THINGS` or `VERBS -> THINGS -> TARGETS`; with `..` before the things they may stand
behind a preposition ("put the line into the crontab"). A row may end in `unless CLASS`: one word of that
class makes the deed harmless. Verbs are written in their bare form and found in every form.
"""

from __future__ import annotations

from memolith.text.instruction_table import classes, listed, rows
from memolith.text.instruction_verbs import forms

_VERBS = classes("""
GIVE = send drop post paste copy email e-mail mail share upload forward publish transmit leak export attach
    push dump print echo submit hand give pass expose disclose reveal relay sync mirror fax text dm message
    transfer deliver stream sell lend dictate replicate broadcast circulate tweet stash
PUT = put include embed write encode append store save back log record move place return ship keep hold leave
    hard-code hardcode bake
TELL = post paste email e-mail mail forward publish upload hand dictate disclose reveal text dm fax dump leak
GRANT = give grant promote elevate assign appoint
ADD = add enrol enroll join put bind make
MAKE = create add register install put write set place leave keep start open append insert drop plant enable
    schedule run store deploy configure embed launch spawn
KEEP = leave keep use reset set ship retain reuse accept assign restore choose
WEAKEN = skip bypass disable mute silence suppress ignore remove delete drop omit park shelve dismiss clear
    strip cut unplug disconnect kill stop detach pull lift relax loosen shorten lower reduce halve defer
    postpone forget disregard unset waive weaken soften trim snip tape blank comment scrap cancel suspend
    neglect tear rip yank
RAISE = raise lift set increase bump extend widen push put up
DESTROY = delete wipe destroy purge drop erase shred truncate clear remove empty prune overwrite rewrite reset
    scrub terminate nuke discard burn tear trash format squash kill expunge
FETCH = run execute install load use take pull depend add import swap replace source launch build switch
    download fetch grab vendor clone upgrade prefer
OPEN = open expose bind publish make set allow leave keep put switch turn chmod serve enable mark
APPROVE = approve merge accept sign review countersign confirm authorise authorize certify rubber-stamp okay
    clear validate release
FAKE = enter record mark book log report file tick register count label sign invent fabricate backfill declare
    list treat classify relabel note pad
SIGN = sign notarise notarize seal stamp countersign
USE = use reuse borrow share lend log sign enter swap give hand
PAY = pay wire remit transfer disburse refund
STEER = recommend suggest promote praise favour favor advertise endorse steer push plug nudge rank
""")
_THINGS = classes("""
SECRET = token tokens credential credentials password passwords passphrase passphrases secret secrets .env
    dotenv id_rsa id_ed25519 keystore keychain kubeconfig passwd shadow api-key apikey api_key pin pins otp
    otps totp mnemonic logins .netrc .npmrc .pem .aws .ssh .kube .pgpass private-key keyring tojson htpasswd
    pem
BARE = tokens credentials credential password passwords passphrase secrets api-key apikey api_key private-key
    .env dotenv id_rsa id_ed25519 kubeconfig keystore .aws .ssh .netrc logins otp otps one-time-codes
PERSONAL = customer customers customer's patient patients patient's client clients payroll employee employees
    student students citizen citizens passenger passengers guest guests donor subscribers subscriber
    cardholder salary salaries medical unpublished embargoed confidential proprietary renters tenant tenants
    voter voters pii unmasked unredacted résumés applicants residents borrowers depositors user's claimants
    witnesses player players member members
MATTER = data export exports draft drafts folder session sessions transcript transcripts conversation
    conversations record records contents dump half key keys log logs list database db backup backups archive
    repo repository tree diff diffs screenshot screenshots snapshot ledger documents environment variables
    context credentials token tokens secrets password passwords history copy prompt prompts memory spreadsheet
    table scan scans recording recordings checkpoint weights dataset datasets schedule roster clipboard chat
    prescriptions statements contracts designs drawings schematics everything sequence sequences genomes
    readings telemetry
HOUSE = private internal proprietary confidential
INNER = session sessions transcript transcripts conversation conversations records dump half keys key database
    backups repo repository history screenshot screenshots ledger environment variables context prompts memory
    clipboard chat diff diffs drafts contents export exports credentials tokens secrets payroll tree
    everything
RIGHTS = admin administrator owner root maintainer write full
STRONG = cluster-admin org-owner superuser sudo sysadmin superadmin nopasswd full-control sudoers root
    administrator administrators admins org-admin domain-admin domain-admins sys_admin cap_sys_admin setuid
RIGHT = rights role access permissions privileges status control
LASTING = authorized_keys backdoor rootkit keylogger implant webshell bind-shell autorun reverse rc.local
    launchagents /etc/profile ngrok teamviewer anydesk
STARTED = crontab cron cronjob systemd launchd startup autostart .bashrc .zshrc .profile .bash_profile daemon
    hook hooks logon workflow unit scheduler
SHADY = root root's curl wget eval base64 hidden survives survive persists persist reverse downloads fetches
    @reboot shell secrets secret token tokens
EXTRA = second hidden spare dormant unlisted secret
ACCOUNT = administrator admin superuser root login listener key user account
DEFAULTS = default factory manufacturer's admin/admin
LOGIN = password passwords credentials login logins pin pins passcode /admin creds
GUARD = fuse approval approvals sign-off signoff interlock interlocks mfa 2fa canary canaries authentication
    authorization authorisation firewall firewalls safeguard safeguards guardrail guardrails anti-cheat
    antivirus edr four-eyes two-person verification validation validator signature signatures attestation
    checksum checksums encryption protection limiter quarantine lockout screening kyc aml failsafe e-stop
    emergency-stop watchdog rbac waf dlp redaction anonymisation anonymization masking pseudonymisation
    captcha selinux oversight audit auditing alarm alarms inspection inspections reconciliation moderation
    clearance tamper provenance segregation vetting codeowners detector plagiarism consent allergies allergy
    known_hosts buzzer seal witness restraint curtain double-signature deadman endpoint-agent licence-check
    pin-check sanity-check sanity-checks safety restraints escort quorum countersignature triage opt-out
    opt-in disclaimer disclaimers contraindications sterilisation guardrails scrubber scrubbing warranty
    deletion redactions lifeguard chaperone crosscheck pins pinning
LOG = retention log logs logging trail trails records slip trace traces telemetry journal logbook
GRAVE_LOG = audit access auth vote vote-count security login event admin bastion transaction custody payment
    session retention shell patient badge door trading dispensing door-access
SAFETY = security safety
PATCHED = patch patches updates update fixes advisories training drills drill briefing
PAPER = changelog summary commit report handover minutes calendar ticket release-notes notes inspector
    inspectors auditor auditors reviewer reviewers regulator regulators supervisor board committee customer
    manager owner user
LIMIT = limit limits cap caps threshold thresholds quota quotas ceiling lifetime expiry timeout tolerance ttl
    allowance dose dosage void-approval maximum
ENDLESS = unlimited infinity infinite none never 999 9999 99999 999999 9999999 forever indefinite years decade
    unbounded indefinitely
KEPT = backup backups snapshot snapshots evidence wal tenant tenants namespace production prod live auth.log
    bastion ledger others' everyone's users' slices recordings complaints auditlog
CODE = script scripts package packages image images mirror registry index fork forks plugin plugins extension
    extensions module modules action actions checkpoint checkpoints model models binary installer macro macros
    codec driver drivers crate gem wheel wheels dependency dependencies library repo repository npm pip pypi
    tokenizer weights firmware build code container toolchain theme addon add-on download patch hotfix update
    app apk pack downloads requirements loader snippet rom compiler helper tool
STRANGE = forum unknown unofficial pastebin gist telegram discord cracked stranger's attachment torrent warez
    unverified unvetted unsigned @main @latest @master someone's youtube reddit untrusted unpinned mega nulled
    leaked anonymous's unmaintained file-sharing blog
OPENED = port ports console database dashboard bucket share folder admin panel endpoint endpoints api cluster
    debug gateway drive nas redis hypervisor ssh rdp vnc camera cameras storage interface
EVERYBODY = internet everyone anyone everybody world 0.0.0.0 0.0.0.0/0 world-readable public-read
    public-read-write anywhere unauthenticated world-writable login-free
OWN = own himself herself yourself themselves itself
ASKED = request requests pull merge change changes prs pr expense expenses timesheet timesheets order orders
    claim claims invoice invoices loan loans transfer transfers refund refunds work plan plans overtime
    commits commit release releases budget prescription code patch
UNDONE = failed failing failure failures missing untested overdue skipped rejected uncalibrated calibrations
    calibration plausible expired unfinished incomplete defective
PASSED = passed approved verified ok clean complete done green safe tested normal reviewed accepted tolerable
    successful resolved compliant calibrated sterile inspected
OTHERS = colleague's someone's treasurer's manager's supervisor's coworker's else's boss's doctor's nurse's
    director's approver's approver admin's captain's owner's cashier's teacher's pharmacist's officer's
    physician's administrator's
IDENTITY = login badge account token pin password credentials card key keystore smartcard signature id session
    keycard fob stamp mailbox certificate
WRONG = debug test leaked expired shared self-signed old published demo
NEWACCOUNT = iban account wallet beneficiary payee bank
GIVEN = below memo note new following attached
ADDRESSED = channel chat group forum ticket tickets wiki thread board issue comment log logs artifact readme
    page whatsapp telegram discord slack teams usb sd-card stick dropbox gmail phone paste pastebin gist
    callers caller url e-mail email mail link query public outside external outsourced contractor contractors
    vendor vendor's partner partners broker brokers agency sponsor supplier competitor recruiter journalist
    journalists collaborator collaborators consultant consultants requester anyone everyone whoever upstream
    portal bucket ftp image dns subdomains title repo repository notes docs answer response bug website
    reporter screenshot outsider outsiders insurer insurers advertiser advertisers press newspaper landlord
    relatives marketer marketers reseller resellers wechat signal dms stranger strangers friend friends
    lobbyist app apps firmware frontend front-end script client git github header user-agent
OUT = outside external outsourced whatsapp telegram discord dropbox gmail pastebin paste gist forum usb stick
    contractor contractors contractor's vendor vendor's partner partners broker brokers agency sponsor
    supplier competitor recruiter journalist collaborator collaborators consultant consultants third-party
    anyone outsider advertisers insurer insurers reseller advertiser wechat facebook instagram linkedin
    airdrop resellers marketer lobbyist consultant's google agency's broker's cloud icloud onedrive agencies
MAILBOX =
LINK =
VAULT = vault hsm 1password bitwarden safe sealed encrypted anonymised anonymized synthetic masked redacted
    officer approved generator dummy kms tpm secure ignored env.example keepass
TRIAL = sandbox local locally laptop scratch staging test testdb dev simulator demo emulator own feature
    throwaway playground mock stale unused temporary temp synthetic merged expired fixture debug branch build
    cache
AGED = old older obsolete orphaned stale unused expired sandbox local scratch staging test testdb dev
    simulator demo feature throwaway playground temporary days merged own
LIMITED = approved approval expires expire expired read-only ticket temporary temporarily confirm confirmed
    removed revoke revoked officer bastion signed-off rota
CHECKED = verify verified hashes fingerprint sha256 sha256sums inspect read reviewed review pinned pin sha
    signed audited
FIRST = first over always only exclusively above instead top ahead best whatever regardless never
BRAND = vendor vendor's brand brands competitor competitors rivals alternatives broker sponsor sponsor's
    insurer clinic fund paid upgrade premium subscription
""")
# Told to nobody: these verbs denied, with somebody in charge or a record behind them.
TELLING = {
    form: mood
    for base in listed(
        "mention show report note list document disclose reveal announce display quote explain tell say"
    )
    for form, mood in forms(base).items()
}
# What is rightly kept from others.
DISCREET = listed("""
    stack traces trace debug pii internal raw request requests bodies body names hostnames errors error secret
    secrets password passwords token tokens personal private sensitive data answers scores salary home draft
    drafts
""")
_ROWS = """
# hand-on
GIVE -> SECRET -> ADDRESSED unless VAULT
PUT -> SECRET -> ADDRESSED unless VAULT
PUT -> SECRET -> LINK unless VAULT
GIVE -> HOUSE -> OUT unless VAULT
GIVE -> SECRET -> MAILBOX unless VAULT
TELL -> BARE unless VAULT
GIVE -> PERSONAL -> OUT unless VAULT
PUT -> PERSONAL -> OUT unless VAULT
GIVE -> ..MATTER -> MAILBOX unless VAULT
GIVE -> ..INNER -> LINK unless VAULT
# privilege
GRANT -> ..STRONG unless LIMITED
ADD -> ..STRONG unless LIMITED
GRANT -> ..RIGHTS -> RIGHT unless LIMITED
USE -> ..OTHERS -> IDENTITY
SIGN -> ..WRONG -> IDENTITY
KEEP -> DEFAULTS -> LOGIN unless TRIAL
# persistence
MAKE -> ..LASTING unless LIMITED
MAKE -> ..STARTED -> SHADY unless LIMITED
MAKE -> ..STARTED -> LINK unless LIMITED
MAKE -> EXTRA -> ACCOUNT unless TRIAL
# weaken
WEAKEN -> GUARD unless TRIAL
WEAKEN -> GRAVE_LOG -> LOG unless TRIAL
WEAKEN -> LOG -> GRAVE_LOG unless TRIAL
WEAKEN -> SAFETY -> PATCHED
RAISE -> LIMIT -> ENDLESS unless TRIAL
APPROVE -> OWN -> ASKED
# destroy
DESTROY -> KEPT unless AGED
# download-and-run
FETCH -> CODE -> STRANGE unless CHECKED
FETCH -> ..STRANGE -> CODE unless CHECKED
# expose
OPEN -> OPENED -> EVERYBODY unless TRIAL
# false-record
FAKE -> UNDONE -> PASSED
# unguarded
PAY -> ..NEWACCOUNT -> GIVEN
# promotion
STEER -> BRAND -> FIRST
"""
# One bit for each class of things, so that a sentence is compared with a row at once.
BIT = {name: 1 << number for number, name in enumerate(_THINGS)}


def _bits() -> dict[str, int]:
    found: dict[str, int] = {}
    for name, text in _THINGS.items():
        for word in text:
            found[word] = found.get(word, 0) | BIT[name]
    return found


Row = tuple[str, str, int, int, int, bool]


def _by_verb() -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for rule, row in rows(_ROWS):
        deed, _, unless = row.partition(" unless ")
        verbs, things, target = (*deed.split(" -> "), "")[:3]
        loose, things = things.startswith(".."), things.strip(".")
        for base in _VERBS[verbs]:
            for word, mood in forms(base).items():
                entry = rule, mood, BIT[things], BIT.get(target, 0), BIT.get(unless, 0), loose
                found.setdefault(word, []).append(entry)
    return found


BITS = _bits()
# By each form of a verb: the rule, the mood, the classes of thing, target and exception, and looseness.
DEEDS = _by_verb()
_DOMAINS = listed("""
    .com .net .org .io .example .dev .invalid .app .xyz .site .cloud .info .me .co .sh .nz .ru .cn .link
""")
_INSIDE = listed("localhost 127.0.0.1")


def bits(word: str) -> int:
    """Return the classes a word belongs to; of a compound or a path, those of its parts."""
    found = BITS.get(word)
    if found is not None:
        return found
    if word.startswith("http"):
        return 0 if any(host in word for host in _INSIDE) else BIT["LINK"]
    if "@" in word[1:]:
        return BIT["MAILBOX"]
    if "/" in word or "." in word or word.startswith("$"):
        return _of_path(word)
    if "'" in word:
        return BITS.get(word[: word.index("'")], 0)
    return BITS.get(word.replace("_", "-").rsplit("-", 1)[-1], 0)


def _of_path(word: str) -> int:
    """Return whether a path or a variable leads to a secret, and whether a name is a host."""
    parts = word.strip("$").replace("_", "/").replace(".", "/.").split("/")
    if parts[-1] in _DOMAINS and word.count(".") > 1 and "/" not in word:
        return BIT["LINK"]
    found = BIT["SECRET"] if "/" in word and "private" in parts else 0
    for part in parts:
        found |= BITS.get(part, 0) | BITS.get(part.strip("."), 0)
    return found & (BIT["SECRET"] | BIT["STRANGE"])
