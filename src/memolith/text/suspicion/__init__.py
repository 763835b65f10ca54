"""Why a text from outside is worth a person's look: patterns as data. `suspicion.py` is the door."""
