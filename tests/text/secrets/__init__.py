"""Tests of `text/secrets/`."""
