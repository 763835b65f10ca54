"""The terminal app, an extra: `pip install 'memolith[tui]'`. `app.py` is the door."""
