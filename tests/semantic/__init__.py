"""Search by meaning."""
