"""What surrounds us: settings, the project of a directory, git's files, paths, programs.

May import `base` and `text`. Read `project.py` first: which memory belongs to a directory, and
`identity.py`: what proves it. `paths.py` reaches files without following links; `settings.txt` has every
setting.
"""
