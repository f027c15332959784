"""From a text to ids and back: the `Tokenizer`, its encoders, and each merge that they make.

An `Alphabet` spells a pretoken in ids before any merge; `Units` are what a training may start from.
The room uses text, native and core; recording and the rooms above use it. Only `Tokenizer.load`,
`from_files` and `save` reach up, to formats, when they are called.
"""
