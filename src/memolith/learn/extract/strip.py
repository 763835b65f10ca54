"""What somebody said in a turn, without injected text.

Hosts inject their own text into turns: our block, project instructions, skills, reminders, summaries. Nobody
said it in the session, and learning it would be an echo: today's memory would be its own evidence tomorrow.
Hosts also copy text of a repository (AGENTS.md, the name of a directory) into their blocks, closing tags
included. So everything between the first tag and the last is removed.
"""

from __future__ import annotations

from memolith.text import turns
from memolith.text.patterns import lazy
from memolith.text.safe.structure import GUIDANCE, OPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from memolith.memory.sessions import Turn

# The kinds of tools whose results say something about the project. Results of unknown tools are neither sent
# to a model nor believed.
TELLING = frozenset(["shell", "eval", "read", "search"])
# Items that are not speech (docs/format.md).
_NO_SPEECH = frozenset(
    ["developer", "reasoning", "thinking", "compaction", "compact", "summary", "skill", "instructions"]
)
# `memory…` is ours, however a host rewrote its attributes.
_TAGS = (
    r"memor[\w-]*|system[-_]reminder|environment[-_](?:context|details)|user[-_]instructions|instructions"
    r"|project[-_]instructions|agents[-_]md|claude[-_]md|skills?(?:[-_][\w-]+)?|developer(?:[-_]\w+)?"
    r"|reasoning|thinking|think|analysis|compaction(?:[-_]\w+)?|conversation[-_]summary|task[-_]notification"
    r"|command-message|command-name|command-contents|local-command-(?:stdout|stderr|caveat)"
    r"|user[-_]prompt[-_]submit[-_]hook|permissions[\w-]*|collaboration[-_]mode|turn[-_]aborted"
    r"|untrusted[\w-]*|available[-_]skills|(?:hook|session)_context|ide_\w+|bash-(?:input|stdout|stderr)"
)
_TAG = lazy(rf"(?i)<(/?)(?:{_TAGS})(?:\s[^<>]*?)?(/?)>")
# Tags that no host puts into a person's message; and tags that hosts put after one.
_AGENTS = lazy(
    r"(?i)<(?:reasoning|thinking|think|analysis|compaction|conversation[-_]summary|untrusted|developer)"
)
_BEHIND = lazy(r"(?i)<(?:memor|hook_context|session_context|user[-_]prompt|ide_|system[-_]reminder)")
# Parts that consist only of our hook's output.
_OURS = lazy(
    rf"(?s)\s*(?:(?:{OPEN}(?:(?!</memory).)*</memory>\s*)+"
    rf"|<memory-context>\s*## {GUIDANCE}(?:(?!</memory-context).)*</memory-context>|\(memolith[^\n]*)\s*"
)
# Files that Gemini CLI appends to a prompt that names them.
_ATTACHED = lazy(r"(?m)^--- Content from referenced files ---")
# Turns that begin like this were not typed by anybody.
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
# What Claude Code writes before the words of a person who refuses a call: below the first, behind the second;
# and its own note behind them.
REFUSAL = "The user doesn't want to proceed with this tool use."
_BELOW = "To tell you how to proceed, the user said:"
_REFUSED = lazy(rf"{_BELOW}|The user provided the following reason for the rejection:")
_NOTE = lazy(r"\n\s*Note: The user's next message may contain a correction or preference\.")
_CONTENTS = lazy(r"(?i)contents of /[^\n]*:[ \t]*\n")  # the content of a file follows
_INSTRUCTION_FILE = lazy(
    r"(?i)(?:^|[\s/\\\"'`(@])(?:CLAUDE(?:\.local)?\.md|AGENTS(?:\.override)?\.md|GEMINI\.md|SKILL\.md"
    r"|MEMORY\.md"
    r"|memory_summary\.md|\.cursorrules|\.windsurfrules|copilot-instructions\.md|[\w.-]+\.mdc)(?=$"
    r"|[\s\"'`):,])"
)


def own_words(turn: Turn) -> str:
    """Return what was said in a turn, or what a tool returned; empty if all of it was injected."""
    if turn.role != "tool":
        if turn.tool.casefold() in _NO_SPEECH:
            return ""
        return typed([turn.text]) if turn.role == "user" else said(turn.text)
    kind, call = tool_kind(turn), f"{turn.tool} {turns.first_line(turn.text)}"
    if kind == "own" or (kind in TELLING and _INSTRUCTION_FILE.search(call)):  # memory, a skill, AGENTS.md
        return ""
    return _without_blocks(turn.text)


def refusal(turn: Turn) -> str:
    """Return what the user said instead of allowing a call; empty if the turn is no refusal with words."""
    if turn.role != "tool" or turn.outcome != "denied" or turn.taint:
        return ""
    call, _, result = turn.text.partition("\n")  # a call is not the user's
    if call.startswith(REFUSAL) and call.rstrip().endswith(_BELOW):  # a copy without the call
        return _without_note(result)
    return words_of_refusal(result)


def words_of_refusal(result: str) -> str:
    """Return what the user said, out of what the program says of it."""
    _, *said = _REFUSED.split(result, 1)
    return _without_note("".join(said))


def _without_note(said: str) -> str:
    return str(_NOTE.split(said, 1)[0]).strip()


def tool_kind(turn: Turn) -> str:
    """Return the kind of a `tool` turn: own, outside, shell, edit, eval, read, search or other."""
    return turns.kind(turn.tool, turn.text)


def is_hosts(text: str) -> bool:
    """Whether a text begins like text of a host."""
    text = text.lstrip("\n -=*")
    return bool(_TAG.match(text) or _CONTENTS.match(text)) or text.casefold().startswith(_WHOLE)


def said(text: str) -> str:
    """Return a text without the blocks that a host injected."""
    kept = _without_blocks(text)
    return "" if is_hosts(kept) else kept


def typed(parts: Iterable[str]) -> str:
    """Return what a person typed in a message of several parts; a host's block never spans two parts."""
    kept = []
    for part in parts:
        before, *attached = _ATTACHED.split(part, 1)
        kept.append((before if _is_foreign(before) else said(before)).strip())
        if attached:
            break
    return "\n\n".join(filter(None, kept))


def is_memory(text: str) -> bool:
    """Whether a text is entirely the output of our own hook."""
    return bool(_OURS.fullmatch(text))


def _is_foreign(text: str) -> bool:
    """Whether a text has a host's tag where no host puts one: then it is somebody's own text, and stays.

    A host's block is a whole part, or comes before what a person sent; a few come after it.
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
    if tags and not any(tag[1] for tag in tags):  # no closing tag: within a line it is just a word
        tags = [tag for tag in tags if not text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].strip()]
    if not tags:
        return text
    # A block without its end reaches to the end of the text: better lost than learned. One without its
    # beginning may have begun anywhere before.
    first, last = tags[0], tags[-1]
    before = "" if first[1] else text[: first.start()]
    after = text[last.end() :] if last[1] or last[2] else ""
    return before + after
