"""What an installation, or taking it back, changes: one step per file, made before anything is written."""

from __future__ import annotations

import contextlib
import os
from difflib import unified_diff
from typing import TYPE_CHECKING

from memolith.base.errors import ConfigError, MemolithError
from memolith.base.values import Value
from memolith.hosts.install import entries, json_text
from memolith.hosts.install.agents import HOSTS, Target
from memolith.store import outside
from memolith.text.digest import sha256

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memolith.hosts.install.agents import Host, Place
    from memolith.hosts.install.json_text import Path


_NAMED = 4  # of a kind, whose names are shown


class Step(Value):
    """What happens to one file, or the `problem` if it cannot be changed. None means no file."""

    after: bytes | None
    before: bytes | None
    host: str
    path: str
    problem: MemolithError | None
    target: Target

    @property
    def is_change(self) -> bool:
        """Whether the file will change."""
        return self.problem is None and self.before != self.after

    @property
    def action(self) -> str:
        """The action, in one word."""
        if self.problem is not None:
            return "failed"
        if self.before == self.after:
            return "unchanged"
        return "created" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def holds(self) -> str:
        """What a file of ours holds, in a few words."""
        parts: dict[str, list[str]] = {}
        for entry in (each for each in self.target.entries if each.how != "need"):
            name = entry.value if isinstance(entry.value, str) else entry.path[-1]
            parts.setdefault(entry.path[0], []).append(name)
        # Of many, the number: names would push out what else there is, such as a permission.
        told = ((name, list(dict.fromkeys(each))) for name, each in parts.items())
        rows = (
            f"{len(each)} {name}" if len(each) > _NAMED else f"{name} {', '.join(each)}"
            for name, each in told
        )
        return "; ".join(rows) or "a file of its own"

    def diff(self) -> str:
        """Return the change as a diff with little context: the rest of the file is not ours to show."""
        old, new = (_text(each).splitlines() for each in (self.before, self.after))
        names = [self.path if each is not None else "/dev/null" for each in (self.before, self.after)]
        return "\n".join(unified_diff(old, new, names[0], names[1], lineterm="", n=1))


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")


