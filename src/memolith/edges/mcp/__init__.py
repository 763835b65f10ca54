"""`memolith mcp`: memory as tools, resources and a prompt, over standard input and output.

Read `server.py` first, then `protocol.py` (the methods). `tools.py` has the tools for all hosts.
"""

from __future__ import annotations

TEMPLATES = {
    "memory://root/{+path}": "A file or directory of this project's memory",
    "memory://user/{+path}": "A file or directory of the memory for all projects",
}
# Clients make a slash command of it, and several have a `/memory` of their own.
PROMPT: dict[str, object] = {
    "name": "recall",
    "description": "The memory of this project, and what is known about an optional topic",
    "arguments": [{"name": "topic", "description": "The task or question at hand", "required": False}],
}
