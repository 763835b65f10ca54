"""Other programs: the agents that we serve.

May import `base` to `care`. `hook/` answers what an agent tells of a session (read `hook/edge.py` first),
`sessions/` reads transcripts, one file for each agent, `install/` makes memolith part of an agent.
"""
