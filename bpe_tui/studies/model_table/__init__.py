"""All kinds of tokenizers on the same corpus, in one table."""
