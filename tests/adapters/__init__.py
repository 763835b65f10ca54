"""The adapters with the real packages, by `./dev frameworks`; without a package, its tests are skipped."""
