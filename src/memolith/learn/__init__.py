"""Learning: from finished sessions to curated memory."""
