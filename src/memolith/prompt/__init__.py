"""What an agent reads: the block, the brief before a prompt, guidance.

May import `base` to `memory`. Read `block.py` first: from files to the `<memory>` block, within its budget.
`explain.py` explains the contents of a block.
"""
