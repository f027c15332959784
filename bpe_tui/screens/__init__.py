"""Screens: an arrangement of panels, and what the keys do there."""
