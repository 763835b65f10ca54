"""Functions from text to text: Markdown, YAML heads, budgets, secrets. No files, no clock.

May import `base`. Read `markdown.py` and `frontmatter.py` first. `secrets/` masks credentials, `safe/`
takes out what could act or imitate, `suspicion.py` says why a text from outside is worth a look, `words/`
compares what texts say. Lists of words and patterns are `.txt` files beside the code.
"""
