/* Dropping starts that are of no use, to give memory back while training.
 *
 * A merge breaks up pairs, whose starts stay behind. When two thirds of all starts must be of no
 * use, one pass drops these. So `starts` is at most three times as long as it has to be, and all
 * passes together take a time linear in the starts ever made. Passes already at a half would take a
 * twentieth of a training on whole documents.
 */
#include "merger.h"

enum { FEW_STARTS = 1 << 8, AHEAD = 32 };

/* Keep the starts where the pair still is, and none of a pair that is too rare to merge. */
static void drop_starts(Merger *m) {
    const int32_t *cells = m->cells.at;
    int32_t *starts = m->starts.at;
    int64_t end = 0;
    for (int32_t number = 0; number < m->pairs.length; number++) {
        const Span span = span_of(m, number);
        const Pair pair = m->pairs.at[number];
        const int64_t width = width_of(m, pair.left);
        m->begins.at[number] = (uint32_t)end;
        if (m->counts.at[number] < m->min_count) continue;
        for (int64_t each = span.begin; each < span.end; each++) {
            if (each + AHEAD < m->starts.length) PREFETCH(&cells[starts[each + AHEAD]]);
            const int32_t start = starts[each];
            starts[end] = start; /* without a branch, which would often be guessed wrong */
            end += (cells[start] == pair.left) & (cells[start + width] == pair.right);
        }
    }
    m->starts.length = end;
}

/* Give memory back: later steps have fewer starts. */
static void shorten(Merger *m, int64_t room) {
    int32_t *fewer = realloc(m->starts.at, (size_t)room * sizeof *fewer);
    if (fewer) { /* else all of it stays */
        m->starts.at = fewer;
        m->starts.room = room;
    }
    Neighbours *const sides[] = {&m->before, &m->after};
    for (int each = 0; each < 2; each++) {
        RELEASE(sides[each]->starts);
        RELEASE(sides[each]->groups_of_starts);
    }
}

void compact(Merger *m) {
    const int64_t most = 3 * m->places + FEW_STARTS;
    if (m->starts.length <= most) return;
    drop_starts(m);
    shorten(m, most);
}
