"""Reasons to learn nothing from a sentence: it asks, supposes, jokes, reports, or is about this moment."""

from __future__ import annotations

from memolith.learn.extract import aboutness
from memolith.learn.extract.plain_words import is_plain
from memolith.text.patterns import lazy

_TAG = lazy(
    r"(?i)[,.]?\s*(?:ok|okay|alright|please|pls|thx|thanks|thank you|cheers|danke|merci|gracias)\s*[?!.]*\s*$"
)
_ASKS = lazy(
    r"(?i)^(?:(?:and|but|so|ok|okay|hm+|also|wait|btw|hey|well|actually|sorry|no)[, ]+)*"
    r"(?:why|what|how|where|who|whose|which|when (?!you|we|i\b|a\b|the\b)|does|did|do (?:you|we|i|they)|is"
    r"|are|was|were"
    r"|can|could|would|should (?:we|i|it|this|that)|shall|will|have you|has|may i|might|any (?:idea|chance"
    r"|reason))\b"
)
_SUPPOSES = lazy(
    r"(?i)\b(?:what if|suppose|supposing|imagine|let'?s (?:say|pretend|assume|imagine)|pretend"
    r"|hypothetical(?:ly)?"
    r"|in theory|for example|for instance|e\.g\.|could|might|maybe|perhaps|wonder(?:ing)?|not sure"
    r"|i (?:think|guess|bet)"
    r"|probably|possibly|would (?!prefer|rather|like you)|(?<!even )if (?:it|he|she|they|there|that|this|i"
    r"|someone|somebody)\b"
    r"|if only|should i|as a user)\b"
)
_MOMENT = lazy(
    r"(?i)\b(?:for now|right now|just now|for (?:this|that|the|today'?s) (?:test|time|one|run|pr|task|branch"
    r"|commit|change"
    r"|file|release|session|demo|experiment|ticket|sprint|case|call|moment|purpose)|this time|today|tonight"
    r"|tomorrow"
    r"|yesterday|temporar(?:y|ily)|until (?:i|monday|tuesday|wednesday|thursday|friday|tomorrow|later|next"
    r"|then|the|it)"
    r"|at the moment|just (?:this|once|for|the)|only (?:this )?once|in (?:this|that) (?:pr|branch|commit"
    r"|file|function|test"
    r"|case|session|method|class|loop|one)|while (?:i|we|you|it)|not yet|yet$|throw-?away|as a test"
    r"|for testing"
    r"|so (?:that )?(?:we|i) (?:can )?see|first one|second one|this one|that one|again and see"
    r"|heute|diesmal|dieses mal|erst ?mal|vorerst|gerade|für diesen|pour l'instant|cette fois|aujourd'hui"
    r"|pour ce test"
    r"|por ahora|esta vez|hoy|para esta prueba)\b|这次|今天|暂时|今回|今日|とりあえず|一旦"
)
_NOW = lazy(r"(?i)(?<!from )(?<!form )(?<!until )\bnow\b(?! on)")
_POINTS = lazy(
    r"(?i)\b(?:this|these|those) (?!repo|repository|project|codebase|code base|company|team|org"
    r"|organi[sz]ation|machine|app\b"
    r"|rule|way\b|is\b|app |monorepo|workspace)\w+|\bthat (?:file|function|test|line|button|thing|bug|one"
    r"|branch|variable"
    r"|class|method|commit|page|screen|part|approach|way|version|idea|code)\b|\b(?:above|below|attached)\b"
    r"|^[^,;]*\b(?:it|this|that|them|these|those|so)[.!]?$"
)
_JOKES = lazy(
    r"(?i)^(?:oh,? (?:great|sure|nice|wow|yeah|good|wonderful)|yeah,? (?:sure|right)|sure,? (?:why not|never"
    r"|always|let'?s|go)"
    r"|wow\b|lol\b|haha|brilliant\b|genius\b|great,? (?:now|another|always|never)|nice,? (?:now|another"
    r"|always|never)|right,? because"
    r"|good job|well done,)|(?:^|\s)/s$|what could go wrong|why not[.!]*$|🙄|🤡|(?:^|\s)(?:lol|lmao|jk"
    r"|haha)[.!]*$"
)
_REPORTS = lazy(
    r"(?i)\b(?:says?|said|told|according|recommends?|recommended|suggests?|suggested|claims?|warns?|warning"
    r"|docs?|documentation"
    r"|readme|error|linter|article|tutorial|stack ?overflow|chatgpt|blog|boss|colleague|somebody|someone"
    r"|they|he|she|used to"
    r"|complain\w*|rename|called|named|test (?:that|whether|if)|assert|string|comment)\b"
)
_RETRACTS = lazy(
    r"(?i)^(?:(?:no|oh|sorry|hm+|wait|actually|ok|ah)[,. ]+)*(?:scratch that|forget (?:that|it"
    r"|what i (?:just )?said|about (?:it|that))"
    r"|never ?mind\b(?! the)|ignore (?:that|my last|what i)|disregard|just kidding|kidding|jk\b"
    r"|i was (?:wrong|joking|thinking of)"
    r"|undo that rule|vergiss (?:das|es)|oublie (?:ça|cela)|olvida (?:eso|lo))"
)
_FOREIGN_ASK = lazy(
    r"(?i)^(?:warum|wieso|was|wie|wo|wer|welche\w*|kannst|kann|soll|sollen|ist|sind|pourquoi|comment|est-ce"
    r"|qu'|quel\w*|peux|peut"
    r"|por qué|cómo|qué|cuál|puedes|hay que)\b|吗|为什么|怎么|什么|是否|能不能|なぜ|どう|ですか|ますか|かな"
)
_LEAST = 2


def untagged(text: str) -> str:
    """Return a sentence without the politeness at its end: `…, ok?` asks for nothing."""
    return str(_TAG.sub("", text)).rstrip()


def doubtful(sentence: str) -> bool:
    """Tell whether a sentence is no plain statement or rule."""
    bare = untagged(sentence)
    return bool(
        bare.endswith(("?", "？"))
        or _ASKS.match(bare)
        or _FOREIGN_ASK.search(bare)
        or _SUPPOSES.search(bare)
        or _JOKES.search(sentence)
        or _MOMENT.search(bare)
    )


def passing(rule: str) -> bool:
    """Tell whether an order is about this moment, or about something that is being looked at."""
    return bool(_NOW.search(rule) or _POINTS.search(rule))


def reported(before: str) -> bool:
    """Tell whether the words before a rule make it somebody else's."""
    return bool(_REPORTS.search(before))


def retracts(sentence: str) -> bool:
    """Tell whether a sentence takes back what was said before it."""
    return bool(_RETRACTS.match(sentence))


def vague(statement: str) -> bool:
    """Tell whether a statement cannot be understood by itself: too few words that name something."""
    words = {term for term in aboutness.naming(statement) if not is_plain(term)}
    return len(words) < _LEAST
