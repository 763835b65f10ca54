"""`memolith mcp`: memory as tools, resources and a prompt, over standard input and output.

Read `server.py` first, then `protocol.py` (which method gives what). `tools.py` has the tools for all hosts.
"""

from __future__ import annotations

TEMPLATES = {
    "memory://root/{+path}": "A file or directory of this project's memory",
    "memory://user/{+path}": "A file or directory of what holds for all projects",
}
PROMPT: dict[str, object] = {
    "name": "memory",
    "description": "What is remembered for this project, and about a topic if one is given",
    "arguments": [{"name": "topic", "description": "The task or question at hand", "required": False}],
}
