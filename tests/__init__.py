"""The tests. Each one that proves a requirement cites its id with `@proves`."""
