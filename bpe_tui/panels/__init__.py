"""Panels, tables and screens that several models share.

Uses shell and the rooms below; models, studies and dialogs use it.
"""
