"""The lessons and their questions: the guide, its text beside the screen, and windows that ask.

Uses shell and the rooms below; explain and app use it.
"""
