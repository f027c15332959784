"""What the recordings of all models share: the log of changes, the player, steps, frames.

Uses encoding and what is below; the models and what is above them use it.
"""
