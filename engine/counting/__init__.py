"""How often each pretoken of a corpus occurs, which is all that training has to know of it.

Chunks are counted by several processes, and added up in their order; the counts of big files are
kept. The room uses text and core; what trains uses it.
"""
