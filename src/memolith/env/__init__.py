"""The environment: settings, the project of a directory, git's files, paths, programs.

May import `base` and `text`. Read `project.py` first (which memory belongs to a directory), then
`identity.py` (what proves it). `paths.py` opens files without following links; `settings.txt` lists every
setting.
"""
