"""The session: what is open and at which step; its configuration, models, commands and jobs.

Uses widgets; words and what is above it use it.
"""
