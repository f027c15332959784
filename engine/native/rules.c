/* Merging one pretoken: engine/encoding/encoders.py explains the rule. */
#include "rules.h"

enum {
    NEVER = INT32_MAX, /* the rank of a pair that does not merge */
    LONG = 64,         /* from this length on a heap finds the next merge faster */
    WINDOW = 1 << 10,  /* tokens of a window, and those that it shares with the next one */
    SHARED = 1 << 6,
    LARGER = 16        /* times as large are windows if two have no token in common */
};

static inline uint64_t hash_of_pair(const Rules *r, int32_t left, int32_t right) {
    return scrambled((uint64_t)(uint32_t)left << 32 | (uint32_t)right, r->seed);
}

static uint64_t slot_of_rule(const Rules *r, int32_t left, int32_t right, uint64_t hash) {
    uint64_t slot = hash & r->mask;
    for (const Rule *rule; (rule = &r->table[slot])->merge.rank >= 0; slot = (slot + 1) & r->mask)
        if (rule->left == left && rule->right == right) break;
    return slot;
}

static inline uint8_t *bits_of(const Rules *r, uint64_t hash) {
    return &r->merging[hash >> 32 & r->mask];
}

static void add_rule(Rules *r, Rule rule) {
    const uint64_t hash = hash_of_pair(r, rule.left, rule.right);
    r->table[slot_of_rule(r, rule.left, rule.right, hash)] = rule;
    *bits_of(r, hash) |= (uint8_t)(1 << (hash >> 61));
}

static inline Merge merge_of(const Rules *r, int32_t left, int32_t right) {
    const uint64_t hash = hash_of_pair(r, left, right);
    if (!(*bits_of(r, hash) >> (hash >> 61) & 1)) return (Merge){NEVER, 0};
    const Merge merge = r->table[slot_of_rule(r, left, right, hash)].merge;
    return merge.rank < 0 ? (Merge){NEVER, 0} : merge;
}

/* -- short pretokens: search all merges for the lowest rank, the leftmost of several */

/* Merge ids in place. Return how many are left. */
static int64_t merge_short(const Rules *r, int32_t *ids, int64_t length) {
    Merge merges[LONG]; /* of each token with the next token */
    for (int64_t place = 0; place + 1 < length; place++)
        merges[place] = merge_of(r, ids[place], ids[place + 1]);
    while (length > 1) {
        int64_t best = 0;
        for (int64_t place = 1; place + 1 < length; place++)
            if (merges[place].rank < merges[best].rank) best = place;
        if (merges[best].rank == NEVER) break;
        ids[best] = merges[best].made;
        length--;
        const size_t after = (size_t)(length - best - 1);
        memmove(ids + best + 1, ids + best + 2, after * sizeof *ids);
        memmove(merges + best, merges + best + 1, after * sizeof *merges);
        if (best) merges[best - 1] = merge_of(r, ids[best - 1], ids[best]);
        if (after) merges[best] = merge_of(r, ids[best], ids[best + 1]);
    }
    return length;
}

/* -- long pretokens: candidates in a heap, tokens in a linked list
 *
 * The heap and the list of a very long pretoken outgrow the processor's cache. So a window is merged
 * alone, then the next one, which begins at a token near the end of the first. They are joined at a
 * token that both have at the same bytes: up to it the tokens are those of the first window, after it
 * those of the second. These are the tokens of the whole.
 *
 * Call two neighbours stable if merging their bytes alone gives these two tokens. Neighbours in a
 * window are stable, so all neighbours are after joining. And a row of stable neighbours is what its
 * bytes merge to. Otherwise some merge would be the first one across a border of two of them. Until
 * then each token merges as it would alone: the next merge is that of the lowest rank, the leftmost of
 * several, and among those inside two neighbours it does not depend on the others. So the two alone
 * would merge across their border, too, and would not be stable. */

static int goes_before(Candidate one, Candidate other) {
    return one.rank != other.rank ? one.rank < other.rank : one.place < other.place;
}

