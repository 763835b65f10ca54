"""Taking out of a shown text what hides, acts or imitates our own lines. `hygiene.for_block` is the door."""
