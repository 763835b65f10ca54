"""Jobs, each done once by the worker that holds its lease; and the ledger of their cost."""
