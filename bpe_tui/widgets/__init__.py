"""Widgets that do not depend on byte-pair encoding.

Uses no other room but styles; every room may use it.
"""
