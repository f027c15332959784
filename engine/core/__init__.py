"""What has nothing to do with tokenizers: errors, events, files, registries, helper processes.

Uses no other room; every room may use it.
"""
