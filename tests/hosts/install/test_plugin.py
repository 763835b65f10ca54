"""The plugin: one marketplace for Claude Code and Codex, in the shape that both took, with one version."""

import json
import re
from typing import Any

import memolith
from memolith.hosts.install.agents import HOSTS, Place, own_text
from tests.shared import ROOT

PLUGIN = ROOT / "plugins" / "memolith"


def value(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_the_marketplace_names_the_plugin_with_the_version_of_the_package() -> None:
    market, plugin = (
        value(".claude-plugin/marketplace.json"),
        value("plugins/memolith/.claude-plugin/plugin.json"),
    )
    assert set(market) == {"$schema", "name", "owner", "description", "plugins"}
    assert set(plugin) == {"$schema", "name", "version", "description", "author", "license", "keywords"}
    (row,) = market["plugins"]
    assert set(row) == {"name", "source", "description", "version"}
    assert (ROOT / row["source"]).resolve() == PLUGIN
    assert row["name"] == plugin["name"] == "memolith"
    assert row["version"] == plugin["version"] == memolith.__version__
    assert row["description"] == plugin["description"]


def test_its_hooks_are_those_that_init_installs_with_the_shorter_time_of_the_two_agents() -> None:
    place = Place(command="memolith", env={}, home="/h", project="/p")
    expected: dict[str, list[Any]] = {}
    for entry in HOSTS["codex"].targets(place)[0].entries:
        group = json.loads(json.dumps(entry.value).replace(" --host codex", ""))
        expected.setdefault(entry.path[1], []).append(group)
    assert value("plugins/memolith/hooks/hooks.json")["hooks"] == expected


def test_its_server_command_and_skill_are_in_the_form_that_the_agents_read() -> None:
    server = {"command": "memolith", "args": ["mcp"]}
    assert value("plugins/memolith/.mcp.json") == {"mcpServers": {"memolith": server}}
    assert (PLUGIN / "commands" / "memory.md").read_text() == own_text("command-hint.md")
    skill = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text()
    head = re.match(r"---\nname: memory\ndescription: (.{1,1024})\n---\n", skill)
    assert head


def test_the_tools_that_texts_name_exist() -> None:
    from memolith.edges.mcp.tools import offered

    names = {str(each["name"]) for each in offered(read_only=False)}
    texts = [(PLUGIN / "skills" / "memory" / "SKILL.md").read_text(), own_text("command.md")]
    named = {name for text in texts for name in re.findall(r"`(\w+)`", text)}
    assert named - {"memolith"} <= names
