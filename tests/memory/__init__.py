"""Tests of `memory/`."""
