"""Finds memolith's own modules where they are, without a search: half of a prompt's cost are its imports.

For processes of our own. Python lists directories and looks for each kind of file that a module can be; here
it is NAME.py or NAME/__init__.py in its package, and bytecode counts under Python's own condition: it was
compiled from this source, by this interpreter. Anything else is left to Python.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec  # `importlib.machinery` has the same, and costs an import
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

_PACKAGE = __name__.partition(".")[0] + "."
_COMPILED = f".{sys.implementation.cache_tag}.pyc"
_BY_TIME = MAGIC_NUMBER + bytes(4)  # how the bytecode begins that names time and size of its source
_HEAD = 16


class Finder:
    """What `sys.meta_path` asks first."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of ours is; None for all others."""
        del target
        if path is None or len(path) != 1 or not name.startswith(_PACKAGE):
            return None
        base = f"{path[0]}/{name.rpartition('.')[2]}"
        for file, inside in ((f"{base}.py", None), (f"{base}/__init__.py", [base])):
            if os.path.isfile(file):
                spec = ModuleSpec(name, _Loader(name, file), origin=file)
                spec.submodule_search_locations = inside
                spec.has_location = True
                return spec
        return None


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module, compiled before if its source is still the same."""
        directory, _, name = self.path.rpartition("/")
        try:
            source = os.stat(self.path)
            fd = os.open(f"{directory}/__pycache__/{name[:-3]}{_COMPILED}", os.O_RDONLY | _FLAGS)
            try:
                data = os.read(fd, os.fstat(fd).st_size)
            finally:
                os.close(fd)
            if data[:_HEAD] == _BY_TIME + _four(source.st_mtime) + _four(source.st_size):
                found: CodeType = loads(memoryview(data)[_HEAD:])  # noqa: S302 - as Python does
                return found
        except (OSError, EOFError, ValueError, TypeError):
            pass  # Python compiles it, or says what is wrong
        return super().get_code(fullname)


_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def _four(number: float) -> bytes:
    return (int(number) & 0xFFFFFFFF).to_bytes(4, "little")


def install() -> None:
    """Let Python ask here first, where its bytecode is in the usual place."""
    if not (sys.pycache_prefix or sys.flags.optimize or sys.implementation.cache_tag is None):
        sys.meta_path.insert(0, Finder)
