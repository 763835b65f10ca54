"""memolith inside agent frameworks, each an extra such as `memolith[langgraph]`.

One file per framework, using only memolith's public names; `files.py`, `values.py` and `conversations.py`
are the stores that they need, written through the gate.
"""
