"""The application: it owns the session, runs the job, shows the screens and leads between them.

Uses every room but cli, which opens it.
"""
