"""Tokenizers side by side on one text."""
