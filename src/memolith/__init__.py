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
    from memolith.base.choices import WriteMode, WriteTarget
    from memolith.base.errors import (
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
    from memolith.base.values import (
        MAX_INJECT_BYTES,
        MAX_WRITE_BYTES,
        Answer,
        Hit,
        Recall,
        SearchHit,
        Tool,
        Version,
        WriteResult,
    )
    from memolith.care.transfer.outgoing import export_memory
    from memolith.care.transfer.transfer import import_memory
    from memolith.edges.mcp.tools import Tools
    from memolith.edges.slash import slash
    from memolith.mem import Mem
    from memolith.prompt.compaction import (
        append_memory_block,
        compaction_heading,
        effective_reserve,
        flush_compaction_summary,
    )
    from memolith.prompt.guidance import MEMORY_TOOLS_PROMPT
    from memolith.recall.search import SearchResults
    from memolith.text.budget import pieces
    from memolith.text.secrets.redact import redact

_HOME = {
    "append_memory_block": "prompt.compaction",
    "compaction_heading": "prompt.compaction",
    "effective_reserve": "prompt.compaction",
    "flush_compaction_summary": "prompt.compaction",
    "Mem": "mem",
    "MAX_INJECT_BYTES": "base.values",
    "MAX_WRITE_BYTES": "base.values",
    "SearchHit": "base.values",
    "Version": "base.values",
    "WriteMode": "base.choices",
    "WriteResult": "base.values",
    "WriteTarget": "base.choices",
    "import_memory": "care.transfer.transfer",
    "export_memory": "care.transfer.outgoing",
    "MEMORY_TOOLS_PROMPT": "prompt.guidance",
    "Hit": "base.values",
    "Recall": "base.values",
    "SearchResults": "recall.search",
    "slash": "edges.slash",
    "pieces": "text.budget",
    "redact": "text.secrets.redact",
    "Answer": "base.values",
    "Tool": "base.values",
    "Tools": "edges.mcp.tools",
    "BusyError": "base.errors",
    "ConfigError": "base.errors",
    "ConflictError": "base.errors",
    "HistoryError": "base.errors",
    "InputError": "base.errors",
    "LossError": "base.errors",
    "MatchError": "base.errors",
    "MemolithError": "base.errors",
    "NotFoundError": "base.errors",
    "PartialError": "base.errors",
    "StorageError": "base.errors",
    "TextError": "base.errors",
    "TooLargeError": "base.errors",
    "UnsafePathError": "base.errors",
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
