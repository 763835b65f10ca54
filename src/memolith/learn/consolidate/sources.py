"""What a consolidation may write: facts of sessions, earlier lines, and what people asked for.

What people took back is not among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memolith.base.values import MAX_WRITE_BYTES
from memolith.env.paths import MAX_LOOK_BYTES, Tree
from memolith.learn.consolidate import skills, statements
from memolith.learn.consolidate.current import ROLLOUTS, SKILLS
from memolith.learn.consolidate.support import Support
from memolith.memory import taken_back
from memolith.memory.lessons import Lesson, Lessons
from memolith.memory.records import Records
from memolith.store import files, layout
from memolith.store.screen import screen
from memolith.text import source_label
from memolith.text.names import addressed
from memolith.text.safe.hygiene import unallowed
from memolith.text.words import likeness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memolith.learn.consolidate.current import Current
    from memolith.learn.extract.facts import Fact
    from memolith.learn.queue.extractions import Extraction
    from memolith.memory.home import Home

SKILL = "skill "  # begins the line of a skill that was taken back
# Markers of daily-log lines that ask to be learned, and how much of the log is looked at.
_ASKING = ("remember", "lesson", "decision", "preference")
_DAYS = 30


def gone(home: Home) -> list[str]:
    """Return what people took back and that no record says again."""
    found = []
    for scope, slug in (("project", home.project), ("user", layout.USER)):
        lines = taken_back.read(home, slug)
        said = [record.body for record in Records(home).list(scope=scope)] if lines else []
        found += [line for line in lines if not any(likeness.same(line, each) for each in said)]
    return found


def lessons(home: Home) -> list[Lesson]:
    """Return what people and agents asked to be learned: lessons, and marked lines of the daily log."""
    tree, directory = Tree(str(home.root)), layout.path(home.project, "daily")
    found = []
    for name in tree.names(directory)[-_DAYS:]:
        text = files.text_of(tree.read(f"{directory}/{name}", MAX_LOOK_BYTES, cut=True) or b"")
        for line in statements.nonblank(text):
            word, colon, said = statements.content(line).partition(":")
            if colon and word.lower() in _ASKING and said.strip() and "[source:" not in line:
                tagged = f"{word}:{said}" if word.lower() in ("decision", "preference") else said.strip()
                path = f"{directory}/{name}"
                found.append(Lesson(date=name[:10], filename=path, text=f"- {tagged}", source=""))
    return [*found, *(each for each in Lessons(home).list() if not source_label.is_outside(each.source))]


def accepted(given: Sequence[Extraction], home: Home) -> list[Extraction]:
    """Return extractions in which a statement from outside that a person accepted is like any other."""
    if not any(source_label.inside(each.raw_memory, anywhere=True) != each.raw_memory for each in given):
        return list(given)
    records = (each for each in Records(home).list() if not source_label.is_outside(each.origin))
    wanted = {statements.key(each.body) for each in records}

    def owned(line: str) -> str:
        said, theirs = source_label.bare(line), source_label.taken_off(line)
        return theirs if statements.key(said) in wanted else line

    return [each.but(raw_memory="\n".join(map(owned, each.raw_memory.split("\n")))) for each in given]


class Sources:
    """What a consolidation may write: facts of sessions, earlier lines, and what people asked for."""

    def __init__(
        self,
        previous: Current,
        usable: Sequence[Extraction],
        lessons: Sequence[Lesson],
        taken_back: Sequence[str],
    ) -> None:
        self.previous, self.lessons = previous, lessons
        self.taken_back = [each for each in taken_back if not each.startswith(SKILL)]
        self.usable = [
            each.but(
                raw_memory=self.untaken(each.raw_memory), rollout_summary=self.untaken(each.rollout_summary)
            )
            for each in usable
        ]
        self._gone_skills = [each for each in taken_back if each.startswith(SKILL)]
        sessions = {each.session for each in usable}
        ours = [
            line
            for line in statements.nonblank(previous.below)
            if statements.key(line) in previous.made.lines
        ]
        standing = [line for line in ours if statements.is_supported(line, sessions)]
        found = [fact for each in self.usable for fact in statements.facts(each)]
        found += [fact for lesson in lessons for fact in statements.asked_for(lesson)]
        # A session that is gone proves nothing any more, and its name leads nowhere.
        found += [
            fact.but(sources=[each for each in fact.sources if each.partition("#")[0] in sessions])
            for fact in (statements.standing(standing) if usable else [])
        ]
        gone = previous.forgotten()
        self.facts = [
            fact
            for fact in statements.merge(found)
            if statements.key(fact.text) not in gone and not self._is_taken_back(fact.text)
        ]
        # What only sessions said that are gone: skills do not say whom they have a line from.
        known = {statements.key(fact.text) for fact in self.facts}
        lost = [statements.content(line) for line in ours if line not in standing]
        self._lost = [text for text in lost if statements.key(text) not in known]
        self._lost_keys = {*map(statements.key, self._lost), *(previous.made.left - known)}

    def _is_taken_back(self, text: str) -> bool:
        return taken_back.has(self.taken_back, text)

    def chosen(self, reply: dict[str, Any]) -> tuple[list[Fact], list[str], list[str]]:
        """Return the facts of a reply in its order, the keys of those it left out, and what nobody said.

        A fact that was not in the text before stays, whether the model mentions it or not.
        """
        by_hand = {
            statements.key(line) for line in [*self.previous.by_hand(), *self.previous.by_hand_in_summary()]
        }
        above = {statements.key(line) for line in statements.nonblank(self.previous.above)}
        support = Support(self.facts)
        first = support.trace(self._clean(reply["memory_md"]))
        second = support.trace(self._clean(reply["memory_summary"]))
        mentioned = {fact.text: fact for fact in [*second.facts, *first.facts]}
        left = []
        for fact in self.facts:
            key = statements.key(fact.text)
            if fact.text in mentioned:
                continue
            if key in self.previous.made.lines or key in self.previous.made.left:
                left.append(key)
            else:
                mentioned[fact.text] = fact
        strange = [
            line
            for line in dict.fromkeys([*first.unsupported, *second.unsupported])
            if statements.key(line) not in by_hand | above | self.previous.forgotten()
            and not line.startswith("<!--")
            and "memory://root" not in line
            and not self._is_gone_freely(line)
        ]
        return list(mentioned.values()), left, strange

    def pages(
        self, given: Sequence[dict[str, Any]], chosen: Sequence[Fact]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Return the files of skills as far as facts support them, and of the others as written."""
        earlier = [
            line for path, text in self.standing_pages().items() for line in skills.lines_of(path, text)
        ]
        support = Support([*chosen, *statements.standing(earlier)])
        good: dict[str, str] = {}
        odd: dict[str, str] = {}
        for skill in given:
            traced = support.trace(self._clean(skills.body_of(skill["content"])))
            strange = [line for line in traced.unsupported if not self._is_gone_freely(line)]
            steps = [fact.text for fact in traced.facts]
            name = skills.skill_name(skill["name"])
            if not name or not skill["content"].strip() or self._is_gone(name, [*steps, *strange]):
                continue
            written = skills.files_of([skill])
            extra = {path: text for path, text in written.items() if not path.endswith("/SKILL.md")}
            known = {path: text for path, text in extra.items() if self.previous.skills.get(path) == text}
            if steps:
                page = skills.page_of_steps(name, steps)
                good = {f"{SKILLS}/{skills.name_of(page)}/SKILL.md": page, **known, **good}
            if strange or extra != known:
                odd |= written
        return good, odd

    def standing_pages(self) -> dict[str, str]:
        """Return the pages of skills as they are, ours without lines that were taken back or lost."""
        found: dict[str, str] = {}
        for path, text in self.previous.skills.items():
            name = path.split("/")[1]
            if not path.endswith("/SKILL.md"):
                continue
            left = self._unlost(self.untaken(text)) if self.previous.is_ours(name) else text
            if left == text:
                found[path] = text
            elif steps := [
                statements.content(each) for each in skills.lines_of(path, left) if each[:2] == "- "
            ]:
                # Made anew: its name and its description may be what has to go.
                page = skills.page_of_steps(name, steps)
                found[f"{SKILLS}/{skills.name_of(page)}/SKILL.md"] = page
        return found

    def remaining(self) -> dict[str, str] | None:
        """Return the files of all skills after something was taken back or lost; None if nothing was."""
        pages = self.standing_pages()
        names = {path.split("/")[1] for path in pages}
        more = {path: text for path, text in self.previous.skills.items() if not path.endswith("/SKILL.md")}
        pages |= {path: text for path, text in more.items() if path.split("/")[1] in names}
        return None if pages == self.previous.skills else pages

    def _is_gone_freely(self, line: str) -> bool:
        """Whether a model's line says, in its own words, what was taken back or lost."""
        return taken_back.has([*self.taken_back, *self._lost], statements.content(line), free=True)

    def _unlost(self, text: str) -> str:
        lines = text.split("\n")
        return "\n".join(line for line in lines if statements.key(line) not in self._lost_keys)

    def _is_gone(self, name: str, steps: Sequence[str]) -> bool:
        said = " ".join(steps)
        return any(
            each.startswith(f"{SKILL}{name}:") or likeness.says_again(each.partition(":")[2], said)
            for each in self._gone_skills
        )

    def texts(self, chosen: Sequence[Fact], pages: dict[str, str] | None, room: int) -> tuple[str, str]:
        """Return MEMORY.md and the summary with these facts."""
        previous = self.previous
        hand = previous.by_hand()
        known = {statements.key(line) for line in [*statements.nonblank(previous.above), *hand]}
        fresh = [fact for fact in chosen if statements.key(fact.text) not in known]
        synopses = [
            (*page_of(each), each.rollout_summary)
            for each in self.usable
            if each.rollout_summary.strip()
            and not self._is_taken_back(statements.content(each.rollout_summary))
        ]
        after = dict(previous.skills)
        if pages is not None:
            changed = skills.settle(pages, previous)
            after = {path: text for path, text in {**after, **changed}.items() if text is not None}
        summary = statements.summary(
            chosen,
            synopses,
            skills.listed(after) if chosen else [],
            previous.by_hand_in_summary(),
            room,
            previous.forgotten(),
        )
        document = statements.document(fresh, hand)
        return (
            screen(document, MAX_WRITE_BYTES, by_hand=True)[0],
            screen(summary, MAX_WRITE_BYTES, by_hand=True)[0],
        )

    def untaken(self, text: str) -> str:
        """Return a text without the items that people took back."""
        gone = self.previous.forgotten()
        return "\n".join(
            line
            for line in text.split("\n")
            if not line.lstrip().startswith("- ")
            or not (statements.key(line) in gone or self._is_taken_back(statements.content(line)))
        )

    def _clean(self, text: str) -> str:
        """Return a model's text without what no memory holds: secrets, hidden characters, paths into it."""
        text = unallowed(text.replace("\0", "").replace("\r\n", "\n"), "")
        return local(screen(text, by_hand=True)[0], self.previous)


def page_name(extraction: Extraction) -> str:
    """Return the name of an extraction's page: the session and its topic."""
    slug = skills.skill_name(extraction.rollout_slug or "")[:60].strip("-")
    return f"{extraction.session}{f'-{slug}' if slug else ''}.md"


def page_of(extraction: Extraction) -> tuple[str, str]:
    """Return the date and the address of an extraction's page."""
    return extraction.started[:10] or "undated", f"memory://root/{ROLLOUTS}/{page_name(extraction)}"


def local(text: str, previous: Current) -> str:
    """Return a text with addresses in place of paths into the memory, which should not leak."""
    return addressed(text, previous.root, layout.path(previous.slug))
