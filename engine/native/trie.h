/* Shared by spelling and normalizing: texts that are looked up byte by byte. */
#ifndef TRIE_H
#define TRIE_H

#include "kernel.h"

/* A double array: the child of a node for a byte is at its `base` + the byte, if that node names it
 * as its `parent`. Node 0 is the root. `id`: of the text that ends here, −1 if none does. 256 more
 * nodes that are free come after the last child. */
typedef struct { int32_t base, parent, id; } TrieNode;
typedef struct { ARRAY(TrieNode) nodes; } Trie;

/* Set the texts: joined, sorted by their bytes, no text twice. False without memory. */
bool set_trie(Trie *trie, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
              int64_t count);

/* Return a child, 0 if there is none. */
static inline int32_t child_of(const Trie *trie, int32_t node, uint8_t byte) {
    const int32_t child = trie->nodes.at[node].base + byte;
    return trie->nodes.at[child].parent == node ? child : 0;
}

/* Return the bytes of the longest text that the bytes begin with, and set its id; 0 if none does. */
static inline int64_t longest_in(const Trie *trie, int32_t node, const uint8_t *text, int64_t length,
                                 int32_t *id) {
    int64_t longest = 0;
    for (int64_t at = 0; at < length && (node = child_of(trie, node, text[at]));) {
        at++;
        if (trie->nodes.at[node].id < 0) continue;
        longest = at;
        *id = trie->nodes.at[node].id;
    }
    return longest;
}

#endif
