"""The stages of a `tokenizer.json`, from a text to ids and back, and what each stage made of a
text.

Uses the models and what is below them; formats and analysis use it.
"""
