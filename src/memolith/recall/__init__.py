"""From a question to ranked hits.

May import `base` to `prompt`. Read `recall.py` first: find, weigh, order, or abstain. `rank.py` weighs and
orders (later facts before those they replace) and drops weak hits; `abstain.py` measures how much a question
has to do with this memory, `supersede.py` decides what replaces what; `search.py` is literal.
"""
