"""All kinds of tokenizers on the same text, in one table: computed, not quoted.

`kinds` trains one of each on the same corpus, `table` measures them and makes the rows, on text that
none has seen. Uses every model and what is below; the model table's screen uses it.
"""
