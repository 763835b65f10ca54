"""Thin bridges to agent frameworks, each an extra: only its own module imports the framework."""
