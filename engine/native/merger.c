/* Training, as engine/bpe/trainers/fast.py does it, and the record of each step. */
#include "merger.h"

enum { AHEAD = 8, FIRST_SLOTS = 1 << 14 };
static const int64_t MANY = INT64_MAX / 4; /* above any `most_words` */

/* -- pairs and their numbers */

static inline uint64_t key_of(Pair pair) {
    return (uint64_t)(uint32_t)pair.left << 32 | (uint32_t)pair.right;
}

/* Return the first slot where a pair may be. */
static inline uint64_t first_slot(const Merger *m, Pair pair) {
    return scrambled(key_of(pair), m->seed) & ((uint64_t)m->slot_count - 1);
}

static uint64_t slot_of(const Merger *m, Pair pair) {
    const uint64_t mask = (uint64_t)m->slot_count - 1;
    uint64_t slot = first_slot(m, pair);
    for (int32_t found; (found = m->slots[slot]) >= 0; slot = (slot + 1) & mask)
        if (m->pairs.at[found].left == pair.left && m->pairs.at[found].right == pair.right) break;
    return slot;
}

static int32_t number_of(const Merger *m, int32_t left, int32_t right) {
    return m->slots[slot_of(m, (Pair){left, right})];
}

static bool grow_slots(Merger *m, int64_t slots) {
    int32_t *larger = zeroed_table(slots, sizeof *larger);
    TRY(larger);
    free(m->slots);
    m->slots = larger;
    m->slot_count = slots;
    memset(m->slots, -1, (size_t)slots * sizeof *m->slots);
    for (int64_t pair = 0; pair < m->pairs.length; pair++)
        m->slots[slot_of(m, m->pairs.at[pair])] = (int32_t)pair;
    return true;
}

/* Number a new pair. Memory is reserved first: a pair with a slot is always in every array. */
static bool add_pair(Merger *m, Pair pair, int64_t count, int64_t begin) {
    TRY(m->pairs.length < INT32_MAX); /* else no number is left */
    TRY(RESERVE(m->pairs, 1) && RESERVE(m->counts, 1) && RESERVE(m->begins, 1));
    if (2 * (m->pairs.length + 1) > m->slot_count) TRY(grow_slots(m, 2 * m->slot_count));
    m->slots[slot_of(m, pair)] = (int32_t)m->pairs.length;
    m->pairs.at[m->pairs.length++] = pair;
    m->counts.at[m->counts.length++] = count;
    m->begins.at[m->begins.length++] = (uint32_t)begin;
    return true;
}

/* Whether the token of a pair would have more words than `most_words`, or go on after a colon and a
 * space; `is_wordy` of engine/bpe/trainers/algorithm.py is the same rule. No token that occurs is
 * empty. */
static bool is_wordy(const Merger *m, Pair pair) {
    const uint8_t last = m->text.at[bytes_of(m, pair.left).end - 1];
    const uint8_t first = m->text.at[bytes_of(m, pair.right).begin];
    const int64_t words = m->words.at[pair.left] + m->words.at[pair.right];
    return (last == ':' && first == ' ') || words - (last != ' ' && first != ' ') > m->most_words;
}

/* Whether the token of a pair is short enough, in bytes and in words. */
static bool may_merge(const Merger *m, Pair pair) {
    return size_of(m, pair.left) + size_of(m, pair.right) <= m->longest &&
           !(m->most_words && is_wordy(m, pair));
}

/* Return the number of words of a text, MANY if it goes on after a colon and a space. */
static int64_t words_in(const uint8_t *at, const uint8_t *end) {
    int64_t words = 0;
    for (uint8_t before = ' '; at < end; before = *at++) {
        if (before == ':' && *at == ' ') return MANY;
        words += before == ' ' && *at != ' ';
    }
    return words;
}

/* Add a token whose bytes are at the end of `text` now. */
static bool add_token(Merger *m, int64_t width) {
    const int64_t begin = m->ends.length ? m->ends.at[m->ends.length - 1] : 0;
    return PUSH(m->words, words_in(m->text.at + begin, m->text.at + m->text.length)) &&
           PUSH(m->ends, m->text.length) && PUSH(m->widths, (int32_t)width) &&
           PUSH(m->before.group_of, -1) && PUSH(m->after.group_of, -1);
}

