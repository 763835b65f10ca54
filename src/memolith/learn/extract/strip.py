"""What somebody said in a turn, without what was put there for them.

Hosts put their own text into the turns of a conversation: our block, project instructions, skills, reminders,
summaries. None of it was said in the session, and learning it again would make an echo: what is memory today
would be its own evidence tomorrow. And a host writes into its blocks what a repository says (AGENTS.md, the
name of a directory), closing tags included: so what is between the first tag of a text and its last goes.
"""

from __future__ import annotations

from memolith.text import turns
from memolith.text.patterns import lazy
from memolith.text.safe.structure import GUIDANCE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.memory.sessions import Turn

# The kinds of tools whose results say something about the project. A tool that we do not know is neither sent
# to a model nor believed.
TELLING = frozenset(["shell", "eval", "read", "search"])
# Items that are no speech (docs/format.md).
_NO_SPEECH = frozenset(
    ["developer", "reasoning", "thinking", "compaction", "compact", "summary", "skill", "instructions"]
)
# `memory…` is ours, whatever a host made of its attributes.
_TAGS = (
    r"memor[\w-]*|system[-_]reminder|environment[-_](?:context|details)|user[-_]instructions|instructions"
    r"|project[-_]instructions|agents[-_]md|claude[-_]md|skills?(?:[-_][\w-]+)?|developer(?:[-_]\w+)?"
    r"|reasoning|thinking|think|analysis|compaction(?:[-_]\w+)?|conversation[-_]summary|task[-_]notification"
    r"|command-message|command-name|command-contents|local-command-(?:stdout|stderr|caveat)"
    r"|user[-_]prompt[-_]submit[-_]hook|permissions[\w-]*|collaboration[-_]mode|turn[-_]aborted"
    r"|untrusted[\w-]*|available[-_]skills|(?:hook|session)_context|ide_\w+|bash-(?:input|stdout|stderr)"
)
_TAG = lazy(rf"(?i)<(/?)(?:{_TAGS})(?:\s[^<>]*?)?(/?)>")
# Of these, what no host puts into what a person sends; and what one puts behind it.
_AGENTS = lazy(
    r"(?i)<(?:reasoning|thinking|think|analysis|compaction|conversation[-_]summary|untrusted|developer)"
)
_BEHIND = lazy(r"(?i)<(?:memor|hook_context|session_context|user[-_]prompt|ide_|system[-_]reminder)")
# All of what our hook says, and what each host itself writes: all of a part, in these tags and no others.
_OURS = lazy(
    rf"(?s)\s*(?:(?:{OPEN}(?:(?!</memory).)*</memory>\s*)+"
    rf"|<memory-context>\s*## {GUIDANCE}(?:(?!</memory-context).)*</memory-context>|\(memolith[^\n]*)\s*"
)
_TAGS_OF_CLAUDE = (
    r"command-(?:message|name|args)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)"
    r"|ide_(?:opened_file|selection|diagnostics)|system-reminder"
)
_TAGS_OF_CODEX = (
    r"environment_context|user_instructions|INSTRUCTIONS|skill|turn_aborted|collaboration_mode"
    r"|(?:skills|developer)_instructions|permissions instructions"
)
_WRITTEN = {
    "claude": lazy(
        rf"(?s)\s*<(?:{_TAGS_OF_CLAUDE})>.*</(?:{_TAGS_OF_CLAUDE})>\s*"
        r"|\s*\[Request interrupted by user(?: for tool use)?\]\s*"
    ),
    "codex": lazy(
        r"(?s)\s*(?:# AGENTS\.md instructions for [^\n]*\s*)?"
        rf"<(?:{_TAGS_OF_CODEX})>.*</(?:{_TAGS_OF_CODEX})>\s*"
    ),
    "gemini": lazy(r"(?s)\s*<session_context>.*</session_context>\s*"),
}
_HOOK_OF_GEMINI = lazy(r"(?s)\A\s*<hook_context>((?:(?!</hook_context>).)*)</hook_context>")
# Files that Gemini CLI puts behind a prompt that names them.
_ATTACHED = lazy(r"(?m)^--- Content from referenced files ---")
# What a person typed, as hosts mark it: all of a text, or its end, behind blocks of the host's.
_PROMPT = lazy(r"(?is)(\A|>)\s*<(command-args|user[-_]query)>((?:(?!</?\2>).)*)</\2>\s*\Z")
# Turns that begin so were not typed by anybody.
_WHOLE = (
    "# agents.md instructions",
    "# claude.md",
    "caveat: the messages below were generated",
    "this session is being continued from a previous conversation",
    "the conversation history before this point was compacted",
    "another language model started to solve this problem",
    "base directory for this skill:",
    "launching skill:",
    "[request interrupted",
    "please analyze this codebase and create a claude.md",
    "you are a memory",
    "stop hook feedback:",
)
_CONTENTS = lazy(r"(?i)contents of /[^\n]*:[ \t]*\n")  # … of a file, which follows
_INSTRUCTION_FILE = lazy(
    r"(?i)(?:^|[\s/\\\"'`(@])(?:CLAUDE(?:\.local)?\.md|AGENTS(?:\.override)?\.md|GEMINI\.md|SKILL\.md"
    r"|MEMORY\.md"
    r"|memory_summary\.md|\.cursorrules|\.windsurfrules|copilot-instructions\.md|[\w.-]+\.mdc)(?=$"
    r"|[\s\"'`):,])"
)


