"""Making memolith part of the agents on this machine, by small edits of their own settings files.

`agents` says for each agent which files it reads and what of ours belongs in them (`bridges`: files that are
ours alone), `json_text` and `toml_text` edit the text of a file and touch nothing else, `entries` knows what
of ours is in it, `plan` makes steps of that, and `check` asks whether an installation is alive.
"""