/* Add the token that a pair makes. */
static bool join(Merger *m, Pair pair) {
    const Span left = bytes_of(m, pair.left), right = bytes_of(m, pair.right);
    const int64_t left_size = left.end - left.begin, begin = right.begin + m->prefix;
    TRY(RESERVE(m->text, left_size + right.end - begin));
    TRY(APPEND(m->text, m->text.at + left.begin, left_size));
    TRY(APPEND(m->text, m->text.at + begin, right.end - begin));
    return add_token(m, width_of(m, pair.left) + width_of(m, pair.right));
}

/* -- a step */

/* Set the count of a pair and record the change. */
static bool change(Merger *m, int32_t pair, int64_t count) {
    m->counts.at[pair] = count;
    return PUSH(m->changed, pair) && PUSH(m->after_counts, count);
}

/* Note that a new token, which occurs `weight` times, has `token` beside it. Their pair begins at
 * `start`. There is room for one more. */
static inline bool note(Neighbours *side, int32_t token, int64_t start, int64_t weight) {
    int32_t group = side->group_of.at[token];
    if (group < 0) {
        group = (int32_t)side->groups.length;
        TRY(PUSH(side->groups, ((Group){token, 0, 0, LEFT_OUT})));
        side->group_of.at[token] = group;
    }
    side->groups.at[group].size++;
    side->groups.at[group].weight += weight;
    side->starts.at[side->starts.length++] = (int32_t)start;
    side->groups_of_starts.at[side->groups_of_starts.length++] = group;
    return true;
}

/* Return the pretoken of a cell. */
static inline int32_t pretoken_of(const Merger *m, int64_t cell) {
    const int32_t *block = &m->cells.at[cell / BLOCK * BLOCK], place = (int32_t)(cell % BLOCK);
    int32_t borders = 0; /* counted in a whole block: compilers make vectors of that */
    for (int32_t each = 0; each < BLOCK; each++) borders += (each < place) & (block[each] == BORDER);
    return m->borders[cell / BLOCK] + borders - 1;
}

/* Find the pretokens of up to `AHEAD` starts, and load their counts. Load the cells of the starts
 * after them, too. */
static void find_pretokens(const Merger *m, const int32_t *starts, int64_t count,
                           int32_t pretokens[AHEAD]) {
    for (int64_t next = AHEAD; next < count && next < 2 * AHEAD; next++) {
        const int64_t block = starts[next] / BLOCK * BLOCK; /* mostly in two lines */
        PREFETCH(&m->cells.at[block]);
        PREFETCH(&m->cells.at[block + BLOCK - 1]);
        PREFETCH(&m->borders[starts[next] / BLOCK]);
    }
    for (int64_t each = 0; each < count && each < AHEAD; each++) {
        pretokens[each] = pretoken_of(m, starts[each]);
        PREFETCH(&m->times[pretokens[each]]);
    }
}

/* Write the new token at each occurrence of the pair, and note its neighbours. A pair of two adjacent
 * new tokens is noted by the first: it sees that the second is about to be written. */
static bool replace(Merger *m, Pair pair, int32_t new_id, Span span, Step *step) {
    int32_t *cells = m->cells.at, pretokens[AHEAD];
    const int32_t *starts = m->starts.at + span.begin; /* `note` adds to other arrays */
    const int64_t left_width = width_of(m, pair.left), width = width_of(m, new_id);
    const int64_t count = span.end - span.begin;
    int32_t last_pretoken = -1;
    TRY(RESERVE(m->before.starts, count) && RESERVE(m->before.groups_of_starts, count));
    TRY(RESERVE(m->after.starts, count) && RESERVE(m->after.groups_of_starts, count));
    for (int64_t each = 0; each < count; each++) {
        if (each % AHEAD == 0) find_pretokens(m, starts + each, count - each, pretokens);
        const int64_t start = starts[each], middle = start + left_width, end = start + width;
        if (cells[start] != pair.left || cells[middle] != pair.right) continue;
        const int32_t pretoken = pretokens[each % AHEAD];
        const int64_t weight = m->times[pretoken];
        step->occurrences += weight;
        step->pretokens += pretoken != last_pretoken;
        last_pretoken = pretoken;
        m->places--;
        const int32_t previous = cells[start - 1];
        if (previous != BORDER && previous != new_id)
            TRY(note(&m->before, previous, start - width_of(m, previous), weight));
        int32_t next = cells[end];
        if (next == pair.left && cells[end + left_width] == pair.right) next = new_id;
        if (next != BORDER) TRY(note(&m->after, next, start, weight));
        cells[middle - 1] = cells[middle] = INSIDE;
        cells[start] = cells[end - 1] = new_id;
    }
    return true;
}

