"""What is open and how far it is: the session, its configuration, its models, jobs and messages.

Uses widgets; views and what is above it use it.
"""
