"""What `memolith mcp` says: the wire, the protocol in both of its eras, tools, resources and prompts."""