/* Return the pair of a group that the new tokens have broken up. */
static inline Pair broken(const Neighbours *side, int64_t group, Pair merged, bool is_before) {
    const int32_t token = side->groups.at[group].token;
    return is_before ? (Pair){token, merged.left} : (Pair){merged.right, token};
}

/* Lower the counts of the pairs that the new tokens have broken up, but not that of the merged pair.
 * Only the merged pair turned round may be among them several times, as (b, a) in `abab`; it is
 * changed once. A pair that would have made too long a token has no number. */
static bool subtract_broken(Merger *m, int32_t number, int32_t new_id) {
    const Pair merged = m->pairs.at[number];
    const int32_t turned = number_of(m, merged.right, merged.left);
    int64_t turned_change = -1;
    for (int is_before = 0; is_before < 2; is_before++) {
        const Neighbours *side = is_before ? &m->before : &m->after;
        for (int64_t each = 0; each < side->groups.length; each++) {
            if (each + 2 * AHEAD < side->groups.length)
                PREFETCH(&m->slots[first_slot(m, broken(side, each + 2 * AHEAD, merged, is_before))]);
            if (each + AHEAD < side->groups.length) {
                const int32_t later = m->slots[first_slot(m, broken(side, each + AHEAD, merged, is_before))];
                PREFETCH(&m->pairs.at[later < 0 ? 0 : later]);
                PREFETCH(&m->counts.at[later < 0 ? 0 : later]);
            }
            const Group group = side->groups.at[each];
            const int32_t token = group.token == new_id ? merged.left : group.token;
            const int32_t old = is_before ? number_of(m, token, merged.left)
                                          : number_of(m, merged.right, token);
            if (old < 0 || old == number) continue;
            const int64_t count = m->counts.at[old] - group.weight;
            if (old == turned && turned_change >= 0) {
                m->counts.at[old] = m->after_counts.at[turned_change] = count;
                continue;
            }
            if (old == turned) turned_change = m->changed.length;
            TRY(change(m, old, count));
        }
    }
    return true;
}

/* Number the new pairs of one side, copy their starts, group by group, and clear the groups. A pair
 * that may not merge gets no number. */
static bool add_pairs(Merger *m, Neighbours *side, int32_t new_id, bool new_id_first) {
    TRY(RESERVE(m->starts, side->starts.length));
    int64_t end = m->starts.length;
    for (int64_t each = 0; each < side->groups.length; each++) {
        Group *group = &side->groups.at[each];
        const Pair pair = new_id_first ? (Pair){new_id, group->token} : (Pair){group->token, new_id};
        side->group_of.at[group->token] = -1;
        if (!may_merge(m, pair)) continue;
        TRY(PUSH(m->changed, (int32_t)m->pairs.length) && PUSH(m->after_counts, group->weight));
        TRY(add_pair(m, pair, group->weight, end));
        group->next_start = end;
        end += group->size;
    }
    for (int64_t each = 0; each < side->starts.length; each++) {
        Group *group = &side->groups.at[side->groups_of_starts.at[each]];
        if (group->next_start != LEFT_OUT) m->starts.at[group->next_start++] = side->starts.at[each];
    }
    m->starts.length = end;
    side->groups.length = side->starts.length = side->groups_of_starts.length = 0;
    return true;
}

static bool merge(Merger *m, int32_t number, int64_t tied) {
    const Pair pair = m->pairs.at[number];
    const int32_t new_id = (int32_t)m->ends.length;
    const int64_t known = m->pairs.length;
    Step step = {number, pair.left, pair.right, m->counts.at[number], 0, 0, 0, 0, tied};
    TRY(join(m, pair));
    TRY(replace(m, pair, new_id, span_of(m, number), &step));
    TRY(subtract_broken(m, number, new_id));
    TRY(change(m, number, 0)); /* overlapping occurrences were not all replaced */
    TRY(add_pairs(m, &m->after, new_id, true));
    TRY(add_pairs(m, &m->before, new_id, false));
    if (m->scores) TRY(update_scores(m, &step, known));
    else for (int64_t new = known; new < m->pairs.length; new++) TRY(push(m, (int32_t)new));
    step.changes_end = m->earlier_changes + m->changed.length;
    step.pairs = m->pairs.length;
    compact(m);
    return PUSH(m->steps, step);
}

