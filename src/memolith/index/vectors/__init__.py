"""Search by meaning: an extra (`memolith semantic install`) that changes ranking and nothing else.

    install.py     the weights in a home                     weights.py    their file: 8 bits
    minilm.py      the local model, numpy only               wordpiece.py  text to its tokens
    statements.py  what a short text states                  packs.py      vectors by content hash, derived
    nearest.py     finding the nearest of them               meaning.py    the interface for recall

Nothing here is imported, and no model loaded, before a caller asks for meaning.
"""
