/* Choosing pairs by score: count(ab) / (count(a) × count(b)), as WordPiece does.
 *
 * A merge changes the counts of its two parts, and so the scores of all pairs that have one of them,
 * some upwards. A heap of all pairs is corrected for each of these; lists find them by their part.
 * Pairs of high scores have rare parts, so the lists are short.
 *
 * Floats order most scores. Those that are nearly equal are compared as fractions, in 96 bits: all
 * counts of tokens together are below 2³².
 */
#include "merger.h"

enum { NOWHERE = -1, END = -1 };

/* A score as it was when its pair was last put into its place in the heap: its three counts, and its
 * value, rounded. */
typedef struct { double value; uint32_t count, left, right; int32_t place; } Score;

/* `counts`: id → its number of occurrences. `heap`: the pairs that may merge. `first`: id → its first
 * link; a pair has two links, 2 · pair for its left part and 2 · pair + 1 for the right one, and
 * `next` has the link after each. */
struct Scores {
    ARRAY(int64_t) counts;
    ARRAY(Score) of; /* pair → its score */
    ARRAY(int32_t) heap;
    ARRAY(int32_t) first;
    ARRAY(int32_t) next;
    ARRAY(int32_t) tied; /* places in the heap still to be looked at */
};

typedef struct { uint64_t high; uint32_t low; } Product;

static Product product(uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t low = (a * b & UINT32_MAX) * c;
    return (Product){(a * b >> 32) * c + (low >> 32), (uint32_t)low};
}

/* Return 1 if a score is higher than another, −1 if it is lower. */
static int compare(const Score *one, const Score *other) {
    if (one->value > other->value * (1 + 0x1p-40)) return 1;
    if (other->value > one->value * (1 + 0x1p-40)) return -1;
    const Product mine = product(one->count, other->left, other->right);
    const Product against = product(other->count, one->left, one->right);
    if (mine.high != against.high) return mine.high > against.high ? 1 : -1;
    return (mine.low > against.low) - (mine.low < against.low);
}

/* Whether a pair merges before another. Of equal scores the greater count does, then the tie rule. */
static bool goes_before(const Merger *m, int32_t pair, int32_t other) {
    const Score *one = &m->scores->of.at[pair], *two = &m->scores->of.at[other];
    const int order = compare(one, two);
    if (order) return order > 0;
    if (one->count != two->count) return one->count > two->count;
    return m->wins(m, m->pairs.at[pair], m->pairs.at[other]);
}

static void put(Scores *s, int32_t pair, int64_t place) {
    s->heap.at[place] = pair;
    s->of.at[pair].place = (int32_t)place;
}

/* Move a pair from a place of the heap, where it may be wrong, to the right place. */
static void sift(Merger *m, int32_t pair, int64_t place) {
    Scores *s = m->scores;
    int32_t *heap = s->heap.at;
    for (; place && goes_before(m, pair, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(s, heap[(place - 1) / 2], place);
    for (int64_t child; (child = 2 * place + 1) < s->heap.length; place = child) {
        if (child + 1 < s->heap.length && goes_before(m, heap[child + 1], heap[child])) child++;
        if (!goes_before(m, heap[child], pair)) break;
        put(s, heap[child], place);
    }
    put(s, pair, place);
}

/* Set the score of a pair, which is at a place of the heap. */
static void set_score(Merger *m, int32_t number, int64_t place) {
    const Pair pair = m->pairs.at[number];
    const int64_t count = m->counts.at[number];
    const int64_t left = m->scores->counts.at[pair.left], right = m->scores->counts.at[pair.right];
    m->scores->of.at[number] = (Score){
        (double)count / ((double)left * (double)right),
        (uint32_t)count, (uint32_t)left, (uint32_t)right, (int32_t)place};
    sift(m, number, place);
}

/* Add the pairs from a number on to the lists, and those that may merge to the heap. */
static bool add_scores(Merger *m, int64_t first) {
    Scores *s = m->scores;
    for (int32_t pair = (int32_t)first; pair < m->pairs.length; pair++) {
        const Pair parts = m->pairs.at[pair];
        TRY(PUSH(s->of, ((Score){0, 0, 0, 0, NOWHERE})));
        TRY(PUSH(s->next, s->first.at[parts.left]));
        s->first.at[parts.left] = 2 * pair;
        TRY(PUSH(s->next, s->first.at[parts.right]));
        s->first.at[parts.right] = 2 * pair + 1;
        if (m->counts.at[pair] < m->min_count) continue;
        TRY(PUSH(s->heap, pair));
        set_score(m, pair, s->heap.length - 1);
    }
    return true;
}

/* Take a pair out of the heap for good: its count only falls. */
static void take_out(Merger *m, int32_t pair) {
    Scores *s = m->scores;
    const int32_t place = s->of.at[pair].place;
    if (place == NOWHERE) return;
    const int32_t last = s->heap.at[--s->heap.length];
    s->of.at[pair].place = NOWHERE;
    if (last != pair) sift(m, last, place);
}

/* Correct the scores of the pairs with a part whose count has changed. Rare pairs leave its list. */
static void correct(Merger *m, int32_t part) {
    Scores *s = m->scores;
    for (int32_t *link = &s->first.at[part]; *link != END;) {
        const int32_t pair = *link / 2;
        if (m->counts.at[pair] < m->min_count) {
            take_out(m, pair);
            *link = s->next.at[*link];
            continue;
        }
        set_score(m, pair, s->of.at[pair].place);
        link = &s->next.at[*link];
    }
}

bool update_scores(Merger *m, const Step *step, int64_t known) {
    Scores *s = m->scores;
    TRY(PUSH(s->counts, step->occurrences) && PUSH(s->first, END));
    s->counts.at[step->left] -= step->occurrences;
    s->counts.at[step->right] -= step->occurrences;
    correct(m, (int32_t)step->left);
    correct(m, (int32_t)step->right);
    return add_scores(m, known);
}

bool best_score(Merger *m, int32_t *pair, int64_t *tied) {
    Scores *s = m->scores;
    *pair = s->heap.length ? s->heap.at[0] : NO_PAIR;
    s->tied.length = 0;
    if (s->heap.length) TRY(PUSH(s->tied, 0));
    while (s->tied.length) { /* a pair with the highest score is below others that have it, too */
        const int64_t child = 2 * (int64_t)s->tied.at[--s->tied.length] + 1;
        ++*tied;
        for (int64_t each = child; each < child + 2 && each < s->heap.length; each++)
            if (!compare(&s->of.at[s->heap.at[each]], &s->of.at[*pair])) TRY(PUSH(s->tied, (int32_t)each));
    }
    return true;
}

bool start_scores(Merger *m) {
    Scores *s = m->scores = zeroed(1, sizeof *s);
    TRY(s && APPEND(s->counts, m->uses.at, m->uses.length));
    for (int64_t id = 0; id < m->uses.length; id++) TRY(PUSH(s->first, END));
    return add_scores(m, 0);
}

void release_scores(Merger *m) {
    Scores *s = m->scores;
    if (s == NULL) return;
    RELEASE(s->counts);
    RELEASE(s->of);
    RELEASE(s->heap);
    RELEASE(s->first);
    RELEASE(s->next);
    RELEASE(s->tied);
    free(s);
    m->scores = NULL;
}
