"""Work that is done once, by whoever holds its lease; and the ledger of what it cost."""
