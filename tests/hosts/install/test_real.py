"""The real programs, where MEMOLITH_CLIS names a directory with them: do they take what `init` writes?

    MEMOLITH_CLIS=/opt/clis ./dev test tests/hosts/install/test_real.py

with `claude`, `codex`, `gemini`, `copilot` and `opencode` in it, as far as they are wanted. No model asked.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memolith.hosts.install import entries
from memolith.hosts.install.agents import HOSTS, Place
from tests.shared import ROOT

# Read before the tests' own environment is set up.
CLIS = Path(os.environ.get("MEMOLITH_CLIS") or "/nowhere")
COMMAND = str(Path(sys.executable).parent / "memolith")
pytestmark = pytest.mark.skipif(
    not CLIS.is_dir(), reason="MEMOLITH_CLIS names no directory with real programs"
)


def run(user: Path, work: Path, *command: str) -> str:
    """Return what a program prints, with everything it may write below the test's own home."""
    env = {**os.environ, "HOME": str(user), "DISABLE_AUTOUPDATER": "1", "NO_COLOR": "1"}
    env |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    program = shutil.which(command[0], path=f"{CLIS}{os.pathsep}{Path(COMMAND).parent}")
    if program is None:
        pytest.skip(f"{command[0]} is not in {CLIS}")
    done = subprocess.run(
        [program, *command[1:]], cwd=work, env=env, capture_output=True, text=True, timeout=100, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", ["claude", "codex", "gemini", "copilot", "opencode"])
def test_the_program_lists_the_server_and_after_uninstall_nothing_of_ours_is_left(
    name: str, work: Path, tmp_path: Path
) -> None:
    user = tmp_path / "user"
    user.mkdir()
    run(user, work, name, "--version")
    assert "files changed" in run(user, work, "memolith", "init", "--yes", "--agent", name)
    listed = run(user, work, name, "mcp", "list")
    assert "memolith" in listed, listed
    if name in ("claude", "opencode"):  # these two start it
        assert "onnected" in listed, listed
    assert "Nothing to change" in run(user, work, "memolith", "init", "--yes", "--agent", name)
    run(user, work, "memolith", "init", "--yes", "--uninstall", "--agent", name)
    for target in HOSTS[name].targets(Place(command=COMMAND, env={}, home=str(user), project="")):
        left = Path(target.path).read_text(encoding="utf-8") if Path(target.path).exists() else ""
        assert "memolith" not in left
        assert target.form != "json" or entries.commands(entries.value_of(left, "json")) == []


def test_both_agents_take_the_same_plugin(work: Path, tmp_path: Path) -> None:
    user, market = tmp_path / "user", tmp_path / "market"
    (user / ".codex").mkdir(parents=True)
    for name in (".claude-plugin", "plugins"):
        shutil.copytree(ROOT / name, market / name)
    assert "Validation passed" in run(user, work, "claude", "plugin", "validate", str(market), "--strict")
    plugin = str(market / "plugins" / "memolith")
    assert "Validation passed" in run(user, work, "claude", "plugin", "validate", plugin, "--strict")
    run(user, work, "codex", "plugin", "marketplace", "add", str(market))
    assert "Added plugin `memolith`" in run(user, work, "codex", "plugin", "add", "memolith@memolith")
    told = run(user, work, "memolith", "init", "--dry-run", "--agent", "codex")
    assert "Codex CLI has the plugin memolith@memolith switched on" in told
