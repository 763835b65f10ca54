"""The ways in which people say in English that something should be remembered.

Each is anchored where a rule begins, at the start of a sentence or of a clause: "the docs say you should
never …" and "it always fails" begin with something else. What is said in no such way is not learned.
"""

from __future__ import annotations

from memolith.base.values import Value
from memolith.learn.extract import place
from memolith.learn.extract.rules import doubt
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_VERBS = (
    "use|run|put|write|add|commit|push|pull|merge|rebase|squash|tag|branch|fork|deploy|ship|release|build"
    "|rebuild|compile|test"
    "|check|verify|validate|lint|format|type|name|call|create|make|keep|store|save|cache|log|print|return"
    "|raise|throw|catch|handle"
    "|ask|tell|show|explain|answer|reply|respond|speak|talk|say|summarize|summarise|mention|include|exclude"
    "|import|export|install|update|upgrade"
    "|pin|bump|edit|modify|change|touch|delete|remove|drop|rename|move|copy|open|close|start|stop|restart"
    "|wait|read|look|search|prefer"
    "|follow|respect|sort|order|group|split|wrap|indent|document|comment|mock|stub|skip|ignore|disable"
    "|enable|set|give|send|let|leave"
    "|do|go|be|have|avoid|assume|expect|require|regenerate|generate|migrate|back|backup|prefix|suffix|quote"
    "|escape|sign|review|approve"
    "|propose|start|begin|end|finish|fix|refactor|clean|target|default|reference|link|cite|treat|consult"
    "|pass|inject|declare|define|apply"
    "|execute|launch|invoke|fetch|query|hardcode|hard-code|expose|share|store|seed|truncate|lock|sanitize"
    "|encode|decode|parse|convert"
)
_FACTS = (
    "use|deploy|run|keep|store|have|call|name|target|support|ship|release|require|need|build|host|write|put"
    "|tag|version|cache|follow"
    "|rebase|squash|merge|prefer|log|pin|test|lint|format|generate|publish|sign|develop|work|avoid|drop|ban"
    "|allow|expect|serve|mount"
    "|read|import|export|track|branch|commit|push|stick"
)
_START = r"(?:^|[,;:—–]\s+|\s-+\s+|\b(?:and|but|so|then|also|btw|please|pls)\s+)"
_KINDLY = (
    r"(?:(?:please|pls|also|and|so|but|ok|okay|oh|ah|right|btw|just|yes|yeah|sure|no|note|hey)\b[,:.]?\s+)*"
)
_REMEMBER = lazy(
    rf"(?i){_START}{_KINDLY}(?:rem(?:emb?er|eber|ber|ememer|ememebr|embr|meber|ebmer|emebr)|memori[sz]e"
    rf"|keep in mind|bear in mind|(?:don'?t|do not) forget"
    r"|take note|note for (?:later|the future|future sessions)|for (?:the record|(?:your )?future reference)"
    r"|note to self"
    r"|make a (?:mental )?note|(?:save|add|commit|store|put)(?: this| that| it)? (?:to|in"
    r"|into) (?:your )?(?:long-term )?memory)"
    r"(?P<link>:|,| that:?| this:|, that)?\s+(?P<said>.+)"
)
_TO_DO = lazy(r"(?i)^to (?!always|never)")
_RECALLS = lazy(r"(?i)^(?:when|how|what|why|where|who|last|me\b|the time|@|those|the @)")
_TELLS = lazy(
    r"(?i)\b(?:is|are|was|were|has|have|needs?|uses?|must|should|can|cannot|can'?t|only|runs?|lives?|goes?"
    r"|requires?|allows?|expects?"
    r"|never|always|don'?t|doesn'?t|won'?t|deploys?|takes?|works?|comes?|belongs?|listens?|fails?|breaks?"
    r"|contains?|points?|sits?)\b"
)
_HENCEFORTH = lazy(
    rf"(?i){_START}{_KINDLY}(?:(?:from|form) (?:now|here|this point) on(?:wards?)?|going forward"
    rf"|moving forward|henceforth"
    r"|in (?:the )?future|for (?:all )?future (?:sessions?|tasks?|prs?|commits?|changes|work|reference)"
    r"|as a (?:general )?rule"
    r"|in general|generally|by default|next time)[,:]?\s+(?P<said>.+)"
)
_WHENEVER = lazy(
    rf"(?i){_START}{_KINDLY}(?P<said>(?:(?:whenever|every time|each time|any ?time) (?:you|we|i|a|an|the"
    rf"|there|somebody|someone)\b"
    rf"|(?:when|if|before|after) (?:you|we|a|an|the)\b(?=[^,]+,\s*(?:please )?(?:always"
    rf"|never)\b)).+,\s*(?:please |then |you (?:must|should) )*"
    rf"(?:always |never |don'?t |do not )?(?:{_VERBS})\b.+)"
)
_BEHIND = lazy(
    rf"(?i)^{_KINDLY}(?P<said>(?:don'?t |do not |always |never "
    rf"|only )?(?:{_VERBS})\b.+?)[,]?\s+(?:from now on|going forward|in (?:the )?future"
    r"|as a rule|every (?:single )?time|everywhere in th(?:is|e) (?:repo|project|codebase))[.!]*$"
)
_ALWAYS = lazy(
    rf"(?i){_START}{_KINDLY}(?P<said>(?:(?:you|we|i want you|i need you|make sure|be sure|remember|try"
    rf"|it'?s important)\s+"
    r"(?:(?:should|must|need|have|to|you)\s+)*)?"
    rf"(?:always|alw[asy]{{2,4}}|allways|never(?: ever)?|nevr|(?:don'?t"
    rf"|do not) ever)\s+(?:ever )?(?:{_VERBS})\b.+)"
)
_HEAD_RULE = lazy(rf"(?i)^{_KINDLY}(?:(?:don'?t|do not|never|always)\s+)?(?:{_VERBS})\b")
_RATHER = lazy(
    rf"(?i)(?:^|[.;:]\s+){_KINDLY}(?P<said>(?:use|prefer|write|put|run|import|call"
    rf"|commit)\b[^,]{{2,80}}?(?:,\s*|\s)never\s+.+)"
)
_STOP = lazy(
    rf"(?i)(?:^|[,;]\s+){_KINDLY}(?P<said>(?:stop|quit)\s+\w+ing\s+(?!this|that|it\b|the\b|them|now|here).+)"
)
_PREFER = lazy(
    r"(?i)(?:^|[,;]\s+|\b(?:and|but|because)\s+)(?:(?:generally|usually|personally|fyi|btw|also|hm+"
    r"|in general)[,.]?\s+)*"
    r"(?P<who>i)\s+(?P<how>(?:(?:really|strongly|generally|usually|much|also|always|do|would|still)\s+)*)"
    r"(?P<verb>prefer|like|love|hate|dislike|(?:don'?t|do not) (?:like|want))\s+(?P<said>.+)"
)
_CHOICE = lazy(
    r"(?i)^(?:it\b|this|that|these|those|both|neither|the (?:first|second|third|last|latter|former|other|1st"
    r"|2nd|new|old|current|previous)"
    r"|option|version|variant|number|[a-d1-4]\b|your|what|how|where|to (?:wait|see|keep)|if|to\b)"
)
_LIKED = lazy(r"(?i)\b(?:better than|more than|over|rather than|instead of)\b")
_PLURAL = lazy(r"(?i)^(?:when (?:you|we)\b|(?:\w+ ){0,2}\w+(?:ing|[^s]s)\b)")
_DECIDED = lazy(
    r"(?i)(?:^|[,;]\s+|\b(?:and|but|so|because|since)\s+)(?:we|the team|i(?=.+\b(?:because|since)\b))(?:'ve"
    r"| have)?\s+(?:(?:finally|already|just|recently|actually|all|both)\s+)*"
    r"(?P<said>(?:decided|agreed|settled|opted|voted|committed)\s+(?:to|on|that|for|against|not)\s+.+)"
)
_DECISION = lazy(
    r"(?i)^(?:(?:final|our|the|team)\s+)*decision(?:\s+(?:is|was)(?: to| that)?|:)\s+(?P<said>.+)"
)
_LETS = lazy(
    r"(?i)(?:^|[,;.]\s+|\b(?:ok|okay|so|then|alright|right)[, ]+)(?:let'?s|lets|we'?ll|we will"
    r"|we'?re going to|we are going to|we'?re)\s+"
    r"(?P<said>(?:go(?:ing)? with|use|using|stick(?:ing)? (?:with|to)|keep|switch(?:ing)? to|settle on"
    r"|standardi[sz]e on|move to|mov(?:e|ing) to|stay with|pick|choose)"
    r"\s+.+?[,]?\s+(?:because|since|as it|so that|b/c|bc|cause)\s+.+)"
)
_UNNAMED = lazy(
    r"(?i)\b(?:with|use|using|keep|to|on|pick|choose) (?:it|this|that|these|those|the (?:first|second|third"
    r"|last|latter|former|other)|option|both|[a-d1-4]\b|#|number|yours?)"
)
_CORRECTS = lazy(
    r"(?i)^(?:(?:no+|nope|nah|wrong|not quite|incorrect|that'?s (?:wrong|not (?:right|correct|true|how))"
    r"|stop|please)\b[,.!:;]*\s+)+"
    r"(?:please |just )?(?P<said>(?:don'?t use\b|use\b|we\b|always\b|never\b).+)"
)
_INSTEAD = lazy(r"(?i)^use\s+.+\b(?:instead of|rather than|not|over|never)\s+\S+")
_WE = lazy(
    rf"(?i)^we\s+(?:(?:always|never|only|don'?t|do not|usually|all|also|now|just"
    rf"|still)\s+)*(?:{_FACTS})\b(?! to\b(?! (?:keep|use))).+"
)
_ACTUALLY = lazy(
    r"(?i)(?:^|[.;]\s+)(?:(?:no|nope|hm+|ah|oh|wait|well|ok|yes|yeah|right)[,. ]+)*(?:actually|in fact|fyi"
    r"|for your information|btw|by the way"
    r"|just so you know|jfyi|heads up|in this (?:repo|project|codebase|repository)|in our (?:repo|project"
    r"|codebase|team))[,:]?\s+(?P<said>.+)"
)
_FACT = lazy(
    r"(?i)^(?:the|our|all|every|each|[\w.@/-]+'s)\s+.{2,60}?\b(?:is|are|lives?|runs?|listens?|uses?|needs?"
    r"|requires?|expects?|goes?|go|must|has|have|only|points?|belongs?|comes?)\s+.+"
)
_STATE = lazy(
    r"(?i)\b(?:still|broken|failing|fails|wrong|missing|down|red|flaky|stuck|slow|weird|empty|fine|good|done"
    r"|ready|looks?|seems?|crash\w*|hang\w*)\b"
)
_CAUSE = lazy(
    r"(?i)(?:^|[.;,]\s+)(?:(?:so|ok|ah|oh|and|found it|yes|yeah|right"
    r"|btw)[,.:!]*\s+)*(?P<said>(?:(?:it )?turn(?:s|ed) out(?: that)?\s+.+\b(?:because|caused|due to|was"
    r"|were|fixed)\b.+"
    r"|(?:the )?(?:root|actual|real) (?:cause|problem|issue|reason)\s+(?:was|turned out)\s+.+"
    r"|the culprit was\s+.+"
    r"|the (?:problem|issue|bug|cause|reason|fix|solution)\s+(?:for .{2,40} |with .{2,40} )?was\s+.+))"
)
_SLIP = lazy(
    r"(?i)\b(?:i was|my (?:bad|typo|mistake|fault|own)|typo|wrong (?:directory|dir|branch|file|window|tab)"
    r"|forgot|i had)\b"
)
_TASK_TAIL = lazy(
    rf"(?i)[,;]\s+(?:so (?:please )?|please |then |now |and )*(?:can you |could you )?(?:{_VERBS})\s+(?:the"
    rf"|it|that|this|them|all|a|an|your|my|up)\b.*$"
)
_AGAIN = lazy(r"(?i)^(?:mind|again|had|been|seen|heard|worked|knew|thought)\b")


