"""Learning: finished sessions in, curated Markdown out."""
