"""The real programs, driven without a terminal against a model of our own: `./dev agents`."""
