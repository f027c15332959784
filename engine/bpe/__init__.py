"""Byte-pair encoding: trained, recorded, played back, forked, raced, and replayed for a tokenizer.

Uses recording, encoding and what is below; wordpiece, unigram, pipeline and above use it.
"""
