"""BPE's screens and windows."""