class Lesson(Value):
    """What a sentence teaches."""

    category: str
    scope: str
    statement: str


def lesson(masked: str, text: str, *, rule: bool, answering: bool) -> Lesson | None:
    """Return what a sentence teaches, or None.

    `rule`: it stands in a list of rules. `answering`: something came before that it may correct.
    """
    if doubt.doubtful(masked):
        return None
    bare = doubt.untagged(text)
    if rule:
        return _rule(bare)
    masked = masked[: len(bare)]
    for pattern, make in _READERS:
        found = pattern.search(masked)
        if (
            found
            and (pattern not in _CORRECTIONS or answering)
            and not doubt.reported(masked[: found.start("said")])
        ):
            made = make(found, bare)
            if made is not None:
                return made
    return None


def _rule(text: str) -> Lesson | None:
    if doubt.passing(text) or doubt.vague(text) or _AGAIN.match(text.partition(" ")[2]):
        return None
    category, scope = place.of_rule(text)
    return Lesson(category=category, scope=scope, statement=sentence(text))


def _remembered(found: re.Match[str], text: str) -> Lesson | None:
    said = text[found.start("said") :]
    if _TO_DO.match(said) or (not found["link"] and (_RECALLS.match(said) or not _TELLS.search(said))):
        return None
    if found["link"] == "," and not (_WE.match(said) or _FACT.match(said) or _ORDER.match(said)):
        return None  # "remember, it's all about …" is a homily
    said = said.removeprefix("to ")
    if doubt.vague(said) or (found["link"] != ":" and doubt.passing(said)):
        return None
    category, scope = place.of_rule(said)
    return Lesson(category=category, scope=scope, statement=sentence(said))