class Planner:
    """Plans for one place, given what the home knows about earlier installations."""

    def __init__(self, place: Place, installs: outside.Installs) -> None:
        self._place, self._installs = place, installs

    def steps(self, host: Host, more: Sequence[Target] = (), *, uninstall: bool = False) -> list[Step]:
        """Return the steps that install memolith in an agent, or uninstall it, one per file."""
        change = self._without if uninstall else self._with
        found = [self._step(host, each, change) for each in [*host.targets(self._place), *more]]
        if not uninstall and any(each.problem and each.target.form != "text" for each in found):
            # Half an installation serves nobody: if settings cannot be changed, the rest stays as it is.
            found = [each if each.problem else each.but(after=each.before) for each in found]
        return found

    def recorded(self, names: Sequence[str], known: Sequence[Step]) -> list[Step]:
        """Return the steps that uninstall the rest of what was installed in these agents.

        Where an agent keeps its files may have been said by the environment of that time.
        """
        paths = {step.path for step in known}
        steps = []
        # Those for which directories were made come first, and so go last.
        for each in sorted(self._installs.all(), key=lambda known: -len(known.made)):
            is_here = each.project == self._place.project and each.path not in paths
            form: Any = each.form
            if not is_here or each.host not in names or form not in ("json", "toml", "text"):
                continue
            host = HOSTS[each.host]
            like = [
                target
                for target in host.targets(self._place)
                if os.path.basename(target.path) == os.path.basename(each.path) and target.form == each.form
            ]
            bare = Target(path=each.path, form=form, entries=[], text="")
            steps.append(self._step(host, like[0].but(path=each.path) if like else bare, self._without))
        return steps

    def elsewhere(self) -> list[str]:
        """Return the projects whose own files have something of ours."""
        return sorted({each.project for each in self._installs.all()} - {"", self._place.project})

    def _step(
        self, host: Host, target: Target, change: Callable[[Target, bytes | None], bytes | None]
    ) -> Step:
        path = target.path
        before: bytes | None = None
        after: bytes | None = None
        problem: MemolithError | None = None
        try:
            before = after = outside.read(path)
            after = change(target, before)
        except json_text.BrokenError as error:
            where = f"{path}, line {error.line}"
            problem = ConfigError(f"{where}: {error.what}; correct it and run `memolith init` again")
        except entries.ForeignError as error:
            problem = ConfigError(f"{path}: {error}")
        except UnicodeDecodeError as error:
            problem = ConfigError(f"{path}: is not UTF-8 text (byte {error.start}); convert it first")
        except MemolithError as error:
            problem = error
        return Step(host=host.name, path=path, before=before, after=after, problem=problem, target=target)

    def _with(self, target: Target, before: bytes | None) -> bytes:
        if target.form == "text":
            known = self._installs.get(target.path)
            is_ours = before is None or (known is not None and known.written == sha256(before))
            if not is_ours and before != target.text.encode():
                raise entries.ForeignError(
                    "exists and is not ours, or has been changed since; remove or rename it, then try again"
                )
            return target.text.encode()
        text = (before or b"").decode("utf-8")
        return entries.merged(text, target.form, target.entries, self._was_there(target)).encode()

    def _without(self, target: Target, before: bytes | None) -> bytes | None:
        """Return a file without our entries: the same bytes as before us, if nobody has changed it since."""
        if before is None:
            return None
        known = self._installs.get(target.path)
        if known is not None and known.written == sha256(before):
            return known.before
        if target.form == "text":
            if before != target.text.encode():
                raise entries.ForeignError(
                    "has been changed since it was installed; remove it by hand if it is not needed"
                )
            return None
        text = before.decode("utf-8")
        left = entries.merged(text, target.form, [], self._was_there(target))
        needed = {each.path[0] for each in target.entries if each.how == "need"}
        is_empty = left != text and not set(entries.value_of(left, target.form)) - needed
        return None if is_empty and known is not None and known.before is None else left.encode()

    def _was_there(self, target: Target) -> Callable[[Path], bool]:
        """Return a test for containers that were in the file before us, and stay even if empty."""
        known = self._installs.get(target.path)
        before: object = None
        if known is not None and known.before:
            with contextlib.suppress(json_text.BrokenError, UnicodeDecodeError):
                before = entries.value_of(known.before.decode("utf-8"), target.form)
        return lambda path: entries.at(before, path) is not None

    def apply(self, step: Step, *, uninstall: bool = False) -> None:
        """Apply a step, and record how to undo it."""
        known = self._installs.get(step.path)
        if uninstall:
            outside.swap(step.path, step.before, step.after)
            if known is not None and step.after is None:
                outside.remove_empty(known.made)
            self._installs.forget(step.path)
            return
        if known is None or step.before is None or known.written != sha256(step.before):
            without = self._without(step.target, step.before) if step.before is not None else None
            known = outside.Known(
                path=step.path,
                before=without,
                made=known.made if known else [],
                written="",
                host="",
                form="",
                project="",
            )
        # First what is needed to undo it, then the file: a crash in between loses nothing.
        known = known.but(
            written=sha256(step.after or b""),
            host=step.host,
            form=step.target.form,
            project=self._place.project,
        )
        self._installs.keep(known, step.before)
        mode = 0o644 if self._place.project else 0o600  # a project's files are for all who work on it
        if made := outside.swap(step.path, step.before, step.after, mode=mode):
            self._installs.keep(known.but(made=made), step.before)

    def apply_all(self, steps: Sequence[Step], *, uninstall: bool) -> list[MemolithError]:
        """Apply the steps that change something; return the failures: one file never stops the rest."""
        failed: list[MemolithError] = []
        # Backwards: the first file of an agent may have needed the directory that the others are in.
        for step in reversed(steps) if uninstall else steps:
            try:
                if step.is_change:
                    self.apply(step, uninstall=uninstall)
                elif uninstall and step.action == "unchanged":  # somebody removed it by hand
                    self._installs.forget(step.path)
            except MemolithError as error:
                failed.append(error)
            outside.tidy(step.path)  # leftovers of an interrupted installation
        return failed


def plugins(place: Place) -> dict[str, str]:
    """Return the agents that have our plugin switched on, with its name there."""
    settings = _settings(HOSTS["claude"].directory(place), "settings.json")
    codex = _settings(HOSTS["codex"].directory(place), "config.toml")
    found = {}
    for name, known in (("claude", settings.get("enabledPlugins")), ("codex", codex.get("plugins"))):
        for key, on in known.items() if isinstance(known, dict) else ():
            is_on = on.get("enabled", True) if isinstance(on, dict) else on
            if key.startswith("memolith@") and is_on:
                found[name] = key
    return found


def doubles(place: Place, names: Sequence[str]) -> list[str]:
    """Return notes about places where memolith would run twice, for a person to decide."""
    found = [
        f"{HOSTS[name].title} has the plugin {key} switched on, with the same hooks; keep "
        f"one: disable the plugin, or `memolith init --uninstall --agent {name}`"
        for name, key in plugins(place).items()
        if name in names
    ]
    settings = _settings(HOSTS["claude"].directory(place), "settings.json")
    hooked = bool(entries.commands(settings))
    if "cursor" in names and (hooked or "claude" in names):
        found.append("Cursor also runs the hooks of Claude Code's settings; memolith answers only once")
    if place.project and hooked and "claude" in names:
        found.append(
            "memolith is installed for the user, too; in this project both run, and it answers only once"
        )
    return found


def _settings(directory: str, name: str) -> dict[str, object]:
    """Return the contents of a settings file; empty if it cannot be read."""
    try:
        text = (outside.read(os.path.join(directory, name)) or b"").decode("utf-8")
        return entries.value_of(text, name.rpartition(".")[2])
    except (MemolithError, UnicodeDecodeError):
        return {}
