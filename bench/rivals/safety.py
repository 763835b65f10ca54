"""What is left of acknowledged notes: after `kill -9`, and after several processes wrote at once."""

from __future__ import annotations

import random
import time

from bench.rivals.adapters.speaking import body
from bench.rivals.stand import Figures, Stand, within
from bench.rivals.talking import Failed, Talk

TEXT = " ".join(f"word{number}" for number in range(60))
ENDLESS = 1_000_000
MOST, LONGEST = 12, 0.3  # a round ends after so many notes and seconds, at a random moment


def kill(stand: Stand) -> Figures:
    """Write until killed, again and again; then look for every note that was acknowledged."""
    moments = random.Random(3)
    acknowledged: dict[str, str] = {}
    rounds = 0
    for number in within(stand.amounts.patience, range(stand.amounts.kills)):
        rounds += 1
        with stand.talk() as talk:
            talk.ask("ready", stand.amounts.limit)
            talk.send("hammer", prefix=f"k{number}", count=ENDLESS, text=TEXT)
            lines = talk.lines(stand.amounts.limit)
            said = [next(lines) for _ in range(moments.randint(1, MOST))]
            time.sleep(moments.uniform(0, LONGEST))
            said += talk.said_before_its_end()
        if errors := [each["error"] for each in said if "error" in each]:
            raise Failed(f"round {number + 1}: {errors[0]}")
        acknowledged |= {each["name"]: each["handle"] for each in said if "name" in each}
    return {"rounds": rounds, **left(stand, acknowledged)}


def left(stand: Stand, acknowledged: dict[str, str]) -> Figures:
    """Ask a fresh process for what was acknowledged."""
    if not acknowledged:
        return {"acknowledged": 0, "lost": 0, "torn": 0, "files": None}
    names = list(acknowledged)
    with stand.talk() as talk:
        talk.ask("ready", stand.amounts.limit)
        texts: list[str | None] = []
        for first in range(0, len(names), 100):
            handles = [acknowledged[name] for name in names[first : first + 100]]
            texts += talk.ask("read", stand.amounts.limit, handles=handles)
        files = talk.ask("files")
    there = list(zip(names, texts, strict=True))
    return {
        "acknowledged": len(names),
        "lost": sum(not text for _, text in there),
        "torn": sum(bool(text) and body(TEXT, name) not in str(text) for name, text in there),
        "files": files,
    }


def concurrent(stand: Stand) -> Figures:
    """Several processes write at once; one that cannot even open the store has all its writes refused."""
    amounts = stand.amounts
    with stand.talk() as talk:  # so that they do not race to create an empty store
        talk.ask("ready", amounts.limit)
        talk.ask("write", amounts.limit, name="first", text=TEXT)
    talks = [stand.talk() for _ in range(amounts.writers)]
    acknowledged: dict[str, str] = {}
    errors: list[str] = []
    begin = time.perf_counter()
    try:
        writing = []
        for talk in talks:
            try:
                talk.ask("ready", amounts.limit)
                writing.append(talk)
            except Failed as failed:
                errors += [str(failed)] * amounts.each
        begin = time.perf_counter()
        for number, talk in enumerate(writing):
            talk.send("hammer", prefix=f"w{number}", count=amounts.each, text=TEXT)
        for talk in writing:
            for each in heard(talk, amounts.limit):
                if "name" in each:
                    acknowledged[each["name"]] = each["handle"]
                elif "error" in each:
                    errors.append(each["error"])
    finally:
        for talk in talks:
            talk.kill()
    took = time.perf_counter() - begin
    asked = amounts.writers * amounts.each
    return {
        "asked": asked,
        "refused": asked - len(acknowledged),
        "why": max(errors, key=errors.count).replace(str(stand.home), "…")[:200] if errors else None,
        "seconds": took,
        **left(stand, acknowledged),
    }


def heard(talk: Talk, limit: float) -> list[dict[str, str]]:
    """Return what a writer says; one that hangs or dies is refused what it did not acknowledge."""
    said: list[dict[str, str]] = []
    try:
        for each in talk.lines(limit):
            said.append(each)  # noqa: PERF402 - what came before a failure counts
    except Failed as failed:
        said.append({"error": str(failed)})
    return said
