"""Byte-pair encoding in the application: what it says without a screen."""
