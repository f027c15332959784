"""What every room may use: errors, events, arrays, files, registries, helper processes.

Nothing here knows what a tokenizer is; the room uses no other one.
"""
