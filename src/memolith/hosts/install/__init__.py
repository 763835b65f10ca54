"""Making memolith part of the agents on this machine, by small edits of their own settings files.

`hosts` says for each agent which files it reads and what of ours belongs in them (`bridges`: files that are
ours alone), `jsontext` and `tomltext` edit the text of a file and touch nothing else, `merging` knows what of
ours is in it, `planning` makes steps of that, and `checking` asks whether an installation is alive.
"""
