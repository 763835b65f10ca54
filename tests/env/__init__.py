"""Tests of `env/`."""
