"""Tests of `edges/cli/`."""
