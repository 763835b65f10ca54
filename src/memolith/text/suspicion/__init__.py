"""Why a text from outside is worth a person's look: a short list of patterns, kept as data."""
