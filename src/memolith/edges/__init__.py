"""The entry points for people and programs: the command line, MCP, `/memory`, the terminal app.

May import every room, but only its public names. Edges parse words and print results; they decide nothing.
Read `cli/app.py` first; `cli/` has a file for each group of commands.
"""
