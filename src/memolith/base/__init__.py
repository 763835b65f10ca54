"""What everything else stands on: errors with their exit codes, values, a lean `contextlib`.

May import nothing of ours. Read `errors.py` first: the tree of what can go wrong. `values.py` has the base
class of all results; `whole.py` collects what could not be read while an answer was made.
"""
