"""Breakpoints of a recorded training: what to stop at, and the steps at which they stop.

Uses recording and what is below; the session and the breakpoints' screen use it.
"""
