"""A text on its way through the stages of a tokenizer, each of which can be switched.

Uses views; app opens its screen by name.
"""
