"""Learning: two phases from finished sessions to curated memory."""
