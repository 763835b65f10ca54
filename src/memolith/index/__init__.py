"""The derived index over everything that can be recalled; deleting it at any time does not change answers.

May import `base` to `store`. Read `index.py` first, then `sync.py` (catching up with the files) and
`documents.py` (a file as units). `lexical.py` finds by words, `vectors/` by meaning.
"""

from memolith.index.index import Index
from memolith.index.units import KINDS, Analysis, Match, Session, State, Term, Unit, Work, kind_of

__all__ = ["KINDS", "Analysis", "Index", "Match", "Session", "State", "Term", "Unit", "Work", "kind_of"]
