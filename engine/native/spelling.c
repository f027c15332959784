/* Spelling one pretoken in pieces; the Python code beside each way explains the rule:
 * engine/encoding/alphabet.py, engine/pipeline/sentencepiece.py and engine/unigram/lattice.py,
 * engine/wordpiece/tokenizer.py. */
#include "spelling.h"
#include "characters.h"

static bool add_bytes(const int32_t *byte_ids, const uint8_t *text, int64_t length, Ids *ids) {
    TRY(RESERVE(*ids, length));
    for (int64_t at = 0; at < length; at++) ids->at[ids->length++] = byte_ids[text[at]];
    return true;
}

/* -- characters, and symbols of several characters */

static bool spell_in_units(const Units *u, const int32_t *byte_ids, const uint8_t *text,
                           int64_t length, Ids *ids) {
    bool after_unknown = false;
    for (int64_t at = 0, size; at < length; at += size) {
        int32_t id = -1;
        size = longest_in(&u->trie, 0, text + at, length - at, &id);
        if (size) TRY(PUSH(*ids, id));
        after_unknown = after_unknown && size == 0;
        if (size) continue;
        size = size_of_character(text + at, text + length);
        if (u->has_bytes) TRY(add_bytes(byte_ids, text + at, size, ids));
        else if (u->unknown >= 0 && !(u->fuses && after_unknown)) TRY(PUSH(*ids, u->unknown));
        after_unknown = true;
    }
    return true;
}

/* -- the longest piece from the left, again and again */

static int64_t characters_in(const uint8_t *text, int64_t length) {
    int64_t characters = 0;
    for (const uint8_t *at = text; at < text + length; at += size_of_character(at, text + length))
        characters++;
    return characters;
}

static bool spell_longest(const Units *u, const uint8_t *text, int64_t length, Ids *ids) {
    const int64_t before = ids->length;
    bool known = length <= u->most || characters_in(text, length) <= u->most;
    for (int64_t at = 0, size; known && at < length; at += size) {
        const int32_t node = at ? u->inside : 0;
        int32_t id = -1;
        size = node < 0 ? 0 : longest_in(&u->trie, node, text + at, length - at, &id);
        known = size > 0;
        TRY(PUSH(*ids, id));
    }
    if (known) return true;
    ids->length = before;
    return PUSH(*ids, u->unknown);
}

/* -- the pieces with the greatest sum of scores
 *
 * Places are met from left to right. Where no piece reaches beyond a place, all ways lead through it;
 * then the tokens up to it are certain, and the lattice begins anew. */

static const double FARTHEST = 100000.0; /* a larger sum is counted from there, in 32 bits */

/* Adjacent texts that no piece spells: `is_name` if the text is the unknown piece's own name. */
typedef struct { const uint8_t *begin, *end; int64_t pieces; bool is_name; } UnknownRun;

static bool end_run(const Units *u, const int32_t *byte_ids, UnknownRun *run, Ids *ids) {
    const int64_t pieces = run->pieces;
    run->pieces = 0;
    if (pieces == 0) return true;
    if (u->has_bytes && !(pieces == 1 && run->is_name))
        return add_bytes(byte_ids, run->begin, run->end - run->begin, ids);
    return PUSH(*ids, u->unknown);
}

static bool add_piece(const Units *u, const int32_t *byte_ids, UnknownRun *run, int32_t id,
                      const uint8_t *begin, const uint8_t *end, Ids *ids) {
    if (id < 0 || id == u->unknown) {
        if (run->pieces++ == 0) run->begin = begin;
        run->end = end;
        run->is_name = id >= 0;
        return true;
    }
    return end_run(u, byte_ids, run, ids) && PUSH(*ids, id);
}

/* Add the pieces on the best way to a place of the lattice. */
static bool add_way(const Units *u, const int32_t *byte_ids, Lattice *l, UnknownRun *run,
                    const uint8_t *text, int64_t place, Ids *ids) {
    l->path.length = 0;
    for (; place; place = l->arrivals.at[place].begin) TRY(PUSH(l->path, (int32_t)place));
    while (l->path.length) {
        const int32_t end = l->path.at[--l->path.length];
        const Arrival *best = &l->arrivals.at[end];
        TRY(add_piece(u, byte_ids, run, best->id, text + best->begin, text + end, ids));
    }
    return true;
}

