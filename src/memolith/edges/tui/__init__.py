"""The terminal app, an extra: `pip install '.[tui]'`. Read `app.py` first."""
