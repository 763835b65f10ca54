"""Maintenance of a memory: doctor, status, scan, forget, why, edit, import and export.

May import `base` to `learn`. Read `doctor.py` first. `forget.py` removes a text permanently, `scan.py` finds
stored secrets, `erase.py` changes files and history for both; `transfer/` imports and exports.
"""
