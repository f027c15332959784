"""From a text to ids and back: the `Tokenizer`, its encoders, and each merge they make.

Uses alphabets, text and core; recording and what is above use it. `Tokenizer.load` and `save`
reach up to formats, and nothing else does.
"""
