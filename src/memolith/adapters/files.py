"""An agent's own files: the six commands of Anthropic's memory tool (`memory_20250818`).

The model's `/memories/a/b.md` is `memories/a/b.md` of the project: a plain file, written through the gate,
with a history, searched and recalled if it is Markdown. A directory exists as long as it contains a file.
Results and errors are worded as in the reference implementation, which models are used to; where memolith
deviates from the request (masks a secret), a line below says so.
"""

from __future__ import annotations

import contextlib
import posixpath
import stat

from memolith.adapters.values import Kept
from memolith.base.errors import InputError, NotFoundError, StorageError, TooLargeError, UnsafePathError
from memolith.base.values import MAX_ACCEPT_BYTES
from memolith.env.paths import Tree
from memolith.store import files, layout, portable, writeset
from memolith.store.allow_list import masked
from memolith.store.screen import refuse_secret
from memolith.text import names, source_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memolith.store.gate import Change

ROOT = "/memories"
_LEVELS = 2
_WIDTH = 6  # width of a line number
_AROUND = 2  # lines shown before and after a change
_SHOWN = 1000  # occurrences listed
_DIRECTORY = "4K"  # as on most file systems; the real size means nothing
# The name of a temporary file contains the whole path, and a name has at most 255 bytes.
_MAX_PATH = 230
_TAKES: dict[str, dict[str, type]] = {
    "view": {"path": str},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}
_MAY_TAKE = {"view": "view_range", "str_replace": "new_str"}


