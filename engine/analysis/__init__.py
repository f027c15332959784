"""Questions about a result: why not, how it compares, what kind it is, whether it is right.

Uses every room below; only learning uses it.
"""
