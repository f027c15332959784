/* Merging one pretoken: engine/encoding/encoders.py explains the rule. */
#include "rules.h"

enum {
    NEVER = INT32_MAX, /* the rank of a pair that does not merge */
    LONG = 64          /* from this length on a heap finds the next merge faster */
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
        const size_t behind = (size_t)(length - best - 1);
        memmove(ids + best + 1, ids + best + 2, behind * sizeof *ids);
        memmove(merges + best, merges + best + 1, behind * sizeof *merges);
        if (best) merges[best - 1] = merge_of(r, ids[best - 1], ids[best]);
        if (behind) merges[best] = merge_of(r, ids[best], ids[best + 1]);
    }
    return length;
}

/* -- long pretokens: candidates in a heap, tokens in a linked list */

static int goes_before(Candidate one, Candidate other) {
    return one.rank != other.rank ? one.rank < other.rank : one.place < other.place;
}

/* Look up the merge of a token with the next token, and add it to the heap. */
static bool consider(const Rules *r, Workspace *w, int32_t place) {
    Part *part = &w->parts.at[place];
    part->merge.rank = NEVER;
    if (part->next < 0) return true;
    part->merge = merge_of(r, part->id, w->parts.at[part->next].id);
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

/* Merge ids in place, and set how many are left. A candidate is stale if its token now has another
 * rank. */
static bool merge_long(const Rules *r, Workspace *w, int32_t *ids, int64_t *length) {
    TRY(RESERVE(w->parts, *length));
    Part *parts = w->parts.at;
    for (int32_t place = 0; place < *length; place++)
        parts[place] = (Part){ids[place], place - 1, place + 1 < *length ? place + 1 : -1, {NEVER, 0}};
    for (int32_t place = 0; place < *length; place++) TRY(consider(r, w, place));
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
    *length = 0;
    for (int32_t place = 0; place >= 0; place = parts[place].next) ids[(*length)++] = parts[place].id;
    return true;
}

void release_workspace(Workspace *w) {
    RELEASE(w->parts);
    RELEASE(w->heap);
    RELEASE(w->text);
}

/* Find the token that a pretoken is without merging, NULL if there is none. The pretoken is copied,
 * since bytes behind it are read. */
static bool find_whole(const Rules *r, Workspace *w, const uint8_t *text, int64_t length,
                       const Piece **whole) {
    *whole = NULL;
    if (length > r->longest) return true;
    TRY(RESERVE(w->text, length + WORD));
    copy(w->text.at, text, length);
    *whole = known_piece(&r->whole, w->text.at, length);
    return true;
}

bool encode_pretoken(const Rules *r, Workspace *w, const uint8_t *text, int64_t length, Ids *ids) {
    const Piece *whole;
    TRY(RESERVE(*ids, length));
    TRY(find_whole(r, w, text, length, &whole));
    int32_t *end = ids->at + ids->length;
    if (whole) {
        *end = (int32_t)whole->value;
        length = 1;
    } else {
        for (int64_t place = 0; place < length; place++) end[place] = r->byte_ids[text[place]];
        if (length < LONG) length = merge_short(r, end, length);
        else {
            const bool merged = merge_long(r, w, end, &length);
            release_workspace(w);
            TRY(merged);
        }
    }
    ids->length += length;
    return true;
}

/* -- called by Python */

EXPORT void rules_free(Rules *r) {
    release_pieces(&r->whole);
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
 * new id. NULL without memory. */
EXPORT Rules *rules_new(const BorderTables *borders, const int32_t *byte_ids, const int32_t *pairs,
                        const int32_t *made, int64_t merges, uint64_t seed) {
    Rules *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    set_borders(&r->borders, borders);
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

/* Add a pretoken that is one token without merging. Behind it 8 bytes may be read. */
EXPORT int64_t rules_add_whole(Rules *r, const uint8_t *text, int64_t length, int32_t id) {
    const int64_t number = number_of_piece(&r->whole, text, length);
    if (number < 0) return FAILED;
    r->whole.pieces.at[number].value = id;
    if (length > r->longest) r->longest = length;
    return 0;
}
