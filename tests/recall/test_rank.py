"""Ranking as pure functions: evidence, abstention, order."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memolith.index import Analysis, Term, Unit
from memolith.recall import rank, statement, supersede
from memolith.recall.rank import Candidate

DAY = "2026-11-15"


def unit(number: int, **fields: object) -> Unit:
    values: dict[str, Any] = {
        **dict.fromkeys(Unit.__slots__, ""),
        "id": number,
        "key": f"notes/{number:05d}.md",
        "path": f"notes/{number:05d}.md",
        "kind": "note",
        "date": "2026-01-01",
        "status": "active",
        "supersedes": [],
        "first_line": 1,
        "last_line": 1,
        "turn": None,
        "parent": None,
        "position": 0,
        "content_hash": str(number).encode(),
        "text": None,
    }
    return Unit(**{**values, **fields})


def asked(*terms: tuple[str, int], total: int = 1000) -> Analysis:
    return Analysis(terms=[Term(term=term, df=df, weight=1.0) for term, df in terms], total=total)


def order(candidates: list[Candidate], question: Analysis) -> list[int]:
    return [hit.unit.id for hit in rank.rank(candidates, question, DAY)]


def test_a_rare_word_says_more_than_common_ones() -> None:
    weight = rank.word_weights(asked(("zebra", 1), ("server", 400)))
    assert weight["zebra"] > 3 * weight["server"]


def test_meaning_finds_what_shares_no_word_and_never_hides_an_exact_match() -> None:
    question = asked(("zebra", 1))
    exact, near, far = (
        Candidate(unit(1), 7.5, ["zebra"], 0.1),
        Candidate(unit(2), 0.0, [], 0.6),
        Candidate(unit(3), 0.0, [], 0.1),
    )
    assert order([far, near, exact], question)[:2] == [1, 2]
    assert order([exact, far], question) == [1]
    assert order([near, far], question) == [2]
    assert order([far], question) == []


def test_of_texts_with_the_same_words_the_one_that_begins_with_them_goes_first() -> None:
    said = {1: "Opening hours of the zoo, " + "and so on " * 20 + "zebra", 2: "Zebra\nIt lives here."}
    found = [Candidate(unit(number, date=f"2026-01-0{3 - number}"), 5.0, ["zebra"]) for number in said]
    question = asked(("zebra", 3))
    assert order(found, question) == [1, 2]
    ranked = rank.rank(found, question, DAY, texts=lambda units: {each.id: said[each.id] for each in units})
    assert [hit.unit.id for hit in ranked] == [2, 1]


def test_of_many_equals_the_order_does_not_depend_on_who_was_indexed_first() -> None:
    """Found by `prove races`: an index that grew answered in another order than a fresh one."""
    found = [Candidate(unit(number), 5.0, ["zebra"]) for number in range(30)]
    texts = {number: f"Zebra {number}" for number in range(30)}

    def order_of(candidates: list[Candidate]) -> list[int]:
        ranked = rank.rank(
            candidates,
            asked(("zebra", 30)),
            DAY,
            texts=lambda units: {each.id: texts[each.id] for each in units},
        )
        return [hit.unit.id for hit in ranked]

    assert len(order_of(found)) == 30
    assert order_of(found[::-1]) == order_of(found[15:] + found[:15]) == order_of(found)


def test_newer_of_equals_first_then_by_name() -> None:
    question = asked(("zebra", 3))
    found = [
        Candidate(unit(2, date="2026-01-01"), 5.0, ["zebra"]),
        Candidate(unit(1, date="2026-01-01"), 5.0, ["zebra"]),
        Candidate(unit(3, date="2026-11-01"), 5.0, ["zebra"]),
    ]
    assert order(found, question) == order(found[::-1], question) == [3, 1, 2]


def test_a_document_and_its_parts_are_one_hit() -> None:
    question = asked(("zebra", 3))
    whole = Candidate(unit(1, path="notes/a.md", position=-1), 4.0, ["zebra"])
    part = Candidate(unit(2, path="notes/a.md", position=1, parent=1), 5.0, ["zebra"])
    assert order([whole, part], question) == [2]


@given(st.lists(st.tuples(st.floats(0, 20), st.floats(-1, 1) | st.none()), max_size=30))
def test_scores_fall_and_stay_between_0_and_1(values: list[tuple[float, float | None]]) -> None:
    found = [Candidate(unit(n), score, ["zebra"], near) for n, (score, near) in enumerate(values)]
    ranked = rank.rank(found, asked(("zebra", 3)), DAY)
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert len({hit.unit.id for hit in ranked}) == len(ranked)


def turn(number: int, conversation: str, position: int) -> Unit:
    return unit(number, kind="session", path=conversation, position=position, role="user")


def test_without_meaning_a_conversation_that_comes_back_to_the_matter_goes_first() -> None:
    question = asked(("zebra", 3), ("stripe", 9))
    once = Candidate(turn(1, "a", 0), 5.05, ["zebra"])
    often = [Candidate(turn(10 + n, "b", 10 * n), 5.0, ["zebra"]) for n in range(3)]
    assert order([once, *often], question)[-1] == 1


def test_a_time_weighs_the_more_the_less_is_of_that_time() -> None:
    question = asked(("zebra", 40))
    better = [Candidate(unit(n, date="2026-01-01"), 3.0, ["zebra"]) for n in range(20)]
    then = Candidate(unit(50, date="2026-06-05"), 2.0, ["zebra"])
    span = [("2026-06-01", "2026-06-30")]
    rare = rank.rank([*better, then], question, DAY, times=span)
    assert rare[0].unit.id == 50
    other = [
        Candidate(unit(60 + n, date="2026-06-05", content_hash=b"x"), 1.0, ["zebra"]) for n in range(200)
    ]
    assert rank.rank([*better, then, *other], question, DAY, times=span)[0].unit.id != 50


def test_a_word_of_change_is_one_as_it_is_written() -> None:
    (said,) = statement.statements(unit(1, text="The rotation is weekly."))
    text = "Keys rotated; the rotation is daily now."
    (later,) = statement.statements(unit(2, date="2026-02-01", text=text))
    assert "rotat" in said.subject
    assert not said.changes
    assert later.changes
    assert supersede.replaces(later, said, {"rotat"})
