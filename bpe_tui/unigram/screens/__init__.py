"""Unigram's screens and windows."""
