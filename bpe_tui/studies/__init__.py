"""What is compared with what: a room for each study, with its screen, its panels and its job.

Uses views and what is below it; app opens its screens.
"""
