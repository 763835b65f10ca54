"""`memolith tui`: a terminal app over the public API. Needs Textual, which nothing else imports."""
