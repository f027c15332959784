"""Questions about a result: why not, how it compares, what kind it is, whether it is right.

Uses every room of the engine; nothing in the engine uses it.
"""
