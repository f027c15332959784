"""Unigram in the application: its job, its sentences, what its keys say.

Uses views and what is below it; app opens its screens by name.
"""
