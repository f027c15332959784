"""Windows that ask one thing: what to open, where to go, what to export, which model.

Uses panels and what is below it; app opens them.
"""
