"""The terminal app, an extra: `pip install 'memolith[tui]'`. Read `app.py` first."""
