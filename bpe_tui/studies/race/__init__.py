"""Several trainers on the same counts."""
