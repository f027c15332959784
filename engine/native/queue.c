/* Which pair is next: a heap whose entries are corrected when they come to the top.
 *
 * Most pairs are rare and never merge. The heap leaves those below a floor alone; when it runs dry,
 * one look over all counts gives a lower floor and the pairs above it.
 */
#include "merger.h"

enum { FLOOR_DIVISOR = 4 };

static int goes_before(const Merger *m, Entry one, Entry other) {
    if (one.count != other.count) return one.count > other.count;
    return m->wins(m, m->pairs.at[one.pair], m->pairs.at[other.pair]);
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

/* Put in a pair by its count; it has no entry yet. */
void push(Merger *m, int32_t pair) {
    const Entry entry = {m->counts.at[pair], pair};
    if (entry.count < m->floor) return;
    PUSH(m->heap, entry);
    int64_t place = m->heap.length - 1;
    while (place && goes_before(m, entry, m->heap.at[(place - 1) / 2])) {
        m->heap.at[place] = m->heap.at[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    m->heap.at[place] = entry;
}

/* Put in the pairs at the top of those left out; whether there are any. */
static int lower_floor(Merger *m) {
    int64_t top = 0;
    for (int64_t pair = 0; pair < m->counts.length; pair++)
        if (m->counts.at[pair] > top) top = m->counts.at[pair];
    m->floor = top / FLOOR_DIVISOR > 1 ? top / FLOOR_DIVISOR : 1;
    for (int64_t pair = 0; pair < m->counts.length; pair++) push(m, (int32_t)pair);
    return top > 0;
}

/* The best pair, −1 if none is left. It stays at the top until its count falls, as merging makes
 * it do. */
int32_t best_pair(Merger *m) {
    for (;;) {
        if (m->heap.length == 0 && !lower_floor(m)) return -1;
        Entry top = m->heap.at[0];
        if (top.count == m->counts.at[top.pair]) return top.pair;
        top.count = m->counts.at[top.pair];
        if (top.count < m->floor) {
            top = m->heap.at[--m->heap.length];
            if (m->heap.length == 0) continue;
        }
        sift_down(m, top, 0);
    }
}
