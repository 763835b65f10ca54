"""The adapters with the real packages (`./dev frameworks`); where a package is absent, its tests are skipped."""
