"""`memolith mcp`: memory as tools and resources over standard input and output."""
