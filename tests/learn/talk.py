"""Building sessions for tests in a line each."""

from memolith.memory.sessions import ROLES, Session, Turn


def session(*turns: tuple[str, str], name: str = "s1", time: str = "", **fields: str) -> Session:
    """Return a session; a turn is its role, or a tool and its outcome (`bash error`), and its text."""
    made = []
    for number, (who, text) in enumerate(turns, 1):
        role, _, outcome = who.partition(" ")
        tool = "" if role in ROLES else role
        made.append(
            Turn(
                number=number,
                role="tool" if tool else role,
                text=text,
                time=time,
                tool=tool or outcome,
                outcome=outcome if tool else "",
            )
        )
    known = {"agent": "claude", "project": "", "started": time, "status": "completed", "ticket": ""}
    return Session(id=name, turns=made, **{**known, **fields})
