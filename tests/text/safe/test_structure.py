"""Our own lines: everything that we print around memory is in one list, and no stored text can imitate it."""

import json
import re
from pathlib import Path

import pytest

from memolith import Mem
from memolith.hosts.hook import edge
from memolith.learn import keep
from memolith.text.safe import structure
from memolith.text.safe.hygiene import for_block
from memolith.text.safe.structure import CLOSE, OPEN
from tests.learn.talk import session

SAID = "zebra"


def printed(mem: Mem, work: Path) -> list[str]:
    """Return the lines of everything that a prompt gets, from a memory in which every line says `zebra`."""

    def tell(event: str, **more: str) -> str:
        row = {"session_id": "s", "hook_event_name": event, "cwd": str(work), **more}
        answer = edge.answer(json.dumps(row).encode(), now=mem.now)
        return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""

    mem.write("long_term", f"- {SAID}")
    mem.write("scratchpad", f"- [ ] {SAID}")
    mem.write("daily", SAID)
    for scope in ("user", "project"):
        mem.remember(f"{SAID} {scope}", f"{SAID} {scope}", scope=scope)
    mem.records.add(f"The {SAID} eats grass.", category="decisions", scope="project", title=SAID)
    heard = mem.sessions.add(session(("user", f"Remember that the {SAID} lives on port 5433.")))
    assert keep.asked(mem, heard.name, 1)
    project = mem.root / "projects" / mem.project
    (project / "MEMORY.md").write_text(f"- {SAID}\n")
    (project / "memory_summary.md").write_text(f"- {SAID}\n")
    old = Mem.open(work, now=lambda: mem.now() + 9 * 86_400)  # for whom the log is old
    texts = [
        mem.context_block(f"What does the {SAID} eat?") or "",
        old.context_block() or "",
        tell("SessionStart"),
    ]
    texts.append(tell("UserPromptSubmit", prompt=f"What does the {SAID} eat?"))
    mem.write("long_term", f"- another {SAID}")
    texts.append(tell("UserPromptSubmit", prompt="Paint the shed."))
    mem.write("long_term", f"- {SAID}", mode="overwrite")
    texts.append(tell("UserPromptSubmit", prompt="Paint the fence."))
    return [line for text in texts for line in text.split("\n")]


def test_every_line_that_we_print_is_escaped_when_it_is_stored(
    mem: Mem, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMOLITH_MEMORIES_ENABLED", "true")
    lines = printed(mem, work)
    ours = {line for line in lines if line.strip() and SAID not in line and not line.startswith(("<", "- "))}
    items = {line for line in lines if re.match(r"- memory://\S+ \(", line)}
    missing = {title for title in structure.TITLES if not any(title in line for line in ours)}
    assert missing <= {structure.GUIDANCE, structure.WORKING}  # which need a model's guidance, or work done
    assert any(line.startswith(structure.GAP) for line in ours)
    assert items
    guidance = {line for line in ours if not line.startswith(("#", *structure.LINES))}  # outside of the block
    block = "\n".join(lines).partition(OPEN)[2].partition(CLOSE)[0]
    # What guides a model is one text of ours, of which no line alone says anything.
    sections = [part for part in block.split("\n## ") if not part.startswith(structure.GUIDANCE)]
    assert not [line for line in guidance if line in "\n## ".join(sections).split("\n")]
    for line in (ours - guidance) | items:
        for form in (line, f"  {line}", line.upper() if line.startswith("#") else line):
            assert for_block(f"before\n{form}\nafter").split("\n")[1] != form, form


@pytest.mark.parametrize(
    "line", [f"{form}x)" for form in structure.LINES] + [structure.item("memory://root/MEMORY.md", "x")]
)
@pytest.mark.parametrize("before", ["", "  ", "> ", "**", "- "])
def test_a_line_of_ours_is_escaped_once_wherever_it_stands(line: str, before: str) -> None:
    once = for_block(f"a\n{before}{line}\nb")
    assert f"\n{before}{line}" not in once
    assert for_block(once) == once
