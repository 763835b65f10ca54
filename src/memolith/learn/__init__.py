"""Learning: finished sessions in, curated memory out, with evidence."""
