"""Tests of `learn/consolidate/`."""