def own_words(turn: Turn) -> str:
    """Return what was said in a turn, or what a tool brought; nothing if all of it was put there."""
    if turn.role != "tool":
        if turn.tool.casefold() in _NO_SPEECH:
            return ""
        return typed([turn.text]) if turn.role == "user" else said(turn.text)
    kind, call = tool_kind(turn), f"{turn.tool} {turns.first_line(turn.text)}"
    if kind == "own" or (kind in TELLING and _INSTRUCTION_FILE.search(call)):  # memory, a skill, AGENTS.md
        return ""
    return _without_blocks(turn.text)


def tool_kind(turn: Turn) -> str:
    """Return what a turn of the role `tool` was: own, outside, shell, edit, eval, read, search or other."""
    return turns.kind(turn.tool, turn.text)


def is_hosts(text: str) -> bool:
    """Whether a text begins as hosts begin theirs."""
    text = text.lstrip("\n -=*")
    return bool(_TAG.match(text) or _CONTENTS.match(text)) or text.casefold().startswith(_WHOLE)


def said(text: str) -> str:
    """Return a text without the blocks that a host put into it."""
    kept = _without_blocks(text)
    return "" if is_hosts(kept) else kept


def typed(parts: Iterable[str]) -> str:
    """Return what a person typed of a message in parts; a host's block begins and ends in one of them."""
    kept = []
    for part in parts:
        before, *attached = _ATTACHED.split(part, 1)
        kept.append((before if _is_foreign(before) else said(before)).strip())
        if attached:
            break
    return "\n\n".join(filter(None, kept))


def is_memory(text: str) -> bool:
    """Whether all of a text is what our own hook says."""
    return bool(_OURS.fullmatch(text))


def drops_others(parts: Iterable[str], host: str) -> bool:
    """Whether `typed` leaves out what may be somebody else's: all but what this host itself writes."""
    for part in parts:
        before, *attached = _ATTACHED.split(part, 1) if host == "gemini" else [part]
        if host == "gemini" and (hook := _HOOK_OF_GEMINI.match(before)):
            if not is_memory(hook[1].replace("&lt;", "<").replace("&gt;", ">")):
                return True
            before = before[hook.end() :]
        is_known = is_memory(before) or (host in _WRITTEN and _WRITTEN[host].fullmatch(before))
        if not is_known and typed([before]).split() != _unmarked(before).split():
            return True
        if attached:
            break
    return False


def _is_foreign(text: str) -> bool:
    """Whether a text has a tag as hosts have them where no host puts it: then it is somebody's, and stays.

    A host's block is all of a part, or stands before what a person sent; a few stand behind it.
    """
    if text.lstrip("\n -=*").casefold().startswith(_WHOLE):
        return False
    if (contents := _CONTENTS.match(text.lstrip("\n -=*"))) and not _INSTRUCTION_FILE.search(contents[0]):
        return True
    tags = list(_TAG.finditer(text)) if "<" in text else []
    if not tags or tags[0][1]:
        return False
    before, after = text[: tags[0].start()].strip(), text[tags[-1].end() :].strip()
    return (
        any(_AGENTS.match(tag[0]) for tag in tags)
        or (bool(before) and bool(after))
        or (bool(before) and not _BEHIND.match(tags[0][0]))
    )


def _without_blocks(text: str) -> str:
    if "<" not in text:
        return text
    tags = list(_TAG.finditer(text))
    if tags and not any(tag[1] for tag in tags):  # nothing ends one: within a line it is a word of somebody's
        tags = [tag for tag in tags if not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()]
    if not tags:
        return _unmarked(text)
    # Without its end, a block reaches to the end of the text: better lost than learned. One without its
    # beginning may have begun anywhere before.
    first, last = tags[0], tags[-1]
    before = "" if first[1] else text[: first.start()]
    after = text[last.end() :] if last[1] or last[2] else ""
    return _unmarked(before + after)


def _unmarked(text: str) -> str:
    return str(_PROMPT.sub(r"\1\n\3", text))
