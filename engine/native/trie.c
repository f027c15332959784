/* Building a double array, node by node: each row of children goes to the first place where all of
 * them fit. */
#include "trie.h"

enum { FREE = -1, BYTE_VALUES = 256, NEARLY_FULL = 20 };

/* The texts from `first` up to `last` begin with the bytes of a node, `depth` of them. */
typedef struct { int32_t node; int64_t first, last, depth; } Branch;

typedef struct {
    Trie *trie;
    ARRAY(int64_t) begins; /* of each text, and the end of the last one */
    ARRAY(Branch) waiting;
    int64_t searched; /* nearly all nodes before it have a parent */
} Builder;

static bool grow_nodes(Trie *trie, int64_t needed) {
    while (needed <= INT32_MAX / 2 && trie->nodes.length < needed) TRY(PUSH(trie->nodes, ((TrieNode){0, FREE, -1})));
    return trie->nodes.length >= needed;
}

/* Return whether children of these bytes would all be free nodes. */
static bool fits(const Trie *trie, int64_t base, const uint8_t *bytes, int count) {
    for (int each = 0; each < count; each++)
        if (trie->nodes.at[base + bytes[each]].parent != FREE) return false;
    return true;
}

/* Find the base of a row of children. It is above 0, so that no child is the root. */
static bool find_base(Builder *b, const uint8_t *bytes, int count, int64_t *base) {
    const int64_t begin = b->searched;
    int64_t taken = 0;
    for (int64_t first = begin > bytes[0] ? begin : bytes[0] + 1;; first++) {
        *base = first - bytes[0];
        TRY(grow_nodes(b->trie, *base + 2 * BYTE_VALUES));
        if (b->trie->nodes.at[first].parent != FREE) taken++;
        else if (fits(b->trie, *base, bytes, count)) {
            if (NEARLY_FULL * (first - begin - taken) < first - begin) b->searched = first;
            return true;
        }
    }
}

/* Make the children of a node. */
static bool make_children(Builder *b, const uint8_t *text, Branch branch) {
    const int64_t *begins = b->begins.at;
    uint8_t bytes[BYTE_VALUES];
    int64_t firsts[BYTE_VALUES + 1], base;
    int count = 0;
    for (int64_t each = branch.first; each < branch.last; each++) {
        const uint8_t byte = text[begins[each] + branch.depth];
        if (count && bytes[count - 1] == byte) continue;
        bytes[count] = byte;
        firsts[count++] = each;
    }
    firsts[count] = branch.last;
    TRY(find_base(b, bytes, count, &base));
    b->trie->nodes.at[branch.node].base = (int32_t)base;
    for (int each = 0; each < count; each++) {
        const int32_t node = (int32_t)base + bytes[each];
        b->trie->nodes.at[node].parent = branch.node;
        TRY(PUSH(b->waiting, ((Branch){node, firsts[each], firsts[each + 1], branch.depth + 1})));
    }
    return true;
}

static bool build(Builder *b, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
                  int64_t count) {
    int64_t end = 0;
    TRY(PUSH(b->begins, 0));
    for (int64_t each = 0; each < count; each++) TRY(PUSH(b->begins, end += sizes[each]));
    TRY(grow_nodes(b->trie, 2 * BYTE_VALUES));
    b->trie->nodes.at[0].parent = 0;
    TRY(PUSH(b->waiting, ((Branch){0, 0, count, 0})));
    while (b->waiting.length) {
        Branch branch = b->waiting.at[--b->waiting.length];
        /* Sorted, the text that ends here comes before those that go on. */
        if (branch.first < branch.last && sizes[branch.first] == branch.depth)
            b->trie->nodes.at[branch.node].id = ids[branch.first++];
        if (branch.first < branch.last) TRY(make_children(b, text, branch));
    }
    return true;
}

bool set_trie(Trie *trie, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
              int64_t count) {
    Builder b = {.trie = trie};
    const bool built = build(&b, text, sizes, ids, count);
    RELEASE(b.begins);
    RELEASE(b.waiting);
    return built;
}
