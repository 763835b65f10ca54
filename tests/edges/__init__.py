"""Tests of `edges/`."""