def _from_rule(found: re.Match[str], text: str) -> Lesson | None:
    return _rule(text[found.start("said") : found.end("said")])


def _from_order(found: re.Match[str], text: str) -> Lesson | None:
    """Read what follows "from now on": an order, not a prophecy."""
    said = text[found.start("said") :]
    return _rule(said) if _ORDER.match(said) else None


def _from_always(found: re.Match[str], text: str) -> Lesson | None:
    # "don't use black, always use ruff": both halves are the rule.
    whole = _HEAD_RULE.match(text[: found.start("said")])
    return _rule(text if whole else text[found.start("said") :])


def _preferred(found: re.Match[str], text: str) -> Lesson | None:
    said, verb = text[found.start("said") :], found["verb"].casefold()
    would = "would" in found["how"].casefold()
    if _CHOICE.match(said) or doubt.passing(said) or doubt.vague(said) or (would and not _LIKED.search(said)):
        return None
    if verb in ("like", "love") and not _LIKED.search(said):
        return None
    if verb not in ("like", "love", "prefer") and not _PLURAL.match(said):
        return None
    does = {"prefer": "prefers", "like": "likes", "love": "loves", "hate": "hates", "dislike": "dislikes"}
    told = does.get(verb) or "does not " + verb.split()[-1]
    scope = "project" if place.is_bound(said) else "user"
    return Lesson(category="preferences", scope=scope, statement=sentence(f"the user {told} {said}"))


