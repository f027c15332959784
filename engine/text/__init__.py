"""Text before any model: read in blocks, cut into chunks, and cut into pretokens by patterns.

Bytes that are not valid UTF-8 are kept: see `pretokenize`. This room imports `core` and `native`;
every room above may import it.
"""
