"""SentencePiece's own stages: what a `.model` says, done as its library does it.

Hugging Face's stages of the same purpose differ in small things: which of several rules a
normalizer takes, whether a sum of scores is rounded, what a decoder does with the first space. So
these are stages of their own; a `tokenizer.json` cannot say them.
"""
