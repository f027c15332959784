/* Encoding: a text is cut into pieces, and each different one is merged once and then remembered.
 *
 * A stretch of text takes three calls. `encoder_read` cuts it and looks its pieces up; Python has
 * the pattern cut those that are new into pretokens, which `encoder_learn` merges; `encoder_tell`
 * writes down the ids of all. engine/encoding/encoders/fast.py explains how a pretoken is merged.
 */
#include "pieces.h"

enum {
    NEVER = INT32_MAX, /* the rank of a pair that does not merge */
    LONG = 64,         /* from this length on a heap finds the next merge sooner */
    STRETCH = 1 << 15, /* pieces that are read in one go */
    WRONG = -2
};

typedef struct { int32_t rank, made; } Merge;
typedef struct { int32_t left, right; Merge merge; } Rule; /* the rank −1 is free */

/* A token of a long pretoken: the places of its neighbours, −1 beyond the ends, and its merge with
 * the next one. */
typedef struct { int32_t id, previous, next; Merge merge; } Part;
typedef struct { int32_t rank, place; } Candidate;

/* Where a special token stands in a text, and its id. */
typedef struct { int64_t begin, end, id; } Special;

typedef struct {
    Borders borders;
    int32_t byte_ids[256];
    Rule *rules; /* a hash table by pair, at most half full */
    uint64_t rule_mask, seed;
    uint8_t *merging; /* a bit for 8 times as many hashes: most pairs merge never, and have none */
    Pieces whole; /* pretokens that are one token, whatever merges; their values are the ids */

    Pieces known;       /* the value of a piece: where it stands in `known_ids` */
    ARRAY(int32_t) known_ids; /* of each piece how many ids it has, and then these */
    int64_t learnt;     /* how many pieces have their ids; between two texts all have */
    int64_t room;       /* bytes; when `known` takes more, all is forgotten */

    int64_t special;        /* the next special token of the text */
    ARRAY(int32_t) numbers; /* the pieces of the last stretch; of a special token −1 − its id */
    ARRAY(int32_t) ids;     /* and what they are */
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

/* -- short pretokens: look at all merges for the lowest rank, the leftmost of several */

/* Merge ids where they stand; how many are left. */
static int64_t merge_short(const Encoder *e, int32_t *ids, int64_t length) {
    Merge merges[LONG]; /* of each token with the next one */
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

/* -- long ones: candidates wait in a heap, tokens stand in a linked list */

static int goes_before(Candidate one, Candidate other) {
    return one.rank != other.rank ? one.rank < other.rank : one.place < other.place;
}

/* Look up the merge of a token with the next one, and have it wait. */
static void consider(Encoder *e, int32_t place) {
    Part *part = &e->parts.at[place];
    part->merge.rank = NEVER;
    if (part->next < 0) return;
    part->merge = merge_of(e, part->id, e->parts.at[part->next].id);
    if (part->merge.rank == NEVER) return;
    const Candidate candidate = {part->merge.rank, place};
    PUSH(e->heap, candidate);
    int64_t at = e->heap.length - 1;
    for (; at && goes_before(candidate, e->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
        e->heap.at[at] = e->heap.at[(at - 1) / 2];
    e->heap.at[at] = candidate;
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

/* As `merge_short`. A candidate whose rank is no longer its token's has been overtaken. */
static int64_t merge_long(Encoder *e, int32_t *ids, int64_t length) {
    RESERVE(e->parts, length);
    Part *parts = e->parts.at;
    for (int32_t place = 0; place < length; place++)
        parts[place] = (Part){ids[place], place - 1, place + 1 < length ? place + 1 : -1, {NEVER, 0}};
    for (int32_t place = 0; place < length; place++) consider(e, place);
    while (e->heap.length) {
        const Candidate best = pop(e);
        Part *part = &parts[best.place];
        if (part->merge.rank != best.rank) continue;
        Part *gone = &parts[part->next];
        part->id = part->merge.made;
        part->next = gone->next;
        gone->merge.rank = NEVER;
        if (part->next >= 0) parts[part->next].previous = best.place;
        consider(e, best.place);
        if (part->previous >= 0) consider(e, part->previous);
    }
    int64_t left = 0;
    for (int32_t place = 0; place >= 0; place = parts[place].next) ids[left++] = parts[place].id;
    RELEASE(e->parts);
    RELEASE(e->heap);
    return left;
}

/* Add the ids of a pretoken to the known ones; how many they are. */
static int64_t encode_pretoken(Encoder *e, const uint8_t *text, int64_t length) {
    RESERVE(e->known_ids, length);
    int32_t *ids = e->known_ids.at + e->known_ids.length;
    const Piece *whole = e->whole.pieces.length ? known_piece(&e->whole, text, length) : NULL;
    if (whole) {
        *ids = (int32_t)whole->value;
        length = 1;
    } else {
        for (int64_t place = 0; place < length; place++) ids[place] = e->byte_ids[text[place]];
        length = length < LONG ? merge_short(e, ids, length) : merge_long(e, ids, length);
    }
    e->known_ids.length += length;
    return length;
}

static void forget(Encoder *e) {
    release_pieces(&e->known);
    RELEASE(e->known_ids);
    e->learnt = 0;
    start_pieces(&e->known, e->seed);
}

static int64_t bytes_taken(const Encoder *e) {
    return e->known.text.length + (int64_t)sizeof(Piece) * e->known.pieces.length +
           (int64_t)sizeof(Slot) * e->known.slot_count + (int64_t)sizeof(int32_t) * e->known_ids.length;
}

/* -- what Python calls */

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

static int begin(Encoder *e, int64_t merges) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    int64_t slots = 2;
    while (slots < 2 * merges) slots *= 2;
    e->rules = allocated(slots, sizeof *e->rules);
    e->merging = allocated(slots, 1);
    e->rule_mask = (uint64_t)slots - 1;
    for (int64_t slot = 0; slot < slots; slot++) e->rules[slot].merge.rank = -1;
    start_pieces(&e->whole, e->seed);
    start_pieces(&e->known, e->seed);
    return 1;
}

/* Of each merge `pairs` has the left and the right id, `made` its rank and the id that it makes.
 * NULL: there is no memory. */
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

/* A pretoken that is one token, whatever merges. Behind it 8 bytes may be read. */
EXPORT int64_t encoder_add_whole(Encoder *e, const uint8_t *text, int64_t length, int32_t id) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    const int64_t number = number_of_piece(&e->whole, text, length); /* may move the pieces */
    e->whole.pieces.at[number].value = id;
    return 0;
}

static const uint8_t *read_pieces(Encoder *e, const uint8_t *at, const uint8_t *end) {
    RESERVE(e->numbers, TOGETHER);
    e->numbers.length +=
        number_pieces(&e->known, &e->borders, &at, end, e->numbers.at + e->numbers.length);
    return at;
}

/* Read a stretch of a text from `begin` on, which is 0 or where the last one ended; where it ends.
 * The special tokens are all that the text has. Behind the text there are 8 bytes that may be read.
 * `FAILED` without memory, here and below, and then it is not to be used any more. */
EXPORT int64_t encoder_read(Encoder *e, const uint8_t *text, int64_t size, int64_t begin,
                            const Special *specials, int64_t special_count) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    if (bytes_taken(e) > e->room) forget(e);
    if (begin == 0) e->special = 0;
    e->numbers.length = 0;
    int64_t at = begin;
    while (at < size && e->numbers.length < STRETCH) {
        const Special *next = e->special < special_count ? &specials[e->special] : NULL;
        if (next && next->begin == at) {
            PUSH(e->numbers, (int32_t)(-1 - next->id));
            at = next->end;
            e->special++;
        } else {
            at = read_pieces(e, text + at, text + (next ? next->begin : size)) - text;
        }
    }
    return at;
}

/* The pieces that are new in this stretch: how many they are, their sizes, and their text. */
EXPORT int64_t encoder_new_pieces(const Encoder *e) { return e->known.pieces.length - e->learnt; }
EXPORT void encoder_new_sizes(const Encoder *e, int64_t *sizes) {
    sizes_from(&e->known, e->learnt, sizes);
}
EXPORT const uint8_t *encoder_new_text(const Encoder *e) { return text_from(&e->known, e->learnt); }

/* Learn the new pieces by the lengths of their pretokens, one after the other. `WRONG` if these are
 * not those of the pieces. */
EXPORT int64_t encoder_learn(Encoder *e, const int64_t *lengths, int64_t pretokens) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    int64_t done = 0;
    for (; e->learnt < e->known.pieces.length; e->learnt++) {
        Piece *piece = &e->known.pieces.at[e->learnt];
        const uint8_t *text = e->known.text.at + piece->begin;
        piece->value = e->known_ids.length;
        PUSH(e->known_ids, 0);
        const uint8_t *end = text + piece->length;
        for (int64_t length; text < end; text += length) {
            if (done == pretokens) return WRONG;
            length = lengths[done++];
            if (length < 1 || length > end - text) return WRONG;
            e->known_ids.at[piece->value] += (int32_t)encode_pretoken(e, text, length);
        }
    }
    return done == pretokens ? 0 : WRONG;
}

/* Write down the ids of the stretch; how many they are. */
EXPORT int64_t encoder_tell(Encoder *e) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    e->ids.length = 0;
    for (int64_t each = 0; each < e->numbers.length; each++) {
        const int32_t number = e->numbers.at[each];
        if (number < 0) {
            PUSH(e->ids, -1 - number);
            continue;
        }
        const int32_t *ids = e->known_ids.at + e->known.pieces.at[number].value;
        const int64_t count = *ids++;
        RESERVE(e->ids, count);
        for (int64_t id = 0; id < count; id++) e->ids.at[e->ids.length++] = ids[id];
    }
    return e->ids.length;
}

EXPORT const int32_t *encoder_ids(const Encoder *e) { return e->ids.at; }
