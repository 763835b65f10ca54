"""memolith inside agent frameworks, each an extra such as `memolith[langgraph]`.

May import the public names of memolith. One file for each framework; `files.py`, `values.py` and
`conversations.py` are the stores that they need.
"""
