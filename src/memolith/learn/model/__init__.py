"""Asking a model: prompts out, checked JSON back, never beyond the ceiling. `llm.py` is the door."""
