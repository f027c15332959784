"""Several tokenizers on one text: where do they cut differently, and what is it in numbers?

Uses views; app opens its screen, from the encoding screen and from the shell.
"""
