"""Text before any model: a corpus, its pretokens, patterns, scripts.

Uses core; every other room may use it.
"""
