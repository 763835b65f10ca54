"""Tests of the pure functions on strings."""
