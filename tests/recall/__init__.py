"""Tests of `recall/`."""
