"""Byte-pair encoding in the application: its job, what it says and writes.

Uses views and what is below it; app opens its screens by name.
"""