/* Look up the merge of a token with the next token, and add it to the heap. */
static bool consider(const Rules *r, Workspace *w, int32_t place) {
    Part *part = &w->window.at[place];
    part->merge.rank = NEVER;
    if (part->next < 0) return true;
    part->merge = merge_of(r, part->id, w->window.at[part->next].id);
    if (part->merge.rank == NEVER) return true;
    const Candidate candidate = {part->merge.rank, place};
    TRY(PUSH(w->heap, candidate));
    int64_t at = w->heap.length - 1;
    for (; at && goes_before(candidate, w->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        w->heap.at[at] = w->heap.at[(at - 1) / 2];
    w->heap.at[at] = candidate;
    return true;
}

static Candidate pop(Workspace *w) {
    Candidate *heap = w->heap.at, best = heap[0], last = heap[--w->heap.length];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < w->heap.length; at = child) {
        if (child + 1 < w->heap.length && goes_before(heap[child + 1], heap[child])) child++;
        if (!goes_before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return best;
}

/* Merge tokens into `window`. A candidate is stale if its token now has another rank. */
static bool merge_window(const Rules *r, Workspace *w, const int32_t *tokens, int64_t length) {
    w->window.length = 0;
    TRY(RESERVE(w->window, length));
    w->window.length = length;
    Part *parts = w->window.at;
    for (int32_t place = 0; place < length; place++) {
        const int32_t next = place + 1 < length ? place + 1 : -1;
        parts[place] = (Part){tokens[place], place - 1, next, {NEVER, 0}};
    }
    for (int32_t place = 0; place < length; place++) TRY(consider(r, w, place));
    while (w->heap.length) {
        const Candidate best = pop(w);
        Part *part = &parts[best.place];
        if (part->merge.rank != best.rank) continue;
        Part *gone = &parts[part->next];
        part->id = part->merge.made;
        part->next = gone->next;
        gone->merge.rank = NEVER;
        if (part->next >= 0) parts[part->next].previous = best.place;
        TRY(consider(r, w, best.place));
        if (part->previous >= 0) TRY(consider(r, w, part->previous));
    }
    return true;
}

/* Return the end of a token of a window. */
static int64_t end_of(const Window *window, int64_t place) {
    return window->at[place].next < 0 ? window->length : window->at[place].next;
}

/* Add the ids of a window's tokens from a place on that end at `end` or before. Return the place
 * after them. */
static int64_t add_tokens(const Window *window, int64_t place, int64_t end, int32_t **ids) {
    for (; place < window->length && end_of(window, place) <= end; place = end_of(window, place))
        *(*ids)++ = window->at[place].id;
    return place;
}

/* Find the first token that two windows have at the same bytes. `begin`: the place in the first where
 * the second begins. Return the token's end in the second; 0 if there is none. */
static int64_t end_of_shared(const Window *first, const Window *second, int64_t begin) {
    int64_t one = begin, other = 0;
    while (one < first->length && other < second->length) {
        const int64_t one_end = end_of(first, one), other_end = end_of(second, other);
        if (one == begin + other && one_end == begin + other_end) return other_end;
        const int64_t apart = one_end - (begin + other_end);
        if (apart <= 0) one = one_end;
        if (apart >= 0) other = other_end;
    }
    return 0;
}

/* Merge a pretoken in windows of `size` tokens, and set its number of ids: 0 if two windows have no
 * token in common. */
static bool merge_windows(const Rules *r, Workspace *w, const int32_t *tokens, int64_t length,
                          int64_t size, int64_t shared, int32_t *ids, int64_t *count) {
    int32_t *to = ids;
    int64_t begin = 0; /* the first place of the window whose token is not among the ids */
    *count = 0;
    TRY(merge_window(r, w, tokens, size < length ? size : length));
    while (w->window.length < length) {
        const int64_t next = add_tokens(&w->window, begin, w->window.length - shared, &to);
        const Window first = w->window;
        w->window = w->next;
        w->next = first;
        tokens += next;
        length -= next;
        TRY(merge_window(r, w, tokens, size < length ? size : length));
        begin = next ? end_of_shared(&w->next, &w->window, next) : 0;
        if (begin == 0) return true;
        add_tokens(&w->next, next, next + begin, &to);
    }
    add_tokens(&w->window, begin, w->window.length, &to);
    *count = to - ids;
    return true;
}

static bool merge_long(const Rules *r, Workspace *w, const int32_t *tokens, int64_t length,
                       int32_t *ids, int64_t *count) {
    *count = 0;
    for (int64_t size = WINDOW, shared = SHARED; *count == 0; size *= LARGER, shared *= LARGER)
        TRY(merge_windows(r, w, tokens, length, size, shared, ids, count));
    return true;
}

void release_workspace(Workspace *w) {
    RELEASE(w->window);
    RELEASE(w->next);
    RELEASE(w->heap);
    RELEASE(w->text);
    RELEASE(w->spelled);
    RELEASE(w->lattice.arrivals);
    RELEASE(w->lattice.path);
}

/* Find the token that a pretoken is without merging, NULL if there is none. The pretoken is copied,
 * since bytes after it are read. */
static bool find_whole(const Rules *r, Workspace *w, const uint8_t *text, int64_t length,
                       const Piece **whole) {
    *whole = NULL;
    if (length > r->longest) return true;
    TRY(RESERVE(w->text, length + WORD));
    copy(w->text.at, text, length);
    *whole = known_piece(&r->whole, w->text.at, length);
    return true;
}

/* Merge the tokens from a place of `ids` on. */
static bool merge_tokens(const Rules *r, Workspace *w, Ids *ids, int64_t begin) {
    int64_t length = ids->length - begin;
    int32_t *tokens = ids->at + begin;
    if (length < LONG) length = merge_short(r, tokens, length);
    else {
        w->spelled.length = 0;
        const bool merged = APPEND(w->spelled, tokens, length) &&
                            merge_long(r, w, w->spelled.at, length, tokens, &length);
        release_workspace(w);
        TRY(merged);
    }
    ids->length = begin + length;
    return true;
}

bool encode_pretoken(const Rules *r, Workspace *w, const uint8_t *text, int64_t length, Ids *ids) {
    const Piece *whole;
    const int64_t begin = ids->length;
    if (r->units.drops_spaces && *text == ' ') return true;
    TRY(find_whole(r, w, text, length, &whole));
    if (whole) return PUSH(*ids, (int32_t)whole->value);
    TRY(spell(&r->units, r->byte_ids, &w->lattice, text, length, ids));
    return r->units.way >= BEST_SUM || merge_tokens(r, w, ids, begin);
}

/* -- called by Python */

EXPORT void rules_free(Rules *r) {
    release_pieces(&r->whole);
    release_units(&r->units);
    free(r->table);
    free(r->merging);
    free(r);
}

static bool begin(Rules *r, int64_t merges) {
    int64_t slots = 2;
    while (slots < 2 * merges) slots *= 2;
    TRY(r->table = zeroed(slots, sizeof *r->table));
    TRY(r->merging = zeroed(slots, 1));
    r->mask = (uint64_t)slots - 1;
    for (int64_t slot = 0; slot < slots; slot++) r->table[slot].merge.rank = -1;
    return start_pieces(&r->whole, r->seed);
}

/* Return the highest of some ids or ranks, 0 if there is none; −1 if one is not one. */
EXPORT int64_t rules_highest(const int32_t *numbers, int64_t count) {
    int32_t highest = 0, lowest = 0;
    for (int64_t each = 0; each < count; each++) {
        if (numbers[each] > highest) highest = numbers[each];
        if (numbers[each] < lowest) lowest = numbers[each];
    }
    return lowest < 0 || highest == NEVER ? -1 : highest;
}

/* Make a tokenizer. For each merge, `pairs` has the left and the right id, `made` the rank and the
 * new id. `borders` may be NULL. NULL without memory. */
EXPORT Rules *rules_new(const BorderTables *borders, const int32_t *byte_ids, const int32_t *pairs,
                        const int32_t *made, int64_t merges, uint64_t seed) {
    Rules *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    if (borders) set_borders(&r->borders, borders);
    memcpy(r->byte_ids, byte_ids, sizeof r->byte_ids);
    r->seed = seed | 1;
    if (!begin(r, merges)) {
        rules_free(r);
        return NULL;
    }
    for (int64_t each = 0; each < merges; each++, pairs += 2, made += 2)
        add_rule(r, (Rule){pairs[0], pairs[1], {made[0], made[1]}});
    return r;
}

/* Add a pretoken that is one token without merging. After it 8 bytes may be read. */
EXPORT int64_t rules_add_whole(Rules *r, const uint8_t *text, int64_t length, int32_t id) {
    const int64_t number = number_of_piece(&r->whole, text, length);
    if (number < 0) return FAILED;
    r->whole.pieces.at[number].value = id;
    if (length > r->longest) r->longest = length;
    return 0;
}

/* Cut texts before marks, and nowhere if there is no mark, in place of the border tables. */
EXPORT void rules_set_mark(Rules *r, const uint8_t *mark, int64_t size, int64_t in_runs) {
    r->borders.has_tables = false;
    r->borders.in_runs = in_runs;
    r->borders.mark_size = (uint8_t)size;
    copy(r->borders.mark, mark, size);
}

/* Spell pretokens in pieces: see `set_units`. */
EXPORT int64_t rules_set_units(Rules *r, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
                               int64_t count, const double *scores, const int32_t *settings) {
    return set_units(&r->units, text, sizes, ids, count, scores, settings) ? 0 : FAILED;
}
