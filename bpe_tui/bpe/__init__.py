"""Byte-pair encoding in the application: its job, what it says and writes."""
