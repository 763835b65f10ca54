"""What an agent is given to read: the block, the brief before a prompt, guidance.

May import `base` to `memory`. Read `block.py` first: from files to the `<memory>` block, within its budget.
`explain.py` says why the block is as it is.
"""
