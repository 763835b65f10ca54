"""docs/agents/: what the pages show is what `memolith init` writes, and the samples' shape is kept."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from memolith.hosts.install import entries
from memolith.hosts.install.agents import HOSTS, Place, Target
from tests.hosts.real.programs import TABLE as PROGRAMS
from tests.shared import ROOT, SAMPLES

PAGES = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini", "copilot-cli": "copilot"}
PAGES |= {
    "droid": "droid",
    "cline": "cline",
    "amp": "amp",
    "qwen-code": "qwen",
    "cursor": "cursor",
    "opencode": "opencode",
    "pi": "pi",
}
COMMAND = "/home/you/.local/bin/memolith"
PLACE = Place(command=COMMAND, env={}, home="/home/you", project="")
# Read before the tests' own environment is set up.
SAMPLED = {
    "claude_code/settings.json": ("claude", "settings.json"),
    "claude_code/project.mcp.json": ("claude", ".claude.json"),
    "codex/hooks.json": ("codex", "hooks.json"),
    "gemini/settings.json": ("gemini", "settings.json"),
    "copilot/dot-github-hooks-mem.json": ("copilot", "memolith.json"),
    "copilot/mcp-config.json": ("copilot", "mcp-config.json"),
    "cursor/hooks.json": ("cursor", "hooks.json"),
    "cursor/mcp.json": ("cursor", "mcp.json"),
    "opencode/opencode.json": ("opencode", "opencode.json"),
}


def page(name: str) -> str:
    return (ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8")


def written(target: Target) -> Any:
    """Return what a file that was not there says after an installation."""
    return entries.value_of(entries.merged("", target.form, target.entries), target.form)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_is_written_and_how_to_install_check_and_remove_it(name: str) -> None:
    text = page(name)
    blocks = re.findall(r"(?ms)^`(~/[^`]+)`:\n\n```(json|toml)\n(.*?)^```$", text)
    shown = {path: json.loads(body) if kind == "json" else tomllib.loads(body) for path, kind, body in blocks}
    targets = HOSTS[PAGES[name]].targets(PLACE)
    expected = {each.path.replace("/home/you", "~"): written(each) for each in targets if each.form != "text"}
    assert shown == expected
    assert [each.path for each in targets if each.path.replace("/home/you", "~") not in text] == []
    commands = re.findall(r"(?ms)^```sh\n(.*?)^```$", text)
    agent = f"memolith init --agent {PAGES[name]}"
    assert commands == [f"{agent}\n", "memolith init --check\n", f"{agent} --uninstall\n"]


def test_the_index_names_every_page_and_links_lead_somewhere() -> None:
    directory = ROOT / "docs" / "agents"
    index = page("README")
    for each in directory.glob("*.md"):
        assert each.name == "README.md" or f"({each.name})" in index
        for target in re.findall(r"\]\(([^)#:]+)\)", each.read_text(encoding="utf-8")):
            assert (each.parent / target).exists(), (each, target)
    assert set(PAGES) | {"mcp", "README"} == {each.stem for each in directory.glob("*.md")}


def test_the_table_names_the_versions_that_are_tried() -> None:
    table = re.findall(r"(?m)^\| \[[^\]]+\]\(([\w-]+)\.md\) \|.*\| ([^|]+) \|$", page("README"))
    rows = dict(table)
    assert set(rows) == {*PAGES, "mcp"}
    for name, host in PAGES.items():
        package = PROGRAMS.get(host, {"package": "@"})["package"].split()[0]
        assert rows[name].startswith(package.rpartition("@")[2]), name


def test_the_page_for_other_clients_shows_servers_that_are_ours() -> None:
    for body in re.findall(r"(?ms)^```json\n(.*?)^```$", page("mcp")):
        (servers,) = json.loads(body).values()
        assert entries.commands({"mcpServers": servers}) == [servers["memolith"]["command"]]
        assert servers["memolith"]["args"] == ["mcp"]


def keys(value: Any, prefix: str = "") -> set[str]:
    """Return the shape of a value: every key with those above it; names that people choose are a star."""
    if isinstance(value, list):
        return {each for row in value for each in keys(row, f"{prefix}[]")}
    if not isinstance(value, dict):
        return {f"{prefix}:{type(value).__name__}"}
    found: set[str] = set()
    for key, each in value.items():
        name = "*" if key in ("mem", "memolith") else key
        found |= {f"{prefix}.{name}:{{}}"} if each == {} else keys(each, f"{prefix}.{name}")
    return found


@pytest.mark.skipif(
    not SAMPLES.is_dir(), reason=f"{SAMPLES} is not there; MEMOLITH_SAMPLES says where the samples are"
)
@pytest.mark.parametrize("sample", SAMPLED)
def test_what_is_written_has_the_shape_of_what_the_real_programs_took(sample: str) -> None:
    host, file = SAMPLED[sample]
    target = next(each for each in HOSTS[host].targets(PLACE) if Path(each.path).name == file)
    theirs = json.loads((SAMPLES / sample).read_text(encoding="utf-8"))
    # A matcher is allowed where the sample of Claude Code has one; the plugin has it in both. The sample has
    # no hook of SubagentStart (its events are in hook_stdin): it has the shape of the others.
    ours = {each.replace(".SubagentStart[]", ".SessionStart[]") for each in keys(written(target))}
    assert ours - keys(theirs) <= {".hooks.SessionStart[].matcher:str"}
    after = entries.merged((SAMPLES / sample).read_text(encoding="utf-8"), "json", target.entries)
    assert entries.merged(after, "json", []) == (SAMPLES / sample).read_text(encoding="utf-8")
