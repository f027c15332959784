"""A trainer's merges beside the rule's on the corpus of the run, and why they part.

Uses views and the jobs of the session; app opens its screen by name.
"""
