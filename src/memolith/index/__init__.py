"""The derived index over everything that can be recalled; delete it at any moment, answers stay the same.

index = Index(home)
state = index.sync(["", slug])                     # compare store and index, catch up
matches = index.lexical(["", slug], query)         # best first: Match(unit_id, score, terms)
units = index.units([m.unit_id for m in matches])  # in the same order; those gone meanwhile are left out
index.with_text(units)                             # the same, cut out of the files as they are now
"""

from memolith.index.index import Index
from memolith.index.units import KINDS, Analysis, Match, State, Term, Unit, kind_of

__all__ = ["KINDS", "Analysis", "Index", "Match", "State", "Term", "Unit", "kind_of"]