/* Let a piece end at a place. Of equal sums the piece that begins furthest left wins. */
static inline bool arrive(const Units *u, Lattice *l, int64_t begin, int64_t end, int32_t id,
                          double sum) {
    while (l->arrivals.length <= end) TRY(PUSH(l->arrivals, ((Arrival){0, -1, -1})));
    Arrival *best = &l->arrivals.at[end];
    if (u->in_32_bits) sum = (float)sum;
    if (best->begin < 0 || sum > best->sum) *best = (Arrival){sum, (int32_t)begin, id};
    return true;
}

/* Count all sums from that of a place. */
static void count_anew(Lattice *l, int64_t place) {
    const double origin = l->arrivals.at[place].sum;
    for (; place < l->arrivals.length; place++)
        l->arrivals.at[place].sum = (float)(l->arrivals.at[place].sum - origin);
}

/* Let all pieces that begin at a place arrive; set the size of its character. */
static bool leave(const Units *u, Lattice *l, const uint8_t *text, int64_t place, int64_t length,
                  int32_t *size) {
    const double sum = l->arrivals.at[place].sum;
    bool has_single = false;
    int32_t node = 0;
    *size = size_of_character(text + place, text + length);
    for (int64_t end = place; end < length && (node = child_of(&u->trie, node, text[end]));) {
        const int32_t id = u->trie.nodes.at[node].id;
        end++;
        if (id < 0) continue;
        has_single |= end == place + *size;
        TRY(arrive(u, l, place, end, id, sum + u->scores[id]));
    }
    return has_single || arrive(u, l, place, place + *size, -1, sum + u->unknown_score);
}

static bool spell_best(const Units *u, const int32_t *byte_ids, Lattice *l, const uint8_t *text,
                       int64_t length, Ids *ids) {
    UnknownRun run = {0};
    l->arrivals.length = 0;
    TRY(PUSH(l->arrivals, ((Arrival){0, 0, 0})));
    int64_t place = 0;
    for (int32_t size;; place += size) {
        if (place == l->arrivals.length - 1) { /* no piece reaches further */
            TRY(add_way(u, byte_ids, l, &run, text, place, ids));
            if (place == length) break;
            l->arrivals.at[0].sum = l->arrivals.at[place].sum;
            l->arrivals.length = 1;
            text += place;
            length -= place;
            place = 0;
        }
        if (u->in_32_bits) {
            const double sum = l->arrivals.at[place].sum;
            if (sum > FARTHEST || sum < -FARTHEST) count_anew(l, place);
        }
        TRY(leave(u, l, text, place, length, &size));
    }
    return end_run(u, byte_ids, &run, ids);
}

/* -- all ways */

bool spell(const Units *u, const int32_t *byte_ids, Lattice *l, const uint8_t *text, int64_t length,
           Ids *ids) {
    switch (u->way) {
    case IN_UNITS: return spell_in_units(u, byte_ids, text, length, ids);
    case LONGEST_FIRST: return spell_longest(u, text, length, ids);
    case BEST_SUM: return spell_best(u, byte_ids, l, text, length, ids);
    default: return add_bytes(byte_ids, text, length, ids);
    }
}

/* Set the pieces, as `set_trie` has them. `scores`: by id, then that of unknown text; NULL if pieces
 * have none. `settings`: in the order of `KernelUnits.settings` of engine/native/encoding.py. */
bool set_units(Units *u, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
               int64_t count, const double *scores, const int32_t *settings) {
    TRY(set_trie(&u->trie, text, sizes, ids, count));
    u->way = (Way)settings[0];
    u->unknown = settings[1];
    u->has_bytes = settings[2];
    u->fuses = settings[3];
    u->in_32_bits = settings[4];
    u->drops_spaces = settings[5];
    u->most = settings[6];
    const int64_t score_count = settings[7], prefix = settings[8];
    if (scores) {
        TRY(u->scores = zeroed(score_count, sizeof *scores));
        copy(u->scores, scores, score_count * (int64_t)sizeof *scores);
        u->unknown_score = scores[score_count];
    }
    /* The prefix of pieces that continue a word comes after the pieces. */
    for (int64_t each = 0; each < count; each++) text += sizes[each];
    for (int64_t at = 0; at < prefix && u->inside >= 0; at++)
        if (!(u->inside = child_of(&u->trie, u->inside, text[at]))) u->inside = -1;
    return true;
}

void release_units(Units *u) {
    RELEASE(u->trie.nodes);
    free(u->scores);
}