/* -- before the first step */

/* Write the units into the cells. They are in bytes, or in 32 bits if `is_wide`. */
static bool lay_out(Merger *m, const void *units, bool is_wide, const int64_t *ends, int64_t pretokens) {
    const int64_t all = pretokens ? ends[pretokens - 1] : 0;
    TRY(RESERVE(m->cells, all + pretokens + 1));
    int32_t *cell = m->cells.at;
    *cell++ = BORDER;
    for (int64_t pretoken = 0, at = 0; pretoken < pretokens; pretoken++) {
        for (; at < ends[pretoken]; at++)
            *cell++ = is_wide ? ((const int32_t *)units)[at] : ((const uint8_t *)units)[at];
        *cell++ = BORDER;
    }
    m->cells.length = cell - m->cells.at;
    return true;
}

/* Count the units, and the borders of each block. */
static bool count_cells(Merger *m) {
    TRY(RESERVE(m->cells, BLOCK)); /* the last block is whole */
    memset(m->cells.at + m->cells.length, 0, BLOCK * sizeof *m->cells.at);
    TRY(m->borders = zeroed(m->cells.length / BLOCK + 1, sizeof *m->borders));
    int32_t borders = 0;
    for (int64_t cell = 0; cell < m->cells.length; cell++) {
        if (cell % BLOCK == 0) m->borders[cell / BLOCK] = borders;
        if (m->cells.at[cell] == BORDER) borders++;
        else m->uses.at[m->cells.at[cell]] += m->times[borders - 1];
    }
    return true;
}

/* A pair of units. `number`: in the order of appearance, NO_PAIR if it may not merge; `places`: the
 * number of its places. */
typedef struct { uint64_t key; int32_t number; uint32_t places; int64_t count; } UnitPair;

/* The pairs of units in a hash table, at most half full; a slot without places is free. `numbers`:
 * cell → the number of the pair that begins there, NO_PAIR if there is none or if it may not merge. */
typedef struct { UnitPair *slots; int64_t slot_count, used; int32_t pairs; ARRAY(int32_t) numbers; } UnitPairs;

static inline UnitPair *first_place(const UnitPairs *all, uint64_t key, uint64_t seed) {
    return &all->slots[scrambled(key, seed) & ((uint64_t)all->slot_count - 1)];
}

static inline UnitPair *unit_pair(const UnitPairs *all, uint64_t key, uint64_t seed) {
    UnitPair *slot = first_place(all, key, seed);
    const UnitPair *end = all->slots + all->slot_count;
    while (slot->places && slot->key != key) slot = slot + 1 < end ? slot + 1 : all->slots;
    return slot;
}

static bool grow_table(UnitPairs *all, uint64_t seed) {
    UnitPairs larger = *all;
    larger.slot_count = all->slot_count ? 2 * all->slot_count : FIRST_SLOTS;
    TRY(larger.slots = zeroed_table(larger.slot_count, sizeof *larger.slots));
    for (int64_t slot = 0; slot < all->slot_count; slot++)
        if (all->slots[slot].places)
            *unit_pair(&larger, all->slots[slot].key, seed) = all->slots[slot];
    free(all->slots);
    *all = larger;
    return true;
}

/* Count the pairs of units. After the last cell more than `AHEAD` may be read. */
static bool count_pairs(Merger *m, UnitPairs *all) {
    for (int64_t cell = 0, pretoken = -1; cell + 1 < m->cells.length; cell++) {
        const Pair pair = {m->cells.at[cell], m->cells.at[cell + 1]};
        const Pair later = {m->cells.at[cell + AHEAD], m->cells.at[cell + AHEAD + 1]};
        PREFETCH(first_place(all, key_of(later), m->seed));
        pretoken += pair.left == BORDER;
        all->numbers.at[cell] = NO_PAIR;
        if (pair.left == BORDER || pair.right == BORDER) continue;
        UnitPair *found = unit_pair(all, key_of(pair), m->seed);
        if (!found->places) {
            if (2 * all->used++ == all->slot_count) {
                TRY(grow_table(all, m->seed));
                found = unit_pair(all, key_of(pair), m->seed);
            }
            *found = (UnitPair){key_of(pair), may_merge(m, pair) ? all->pairs++ : NO_PAIR, 0, 0};
        }
        found->places++;
        found->count += m->times[pretoken];
        all->numbers.at[cell] = found->number;
        m->places += found->number != NO_PAIR;
    }
    return true;
}

