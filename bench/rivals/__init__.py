"""Other memories and plain search, measured by the same jobs in the same run: `python -m bench.rivals`."""
