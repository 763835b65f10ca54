"""Learning from sessions."""
