"""Whether a question is about anything here: what speaks for it, one thing at a time."""

from collections.abc import Collection
from math import inf

import pytest

from memolith import Mem
from memolith.index import Analysis, Term
from memolith.recall import abstain, rank
from memolith.recall.abstain import Subject

ASKED = {"zebra": 5, "stripe": 5, "mane": 5, "hoof": 5}


def subject(asked: dict[str, int], names: Collection[str] = (), total: int = 1000) -> Subject:
    question = Analysis(terms=[Term(term=term, df=df, weight=1.0) for term, df in asked.items()], total=total)
    return Subject(question, rank.word_weights(question), names, ())


def found(*words: str, of: int = 4) -> tuple[float, float, tuple[str, ...]]:
    return len(words) / of, len(words) / of, words


def test_more_of_the_question_is_more_evidence_and_nothing_of_it_is_none() -> None:
    about = subject(ASKED)
    parts = [about.evidence([found(*list(ASKED)[:many])]) for many in range(5)]
    assert parts == sorted(parts)
    assert about.evidence([]) == parts[0] == 0 < parts[1]


def test_words_that_are_common_here_are_evidence_even_if_the_best_text_lacks_them() -> None:
    at_home = subject({**ASKED, "hoof": 200}).evidence([found("zebra", "stripe")])
    assert at_home > subject({**ASKED, "hoof": 0}).evidence([found("zebra", "stripe")])


def test_words_that_stand_together_are_more_evidence_than_words_far_apart() -> None:
    about = subject(ASKED)
    beside, near, far = "a zebra stripe", "a zebra has one stripe", f"a zebra {'and ' * 40} a stripe"
    assert about.close(beside) > about.close(near) > about.close(far) == about.close("zebra zebra") == 0
    assert about.close("zebra-stripe") == about.close(beside)
    assert about.close(" ".join(ASKED)) == pytest.approx(1)
    assert about.evidence([found("zebra")], 0.5) > about.evidence([found("zebra")])


def test_a_text_is_about_what_it_begins_with() -> None:
    about = subject(ASKED)
    assert about.leads("Zebra stripe. Then this.") == pytest.approx(0.5)
    assert about.leads(f"{'This and that. ' * 20} Zebra stripe.") == about.leads("") == 0


def test_a_name_that_a_text_lacks_speaks_against_it_and_one_that_it_has_does_not() -> None:
    asked = {**ASKED, "carolin": 3}
    without, having = found("zebra", "stripe", of=5), found("zebra", "carolin", of=5)
    assert subject(asked, ["carolin"]).evidence([without]) < subject(asked).evidence([without])
    assert subject(asked, ["carolin"]).evidence([having]) == subject(asked).evidence([having])


def test_everyday_words_say_less_and_one_of_them_alone_says_nothing() -> None:
    asked = {"new": 5, "place": 5, "zebra": 5}
    about = subject(asked)
    assert about.evidence([found("new", "place", of=3)]) < about.evidence([found("new", "zebra", of=3)])
    assert about.evidence([found("new", of=3)]) == 0 < about.evidence([found("zebra", of=3)])
    assert subject(asked, total=2).evidence([found("new", of=3)]) > 0  # of two notes, either is worth a look


def test_a_code_does_not_come_up_by_chance() -> None:
    assert subject({**ASKED, "ccl19": 5}).evidence([found("ccl19", of=5)]) == inf
    assert subject({**ASKED, "2026": 5}).evidence([found("2026", of=5)]) < inf


def test_a_larger_memory_needs_more_up_to_a_size() -> None:
    sizes = (0, 5, 50, 500, 5_000, 50_000, 500_000)
    needed = [abstain.needed(0.6, size) for size in sizes]
    assert needed == sorted(needed)
    assert needed[0] == needed[1] > 0
    assert needed[3] == 0.6
    assert needed[-1] == needed[-2]


NOTES = (
    "The billing service runs on Postgres 15.",
    "Deploys go out on Tuesdays, after the standup.",
    "We use a new certificate for the gateway since May.",
    "Ask Maria before you rotate the signing keys.",
    "Backups are kept for seven days in Frankfurt.",
)


@pytest.mark.parametrize(
    "question",
    [
        "What is a new place to eat near the beach?",
        "How many days does a cat sleep?",
        "Which seven dwarfs does Snow White meet?",
        "Why did Caroline paint the sunset?",
    ],
)
def test_among_five_notes_a_question_with_a_chance_word_gets_no_answer(mem: Mem, question: str) -> None:
    for number, note in enumerate(NOTES):
        mem.remember(note, f"Note {number}")
    assert mem.recall(question, semantic=False).hits == []


@pytest.mark.parametrize("query", ["postgres", "new", "Maria", "rotate", "days", "gateway certificate"])
def test_keywords_that_are_there_always_get_an_answer(mem: Mem, query: str) -> None:
    for number, note in enumerate(NOTES):
        mem.remember(note, f"Note {number}")
    assert mem.recall(query, semantic=False).hits
