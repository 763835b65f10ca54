"""Where people and programs come in: the command line, MCP, `/memory`, the terminal app.

May import every room, but only public names of it; here words are parsed and results printed, nothing is
decided. Read `cli/app.py` first; `cli/` has a file for each group of commands.
"""
