"""Tests of `hosts/`."""
