"""Tests of `promises/`."""
