"""Tests of `learn/model/`."""
