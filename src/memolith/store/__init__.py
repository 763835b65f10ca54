"""The only code that writes memory files.

May import `base`, `text` and `env`. Read `gate.py` first: the one way a file is changed (lock, compare,
history, exchange, sync). `layout.py` says where each kind of memory lies, `history.py` keeps what a change
took away.
"""
