"""Tests of `care/`."""
