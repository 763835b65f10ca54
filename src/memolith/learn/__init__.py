"""From finished sessions to facts and to MEMORY.md, with a model or by rules.

May import `base` to `memory`. Read `run.py` first: one run; `learning.py` has the verbs. `extract/` makes
facts from sessions, `consolidate/` writes MEMORY.md from facts; `queue/` has the jobs and their leases,
`model/` asks a model within a ceiling.
"""
