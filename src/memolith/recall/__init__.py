"""From a question to ranked hits.

May import `base` to `prompt`. Read `recall.py` first: find, weigh, order, or stay silent. `rank.py` weighs,
`abstain.py` decides whether anything here is meant, `supersede.py` puts later facts before those they
replace; `search.py` is the literal search over the files.
"""
