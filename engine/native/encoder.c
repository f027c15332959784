/* Encoding: a text is cut into pieces; each different piece is merged once and then remembered.
 *
 * A stretch of text takes three calls. `encoder_read` cuts it and looks its pieces up. Python cuts
 * new pieces into pretokens by the pattern, and `encoder_learn` merges these. `encoder_write_ids` writes
 * the ids of the stretch. engine/encoding/encoders.py explains how a pretoken is merged.
 */
#include "pieces.h"

enum {
    NEVER = INT32_MAX, /* the rank of a pair that does not merge */
    LONG = 64,         /* from this length on a heap finds the next merge faster */
    STRETCH = 1 << 15, /* pieces read by one call */
    WRONG = -2
};

typedef struct { int32_t rank, made; } Merge;
typedef struct { int32_t left, right; Merge merge; } Rule; /* the rank −1 is free */

/* A token of a long pretoken: the places of its neighbours (−1 beyond the ends) and its merge with
 * the next token. */
typedef struct { int32_t id, previous, next; Merge merge; } Part;
typedef struct { int32_t rank, place; } Candidate;

/* A special token in a text: its place and its id. */
typedef struct { int64_t begin, end, id; } Special;

typedef struct {
    Borders borders;
    int32_t byte_ids[256];
    Rule *rules; /* a hash table by pair, at most half full */
    uint64_t rule_mask, seed;
    uint8_t *merging; /* a bit for each of 8 × as many hashes: 0 if no pair of that hash merges */
    Pieces whole; /* pretokens that are one token without merging; the value is the id */

    Pieces known;       /* the value of a piece: its place in `known_ids` */
    ARRAY(int32_t) known_ids; /* for each piece: the number of its ids, then the ids */
    int64_t learnt;     /* number of pieces with ids; between two texts that is all */
    int64_t room;       /* bytes; when `known` needs more, everything is forgotten */

    int64_t special;        /* index of the next special token of the text */
    ARRAY(int32_t) numbers; /* the pieces of the last stretch; −1 − id for a special token */
    ARRAY(int32_t) ids;     /* the ids of that stretch */
    ARRAY(Part) parts;
    ARRAY(Candidate) heap;
} Encoder;

static inline uint64_t hash_of_pair(const Encoder *e, int32_t left, int32_t right) {
    return scrambled((uint64_t)(uint32_t)left << 32 | (uint32_t)right, e->seed);
}

static uint64_t slot_of_rule(const Encoder *e, int32_t left, int32_t right, uint64_t hash) {
    uint64_t slot = hash & e->rule_mask;
    for (const Rule *rule; (rule = &e->rules[slot])->merge.rank >= 0; slot = (slot + 1) & e->rule_mask)
        if (rule->left == left && rule->right == right) break;
    return slot;
}

static inline uint8_t *bits_of(const Encoder *e, uint64_t hash) {
    return &e->merging[hash >> 32 & e->rule_mask];
}

static void add_rule(Encoder *e, Rule rule) {
    const uint64_t hash = hash_of_pair(e, rule.left, rule.right);
    e->rules[slot_of_rule(e, rule.left, rule.right, hash)] = rule;
    *bits_of(e, hash) |= (uint8_t)(1 << (hash >> 61));
}

static inline Merge merge_of(const Encoder *e, int32_t left, int32_t right) {
    const uint64_t hash = hash_of_pair(e, left, right);
    if (!(*bits_of(e, hash) >> (hash >> 61) & 1)) return (Merge){NEVER, 0};
    const Merge merge = e->rules[slot_of_rule(e, left, right, hash)].merge;
    return merge.rank < 0 ? (Merge){NEVER, 0} : merge;
}

/* -- short pretokens: search all merges for the lowest rank, the leftmost of several */

/* Merge ids in place. Return how many are left. */
static int64_t merge_short(const Encoder *e, int32_t *ids, int64_t length) {
    Merge merges[LONG]; /* of each token with the next token */
    for (int64_t place = 0; place + 1 < length; place++)
        merges[place] = merge_of(e, ids[place], ids[place + 1]);
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
        if (best) merges[best - 1] = merge_of(e, ids[best - 1], ids[best]);
        if (behind) merges[best] = merge_of(e, ids[best], ids[best + 1]);
    }
    return length;
}

/* -- long pretokens: candidates in a heap, tokens in a linked list */

static int goes_before(Candidate one, Candidate other) {
    return one.rank != other.rank ? one.rank < other.rank : one.place < other.place;
}

