"""How often each pretoken of a corpus occurs, which is all that training has to know of it.

Chunks are counted by several processes, and added up in their order; the counts of big files are
kept. A cluster counts what is too much for one machine. Counts files stand for their corpus. The
room uses text and core; what trains uses it.
"""
