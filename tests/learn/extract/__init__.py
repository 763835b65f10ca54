"""Tests of `learn/extract/`."""
