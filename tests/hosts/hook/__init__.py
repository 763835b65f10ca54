"""Tests of what agents start at the events of a session."""