static int compare_keys(const void *one, const void *other) {
    const uint64_t key = ((const UnitPair *)one)->key, next = ((const UnitPair *)other)->key;
    return (key > next) - (key < next);
}

/* Number the pairs in the order of their ids, and list the starts of each. */
static bool list_starts(Merger *m, UnitPairs *all) {
    uint32_t *next = zeroed(all->pairs, sizeof *next); /* number in `all` → place of the next start */
    int64_t pairs = 0, begin = 0;
    /* The first step needs more starts; to move them later would take longer. */
    bool done = next && RESERVE(m->starts, 2 * m->places) && grow_slots(m, all->slot_count);
    for (int64_t slot = 0; slot < all->slot_count; slot++)
        if (all->slots[slot].places && all->slots[slot].number != NO_PAIR)
            all->slots[pairs++] = all->slots[slot];
    qsort(all->slots, (size_t)pairs, sizeof *all->slots, compare_keys);
    for (int64_t each = 0; done && each < pairs; each++) {
        const UnitPair *found = &all->slots[each];
        next[found->number] = (uint32_t)begin;
        done = add_pair(m, (Pair){(int32_t)(found->key >> 32), (int32_t)found->key}, found->count, begin);
        begin += found->places;
    }
    for (int64_t cell = 0; done && cell + 1 < m->cells.length; cell++)
        if (all->numbers.at[cell] != NO_PAIR) m->starts.at[next[all->numbers.at[cell]]++] = (int32_t)cell;
    m->starts.length = done ? begin : 0;
    free(next);
    return done;
}

static bool begin_pairs(Merger *m) {
    UnitPairs all = {0};
    const bool begun = RESERVE(all.numbers, m->cells.length) && grow_table(&all, m->seed) && count_pairs(m, &all) &&
                       list_starts(m, &all);
    RELEASE(all.numbers);
    free(all.slots);
    return begun;
}

/* -- called by Python */

/* Free everything but the pairs, which can still be looked up. */
EXPORT void merger_finish(Merger *m) {
    RELEASE(m->cells);
    free(m->borders);
    free(m->times);
    m->borders = NULL;
    m->times = NULL;
    release_scores(m);
    RELEASE(m->text);
    RELEASE(m->ends);
    RELEASE(m->widths);
    RELEASE(m->words);
    RELEASE(m->begins);
    RELEASE(m->starts);
    RELEASE(m->heap);
    RELEASE(m->popped);
    RELEASE(m->ties);
    RELEASE(m->steps);
    RELEASE(m->changed);
    RELEASE(m->after_counts);
    Neighbours *const sides[] = {&m->before, &m->after};
    for (int each = 0; each < 2; each++) {
        RELEASE(sides[each]->groups);
        RELEASE(sides[each]->group_of);
        RELEASE(sides[each]->starts);
        RELEASE(sides[each]->groups_of_starts);
    }
}

EXPORT void merger_free(Merger *m) {
    merger_finish(m);
    RELEASE(m->pairs);
    RELEASE(m->counts);
    RELEASE(m->uses);
    free(m->slots);
    free(m);
}

/* Add the tokens before the first merge, which have these bytes, joined. */
static bool add_units(Merger *m, const uint8_t *text, const int64_t *ends, int64_t units) {
    TRY(RESERVE(m->uses, units));
    m->uses.length = units;
    memset(m->uses.at, 0, (size_t)units * sizeof *m->uses.at);
    for (int64_t id = 0, begin = 0; id < units; begin = ends[id++]) {
        TRY(APPEND(m->text, text + begin, ends[id] - begin));
        TRY(add_token(m, 1));
    }
    return true;
}

/* Build the state before the first step. */
static bool begin(Merger *m, const void *units, bool is_wide, const int64_t *ends,
                  const int64_t *times, int64_t pretokens, const Rules *earlier) {
    TRY(m->times = zeroed(pretokens, sizeof *m->times));
    copy(m->times, times, pretokens * (int64_t)sizeof *times);
    TRY(earlier ? respell(m, earlier, units, ends, pretokens) : lay_out(m, units, is_wide, ends, pretokens));
    return count_cells(m) && begin_pairs(m);
}

/* The tokens before the first merge and how pairs are chosen, as `Merger` of merging.py has them.
 * `ends`: of the bytes of each unit in `text`, joined. `most_words` is 0 for any number of words. */
