"""Widgets that know nothing of byte-pair encoding."""
