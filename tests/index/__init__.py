"""Tests of the derived index."""
