"""From a text to ids and back: the `Tokenizer`, its encoders, and each merge that they make.

An `Alphabet` spells a pretoken in ids before any merge; `Units` are what a training may start from.
The room uses text, native and core; recording and the rooms above use it. For the files of
tokenizers it has a socket, `tokenizer_files`, which `engine/__init__.py` plugs the formats into.
"""
