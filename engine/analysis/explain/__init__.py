"""Why is a text cut as it is? Why not one token, where ways to encode part, what a pattern does.

And of a training: what became of a pair. Uses recording, encoding, text and core; the command
`why`, the training screen and the encoding screens use it.
"""
