"""memolith: a persistent, file-based memory for AI agents.

>>> from memolith import Mem
>>> mem = Mem.open()
>>> mem.write("long_term", "- I prefer short answers.")
>>> print(mem.context_block())

The public names are these and no others; each is imported when it is first used.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memolith.choices import WriteMode, WriteTarget
    from memolith.compaction import (
        append_memory_block,
        compaction_heading,
        effective_reserve,
        flush_compaction_summary,
    )
    from memolith.errors import (
        BusyError,
        ConfigError,
        ConflictError,
        HistoryError,
        InputError,
        LossError,
        MatchError,
        MemolithError,
        NotFoundError,
        PartialError,
        StorageError,
        TextError,
        TooLargeError,
        UnsafePathError,
    )
    from memolith.mem import Mem
    from memolith.model import (
        MAX_INJECT_BYTES,
        MAX_WRITE_BYTES,
        Answer,
        SearchHit,
        Tool,
        Version,
        WriteResult,
    )
    from memolith.porting.importing import import_memory
    from memolith.porting.outgoing import export_memory
    from memolith.prompts import MEMORY_TOOLS_PROMPT
    from memolith.recall import Hit, Recall
    from memolith.search import SearchResults
    from memolith.slashing import slash
    from memolith.text.budget import pieces
    from memolith.text.secrets import redact
    from memolith.tools import Tools

_HOME = {
    "append_memory_block": "compaction",
    "compaction_heading": "compaction",
    "effective_reserve": "compaction",
    "flush_compaction_summary": "compaction",
    "Mem": "mem",
    "MAX_INJECT_BYTES": "model",
    "MAX_WRITE_BYTES": "model",
    "SearchHit": "model",
    "Version": "model",
    "WriteMode": "choices",
    "WriteResult": "model",
    "WriteTarget": "choices",
    "import_memory": "porting.importing",
    "export_memory": "porting.outgoing",
    "MEMORY_TOOLS_PROMPT": "prompts",
    "Hit": "recall",
    "Recall": "recall",
    "SearchResults": "search",
    "slash": "slashing",
    "pieces": "text.budget",
    "redact": "text.secrets",
    "Answer": "model",
    "Tool": "model",
    "Tools": "tools",
    "BusyError": "errors",
    "ConfigError": "errors",
    "ConflictError": "errors",
    "HistoryError": "errors",
    "InputError": "errors",
    "LossError": "errors",
    "MatchError": "errors",
    "MemolithError": "errors",
    "NotFoundError": "errors",
    "PartialError": "errors",
    "StorageError": "errors",
    "TextError": "errors",
    "TooLargeError": "errors",
    "UnsafePathError": "errors",
}

__all__ = [
    "MAX_INJECT_BYTES",
    "MAX_WRITE_BYTES",
    "MEMORY_TOOLS_PROMPT",
    "Answer",
    "BusyError",
    "ConfigError",
    "ConflictError",
    "HistoryError",
    "Hit",
    "InputError",
    "LossError",
    "MatchError",
    "Mem",
    "MemolithError",
    "NotFoundError",
    "PartialError",
    "Recall",
    "SearchHit",
    "SearchResults",
    "StorageError",
    "TextError",
    "TooLargeError",
    "Tool",
    "Tools",
    "UnsafePathError",
    "Version",
    "WriteMode",
    "WriteResult",
    "WriteTarget",
    "__version__",
    "append_memory_block",
    "compaction_heading",
    "effective_reserve",
    "export_memory",
    "flush_compaction_summary",
    "import_memory",
    "pieces",
    "redact",
    "slash",
]


def __getattr__(name: str) -> object:
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module 'memolith' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"memolith.{module}"), name)
    globals()[name] = value
    return value
