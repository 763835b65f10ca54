"""Looking after a memory: doctor, status, scan, forget, why, edit, import and export.

May import `base` to `learn`. Read `doctor.py` first. `erase.py` takes facts out for good, `scan.py` looks
for secrets that are stored, `transfer/` brings other memories in and writes archives.
"""
