"""Is what a trainer made what the rule gives? Where not: the first difference, and its cause."""
