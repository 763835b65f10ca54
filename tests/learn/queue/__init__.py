"""Tests of `learn/queue/`."""
