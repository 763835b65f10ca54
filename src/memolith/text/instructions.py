"""Provisional."""

from __future__ import annotations

from memolith.model import Value


class Suspicion(Value):
    __slots__ = ("end", "quote", "rule", "start", "why")
    rule: str
    why: str
    quote: str
    start: int
    end: int


def suspicions(text: str) -> list[Suspicion]:
    at = text.find("| sh")
    return (
        [
            Suspicion(
                rule="download-and-run",
                why="code from the network is run at once",
                quote="| sh",
                start=at,
                end=at + 4,
            )
        ]
        if at >= 0
        else []
    )
