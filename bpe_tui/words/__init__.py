"""Sentences and plain-text transcripts that all models share, in the language of the open lesson.

Uses session and widgets; shell and what is above it use it.
"""