/* Look up the merge of a token with the next token, and add it to the heap. */
static bool consider(Encoder *e, int32_t place) {
    Part *part = &e->parts.at[place];
    part->merge.rank = NEVER;
    if (part->next < 0) return true;
    part->merge = merge_of(e, part->id, e->parts.at[part->next].id);
    if (part->merge.rank == NEVER) return true;
    const Candidate candidate = {part->merge.rank, place};
    TRY(PUSH(e->heap, candidate));
    int64_t at = e->heap.length - 1;
    for (; at && goes_before(candidate, e->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        e->heap.at[at] = e->heap.at[(at - 1) / 2];
    e->heap.at[at] = candidate;
    return true;
}

static Candidate pop(Encoder *e) {
    Candidate *heap = e->heap.at, best = heap[0], last = heap[--e->heap.length];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < e->heap.length; at = child) {
        if (child + 1 < e->heap.length && goes_before(heap[child + 1], heap[child])) child++;
        if (!goes_before(heap[child], last)) break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return best;
}

/* Merge ids in place, and set how many are left. A candidate is stale if its token now has another
 * rank. */
static bool merge_long(Encoder *e, int32_t *ids, int64_t *length) {
    TRY(RESERVE(e->parts, *length));
    Part *parts = e->parts.at;
    for (int32_t place = 0; place < *length; place++)
        parts[place] = (Part){ids[place], place - 1, place + 1 < *length ? place + 1 : -1, {NEVER, 0}};
    for (int32_t place = 0; place < *length; place++) TRY(consider(e, place));
    while (e->heap.length) {
        const Candidate best = pop(e);
        Part *part = &parts[best.place];
        if (part->merge.rank != best.rank) continue;
        Part *gone = &parts[part->next];
        part->id = part->merge.made;
        part->next = gone->next;
        gone->merge.rank = NEVER;
        if (part->next >= 0) parts[part->next].previous = best.place;
        TRY(consider(e, best.place));
        if (part->previous >= 0) TRY(consider(e, part->previous));
    }
    *length = 0;
    for (int32_t place = 0; place >= 0; place = parts[place].next) ids[(*length)++] = parts[place].id;
    RELEASE(e->parts);
    RELEASE(e->heap);
    return true;
}

/* Add the ids of a pretoken to the known ones. Return how many they are, FAILED without memory. */
static int64_t encode_pretoken(Encoder *e, const uint8_t *text, int64_t length) {
    if (!RESERVE(e->known_ids, length)) return FAILED;
    int32_t *ids = e->known_ids.at + e->known_ids.length;
    const Piece *whole = e->whole.pieces.length ? known_piece(&e->whole, text, length) : NULL;
    if (whole) {
        *ids = (int32_t)whole->value;
        length = 1;
    } else {
        for (int64_t place = 0; place < length; place++) ids[place] = e->byte_ids[text[place]];
        if (length < LONG) length = merge_short(e, ids, length);
        else if (!merge_long(e, ids, &length)) return FAILED;
    }
    e->known_ids.length += length;
    return length;
}

static bool forget(Encoder *e) {
    release_pieces(&e->known);
    RELEASE(e->known_ids);
    e->learnt = 0;
    return start_pieces(&e->known, e->seed);
}

static int64_t bytes_taken(const Encoder *e) {
    return e->known.text.length + (int64_t)sizeof(Piece) * e->known.pieces.length +
           (int64_t)sizeof(Slot) * e->known.slot_count + (int64_t)sizeof(int32_t) * e->known_ids.length;
}

/* -- called by Python */

EXPORT void encoder_free(Encoder *e) {
    release_pieces(&e->whole);
    release_pieces(&e->known);
    RELEASE(e->known_ids);
    RELEASE(e->numbers);
    RELEASE(e->ids);
    RELEASE(e->parts);
    RELEASE(e->heap);
    free(e->rules);
    free(e->merging);
    free(e);
}

static bool begin(Encoder *e, int64_t merges) {
    int64_t slots = 2;
    while (slots < 2 * merges) slots *= 2;
    TRY(e->rules = zeroed(slots, sizeof *e->rules));
    TRY(e->merging = zeroed(slots, 1));
    e->rule_mask = (uint64_t)slots - 1;
    for (int64_t slot = 0; slot < slots; slot++) e->rules[slot].merge.rank = -1;
    return start_pieces(&e->whole, e->seed) && start_pieces(&e->known, e->seed);
}

/* Make an encoder. For each merge, `pairs` has the left and the right id, `made` the rank and the new
 * id. NULL without memory. */
EXPORT Encoder *encoder_new(const BorderTables *borders, const int32_t *byte_ids, const int32_t *pairs,
                            const int32_t *made, int64_t merges, int64_t room, uint64_t seed) {
    Encoder *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    set_borders(&e->borders, borders);
    memcpy(e->byte_ids, byte_ids, sizeof e->byte_ids);
    e->room = room;
    e->seed = seed | 1;
    if (!begin(e, merges)) {
        encoder_free(e);
        return NULL;
    }
    for (int64_t each = 0; each < merges; each++, pairs += 2, made += 2)
        add_rule(e, (Rule){pairs[0], pairs[1], {made[0], made[1]}});
    return e;
}

/* Add a pretoken that is one token without merging. Behind it 8 bytes may be read. */
EXPORT int64_t encoder_add_whole(Encoder *e, const uint8_t *text, int64_t length, int32_t id) {
    const int64_t number = number_of_piece(&e->whole, text, length);
    if (number < 0) return FAILED;
    e->whole.pieces.at[number].value = id;
    return 0;
}

/* Read some pieces. Return their end, NULL without memory. */
static const uint8_t *read_pieces(Encoder *e, const uint8_t *at, const uint8_t *end) {
    if (!RESERVE(e->numbers, TOGETHER)) return NULL;
    int32_t *numbers = e->numbers.at + e->numbers.length;
    const int pieces = number_pieces(&e->known, &e->borders, &at, end, numbers);
    if (pieces < 0) return NULL;
    e->numbers.length += pieces;
    return at;
}

/* Read a stretch of a text from `begin` on: 0, or the end of the last stretch. Return its end.
 * `specials`: all special tokens of the text. Behind the text 8 bytes may be read. After FAILED,
 * here and below, only free the encoder. */
EXPORT int64_t encoder_read(Encoder *e, const uint8_t *text, int64_t size, int64_t begin,
                            const Special *specials, int64_t special_count) {
    if (bytes_taken(e) > e->room && !forget(e)) return FAILED;
    if (begin == 0) e->special = 0;
    e->numbers.length = 0;
    int64_t at = begin;
    while (at < size && e->numbers.length < STRETCH) {
        const Special *next = e->special < special_count ? &specials[e->special] : NULL;
        if (next && next->begin == at) {
            if (!PUSH(e->numbers, (int32_t)(-1 - next->id))) return FAILED;
            at = next->end;
            e->special++;
        } else {
            const uint8_t *end = read_pieces(e, text + at, text + (next ? next->begin : size));
            if (end == NULL) return FAILED;
            at = end - text;
        }
    }
    return at;
}

/* The new pieces of this stretch: their number, their sizes, and their text, joined. */
EXPORT int64_t encoder_new_pieces(const Encoder *e) { return e->known.pieces.length - e->learnt; }
EXPORT void encoder_new_sizes(const Encoder *e, int64_t *sizes) {
    sizes_from(&e->known, e->learnt, sizes);
}
EXPORT const uint8_t *encoder_new_text(const Encoder *e) { return text_from(&e->known, e->learnt); }

/* Learn the new pieces. `lengths`: of all their pretokens, in order. WRONG if these do not add up to
 * the pieces. */
EXPORT int64_t encoder_learn(Encoder *e, const int64_t *lengths, int64_t pretokens) {
    int64_t done = 0;
    for (; e->learnt < e->known.pieces.length; e->learnt++) {
        Piece *piece = &e->known.pieces.at[e->learnt];
        const uint8_t *text = e->known.text.at + piece->begin;
        piece->value = e->known_ids.length;
        if (!PUSH(e->known_ids, 0)) return FAILED;
        const uint8_t *end = text + piece->length;
        for (int64_t length; text < end; text += length) {
            if (done == pretokens) return WRONG;
            length = lengths[done++];
            if (length < 1 || length > end - text) return WRONG;
            const int64_t ids = encode_pretoken(e, text, length);
            if (ids < 0) return FAILED;
            e->known_ids.at[piece->value] += (int32_t)ids;
        }
    }
    return done == pretokens ? 0 : WRONG;
}

/* Write the ids of the stretch, for `encoder_ids`. Return how many they are. */
EXPORT int64_t encoder_write_ids(Encoder *e) {
    e->ids.length = 0;
    for (int64_t each = 0; each < e->numbers.length; each++) {
        const int32_t number = e->numbers.at[each];
        if (number < 0) {
            if (!PUSH(e->ids, -1 - number)) return FAILED;
            continue;
        }
        const int32_t *ids = e->known_ids.at + e->known.pieces.at[number].value;
        const int64_t count = *ids++;
        if (!RESERVE(e->ids, count)) return FAILED;
        for (int64_t id = 0; id < count; id++) e->ids.at[e->ids.length++] = ids[id];
    }
    return e->ids.length;
}

EXPORT const int32_t *encoder_ids(const Encoder *e) { return e->ids.at; }
