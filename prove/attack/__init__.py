"""Attacks: what strangers, bad disks and other processes do to a memory, as rounds with counts."""
