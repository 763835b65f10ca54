"""Where a learned fact belongs: what is the user's own habit, and what is a fact about one project.

Personal rules (how to answer, which language, what to ask first) are preferences and hold everywhere. What
names a path, a command or "this repository" is the project's: kept for all, it would be wrong elsewhere.
"""

from __future__ import annotations

from memolith.text.patterns import lazy

SCOPES = ("user", "project")
# What one asks of whoever one works with, whatever the work is.
_PERSONAL = lazy(
    r"(?i)\b(?:answer(?:s|ing)?|repl(?:y|ies)|respond|respon[sc]es?|explain|explanations?|summar(?:y|ies"
    r"|i[sz]e)"
    r"|emojis?|prais\w+|apologi[sz]\w*|sycophan\w+|tone|concise|brief(?:ly)?|verbose|bullet points?|jargon"
    r"|chatty"
    r"|ask(?: me)?|tell me|confirm with me|check with me|wait for (?:me|my)|show me|talk|speak|call me"
    r"|in (?:english|german|french|spanish|chinese|japanese|dutch|italian|portuguese)"
    r"|code comments|commit messages?|pr descriptions?|small diffs|diffs"
    r"|antworte\w*|erklär\w*|auf (?:deutsch|englisch)|frag\w*(?: mich)?|kommentare"
    r"|réponds\w*|explique\w*|en (?:français|anglais|español|inglés)|messages de commit"
    r"|responde\w*|explica\w*|pregúnta\w*)\b|日本語|中文|英文|英語|回答|回复|返信|答え"
)
_BOUND = lazy(
    r"(?i)\b(?:(?:this|our|the) (?:repo(?:sitory)?|project|codebase|code base|app|service|package|team"
    r"|company)"
    r"|in this (?:one|case)|here|we|our|(?:diese[mrs]?|unser\w*) (?:projekt|repo)|(?:ce|notre) (?:projet"
    r"|dépôt)"
    r"|(?:este|nuestro) (?:proyecto|repo))\b|这个项目|本项目|このプロジェクト"
)
_PATH = lazy(
    r"(?:^|[\s`\"'(])(?:[\w.@-]+/[\w./*-]+|[\w-]+\.(?:py|ts|js|go|rs|md|ya?ml|toml|json|sql|lock|proto))\b"
)
_OF_USER = lazy(
    r"(?i)\b(?:user(?:'s)?|they|he|she)\b.{0,40}\b(?:prefer|want|like|dislike|hate|expect|insist|wish"
    r"|ask(?:s|ed) (?:for|that|to))"
    r"|\bprefer(?:s|red|ence)?\b"
)
_DOING = lazy(
    r"(?i)^(?:\W*(?:please|always|never|first|then|and|to|whenever|when|before|after|if|every time"
    r"|each time)\b[ ,]*)*"
    r"(?:(?:you|we|i)\b.{0,80}?,\s*(?:always |then |please )*)?"
    r"(?:run|execute|regenerate|rebuild|build|deploy|squash|rebase|migrate|restart|lint|format|test|bump"
    r"|tag)\b"
    r"|\b(?:run|execute|regenerate|rebuild|rerun)\b.{1,60}\b(?:before|after|when|whenever|first)\b"
)


def is_personal(text: str) -> bool:
    """Tell whether a rule is about the one who gives it rather than about a project."""
    return bool(_PERSONAL.search(text)) and not is_bound(text)


def is_bound(text: str) -> bool:
    """Tell whether a text speaks of one project."""
    return bool(_BOUND.search(text) or _PATH.search(text))


def is_of_user(text: str) -> bool:
    """Tell whether a statement is about what the user likes or wants."""
    return bool(_OF_USER.search(text))


def of_rule(text: str) -> tuple[str, str]:
    """Return category and scope of a rule in somebody's own words."""
    if is_personal(text):
        return "preferences", "user"
    return "procedures" if _DOING.search(text) else "principles", "project"


def settled(category: str, scope: str, text: str) -> tuple[str, str]:
    """Return category and scope as they fit together: user-wide only what is no project's fact."""
    if category == "preferences":
        return category, "project" if is_bound(text) else "user"
    if scope == "user" and (category in ("decisions", "incidents") or is_bound(text)):
        return category, "project"
    return category, scope
