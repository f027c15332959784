"""The application: it owns the session, runs the job, and shows the screens.

Uses every room but cli, which opens it.
"""
