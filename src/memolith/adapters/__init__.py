"""memolith inside agent frameworks, each an extra such as `memolith[langgraph]`.

One file for each framework, on the public names of memolith; `files.py`, `values.py` and `conversations.py`
are the stores that they need, written through the gate.
"""
