"""The proof kit: `python -m prove faults|races|fuzz|leaks` (docs/proof.md). Not shipped with memolith."""
