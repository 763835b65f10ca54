"""Tests of `edges/mcp/`."""