typedef struct {
    const uint8_t *text;
    const int64_t *ends;
    int64_t units, prefix, by_score, min_count, longest, most_words;
    const char *tie_rule;
    const int32_t *tie_ids;
} Choice;

/* Start a training. `units`: the pretokens joined, each up to its entry in `ends`; `times`: the count
 * of each. If merges are made before the first step, `earlier` has these, and `units` the address of
 * each pretoken's bytes. NULL without memory, or if the tie rule is unknown. */
EXPORT Merger *merger_new(const void *units, int64_t is_wide, const int64_t *ends,
                          const int64_t *times, int64_t pretokens, const Rules *earlier,
                          const Choice *choice, uint64_t seed) {
    Merger *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->wins = tie_rule_named(choice->tie_rule);
    memcpy(m->tie_ids, choice->tie_ids, sizeof m->tie_ids);
    m->seed = seed | 1;
    m->prefix = choice->prefix;
    m->min_count = choice->min_count;
    m->longest = choice->longest;
    m->most_words = choice->most_words;
    m->floor = INT64_MAX;
    if (m->wins != NULL && add_units(m, choice->text, choice->ends, choice->units) &&
        begin(m, units, is_wide, ends, times, pretokens, earlier) &&
        (!choice->by_score || start_scores(m)))
        return m;
    merger_free(m);
    return NULL;
}

/* Merge until there are `steps` steps or `changes` changed counts. Return the number of steps;
 * `merger_steps` has them until the next call. After FAILED pairs may only be looked up. */
EXPORT int64_t merger_run(Merger *m, int64_t steps, int64_t changes) {
    m->earlier_changes += m->changed.length;
    m->steps.length = m->changed.length = m->after_counts.length = 0;
    while (m->steps.length < steps && m->changed.length < changes) {
        int32_t pair;
        int64_t tied = 0;
        if (!(m->scores ? best_score(m, &pair, &tied) : best_pair(m, &pair))) return FAILED;
        if (pair == NO_PAIR || m->counts.at[pair] < m->min_count) break;
        if (!merge(m, pair, tied)) return FAILED;
    }
    return m->steps.length;
}

/* Find the pairs with the highest count, of those that were not taken out. Return how many they are;
 * `merger_ties` has them. The heap is short, since it has no pairs below its floor. */
EXPORT int64_t merger_find_ties(Merger *m) {
    int32_t best;
    m->ties.length = 0;
    if (!best_pair(m, &best)) return FAILED;
    for (int64_t place = 0; best != NO_PAIR && place < m->heap.length; place++) {
        const int32_t pair = m->heap.at[place].pair;
        if (m->counts.at[pair] == m->counts.at[best] && !PUSH(m->ties, pair)) return FAILED;
    }
    return m->ties.length;
}
EXPORT const int32_t *merger_ties(const Merger *m) { return m->ties.at; }

/* Return the cell where a pair occurs first, −2 if it does not occur. */
EXPORT int64_t merger_first_cell(const Merger *m, int64_t number) {
    const Pair pair = m->pairs.at[number];
    const Span span = span_of(m, (int32_t)number);
    for (int64_t each = span.begin; each < span.end; each++) {
        const int32_t start = m->starts.at[each];
        if (m->cells.at[start] == pair.left && m->cells.at[start + width_of(m, pair.left)] == pair.right)
            return start;
    }
    return -2;
}

/* Merge a pair, by its number. Return the new id. */
EXPORT int64_t merger_merge(Merger *m, int64_t pair) {
    m->steps.length = m->changed.length = m->after_counts.length = 0;
    return merge(m, (int32_t)pair, 0) ? m->ends.length - 1 : FAILED;
}

/* Return the number of a pair, −1 for a pair that has never occurred. */
EXPORT int64_t merger_number_of(const Merger *m, int32_t left, int32_t right) {
    return number_of(m, left, right);
}

EXPORT const Step *merger_steps(const Merger *m) { return m->steps.at; }
EXPORT const int32_t *merger_changed(const Merger *m) { return m->changed.at; }
EXPORT const int64_t *merger_after(const Merger *m) { return m->after_counts.at; }
EXPORT const Pair *merger_pairs(const Merger *m) { return m->pairs.at; }
EXPORT const int64_t *merger_counts(const Merger *m) { return m->counts.at; }
EXPORT const int64_t *merger_uses(const Merger *m) { return m->uses.at; }
EXPORT int64_t merger_pair_count(const Merger *m) { return m->pairs.length; }
