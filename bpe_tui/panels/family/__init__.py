"""The panels of the screen that compares all kinds of tokenizers."""