class Memories(Kept):
    """The directory `/memories` of a project."""

    def run(self, command: Mapping[str, object]) -> str:
        """Run a model's command: `{"command": "view", "path": "/memories"}`."""
        name = command.get("command")
        if not isinstance(name, str) or name not in _TAKES:
            raise NotImplementedError(f"Unknown command: {name}")
        takes = _TAKES[name]
        for key, kind in takes.items():
            value = command.get(key)
            if not isinstance(value, kind) or isinstance(value, bool):
                wanted = "a whole number" if kind is int else "a text"
                raise InputError(f"{name} needs `{key}`: {wanted}, not {type(value).__name__}")
        arguments = {key: command[key] for key in takes}
        more = _MAY_TAKE.get(name, "")
        if command.get(more) is not None:
            arguments[more] = command[more]
        done: str = getattr(self, name)(**arguments)
        return done

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Return a file with numbered lines, or the listing of a directory."""
        relative = self._relative(path)
        with _errors_name(path):
            found = self._tree.stat(relative)
            if found is not None and stat.S_ISREG(found.st_mode):
                lines = self._text(relative).split("\n")
                first, last = 1, len(lines)
                if view_range:
                    first, end = _range(view_range)
                    first, last = max(1, first), last if end == -1 else end
                shown = _numbered(lines[first - 1 : last], first)
                return f"Here's the content of {path} with line numbers:\n{shown}"
            if found is None and relative != self._top:
                raise NotFoundError(f"The path {path} does not exist. Please provide a valid path.")
            rows = [f"{_DIRECTORY}\t{path}"]
            if found is not None:
                rows += [f"{size}\t{path}/{name}" for size, name in self._listed(relative, 1)]
        deep = f"up to {_LEVELS} levels deep in {path}, excluding hidden items:"
        return "\n".join([f"Here're the files and directories {deep}", *rows])

    def create(self, path: str, file_text: str) -> str:
        """Write a new file."""
        relative = self._new(path)

        def apply(old: str | None, text: str) -> str:
            if old is not None:
                raise InputError(f"File {path} already exists")
            return text

        with _errors_name(path):
            if self._tree.stat(relative) is not None:
                raise InputError(f"File {path} already exists")
            change = self._change(relative, file_text, apply, "write")
        return _with_warnings(f"File created successfully at: {path}", change)

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace the only occurrence of a text."""
        relative = self._file(path)
        at = 0

        def apply(old: str | None, text: str) -> str:
            nonlocal at
            before = _existing(old, path)
            count = before.count(old_str)
            if not count:
                raise InputError(
                    f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
                )
            lines = _lines_of(before, old_str)
            if count > 1:
                where = ", ".join(map(str, lines))
                raise InputError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: "
                    f"{where}. Please ensure it is unique"
                )
            at = lines[0] - 1
            return _bounded(path, before.replace(old_str, text))

        with _errors_name(path):
            change = self._change(relative, new_str, apply, "edit")
        lines = (change.after or b"").decode("utf-8", "replace").split("\n")
        first = max(0, at - _AROUND)
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return _with_warnings(f"{head}\n{_numbered(lines[first : at + _AROUND + 1], first + 1)}", change)

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert lines after a line; 0 is the beginning."""
        relative = self._file(path)

        def apply(old: str | None, text: str) -> str:
            lines = _existing(old, path).split("\n")
            if not lines[-1]:
                lines.pop()
            if not 0 <= insert_line <= len(lines):
                raise InputError(
                    f"Invalid `insert_line` parameter: {insert_line}. It should be within the range "
                    f"[0, {len(lines)}]."
                )
            lines.insert(insert_line, text.rstrip("\n"))
            new = "\n".join(lines)
            return _bounded(path, new if new.endswith("\n") else f"{new}\n")

        with _errors_name(path):
            change = self._change(relative, insert_text, apply, "edit")
        return _with_warnings(f"The file {path} has been edited.", change)

    def delete(self, path: str) -> str:
        """Remove a file, or a directory with its contents; `undo` restores it."""
        relative = self._relative(path)
        if relative == self._top:
            raise InputError(f"Cannot delete the {ROOT} directory itself")
        self._move(path, relative, None)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Rename a file or a directory."""
        old, new = self._relative(old_path), self._new(new_path)
        if old == self._top:
            raise InputError(f"Cannot rename the {ROOT} directory itself")
        if new.startswith(f"{old}/"):
            raise InputError(f"Cannot move {old_path} into itself ({new_path})")
        with _errors_name(new_path):
            if self._tree.stat(new) is not None:
                raise InputError(f"The destination {new_path} already exists")
        self._move(old_path, old, new)
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Remove all files of the directory."""
        with contextlib.suppress(NotFoundError):
            self._move(ROOT, self._top, None)
        return "All memory cleared"

    # ------------------------------------------------------------ inside

    @property
    def _top(self) -> str:
        return layout.path(self._mem.project, "memories")

    def _relative(self, path: str) -> str:
        """Return the path in the store of the model's `path`."""
        if path != ROOT and not path.startswith(f"{ROOT}/"):
            raise InputError(f"Path must start with {ROOT}, got: {path}")
        inside = posixpath.normpath(path[len(ROOT) :].lstrip("/") or ".")
        if inside == ".." or inside.startswith("../") or "\0" in path:
            raise InputError(f"Path {path} would escape {ROOT} directory")
        return self._top if inside == "." else f"{self._top}/{inside}"

    def _new(self, path: str) -> str:
        """Return the path in the store of a new file, whose name must work on every system."""
        relative = self._relative(path)
        inside = relative[len(self._top) + 1 :]
        for name in inside.split("/") if inside else ():
            wrong = "a dot at its beginning: hidden" if name.startswith(".") else names.problem(name)
            if wrong:
                raise InputError(f"Path {path} cannot be used ({wrong}); use letters, digits, - _ and .")
        if len(inside.encode()) + 2 * inside.count("/") > _MAX_PATH:
            raise InputError(f"Path {path} is too long; {_MAX_PATH} bytes are allowed")
        refuse_secret(inside, "path")
        self._mem.register()
        self._refuse_clash(path, inside.split("/"))
        return relative

    def _refuse_clash(self, path: str, parts: list[str]) -> None:
        """Refuse a name that equals an existing one on some systems: other case, or form of an accent."""
        at = self._top
        for name in parts:
            try:
                present = self._tree.folder(at).names()
            except (FileNotFoundError, UnsafePathError):
                return  # no such directory, or the next step reports the error
            for other in present:
                if other != name and portable.same(other) == portable.same(name):
                    there = f"{ROOT}{at.removeprefix(self._top)}/{other}"
                    raise InputError(
                        f"Path {path} cannot be used: {there} exists, and on some systems both are the same; "
                        "use that one, or another name"
                    )
            at = f"{at}/{name}"

    def _file(self, path: str) -> str:
        relative = self._relative(path)
        with _errors_name(path):
            found = self._tree.stat(relative)
        if found is None and relative != self._top:
            raise NotFoundError(f"The path {path} does not exist. Please provide a valid path.")
        if found is None or not stat.S_ISREG(found.st_mode):
            raise InputError(f"The path {path} is not a file.")
        return relative

    def _text(self, relative: str) -> str:
        """Return a file's text, masked: a person may have typed a secret into it."""
        return masked(self._tree, relative, files.text_of(self._tree.read(relative) or b""))

    def _listed(self, directory: str, level: int) -> list[tuple[str, str]]:
        """Return the sizes and paths of the files in a directory tree, sorted; links are skipped."""
        found: list[tuple[str, str]] = []
        tree = self._tree
        entries = tree.folder(directory).entries()
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.startswith("."):
                continue
            state = tree.stat(f"{directory}/{entry.name}")
            if state is not None and stat.S_ISDIR(state.st_mode):
                here = f"{directory}/{entry.name}"
                if any(names for _, _, names in self._tree.walk(here)):  # undo leaves empty directories
                    found.append((_DIRECTORY, f"{entry.name}/"))
                if level < _LEVELS:
                    below = self._listed(here, level + 1)
                    found += [(size, f"{entry.name}/{name}") for size, name in below]
            elif state is not None and stat.S_ISREG(state.st_mode):
                found.append((_size(state.st_size), entry.name))
        return found

    def _change(self, relative: str, text: str, apply: Callable[[str | None, str], str], op: str) -> Change:
        kept = source_label.stamped(apply, self._mem.source, is_note=True, op=op)
        return self._mem.gate.change(relative, text, kept, op=op)

    def _move(self, path: str, old: str, new: str | None) -> None:
        """Move or remove all files of a path, as one change."""
        gate, tree = self._mem.gate, self._tree
        with _errors_name(path), gate.scope(self._mem.project):
            found = tree.stat(old)
            if found is not None and not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
                raise UnsafePathError(old)
            is_file = found is not None and stat.S_ISREG(found.st_mode)
            paths = [old] if is_file else [f"{at}/{name}" for at, _, each in tree.walk(old) for name in each]
            if found is None or (not paths and new is not None):
                raise NotFoundError(f"The path {path} does not exist")
            edits = []
            for each in paths:
                text = files.text_of(tree.read(each) or b"", files.EXACT)
                if new is not None:
                    goal = new + each[len(old) :]
                    edits.append(writeset.Edit(path=goal, base=None, marker="", new=text))
                base = writeset.base_of(text)
                edits.append(writeset.Edit(path=each, base=base, marker="", new=None))
            gate.commit(self._mem.project, edits, op="rename" if new else "delete")
            files.remove_empty(Tree(gate.root), old)


