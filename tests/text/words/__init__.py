"""Tests of `text/words/`."""
