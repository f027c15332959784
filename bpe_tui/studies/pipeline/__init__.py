"""A text through the stages of a tokenizer."""
