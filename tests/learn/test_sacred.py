"""Numbers, versions, paths and names reach memory as they were said."""

import string

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memolith.learn.consolidate import statements
from memolith.learn.extract import marks, rules
from memolith.learn.queue.extractions import Extraction
from memolith.text import typed
from memolith.text.words.terms import STOP
from tests.learn.talk import session
from tests.ledger import proves

# A name that is a word of its own ("bc") may get a capital at the beginning of a sentence.
_NAME = st.text(string.ascii_lowercase, min_size=2, max_size=9).filter(
    lambda name: marks.read(name).letters == "." and name not in STOP
)
_NUMBER = st.integers(0, 10**6).map(str)
TOKEN = st.one_of(
    _NUMBER,
    st.tuples(_NUMBER, _NUMBER, _NUMBER).map(".".join),
    st.tuples(_NUMBER, _NUMBER).map(lambda pair: f"^{pair[0]}.{pair[1]}"),
    st.tuples(_NAME, _NAME, _NAME).map(lambda parts: f"{parts[0]}/{parts[1]}.{parts[2]}"),
    st.tuples(_NAME, _NUMBER).map(lambda pair: f"https://{pair[0]}.example:{pair[1]}/x"),
    st.tuples(_NAME, _NAME).map("_".join),
    st.dates().map(str),
    st.tuples(_NUMBER, _NUMBER).map(lambda pair: f"{pair[0]}, {pair[1]}"),
    st.tuples(_NAME, _NAME).map(lambda pair: f"`{pair[0]} --{pair[1]}`"),
    _NUMBER.map(lambda number: f"[{number}]"),
)
FORMS = (
    "Remember that the {0} listens on {1}.",
    "remember: {1} is what {0} needs",
    "From now on, always start {0} with {1}.",
    "Merk dir: {0} läuft auf {1}.",
    "记住：{0} 的端口是 {1}。",
    "keep in mind that {0} uses {1} and not {2}",
    "Remember that decision: {0} before {1} or {2}",
)


@proves("S2.93")
@settings(max_examples=10 * settings().max_examples)  # 100,000 in the long profile
@given(st.sampled_from(FORMS), _NAME, TOKEN, TOKEN)
@example(FORMS[5], "broker", "0", "web_hook_ok")  # ends like a word that only asks for a yes
def test_every_number_path_and_name_of_a_quote_survives(form: str, name: str, one: str, other: str) -> None:
    said = form.format(f"{name} service", one, other)
    assume(typed.spoken(said))  # two versions in a line are taken for a log
    found = rules.extract(session(("user", said)))
    assert found.facts, said
    extraction = Extraction(
        session="claude-50aafcea-9961-4720-8edd-fa451e17b157",
        project="shop",
        source_watermark="1",
        started="2026-11-10T09:00:00Z",
        raw_memory=found.raw_memory,
        rollout_summary=found.rollout_summary,
        rollout_slug=None,
        model="rules",
    )
    merged = statements.merge(statements.facts(extraction))
    tokens = [token for token in (name, one, other) if token in said]
    texts = [
        found.facts[0].text,
        statements.document(merged, []),
        statements.summary(merged, [], [], [], 10_000),
    ]
    for text in texts:
        assert all(token in text for token in tokens), (said, text)
        for line in filter(lambda line: line.startswith("- "), text.splitlines()):
            assert statements.key(line) == statements.key(f"- {found.facts[0].text}")
