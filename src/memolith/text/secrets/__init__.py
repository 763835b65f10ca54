"""Finding credentials in text and masking them. `redact.py` is the door.

Its finders: `armour.py` (private keys), `tokens.py` (what shows by its form), `commands.py` (command
lines), `assigned.py` and `sentences.py` (values behind a name), `phrases.py` (plain words), `opening.py`
(PINs of doors), `forms.py` (codes, tables). `names.py` knows what secrets are called, `values.py` what
they look like, `called.py` what else has a name. `veil.py` masks names and excerpts; `precheck.py` is for
the hot path only. `version.py` is a hash of them all, so that what older rules judged is judged again.
"""
