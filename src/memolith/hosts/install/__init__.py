"""Making memolith part of the agents on this machine, by small edits of their own settings files.

`agents` says for each agent which files it reads and what of ours belongs in them (`bridges/`: texts of files
that are ours alone), `entries` brings what a settings file has of ours in line with that (`json_text` and
`toml_text` touch nothing else), `plan` makes steps of it, `check` asks whether an installation is alive.
"""
