"""memolith inside agent frameworks, each an extra such as `memolith[langgraph]`.

One file per framework, using only memolith's public names; `files.py` and `values.py` are the stores that
they need, written through the gate.
"""
