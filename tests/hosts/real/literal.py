"""A model that does to the letter what it reads, and nothing else.

It saves when it is told to, calls tools with the parameters it was shown, and reads what it was shown.
"""

import re
from typing import Any

from tests.hosts.real.model import Model, Reply, Request

# What a person says to a model that was wrong, and to one that shall look everything up.
CORRECTION = re.compile(r"No, that is wrong: ([^\n]+?\.) Reason: ([^\n]+?\.)(?=[\s\"]|$)")
READ_ALL = "Look up everything that you were shown of memory."
# How a text tells when to save, how it names a tool that reads, and what it shows to be read.
_SAVE = re.compile(r"(?i)at once.{0,40}\bcorrect(?:s you|ion)")
_READ = re.compile(r"(?i)\bread in full\b.*\bshow")
_BLOCK = re.compile(r"(?s)(?:<|&lt;)memory note=.*?(?:<|&lt;)/memory")
_SHOWN = re.compile(r"\]\(([\w-]+\.md)\)")


class Literal(Model):
    """Answers each request from what stands in it."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[str] = []
        self.read: list[str] = []

    def follow(self, request: Request) -> Reply:
        """Save the next correction that it was told to save, or read the next address, if told so."""
        text = request.text
        save, read = self._tool(request, _SAVE), self._tool(request, _READ)
        for fact, reason in CORRECTION.findall(text):
            if save and fact not in self.saved:
                self.saved.append(fact)
                return Reply(tool=save, arguments={_needed(request.offers[save]): f"{fact}\n\n{reason}"})
        if READ_ALL in text and read:
            for place in _SHOWN.findall("\n".join(_BLOCK.findall(text))):
                if place not in self.read:
                    self.read.append(place)
                    return Reply(tool=read, arguments={_needed(request.offers[read]): place})
        return Reply("Done.")

    @staticmethod
    def _tool(request: Request, says: re.Pattern[str]) -> str:
        """Return the tool whose description says something."""
        told = ((name, str(offer.get("description"))) for name, offer in request.offers.items())
        return next((name for name, about in told if says.search(about)), "")


def _needed(offer: dict[str, Any]) -> str:
    """Return the parameter that a call needs: the required one, or the one for what was shown."""
    schema = next(
        offer[key] for key in ("input_schema", "parameters", "parametersJsonSchema") if offer.get(key)
    )
    shown = (name for name, row in schema["properties"].items() if "as shown" in row.get("description", ""))
    return str(next(iter(schema.get("required") or shown)))
