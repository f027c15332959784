"""Tools for every room: errors, events, arrays, files, registries, helper threads.

Nothing here knows what a tokenizer is. The room imports from no other room.
GPT-2's spelling of bytes is here since the sentences of `wording` quote tokens in it.
"""
