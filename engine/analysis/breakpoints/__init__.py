"""What to stop at while the merges of a run go by."""
