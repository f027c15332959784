"""The shell around all panels: screens, their keys, room and places; bases of panels and windows.

Uses words, session, widgets and styles; the rooms with panels and screens use it.
"""
