"""Ways to reach a model: HTTP endpoints, agents with a login of their own, any command."""
