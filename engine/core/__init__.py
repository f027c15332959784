"""Tools for every room: errors, events, arrays, files, registries, helper processes.

Nothing here knows what a tokenizer is. The room imports from no other room.
"""
