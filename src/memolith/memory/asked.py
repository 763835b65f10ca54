"""The list of the records that the block shows: what people, or their agents for them, asked to keep."""

from __future__ import annotations

from memolith.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.memory.home import Home

_HEAD = "# Asked to remember\n\nThe block shows these records. Delete a line to leave one out of it.\n\n"
_MOST = 40  # the newest that are shown


def show(home: Home, filename: str) -> None:
    """List a record among those that the block shows; its file stays the only place with the text."""
    relative = layout.below(home.store, filename, home.project)
    slug = layout.scope_of(relative)
    row = f"- {relative.removeprefix(layout.path(slug, 'records/'))}"

    def listed(old: str | None) -> str:
        rows = [line for line in (old or "").split("\n") if line.startswith("- ") and line != row]
        return _HEAD + "".join(f"{line}\n" for line in [*rows, row][-_MOST:])

    home.gate.rewrite(layout.path(slug, layout.ASKED), listed, op="remember", remember=False)
