"""All kinds of tokenizers on the same text, in one table: computed, not quoted.

`kinds` trains one of each on the same corpus; `table` measures them, on text that none has seen,
and makes the rows. Uses every model and what is below; the model table's screen uses it.
"""
