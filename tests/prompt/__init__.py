"""Tests of `prompt/`."""
