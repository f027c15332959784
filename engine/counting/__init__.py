"""How often each pretoken of a corpus occurs, counted by several processes.

Uses text and core; what trains uses it.
"""
