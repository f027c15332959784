/* The next pair: a heap whose entries are corrected when they come to the top.
 *
 * Most pairs are rare and never merge, so the heap holds no pair below a floor. When it is empty,
 * one pass over all counts lowers the floor and adds the pairs above it.
 */
#include "merger.h"

enum { FLOOR_DIVISOR = 4 };

static int goes_before(const Merger *m, Entry one, Entry other) {
    if (one.count != other.count) return one.count > other.count;
    const Pair pair = m->pairs.at[one.pair], next = m->pairs.at[other.pair];
    if (m->popped.at == NULL || m->wins(m, pair, next)) return m->wins(m, pair, next);
    /* Merges that are not by the rule may make two tokens of the same bytes. */
    if (m->wins(m, next, pair)) return 0;
    return pair.left != next.left ? pair.left < next.left : pair.right < next.right;
}

static void sift_down(Merger *m, Entry entry, int64_t place) {
    Entry *heap = m->heap.at;
    for (int64_t child; (child = 2 * place + 1) < m->heap.length; place = child) {
        if (child + 1 < m->heap.length && goes_before(m, heap[child + 1], heap[child])) child++;
        if (!goes_before(m, heap[child], entry)) break;
        heap[place] = heap[child];
    }
    heap[place] = entry;
}

/* Add an entry for a pair that has none, unless its count is below the floor. */
bool push(Merger *m, int32_t pair) {
    const Entry entry = {m->counts.at[pair], pair};
    if (entry.count < m->floor) return true;
    TRY(PUSH(m->heap, entry));
    int64_t place = m->heap.length - 1;
    while (place && goes_before(m, entry, m->heap.at[(place - 1) / 2])) {
        m->heap.at[place] = m->heap.at[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    m->heap.at[place] = entry;
    return true;
}

/* Make the counts of popped pairs negative, or right again. */
static void turn_popped(Merger *m) {
    for (int64_t each = 0; each < m->popped.length; each++) m->counts.at[m->popped.at[each]] *= -1;
}

/* Lower the floor to a quarter of the highest count, and add the pairs above it. */
static bool lower_floor(Merger *m) {
    int64_t top = 0;
    bool pushed = true;
    turn_popped(m); /* so that they are below the floor */
    for (int64_t pair = 0; pair < m->counts.length; pair++)
        if (m->counts.at[pair] > top) top = m->counts.at[pair];
    m->floor = top / FLOOR_DIVISOR > 1 ? top / FLOOR_DIVISOR : 1;
    for (int64_t pair = 0; pushed && pair < m->counts.length; pair++)
        pushed = push(m, (int32_t)pair);
    turn_popped(m);
    return pushed;
}

/* Set the best pair, NO_PAIR if none is left. It stays at the top: merging lowers its count. */
bool best_pair(Merger *m, int32_t *pair) {
    for (;;) {
        if (m->heap.length == 0) {
            TRY(lower_floor(m));
            if (m->heap.length == 0) {
                *pair = NO_PAIR;
                return true;
            }
        }
        Entry top = m->heap.at[0];
        if (top.count == m->counts.at[top.pair]) {
            *pair = top.pair;
            return true;
        }
        top.count = m->counts.at[top.pair];
        if (top.count < m->floor) {
            top = m->heap.at[--m->heap.length];
            if (m->heap.length == 0) continue;
        }
        sift_down(m, top, 0);
    }
}

/* Take the best pair out of the heap for good. Return its number, −2 if none is left. */
EXPORT int64_t merger_pop(Merger *m) {
    int32_t pair;
    if (!RESERVE(m->popped, 1) || !best_pair(m, &pair)) return FAILED;
    if (pair == NO_PAIR) return -2;
    const Entry last = m->heap.at[--m->heap.length];
    if (m->heap.length) sift_down(m, last, 0);
    m->popped.at[m->popped.length++] = pair;
    return pair;
}
