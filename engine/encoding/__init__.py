"""From a text to ids and back: the `Tokenizer`, its encoders, and each merge they make.

The room uses alphabets, text and core; recording and the rooms above use it. `Tokenizer.load`,
`from_files` and `save` reach up to formats when they are called, and nothing else does.
"""
