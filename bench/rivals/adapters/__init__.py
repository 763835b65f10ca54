"""Small programs of ours that run in a rival's environment and speak JSON lines with the harness."""
