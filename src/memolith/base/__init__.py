"""The foundation: errors with their exit codes, values, a lean `contextlib`.

Imports nothing of ours. Read `errors.py` first: the tree of everything that can go wrong. `values.py` has the
base class of all results; `whole.py` collects the files that could not be read for an answer.
"""
