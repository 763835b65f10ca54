"""Every language, identifiers and any query at all."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith.index import Index
from memolith.text.words.terms import count, of_query
from tests.index.corpus import BOTH, SLUG, fill, ranked, write
from tests.ledger import proves
from tests.shared import DATA, rows

# For each script: a word, a sentence with that word in it, an identifier as it is written in that language.
SCRIPTS = {
    "latin": ("deployment", "We moved the deployment to Friday.", "getUserById"),
    "accents": ("Überprüfung", "Die Überprüfung läuft jede Nacht.", "prüf_datei"),
    "vietnamese": ("triển", "Chúng tôi triển khai vào thứ sáu.", "tệp-cấu-hình"),
    "cyrillic": ("резервная", "Ночью делается резервная копия базы.", "файл_базы"),
    "greek": ("διακομιστής", "Ο διακομιστής βρίσκεται στην Αθήνα.", "αρχείο-ρυθμίσεων"),
    "arabic": ("النسخ", "يتم النسخُ الاحتياطيُّ كل ليلة.", "ملف_الاعدادات"),
    "hebrew": ("גיבוי", "כל לילה נעשה גיבוי של המסד.", "קובץ_הגדרות"),
    "devanagari": ("सर्वर", "हमारा सर्वर मुंबई में है।", "फ़ाइल_नाम"),
    "thai": ("เซิร์ฟเวอร์", "เราย้ายเซิร์ฟเวอร์ไปที่กรุงเทพ", "ไฟล์gen-itgc"),
    "chinese": ("数据库", "我们每天晚上备份数据库到云端。", "重跑gen-itgc后"),
    "japanese": ("サーバー", "東京のサーバーは毎晩再起動します。", "設定ファイルv1.2.3"),
    "korean": ("데이터베이스", "매일 밤 데이터베이스를 백업합니다.", "설정_파일"),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    home = tmp_path_factory.mktemp("home")
    fill(home)
    for name, (word, sentence, identifier) in SCRIPTS.items():
        write(home, f"memory/projects/{SLUG}/notes/{name}-word.md", f"{word}\n")
        write(home, f"memory/projects/{SLUG}/notes/{name}-sentence.md", f"{sentence}\n")
        write(home, f"memory/projects/{SLUG}/notes/{name}-identifier.md", f"See `{identifier}` for more.\n")
    return Index(str(home))


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_and_identifiers_of_every_script_are_found(index: Index, script: str) -> None:
    word, sentence, identifier = SCRIPTS[script]
    note = f"projects/{SLUG}/notes/{script}"
    assert set(ranked(index, word)[:2]) == {f"{note}-word.md", f"{note}-sentence.md"}
    assert ranked(index, sentence)[0] == f"{note}-sentence.md"
    assert ranked(index, identifier)[0] == f"{note}-identifier.md"


@pytest.mark.parametrize(("text", "query"), rows("index/spellings"))
def test_a_query_finds_other_spellings(text: str, query: str) -> None:
    assert any(term in count(text)[0] for term in of_query(query))


@proves("S3.41")
@pytest.mark.parametrize(
    "query",
    [
        *('"', "'", "a OR", "NOT", "NEAR(a b, x)", "-x", "title:redis", "redis*", "((", "日本語", "", " "),
        *("\0", "\ud800", "'; DROP TABLE units;--", "a " * 5000, "x" * 100_000),
        *("²", "redi²", "1:redi", "{redis}"),
    ],
)
def test_any_query_gets_an_answer(index: Index, query: str) -> None:
    index.sync(BOTH)
    assert isinstance(index.lexical(BOTH, query), list)
    assert index.lexical(BOTH, f"postgres {query}"[:200])
    assert index.sync(BOTH).notes == []
    index.terms(BOTH, query)


@proves("S3.41")
@given(st.text(max_size=200))
def test_any_text_is_a_query_and_is_found_by_itself(text: str) -> None:
    for term in of_query(text):
        assert term in count(text)[0]


def test_the_hostile_queries_are_answered(index: Index) -> None:
    source = DATA / "hostile" / "corpus.jsonl.gz"
    if not source.is_file():
        pytest.skip(f"{source} is not here; set MEMOLITH_DATA")
    index.sync(BOTH)
    rows = [json.loads(row) for row in gzip.decompress(source.read_bytes()).splitlines()]
    queries = [row["payload"] for row in rows if row["cat"] == "G"]
    assert queries
    for query in queries:
        assert isinstance(index.lexical(BOTH, query), list)


@proves("S3.25")
@pytest.mark.parametrize("query", ["elephant", "pg", "storage"])
def test_an_alias_or_keyword_alone_finds_the_record(index: Index, query: str) -> None:
    assert ranked(index, query) == [f"projects/{SLUG}/records/decisions/use-postgres.md"]


def test_a_common_word_does_not_bring_in_units_but_counts(tmp_path: Path) -> None:
    for number in range(300):
        rare = "zebra" if number in (6, 250) else "horse"
        common = "common" if number % 3 else "other"
        write(tmp_path, f"memory/notes/n{number:03}.md", f"{common} words {rare} here {number}\n")
    with Index(str(tmp_path)) as index:
        assert ranked(index, "common zebra")[:2] == ["notes/n250.md", "notes/n006.md"]
        assert len(ranked(index, "common")) == 200
        assert ranked(index, "the") == []
        assert {term.term: term.df for term in index.terms([""], "common zebra").terms} == {
            "common": 200,
            "zebra": 2,
        }


def test_units_that_are_gone_or_changed_are_not_counted(tmp_path: Path) -> None:
    for number in range(30):
        write(tmp_path, f"memory/notes/n{number:02}.md", f"common words here {number}\n")
    with Index(str(tmp_path)) as index:
        index.sync([""])
        for number in range(10):
            (tmp_path / f"memory/notes/n{number:02}.md").unlink()
            write(tmp_path, f"memory/notes/n{number + 10:02}.md", f"other words here {number}\n")
        index.sync([""])
        assert {term.term: term.df for term in index.terms([""], "common other").terms} == {
            "common": 10,
            "other": 10,
        }


def test_kinds_limit_what_is_found(index: Index) -> None:
    index.sync(BOTH)
    for kind in ("note", "record", "ticket", "session", "daily", "memory"):
        found = index.units(
            [m.unit_id for m in index.lexical(BOTH, "postgres invoice queue tea worker", kinds=[kind])]
        )
        assert {unit.kind for unit in found} == {kind}
