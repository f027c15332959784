"""Widgets that know nothing of byte-pair encoding.

Uses no other room but styles; every room may use it.
"""
