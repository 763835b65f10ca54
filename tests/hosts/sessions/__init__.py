"""Tests of the readers of agents' sessions."""
