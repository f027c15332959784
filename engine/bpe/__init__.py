"""Byte-pair encoding: trained, recorded, played back, forked and raced.

Uses recording, encoding and what is below; wordpiece, pipeline and above use it.
"""
