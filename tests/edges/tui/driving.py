"""Driving the real app in a test: keys go in, and what is shown comes out."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from textual import events
from textual.message_pump import MessagePump
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static, TextArea

from memolith import Mem
from memolith.edges.tui.app import Memolith
from memolith.edges.tui.dialogs import Confirm, Editor
from memolith.edges.tui.lists import Listing

_CHARACTERS = {"slash": "/", "question_mark": "?", "space": " "}
WIDE, NARROW = (120, 30), (80, 24)


class Driver:
    """A running app."""

    def __init__(self, app: Memolith, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def until(self, condition: Callable[[], object], what: str = "") -> None:
        """Wait until something is so; threads and screens take their time."""
        for _ in range(2_000):
            if condition():
                return
            await asyncio.sleep(0.005)  # gives way to the app, which runs in this very loop
        raise AssertionError(f"did not happen: {what}; the app shows {self.titles()} and\n{self.page}")

    async def keys(self, *keys: str) -> None:
        """Press keys as a terminal does, and wait until they were seen (the pilot waits for much more)."""
        for key in keys:
            character = key if len(key) == 1 else _CHARACTERS.get(key)
            self.app.post_message(events.Key(key, character))
            await self._seen(self.app)
            await self._seen(self.app.focused or self.app.screen)
            await self._seen(self.app.screen)
            await self._seen(self.app)

    @staticmethod
    async def _seen(pump: MessagePump) -> None:
        seen = asyncio.Event()
        pump.call_later(seen.set)
        await asyncio.wait_for(seen.wait(), 5)

    async def write(self, text: str) -> None:
        await self.keys(*("space" if char == " " else char for char in text))

    async def shelf(self, key: str) -> None:
        """Go to a shelf with what a click on it does, and wait for its list."""
        self.app.action_shelf(key)
        await self.until(lambda: self.app.shelf and self.app.shelf.key == key and not self.busy, key)

    async def choose(self, title: str) -> None:
        """Put the cursor on a row."""
        await self.until(lambda: title in self.titles(), title)
        self.app.listing.cursor = self.titles().index(title)
        await self.until(lambda: title in self.page, title)

    async def screen(self, kind: type[Screen[Any]]) -> Any:
        """Wait for a dialog; return it."""
        await self.until(
            lambda: isinstance(self.app.screen, kind) and self.app.screen.is_mounted, kind.__name__
        )
        return self.app.screen

    async def home(self) -> None:
        """Wait until no dialog is open and everything is read again."""
        await self.until(lambda: len(self.app.screen_stack) == 1 and not self.busy, "the main screen")

    async def do(self, *keys: str) -> None:
        """Press keys, and wait until what they began is done."""
        await self.keys(*keys)
        await self.home()

    async def answer(self, key: str) -> None:
        """Answer a question."""
        await self.screen(Confirm)
        await self.do(key)

    async def editor(self) -> TextArea:
        return (await self.screen(Editor)).query_one(TextArea)  # type: ignore[no-any-return]

    async def told(self, text: str) -> None:
        """Wait until the app has said something."""
        await self.until(lambda: any(text in each.message for each in self.app._notifications), text)

    @property
    def busy(self) -> bool:
        """Whether something is under way: a list is read, a dialog is open."""
        return any(not each.is_finished for each in self.app.workers)

    @property
    def page(self) -> str:
        return str(self.app.screen_stack[0].query_one("#page-text", Static).content)

    def titles(self) -> list[str]:
        return [row.title for row in self.app.listing.rows]

    @property
    def focus(self) -> str | None:
        return self.app.focused.id if self.app.focused else None

    def cells(self) -> str:
        """Return what the list draws, with every byte of it."""
        listing = self.app.screen.query_one(Listing)
        return "\n".join(listing.render_line(y).text for y in range(listing.size.height))


def drive(mem: Mem, script: Callable[[Driver], Awaitable[None]], size: tuple[int, int] = WIDE) -> None:
    """Run the app and a script of what a person does."""

    async def run() -> None:
        app = Memolith(mem)
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.until(lambda: app.shelf is not None and not driver.busy, "the first screen")
            await driver.until(lambda: app.is_settled, "the tree with its cursor")
            await script(driver)

    asyncio.run(run())
