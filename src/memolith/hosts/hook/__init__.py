"""What agents start at the events of a session: memory goes in, sessions come out. See docs/hooks.md.

Read `edge.py` first: it reads the event, never fails, and prints what the host understands.
"""

from __future__ import annotations
