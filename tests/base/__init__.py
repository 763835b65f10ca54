"""Tests of `base/`."""
