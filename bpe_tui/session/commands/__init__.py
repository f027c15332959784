"""Every command, declared once; those of one model, and what it says to those it refuses."""
