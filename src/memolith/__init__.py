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
        CeilingError,
        ConfigError,
        ConflictError,
        HistoryError,
        InputError,
        LossError,
        MatchError,
        MemolithError,
        NotFoundError,
        PartialError,
        ProviderError,
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
        Source,
        Tool,
        Version,
        WriteResult,
    )
    from memolith.care.doctor import Checkup, Finding
    from memolith.care.erase import Cleaned
    from memolith.care.forget import Forgotten
    from memolith.care.review import Review
    from memolith.care.scan import Allowed, Leak, Report
    from memolith.care.status import Overview
    from memolith.care.transfer.bring import Imported
    from memolith.care.transfer.pack import Exported, export_memory
    from memolith.care.transfer.unpack import Archive, ArchiveError, import_memory
    from memolith.care.why import Why
    from memolith.edges.cli.slash import slash
    from memolith.edges.mcp.tools import Tools
    from memolith.learn.consolidate.skills import Promoted
    from memolith.learn.learning import Learning, LearningStatus
    from memolith.learn.run import RunReport
    from memolith.mem import Mem
    from memolith.memory.entries import EntryResult
    from memolith.memory.lessons import Lesson, Lessons
    from memolith.memory.record import Record
    from memolith.memory.records import Records
    from memolith.memory.review import Held
    from memolith.memory.sessions import Session, Sessions, Stored, Turn
    from memolith.memory.tickets import Ticket, Tickets
    from memolith.memory.undo import Undone
    from memolith.prompt.compaction import (
        append_memory_block,
        compaction_heading,
        effective_reserve,
        flush_compaction_summary,
    )
    from memolith.prompt.explain import Explanation
    from memolith.prompt.guidance import MEMORY_TOOLS_PROMPT
    from memolith.recall.search import SearchHit, SearchResults
    from memolith.text.budget import pieces
    from memolith.text.secrets.redact import redact

# Where each public name lives.
_NAMES = {
    "base.choices": "WriteMode WriteTarget",
    "base.errors": (
        "BusyError CeilingError ConfigError ConflictError HistoryError InputError LossError "
        "MatchError MemolithError NotFoundError PartialError ProviderError StorageError TextError "
        "TooLargeError UnsafePathError"
    ),
    "base.values": "Answer Hit MAX_INJECT_BYTES MAX_WRITE_BYTES Recall Source Tool Version WriteResult",
    "care.doctor": "Checkup Finding",
    "care.erase": "Cleaned",
    "care.forget": "Forgotten",
    "care.review": "Review",
    "care.scan": "Allowed Leak Report",
    "care.status": "Overview",
    "care.transfer.bring": "Imported",
    "care.transfer.pack": "Exported export_memory",
    "care.transfer.unpack": "Archive ArchiveError import_memory",
    "care.why": "Why",
    "edges.mcp.tools": "Tools",
    "edges.cli.slash": "slash",
    "learn.consolidate.skills": "Promoted",
    "learn.learning": "Learning LearningStatus",
    "learn.run": "RunReport",
    "mem": "Mem",
    "memory.entries": "EntryResult",
    "memory.lessons": "Lesson Lessons",
    "memory.record": "Record",
    "memory.records": "Records",
    "memory.review": "Held",
    "memory.sessions": "Session Sessions Stored Turn",
    "memory.tickets": "Ticket Tickets",
    "memory.undo": "Undone",
    "prompt.compaction": "append_memory_block compaction_heading effective_reserve flush_compaction_summary",
    "prompt.explain": "Explanation",
    "prompt.guidance": "MEMORY_TOOLS_PROMPT",
    "recall.search": "SearchHit SearchResults",
    "text.budget": "pieces",
    "text.secrets.redact": "redact",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "MAX_INJECT_BYTES",
    "MAX_WRITE_BYTES",
    "MEMORY_TOOLS_PROMPT",
    "Allowed",
    "Answer",
    "Archive",
    "ArchiveError",
    "BusyError",
    "CeilingError",
    "Checkup",
    "Cleaned",
    "ConfigError",
    "ConflictError",
    "EntryResult",
    "Explanation",
    "Exported",
    "Finding",
    "Forgotten",
    "Held",
    "HistoryError",
    "Hit",
    "Imported",
    "InputError",
    "Leak",
    "Learning",
    "LearningStatus",
    "Lesson",
    "Lessons",
    "LossError",
    "MatchError",
    "Mem",
    "MemolithError",
    "NotFoundError",
    "Overview",
    "PartialError",
    "Promoted",
    "ProviderError",
    "Recall",
    "Record",
    "Records",
    "Report",
    "Review",
    "RunReport",
    "SearchHit",
    "SearchResults",
    "Session",
    "Sessions",
    "Source",
    "StorageError",
    "Stored",
    "TextError",
    "Ticket",
    "Tickets",
    "TooLargeError",
    "Tool",
    "Tools",
    "Turn",
    "Undone",
    "UnsafePathError",
    "Version",
    "Why",
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
