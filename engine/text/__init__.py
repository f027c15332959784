"""Text before any model: read block by block, cut into chunks, and cut into pretokens by patterns.

Bytes that are no UTF-8 are kept, see `pretokenize`. The room uses core; every other one may use it.
"""
