"""`memolith mcp`: real processes over pipes, in both eras of the protocol."""

import json
import os
import re
import resource
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memolith import Mem, append_memory_block
from memolith.base.errors import StorageError
from memolith.base.values import NOTE_KINDS
from memolith.edges.mcp import tools, wire
from memolith.edges.mcp.protocol import Protocol
from memolith.store.layout import SUMMARY
from tests.care.test_scan import canary, hits
from tests.edges.mcp.client import COMMAND, LEGACY, MODERN, Client
from tests.ledger import proves
from tests.recall.made import session
from tests.shared import ROOT

KEY = canary("through a tool")
SESSIONS = int(os.environ.get("MCP_SESSIONS") or 20)  # `./dev agents` starts a hundred
WRITERS = {"memory_write", "memory_edit", "remember"}
READERS = {"memory_search", "memory_read", "recall"}


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the local model out, where it is installed: it is not what is measured here."""
    monkeypatch.setenv("MEMOLITH_SEMANTIC_PROVIDER", "none")


@pytest.fixture(params=[LEGACY, MODERN])
def client(request: pytest.FixtureRequest, work: Path) -> Iterator[Client]:
    """Return a client that has said hello, once in each era."""
    with Client(work, era=request.param) as started:
        started.begin()
        yield started


def size(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":")).encode())


@proves("S0.1")
@pytest.mark.parametrize("era", [LEGACY, MODERN])
def test_memory_that_is_switched_off_offers_nothing_and_leaves_a_prompt_as_it_is(
    work: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mem = Mem.open(work)
    mem.write("long_term", "- a")
    monkeypatch.setenv("MEMOLITH_ENABLED", "false")
    with Client(work, era=era) as client:
        hello = client.begin()
        assert hello["capabilities"] == {}
        assert "instructions" not in hello
        assert client.result("tools/list")["tools"] == []
        assert client.code("tools/call", {"name": "memory_read", "arguments": {}}) == -32601
    assert append_memory_block("BASE", mem.context_block("a")) == "BASE"
    assert mem.guidance() == ""


def test_both_eras_are_greeted_in_their_own_way(work: Path) -> None:
    with Client(work) as old:
        hello = old.begin()
        assert hello["protocolVersion"] == LEGACY
        assert hello["serverInfo"]["name"] == "memolith"
        assert set(hello["capabilities"]) == {"tools", "resources", "prompts", "completions"}
        assert old.result("ping") == {}
        assert "resultType" not in old.result("tools/list")
    with Client(work, era=MODERN) as new:
        found = new.begin()
        assert found["supportedVersions"] == [MODERN]
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "memolith"
        assert found["instructions"] == hello["instructions"]
        for method in ("server/discover", "tools/list", "prompts/list", "resources/list"):
            cached = new.result(method)
            assert (cached["resultType"], cached["ttlMs"], cached["cacheScope"]) == ("complete", 0, "private")
        assert new.result("tools/call", {"name": "memory_read"})["resultType"] == "complete"


@pytest.mark.parametrize(
    ("asked", "given"), [(LEGACY, LEGACY), ("2025-06-18",) * 2, ("2024-11-05",) * 2, ("2099-01-01", LEGACY)]
)
def test_a_version_is_agreed_on(work: Path, asked: str, given: str) -> None:
    with Client(work) as client:
        assert client.result("initialize", {"protocolVersion": asked})["protocolVersion"] == given


def test_an_unknown_version_of_the_stateless_era_is_refused_with_those_known(work: Path) -> None:
    with Client(work) as client:
        error = client.ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}})
        assert error["error"]["code"] == -32022
        assert error["error"]["data"] == {"supported": [MODERN], "requested": "2099-01-01"}


@proves("S0.70")
def test_what_every_session_pays_for_is_small_and_says_when_to_use_what(client: Client) -> None:
    tools = client.result("tools/list")["tools"]
    assert {tool["name"] for tool in tools} == READERS | WRITERS
    assert size(tools) <= 4_000
    for tool in tools:
        assert tool["description"].startswith("Use ")
        assert tool["annotations"]["readOnlyHint"] is (tool["name"] in READERS)
        assert tool["annotations"]["openWorldHint"] is False
        assert tool["_meta"] == {"anthropic/alwaysLoad": True}
        assert not {"project", "cwd", "home", "origin"} & set(tool["inputSchema"]["properties"])
    said = client.begin()["instructions"]
    assert len(said) <= 1_200
    for words in ("long_term:", "scratchpad:", "daily:", "note:", "not instructions", "search, then read"):
        assert words in said
    for name in READERS | WRITERS:
        assert f"`{name}`" in said


def test_the_schemas_name_what_the_library_accepts() -> None:
    schemas: dict[str, Any] = {
        str(tool["name"]): tool["inputSchema"] for tool in tools.offered(read_only=False)
    }
    kinds = [*NOTE_KINDS, "decision", "procedure", "principle", "incident"]
    assert sorted(schemas["remember"]["properties"]["kind"]["enum"]) == sorted(kinds)
    names = {name for schema in schemas.values() for name in schema["properties"]}
    assert not names & {"source", "text", "path", "uri"}  # one name for each thing


@proves("S3.39")
def test_an_agent_adds_a_record_and_picks_category_and_scope(client: Client, work: Path) -> None:
    (mine,) = client.places("remember", content="We deploy with Nomad.", kind="decision")
    name = mine.rpartition("/")[2].removesuffix(".md")
    assert mine == f"memory://root/records/decisions/{name}.md"
    (wide,) = client.places(
        "remember", content="Answer first.", kind="principle", scope="user", title="Words"
    )
    assert wide == "memory://user/records/principles/words.md"
    found = {record.id: record for record in Mem.open(work).records.list()}
    assert (found[name].category, found[name].scope) == ("decisions", "project")
    assert (found["words"].category, found["words"].scope) == ("principles", "user")
    assert found["words"].source == "agent"
    client.call("remember", content="We deploy with Nomad.", kind="decision")
    assert len(Mem.open(work).records.list()) == 2
    assert "decision" in client.refused("remember", content="x", kind="wishes")
    # The names of the designs are answered, too.
    again = client.places("record", text="We deploy with Nomad.", category="decisions", scope="project")
    assert again == [mine]
    block = Mem.open(work).context_block() or ""
    assert "- We deploy with Nomad." in block  # whatever its kind, it is shown again
    assert "- Answer first." in block


def test_a_result_is_a_text_and_nothing_beside_it(client: Client) -> None:
    """Some agents give their model only the JSON where there is one, others both."""
    for name, arguments in (
        ("remember", {"content": "The linter is ruff."}),
        ("recall", {"query": "linter"}),
        ("memory_search", {"query": "ruff"}),
        ("memory_read", {}),
    ):
        result = client.result("tools/call", {"name": name, "arguments": arguments})
        assert [part["type"] for part in result["content"]] == ["text"]
        assert "structuredContent" not in result


@proves("S2.14")
@pytest.mark.parametrize("target", ["memory://project", "memory://user", "memory://root/MEMORY.md"])
def test_what_only_can_be_read_is_refused_by_name(client: Client, target: str) -> None:
    client.call("memory_write", target="daily", content="x")
    assert "can be read, but not written" in client.refused("memory_write", target=target, content="x")
    assert "can be read, but not written" in client.refused("memory_edit", target=target, old_str="x")


def test_a_record_is_corrected_and_forgotten_by_its_address(client: Client) -> None:
    (uri,) = client.places("remember", content="We deploy with Nomad.", kind="decision")
    client.call("memory_edit", target=uri, old_str="Nomad", new_str="Kamal")
    assert "We deploy with Kamal." in client.call("memory_read", target=uri)
    assert "does not occur" in client.refused("memory_edit", target=uri, old_str="Nomad", new_str="x")
    client.call("memory_edit", target=uri)
    assert "not found" in client.refused("memory_read", target=uri)


@proves("X.10")
def test_what_one_tool_writes_the_others_find(client: Client) -> None:
    written = [
        *client.places("memory_write", target="daily", content="zebra one"),
        *client.places("memory_write", target="note", content="zebra two", name="two"),
        *client.places("memory_update", content="- zebra three"),
        *client.places("remember", content="zebra four", title="Four", scope="user"),
        *client.places("remember", content="zebra five", kind="incident"),
        *client.places("memory_write", target="scratchpad", content="- [ ] zebra six"),
    ]
    assert set(client.places("memory_search", query="zebra")) == set(written)
    assert set(client.places("recall", query="zebra")) == set(written)
    for uri in written:
        assert "zebra" in client.call("memory_read", target=uri)
        read = client.result("resources/read", {"uri": uri})["contents"][0]
        assert (read["uri"], read["mimeType"]) == (uri, "text/markdown")
        assert "zebra" in read["text"]
    assert client.call("memory_read").rstrip().endswith("- zebra three")
    assert set(client.call("memory_read", target="list").split()) == set(written)
    client.call("memory_edit", target="note", name="two", old_str="zebra two", new_str="okapi")
    assert "okapi" in client.call("memory_read", source="note", name="two")  # another name for it
    client.call("memory_edit", target=written[1])
    assert client.call("memory_read", target="note", name="two").startswith(
        "(empty): memory://root/notes/two.md;"
    )
    assert "does not occur" in client.refused("memory_edit", target="daily", old_str="x", new_str="y")


def test_every_form_in_which_memory_shows_a_place_is_read(client: Client, mem: Mem) -> None:
    mem.remember("Redis listens on port 6380.", "Redis")
    mem.remember("I am Ada.", "Ada", scope="user")
    mem.write("scratchpad", "- [ ] rename the walrus")
    mem.write("daily", "the walrus was renamed")
    mem.write("long_term", "- I like short answers.")
    slug, day = mem.project, mem.today
    for place, text in {
        "memory://root/notes/redis.md": "6380",
        "memory://root/notes/redis.md:5": "6380",
        "memory://root/notes/redis.md line 5": "6380",
        "`memory://root/notes/redis.md`": "6380",
        f"projects/{slug}/notes/redis.md:5": "6380",
        f"{mem.store}/projects/{slug}/notes/redis.md": "6380",
        "notes/redis.md": "6380",
        "redis.md": "6380",
        "redis": "6380",
        "ada.md": "I am Ada",
        "MEMORY.md": "short answers",
        "memory://user/MEMORY.md": "short answers",
        f"daily/{day}.md": "was renamed",
        day: "was renamed",
        "scratchpad": "walrus",
        "memory://root/notes/MEMORY.md": "Redis",
        "note:redis": "6380",
    }.items():
        assert text in client.call("memory_read", target=place), place
    said = client.refused("memory_read", target="nowhere.md")
    assert said == (
        "'nowhere.md': nothing in memory has this name; give an address that memory showed (memory://…), or "
        "one of long_term, scratchpad, daily, note:NAME, list"
    )
    for place in ("../../x", "/etc/passwd", f"projects/{slug}x/notes/redis.md", "inbox/x.md"):
        assert "nothing in memory" in client.refused("memory_read", target=place)


def test_errors_speak_of_parameters_and_tools_not_of_a_command_line(client: Client) -> None:
    said = [
        client.refused("memory_write", target="note", content="x"),
        client.refused("memory_edit", target="scratchpad"),
        client.refused("memory_edit", target="scratchpad", old_str=""),
        client.refused("memory_edit", target="note", name="nowhere"),
        client.refused("memory_update", section="", content="x"),
        client.refused("remember", content="x", kind="bogus"),
        client.refused("memory_read", path="x"),
    ]
    for each in said:
        assert "--" not in each, each
        assert "memolith" not in each, each
        assert "CLI" not in each, each


@proves("X.10")
def test_a_turn_of_a_session_is_found_and_its_address_leads_to_it(client: Client, mem: Mem) -> None:
    session(mem, "s1", "What about the zebra alarm?", "It was silenced.")
    assert client.places("memory_search", query="zebra") == []
    found = client.call("memory_search", query="zebra", sessions=True)
    assert "memory://root/sessions/x-s1" in found
    assert "[1] user" in found
    place = client.places("recall", query="zebra alarm")[0]
    assert place == "memory://root/sessions/x-s1/2"
    read = client.call("memory_read", target=place)
    assert "zebra alarm" in read  # the turn before it
    assert "It was silenced." in read


def test_a_session_is_named_in_short_and_its_turn_is_read_with_those_around_it(
    client: Client, mem: Mem
) -> None:
    name = "0199a8b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"
    session(mem, name, "Hello there.", "Hi.", "What about the zebra alarm?", "It was silenced.", "Fine.")
    place = client.places("recall", query="zebra alarm")[0]
    assert place == "memory://root/sessions/x-0199a8b2-c3d4/4"
    read = client.call("memory_read", target=place)
    assert [line[:3] for line in read.splitlines() if line] == ["[3]", "[4]", "[5]"]


def test_an_answer_leaves_room_for_the_work(client: Client, mem: Mem) -> None:
    for number in range(40):
        mem.write("note", f"zebra {number} " + "stripes " * 3000, name=f"n{number}")
    for tool, arguments in (("recall", {"limit": 1000}), ("memory_search", {}), ("memory_read", {})):
        asked = {"query": "zebra", **arguments} if tool != "memory_read" else {"target": "note", "name": "n1"}
        found = client.result("tools/call", {"name": tool, "arguments": asked})
        assert size(found["content"]) <= 50_000


def test_a_section_is_replaced_and_a_rewrite_that_loses_most_is_refused(client: Client) -> None:
    client.call("memory_update", section="About Me", content="I live in Graz.")
    assert "I live in Graz." in client.call("memory_read")
    client.call("memory_update", content="- a\n- b\n- c\n- d", action="append")
    assert "nothing was written" in client.refused("memory_update", content="x", mode="rewrite")
    assert "Wrote" in client.call("memory_update", content="x", mode="rewrite", force=True)
    assert "not both" in client.refused("memory_update", content="x", mode="append", section="A")


def test_a_change_made_by_hand_is_seen_by_the_next_call(client: Client, mem: Mem) -> None:
    uri = client.places("remember", content="The port is 5432.", title="Port")
    assert client.places("recall", query="port") == uri
    (mem.root / "projects" / mem.project / "notes" / "port.md").write_text("The port is 5433.\n")
    assert client.places("recall", query="port") == uri
    assert "The port is 5433." in client.call("recall", query="port")


def test_resources_are_listed_completed_and_read(client: Client, mem: Mem) -> None:
    assert client.result("resources/list")["resources"] == []
    for name in ("deploy", "demo", "database"):
        mem.write("note", f"about {name}", name=name)
    mem.write("long_term", "- me")
    (mem.root / "projects" / mem.project / SUMMARY).write_text("v1\nlearned\n")
    listed = {each["uri"] for each in client.result("resources/list")["resources"]}
    assert {"memory://root/notes", "memory://user/MEMORY.md", f"memory://root/{SUMMARY}"} <= listed
    templates = [
        each["uriTemplate"] for each in client.result("resources/templates/list")["resourceTemplates"]
    ]
    assert templates == ["memory://root/{+path}", "memory://user/{+path}"]
    ref = {"type": "ref/resource", "uri": templates[0]}

    def completed(value: str) -> list[str]:
        argument = {"name": "path", "value": value}
        found: list[str] = client.result("completion/complete", {"ref": ref, "argument": argument})[
            "completion"
        ]["values"]
        return found

    assert completed("no") == ["notes"]
    assert completed("notes/de") == ["notes/demo.md", "notes/deploy.md"]
    assert completed("notes/../") == []
    assert "learned" in client.result("resources/read", {"uri": "memory://root"})["contents"][0]["text"]
    names = client.result("resources/read", {"uri": "memory://root/notes"})["contents"][0]["text"]
    assert "memory://root/notes/deploy.md" in names.split("\n")
    missing = client.code("resources/read", {"uri": "memory://root/notes/none.md"})
    assert missing == (-32602 if client.era == MODERN else -32002)
    for uri in ("memory://root/../x", "memory://other/x", "file:///etc/passwd", 3, None):
        assert client.code("resources/read", {"uri": uri}) == -32602


def test_the_prompt_is_the_block_with_what_is_known_about_a_topic(client: Client, mem: Mem) -> None:
    assert [each["name"] for each in client.result("prompts/list")["prompts"]] == ["recall"]
    empty = client.result("prompts/get", {"name": "recall"})["messages"][0]["content"]["text"]
    assert "is empty" in empty
    mem.write("scratchpad", "- [ ] ship it")
    mem.remember("Redis listens on port 6380.", "Redis")
    asked = {"name": "recall", "arguments": {"topic": "redis port"}}
    message = client.result("prompts/get", asked)["messages"][0]
    assert message["role"] == "user"
    assert "- [ ] ship it" in message["content"]["text"]
    assert "6380" in message["content"]["text"]
    for wrong in ({"name": "other"}, {"name": "recall", "arguments": {"x": "y"}}, {}):
        assert client.code("prompts/get", wrong) == -32602


def test_a_read_only_server_lists_and_runs_nothing_that_writes(
    work: Path, mem: Mem, snapshot: Callable[[Path], dict[str, bytes]]
) -> None:
    mem.remember("Redis listens on port 6380.", "Redis")
    before = snapshot(mem.root)
    with Client(work, "--read-only") as client:
        assert "`remember`" not in client.begin()["instructions"]
        assert {tool["name"] for tool in client.result("tools/list")["tools"]} == READERS
        for tool in [*WRITERS, "memory_update", "record"]:
            assert (
                client.code("tools/call", {"name": tool, "arguments": {"content": "x", "text": "x"}})
                == -32602
            )
        assert client.places("recall", query="redis")
    assert snapshot(mem.root) == before


def test_requests_that_cannot_be_answered_get_the_right_error(client: Client) -> None:
    assert client.code("tools/nothing") == -32601
    assert client.code("tools/call", {"name": "rm"}) == -32602
    assert client.code("tools/call", {"name": "recall", "arguments": ["query"]}) == -32602
    assert client.code("tools/list", {"cursor": "x"}) == -32602
    assert client.code("initialize", {"protocolVersion": 3}) == -32602
    assert client.code("completion/complete", {"ref": {"type": "x"}, "argument": {}}) == -32602
    ref = {"type": "ref/resource", "uri": "file:///{path}"}
    assert client.code("completion/complete", {"ref": ref, "argument": {"value": ""}}) == -32602
    assert client.refused("recall") == "recall needs query"
    assert client.refused("recall", query=3) == "recall: query must be a text, not int"
    assert client.refused("recall", query="x", limit=True).endswith("must be a whole number, not bool")
    assert client.refused("recall", query="x", project="/etc").startswith("recall has no argument 'project'")
    assert "limit = 0" in client.refused("recall", query="x", limit=0)
    assert client.places("recall", query="x", limit=3.0) == []


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"{", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xff"}}', -32700, 7),
        (b'{"id":1,"method":NaN}', -32700, 1),
        (b"[" * 100_000, -32700, None),
        (b"1" * 5000, -32700, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b'"text"', -32600, None),
        (b"null", -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602, 1),
        (
            b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":"' + b"y" * wire.MAX_LINE,
            -32600,
            "a",
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_the_server_lives_on_after_anything(work: Path, line: bytes, code: int, number: object) -> None:
    with Client(work) as client:
        client.begin()
        client.write(line + b"\n")
        answer = client.read()
        assert (answer["error"]["code"], answer["id"]) == (code, number)
        client.write(b'\n  \r\n{"jsonrpc":"2.0","method":"notifications/nothing"}\n')
        client.write(b'{"jsonrpc":"2.0","id":99,"result":{}}\n')
        assert client.result("ping") == {}


METHODS = ("tools/call", "resources/read", "prompts/get", "completion/complete", "initialize", "tools/list")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
NAMES = st.sampled_from(
    [tool["name"] for tool in tools.offered(read_only=False)] + ["recall", "ref/resource"]
)
FIELDS = "query limit since source target content text title name scope uri type ref argument value arguments"
KEYS = st.sampled_from(f"{FIELDS} _meta lines offset mode category keywords".split())
VALUES = JSON | st.sampled_from(
    ["daily", "note", "project", "decisions", "memory://root/notes", "ref/prompt"]
)


@given(
    method=st.sampled_from(METHODS),
    params=st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES)),
    name=NAMES,
)
def test_no_request_whatever_is_in_it_is_an_internal_error(
    method: str, params: dict[str, object], name: str, mem: Mem
) -> None:
    protocol = Protocol(lambda: mem)
    line = wire.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "name": name}})
    answer = protocol.answer(wire.parse(line.rstrip(b"\n")))
    assert json.loads(wire.encode(answer))["jsonrpc"] == "2.0"
    assert isinstance(answer, dict)
    assert answer.get("error", {}).get("code") != wire.INTERNAL_ERROR, answer


@given(st.binary(max_size=200))
def test_no_line_whatever_is_in_it_stops_the_protocol(line: bytes) -> None:
    def unopened() -> Mem:
        raise AssertionError(line)

    assert wire.encode(Protocol(unopened).answer(wire.parse(line))).endswith(b"\n")


def test_half_a_character_never_reaches_a_client() -> None:
    assert wire.encode({"a": "\ud83d", "b": "\U0001f600"}) == b'{"a":"?","b":"\\ud83d\\ude00"}\n'


def test_a_batch_is_answered_in_the_version_that_knows_batches(work: Path) -> None:
    with Client(work) as client:
        client.result("initialize", {"protocolVersion": "2025-03-26"})
        one, two = client.message("ping"), client.message("nothing")
        client.send([one, {"jsonrpc": "2.0", "method": "notifications/initialized"}, two, [one]])
        answers = client.read()
        assert [each["id"] for each in answers] == [one["id"], two["id"], None]
        assert answers[0]["result"] == {}


def test_a_request_that_is_cancelled_while_it_waits_is_never_begun(client: Client) -> None:
    def writing(text: str) -> dict[str, Any]:
        arguments = {"target": "daily", "content": text}
        return client.message("tools/call", {"name": "memory_write", "arguments": arguments})

    first, second, third = writing("first"), writing("second"), writing("third")
    gone = {"requestId": second["id"], "reason": "user"}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone}
    client.send(
        first, second, third, cancel, {**cancel, "params": None}, {**cancel, "params": {"requestId": 999}}
    )
    assert [client.read()["id"], client.read()["id"]] == [first["id"], third["id"]]
    text = client.call("memory_read", target="daily")
    assert "first" in text
    assert "third" in text
    assert "second" not in text


def test_everything_sent_before_the_input_ends_is_answered(work: Path) -> None:
    request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    done = subprocess.run(COMMAND, input=request, cwd=work, capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert done.stderr == b""


def test_no_answer_tells_a_secret_or_where_the_memory_is(client: Client, mem: Mem, tmp_path: Path) -> None:
    mem.write("scratchpad", "x")
    (mem.root / "MEMORY.md").write_text(f"# Me\n- the token is {KEY}\n- a\n- b\n- c\n")
    (mem.root / "projects" / mem.project / "notes").mkdir()
    asked: list[tuple[str, dict[str, object]]] = [
        ("memory_write", {"target": "daily", "content": f"token {KEY}"}),
        ("memory_write", {"target": KEY, "content": "x"}),
        ("memory_write", {"target": "note", "content": "x", "name": KEY}),
        ("memory_edit", {"target": "scratchpad", "old_str": "x", "new_str": f"token {KEY}"}),
        ("memory_edit", {"target": "note", "name": f"../{KEY}"}),
        ("memory_update", {"content": f"token {KEY}"}),
        ("memory_update", {"content": "x", "mode": "rewrite"}),
        ("memory_update", {"content": "x", "section": KEY}),
        ("remember", {"content": f"token {KEY}", "title": KEY}),
        ("record", {"text": f"token {KEY}", "category": "decisions", "scope": "user", "keywords": [KEY]}),
        ("record", {"text": "x", "category": KEY, "scope": "user", KEY: "x"}),
        ("recall", {"query": "token"}),
        ("memory_search", {"query": "token"}),
        ("memory_read", {}),
        ("memory_read", {"source": "memory://user/MEMORY.md"}),
        ("memory_read", {"source": f"memory://user/{KEY}.md"}),
        ("memory_read", {"source": "daily"}),
    ]
    said = [client.ask("tools/call", {"name": name, "arguments": given}) for name, given in asked]
    said.append(client.ask("resources/read", {"uri": "memory://user/MEMORY.md"}))
    said.append(client.ask("resources/read", {"uri": f"memory://user/{KEY}"}))
    said.append(client.ask("prompts/get", {"name": "recall", "arguments": {"topic": "token"}}))
    for answer in said:
        assert KEY not in json.dumps(answer)
        assert str(tmp_path) not in json.dumps(answer)
    (mem.root / "MEMORY.md").unlink()
    assert hits(Path(mem.home), [KEY]) == []


def test_a_server_is_bound_to_the_project_it_was_started_for(tmp_path: Path, work: Path) -> None:
    other = tmp_path / "work" / "bank"
    other.mkdir()
    theirs = Mem.open(other)
    theirs.remember("The zebra vault is in Graz.", "Vault")
    theirs.write("daily", "zebra")
    theirs.records.add("zebra", category="decisions", scope="project")
    slug = theirs.project
    with Client(work) as client:
        client.begin()
        client.call("remember", content="mine", title="Mine")
        assert client.places("memory_search", query="zebra") == []
        assert client.places("recall", query="zebra vault") == []
        assert "Vault" not in json.dumps(client.result("resources/list"))
        for path in (f"projects/{slug}/notes/vault.md", f"../{slug}/notes/vault.md"):
            for name in ("root", "project", "user"):
                assert client.refused("memory_read", source=f"memory://{name}/{path}")
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(other)}
    with Client(work, env=env) as client:
        assert client.call("memory_read", target="note", name="vault").endswith("Graz.\n")
    with Client(work, "--project", str(other), "--home", theirs.home) as client:
        assert client.places("recall", query="zebra vault")[0] == "memory://root/notes/vault.md"
    with Client(other, "--ephemeral-memory") as client:
        assert client.places("recall", query="zebra vault") == []


def test_a_broken_home_is_told_and_the_server_lives_on(work: Path, tmp_path: Path) -> None:
    home = tmp_path / "file"
    home.write_text("x")
    with Client(work, f"--home={home}") as client:
        client.begin()
        told = client.refused("memory_write", target="daily", content="x")
        assert str(tmp_path) not in told
        assert client.result("ping") == {}


def test_the_page_about_it_names_the_tools_and_its_configurations_are_valid(work: Path) -> None:
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert set(re.findall(r"(?m)^\| `(\w+)` \|", page)) == READERS | WRITERS
    blocks = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", page)
    entries = [
        json.loads(text) if kind == "json" else tomllib.loads(text) for kind, text in blocks if kind != "sh"
    ]
    for entry in entries:
        server = next(iter(entry.values()))["memolith"]
        command = server["command"]
        assert (command if isinstance(command, list) else [command, *server["args"]]) == ["memolith", "mcp"]
    assert len(entries) == 6
    shell = next(text for kind, text in blocks if kind == "sh").replace("memolith mcp", " ".join(COMMAND))
    done = subprocess.run(["sh", "-c", shell], cwd=work, capture_output=True, text=True, check=True)
    assert done.stdout.startswith('{"jsonrpc":"2.0","id":1,"result":{"tools":[')
    assert '`{"jsonrpc":"2.0","id":1,"result":{"tools":[`' in page


def rss(process: int) -> float:
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_that_worked_is_small(client: Client) -> None:
    client.call("remember", content="The port is 5432.", title="Port")
    assert client.places("recall", query="port")
    assert rss(client.process.pid) <= 40


def cpu_seconds(command: list[str], cwd: Path) -> float:
    """Return what a process used, from its start to its end; what else the machine does is not in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    subprocess.run(command, input=request, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_the_tools_are_listed_within_three_starts_of_python(work: Path) -> None:
    bare = min(cpu_seconds([sys.executable, "-c", "pass"], work) for _ in range(10))
    assert min(cpu_seconds(COMMAND, work) for _ in range(10)) <= 3 * bare


def test_listing_the_tools_imports_neither_the_library_nor_click(work: Path) -> None:
    code = "import sys\nfrom memolith.edges.cli import main\nmain(['mcp'])\n"
    code += "sys.stderr.write(' '.join(sys.modules))"
    request = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
    done = subprocess.run(
        [sys.executable, "-c", code], input=request, cwd=work, capture_output=True, check=True
    )
    loaded = set(done.stderr.decode().split())
    assert not {"click", "typing", "sqlite3", "asyncio", "subprocess", "memolith.mem"} & loaded


def test_sessions_that_are_killed_leave_no_process(work: Path) -> None:
    """Each server holds the write end of a pipe; its reading end ends when the last of them is gone."""
    starter = f"import subprocess, sys; p = subprocess.Popen({COMMAND!r}, stdin=subprocess.PIPE)\n"
    starter += "p.stdin.write(sys.stdin.buffer.readline()); p.stdin.flush(); p.wait()"
    watched, held = os.pipe()
    clients = []
    for _ in range(SESSIONS):
        client = subprocess.Popen(
            [sys.executable, "-c", starter],
            cwd=work,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=held,
        )
        assert client.stdin
        assert client.stdout
        client.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        client.stdin.flush()
        assert json.loads(client.stdout.readline())["result"] == {}
        clients.append(client)
    os.close(held)
    for client in clients:
        client.kill()
        client.communicate()
    assert os.read(watched, 1) == b""
    os.close(watched)


OFFICIAL = """
import asyncio, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ResourceTemplateReference

async def run(mode):
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with Client(server, mode=mode) as c:
        tools = await c.list_tools()
        assert len(tools.tools) == 6, tools
        done = await c.call_tool("remember", {"content": "Redis is on port 6380", "title": "Redis"})
        assert "memory://root/notes/redis.md" in done.content[0].text, done
        found = await c.call_tool("recall", {"query": "redis port"})
        assert found.content[0].text.startswith("- memory://root/notes/redis.md"), found
        bad = await c.call_tool("recall", {})
        assert bad.is_error, bad
        assert "memory://root/notes" in [str(each.uri) for each in (await c.list_resources()).resources]
        templates = (await c.list_resource_templates()).resource_templates
        text = (await c.read_resource("memory://root/notes/redis.md")).contents[0].text
        assert "6380" in text
        ref = ResourceTemplateReference(type="ref/resource", uri=templates[0].uri_template)
        values = (await c.complete(ref, {"name": "path", "value": "notes/r"})).completion.values
        assert values == ["notes/redis.md"], values
        prompt = await c.get_prompt("recall", {"topic": "redis port"})
        assert "6380" in prompt.messages[0].content.text
        for wrong in (c.read_resource("memory://root/none"), c.get_prompt("none"), c.call_tool("none", {})):
            try:
                await wrong
            except Exception as error:
                assert type(error).__name__ == "MCPError", repr(error)
            else:
                raise AssertionError("no error")
        waiting = asyncio.ensure_future(c.call_tool("recall", {"query": "redis"}))
        for _ in range(20):
            await asyncio.sleep(0)  # as far as the wire
        waiting.cancel()
        assert len((await c.list_tools()).tools) == 6
        print(mode, c.protocol_version)

for mode in ("legacy", "auto"):
    asyncio.run(run(mode))
"""


def test_the_official_client_passes_in_both_eras(work: Path, tmp_path: Path) -> None:
    python = Path(os.environ.get("MCP_CLIENT_PYTHON") or ROOT / ".dev" / "mcpclient" / "bin" / "python")
    if not python.exists():
        pytest.skip("needs the official client, which `./dev agents` installs")
    server = [*COMMAND, "--home", str(tmp_path / "home"), "--project", str(work)]
    done = subprocess.run(
        [str(python), "-c", OFFICIAL, *server], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split("\n")[:2] == [f"legacy {LEGACY}", f"auto {MODERN}"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_output_that_takes_nothing_ends_the_server_with_a_word_and_without_a_traceback(work: Path) -> None:
    """Found by `prove faults`."""
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            COMMAND, input=request, cwd=work, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert done.returncode == StorageError.exit_code
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr
