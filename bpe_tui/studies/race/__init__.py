"""The trainers race on the same counts: who needs how much time and work, and what for?

Uses views and the jobs of the session; app opens its screen by name.
"""