def _decided(found: re.Match[str], text: str) -> Lesson | None:
    said = _TASK_TAIL.sub("", text[found.start("said") :])
    if _UNNAMED.search(said) or doubt.vague(said):
        return None
    said = (
        said if said.casefold().startswith(("decided", "agreed", "settled", "opted")) else f"decided: {said}"
    )
    return Lesson(category="decisions", scope="project", statement=sentence(said))


def _corrected(found: re.Match[str], text: str) -> Lesson | None:
    said = text[found.start("said") :]
    if _WE.match(said) or _INSTEAD.match(said) or _ALWAYS.match(said):
        return _rule(said)
    return None


def _stated(found: re.Match[str], text: str) -> Lesson | None:
    said = text[found.start("said") :]
    if _WE.match(said) or (_FACT.match(said) and not _STATE.search(said)):
        return _rule(said)
    return None


def _caused(found: re.Match[str], text: str) -> Lesson | None:
    said = text[found.start("said") :]
    if _SLIP.search(said) or doubt.passing(said) or doubt.vague(said) or len(said.split()) < 6:
        return None
    return Lesson(category="incidents", scope="project", statement=sentence(said))


def sentence(text: str) -> str:
    """Return a text as a sentence: a capital at its start, a full stop at its end."""
    bare = text.strip(" \t,;:-–—")
    first = bare.split(maxsplit=1)[0] if bare else ""
    # A name keeps its spelling: `pnpm`, `app.yaml`, but not an ordinary word.
    if first.isalpha() and first.islower():
        bare = bare[0].upper() + bare[1:]
    return bare if bare.endswith((".", "!", "。", "！")) else f"{bare}."


_ORDER = lazy(
    rf"(?i)^(?:(?:please|always|never|only|don'?t|do not|you (?:should|must|need to)|we"
    rf"|i want(?: you)?(?: to)?|make sure (?:to|you)|just|all|every|no)\s+)*(?:{_VERBS}|\w+s\b)"
)
_CORRECTIONS = (_CORRECTS, _ACTUALLY)
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Lesson | None]], ...] = (
    (_REMEMBER, _remembered),
    (_CAUSE, _caused),
    (_DECISION, _decided),
    (_DECIDED, _decided),
    (_LETS, _decided),
    (_PREFER, _preferred),
    (_HENCEFORTH, _from_order),
    (_WHENEVER, _from_rule),
    (_BEHIND, _from_rule),
    (_CORRECTS, _corrected),
    (_ALWAYS, _from_always),
    (_RATHER, _from_rule),
    (_STOP, _from_rule),
    (_ACTUALLY, _stated),
)