def _existing(text: str | None, path: str) -> str:
    if text is None:
        raise NotFoundError(f"The path {path} does not exist. Please provide a valid path.")
    return text


def _range(given: object) -> tuple[int, int]:
    """Return the first and the last line of the view range."""
    if isinstance(given, (list, tuple)) and len(given) == 2 and all(type(each) is int for each in given):
        return given[0], given[1]
    raise InputError(
        f"Invalid `view_range` parameter: {given}. It should be a list of two whole numbers, such as [1, 20]."
    )


def _lines_of(text: str, part: str) -> list[int]:
    """Return the numbers of the lines where a text begins."""
    found: list[int] = []
    at = text.find(part)
    while at >= 0 and len(found) < _SHOWN:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + 1)
    return found


def _bounded(path: str, text: str) -> str:
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > MAX_ACCEPT_BYTES:
        raise TooLargeError(
            f"The file {path} would have {size:,} bytes; a memory has at most {MAX_ACCEPT_BYTES:,}: split it"
        )
    return text


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{int(size) if size == int(size) else format(size, '.1f')}{'BKMG'[unit]}"


def _with_warnings(text: str, change: Change) -> str:
    return "\n".join([text, *(f"note: {each}" for each in change.warnings)])


@contextlib.contextmanager
def _errors_name(path: str) -> Iterator[None]:
    """Re-raise path errors with the path as the model wrote it."""
    try:
        yield
    except UnsafePathError:
        raise InputError(
            f"The path {path} is a link, leads through one, or goes on below a file; "
            "memory is only kept in real files"
        ) from None
    except StorageError as error:
        raise StorageError(path, error.error) from None
