"""Tests of `text/safe/`."""
