"""Unigram in the application: its job, its sentences, what its keys say."""
