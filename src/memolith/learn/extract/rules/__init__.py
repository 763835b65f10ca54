"""Facts without a model: how people say what should be remembered. `rules.py` is the door."""
