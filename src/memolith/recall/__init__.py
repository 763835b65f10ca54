"""From a question to ranked hits.

May import `base` to `prompt`. Read `recall.py` first: find, weigh, order, or stay silent. `rank.py` weighs
and orders (later facts before those they replace) and leaves out what is too weak; `abstain.py` measures how
much a question has to do with this memory, `supersede.py` knows what replaces what; `search.py` is literal.
"""
