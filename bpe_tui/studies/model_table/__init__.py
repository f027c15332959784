"""All kinds of tokenizers trained on the same corpus, in one table.

Uses views and the jobs of the session; app opens its screen by name.
"""
