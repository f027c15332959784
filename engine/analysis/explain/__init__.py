"""Why is a text cut as it is? Why not one token, where ways to encode part, what a pattern does.

Uses encoding, text and core; the command `why` and the encoding screens use it.
"""
