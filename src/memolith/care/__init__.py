"""Looking after a memory: doctor, status, scan, forget, why, edit, import and export.

May import `base` to `learn`. Read `doctor.py` first. `forget.py` takes a text out for good, `scan.py` finds
stored secrets, `erase.py` changes files and history for both; `transfer/` imports and exports.
"""
