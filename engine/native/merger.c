/* Training: what engine/bpe/trainers/fast.py does, and of each step what its `Merge` tells. */
#include "merger.h"

enum { AHEAD = 8, FIRST_SLOTS = 1 << 14, BYTE_PAIRS = BYTES * BYTES };

/* -- pairs and their numbers */

static uint64_t slot_of(const Merger *m, Pair pair) {
    const uint64_t mask = (uint64_t)m->slot_count - 1;
    const uint64_t key = (uint64_t)(uint32_t)pair.left << 32 | (uint32_t)pair.right;
    uint64_t slot = scrambled(key, m->seed) & mask;
    for (int32_t found; (found = m->slots[slot]) >= 0; slot = (slot + 1) & mask)
        if (m->pairs.at[found].left == pair.left && m->pairs.at[found].right == pair.right) break;
    return slot;
}

static int32_t number_of(const Merger *m, int32_t left, int32_t right) {
    return m->slots[slot_of(m, (Pair){left, right})];
}

static void grow_slots(Merger *m, int64_t slots) {
    int32_t *larger = allocated(slots, sizeof *larger);
    free(m->slots);
    m->slots = larger;
    m->slot_count = slots;
    memset(m->slots, -1, (size_t)slots * sizeof *m->slots);
    for (int64_t pair = 0; pair < m->pairs.length; pair++)
        m->slots[slot_of(m, m->pairs.at[pair])] = (int32_t)pair;
}

/* Number a new pair. Memory is found first: a pair that can be found is there in every array. */
static void add_pair(Merger *m, Pair pair, int64_t count, Span starts) {
    if (m->pairs.length == INT32_MAX) longjmp(*out_of_memory, 1); /* no number is left */
    RESERVE(m->pairs, 1);
    RESERVE(m->counts, 1);
    RESERVE(m->spans, 1);
    RESERVE(m->last_change, 1);
    if (2 * (m->pairs.length + 1) > m->slot_count) grow_slots(m, 2 * m->slot_count);
    m->slots[slot_of(m, pair)] = (int32_t)m->pairs.length;
    PUSH(m->pairs, pair);
    PUSH(m->counts, count);
    PUSH(m->spans, starts);
    PUSH(m->last_change, -1);
}

static void add_token(Merger *m, Span bytes) {
    PUSH(m->tokens, bytes);
    PUSH(m->before.group_of, -1);
    PUSH(m->after.group_of, -1);
}

/* -- a step */

/* Set the count of a pair, and tell it; of a pair that changes twice in a step only the last. */
static void change(Merger *m, int32_t pair, int64_t count, int64_t first_change) {
    m->counts.at[pair] = count;
    const int64_t before = m->last_change.at[pair] - m->told;
    if (before >= first_change) {
        m->after_counts.at[before] = count;
        return;
    }
    m->last_change.at[pair] = m->told + m->changed.length;
    PUSH(m->changed, pair);
    PUSH(m->after_counts, count);
}

/* Note that a new token, counted `weight` times, has this token beside it; the pair of the two
 * begins at `start`. */
static inline void note(Beside *beside, int32_t token, int64_t start, int64_t weight) {
    int32_t group = beside->group_of.at[token];
    if (group < 0) {
        group = (int32_t)beside->groups.length;
        PUSH(beside->groups, ((Group){token, 0, 0}));
        beside->group_of.at[token] = group;
    }
    beside->groups.at[group].size++;
    beside->groups.at[group].weight += weight;
    PUSH(beside->starts, (int32_t)start);
    PUSH(beside->groups_of_starts, group);
}

/* Write the new token wherever the pair still stands, and note what stands beside it. Of two new
 * tokens side by side only the first tells, which sees that the second is about to come. */
static void replace(Merger *m, Pair pair, int32_t new_id, Span span, Step *step) {
    Cell *cells = m->cells;
    const int32_t *starts = m->starts.at; /* `note` adds to other arrays: this one does not move */
    const int64_t left_size = size_of(m, pair.left), size = left_size + size_of(m, pair.right);
    int32_t last_pretoken = -1;
    for (int64_t each = span.begin; each < span.end; each++) {
        /* What starts further on is asked for ahead: its cell, and later what its pretoken counts. */
        if (each + 2 * AHEAD < span.end) PREFETCH(&cells[starts[each + 2 * AHEAD]]);
        if (each + AHEAD < span.end) PREFETCH(&m->times[cells[starts[each + AHEAD]].pretoken]);
        const int64_t start = starts[each], middle = start + left_size, end = start + size;
        if (cells[start].token != pair.left || cells[middle].token != pair.right) continue;
        const int32_t pretoken = cells[start].pretoken;
        const int64_t weight = m->times[pretoken];
        m->tokens.at[new_id] = (Span){BYTES + start, BYTES + end};
        step->occurrences += weight;
        step->pretokens += pretoken != last_pretoken;
        last_pretoken = pretoken;
        const int32_t previous = cells[start - 1].token;
        if (previous != BORDER && previous != new_id)
            note(&m->before, previous, start - size_of(m, previous), weight);
        int32_t next = cells[end].token;
        if (next == pair.left && cells[end + left_size].token == pair.right) next = new_id;
        if (next != BORDER) note(&m->after, next, start, weight);
        cells[middle - 1].token = cells[middle].token = INSIDE;
        cells[start].token = cells[end - 1].token = new_id;
    }
}

/* The pairs that stood where the new ones stand lose their counts. One that would have made too
 * long a token never had a number. */
static void take_away(Merger *m, Pair merged, int32_t new_id, int64_t first_change) {
    for (int64_t each = 0; each < m->after.groups.length; each++) {
        const Group group = m->after.groups.at[each];
        const int32_t next = group.token == new_id ? merged.left : group.token;
        const int32_t old = number_of(m, merged.right, next);
        if (old >= 0) change(m, old, m->counts.at[old] - group.weight, first_change);
    }
    for (int64_t each = 0; each < m->before.groups.length; each++) {
        const Group group = m->before.groups.at[each];
        const int32_t old = number_of(m, group.token, merged.left);
        if (old >= 0) change(m, old, m->counts.at[old] - group.weight, first_change);
    }
}

/* Number the new pairs, and keep where they start, group by group; then forget the groups. Pairs
 * that would make too long a token are left out. */
static void add_pairs(Merger *m, Beside *beside, int32_t new_id, int new_id_first) {
    const int64_t room = m->longest - size_of(m, new_id);
    RESERVE(m->starts, beside->starts.length);
    int64_t end = m->starts.length;
    for (int64_t each = 0; each < beside->groups.length; each++) {
        Group *group = &beside->groups.at[each];
        const Span span = {end, end + group->size};
        const Pair pair = new_id_first ? (Pair){new_id, group->token} : (Pair){group->token, new_id};
        beside->group_of.at[group->token] = -1;
        group->size = -1; /* from here on: where its next start goes; −1 if it is left out */
        if (size_of(m, group->token) > room) continue;
        PUSH(m->changed, (int32_t)m->pairs.length);
        PUSH(m->after_counts, group->weight);
        add_pair(m, pair, group->weight, span);
        group->size = span.begin;
        end = span.end;
    }
    for (int64_t each = 0; each < beside->starts.length; each++) {
        Group *group = &beside->groups.at[beside->groups_of_starts.at[each]];
        if (group->size >= 0) m->starts.at[group->size++] = beside->starts.at[each];
    }
    m->starts.length = end;
    beside->groups.length = beside->starts.length = beside->groups_of_starts.length = 0;
}

static void merge(Merger *m, int32_t number) {
    const Pair pair = m->pairs.at[number];
    const int32_t new_id = (int32_t)m->tokens.length;
    const int64_t first_change = m->changed.length, known = m->pairs.length;
    Step step = {number, pair.left, pair.right, m->counts.at[number], 0, 0, 0, 0};
    add_token(m, (Span){0, 0});
    replace(m, pair, new_id, m->spans.at[number], &step);
    take_away(m, pair, new_id, first_change);
    change(m, number, 0, first_change); /* where it overlapped itself, only part of it was met */
    add_pairs(m, &m->after, new_id, 1);
    add_pairs(m, &m->before, new_id, 0);
    for (int64_t new = known; new < m->pairs.length; new++) push(m, (int32_t)new);
    step.changes_end = m->told + m->changed.length;
    step.pairs = m->pairs.length;
    PUSH(m->steps, step);
}

/* -- before the first step */

static void lay_out(Merger *m, const uint8_t *bytes, const int64_t *ends, int64_t pretokens) {
    m->cell_count = (pretokens ? ends[pretokens - 1] : 0) + pretokens + 1;
    m->cells = allocated(m->cell_count, sizeof *m->cells);
    m->text = allocated(BYTES + m->cell_count, 1);
    for (int byte = 0; byte < BYTES; byte++) m->text[byte] = (uint8_t)byte;
    int64_t cell = 0, at = 0;
    m->cells[cell++] = (Cell){BORDER, 0};
    for (int64_t pretoken = 0; pretoken < pretokens; pretoken++) {
        for (; at < ends[pretoken]; at++) {
            m->text[BYTES + cell] = bytes[at];
            m->cells[cell++] = (Cell){bytes[at], (int32_t)pretoken};
        }
        m->cells[cell++] = (Cell){BORDER, (int32_t)pretoken};
    }
}

/* The pair of bytes that begins at a cell, as left · 256 + right; −1 if none does. */
static int32_t byte_pair(const Merger *m, int64_t cell) {
    const int32_t left = m->cells[cell].token, right = m->cells[cell + 1].token;
    return left == BORDER || right == BORDER ? -1 : left * BYTES + right;
}

/* Number the pairs of bytes in the order of their ids, and note where they start. */
static void add_byte_pairs(Merger *m, int64_t *totals, int64_t *places) {
    for (int64_t cell = 0; cell + 1 < m->cell_count; cell++) {
        const int32_t pair = byte_pair(m, cell);
        if (pair < 0) continue;
        totals[pair] += m->times[m->cells[cell].pretoken];
        places[pair]++;
    }
    int64_t end = 0;
    for (int32_t pair = 0; pair < BYTE_PAIRS; pair++) {
        const Span span = {end, end + places[pair]};
        if (places[pair]) add_pair(m, (Pair){pair / BYTES, pair % BYTES}, totals[pair], span);
        places[pair] = span.begin; /* from here on: where its next start goes */
        end = span.end;
    }
    RESERVE(m->starts, end);
    m->starts.length = end;
    for (int64_t cell = 0; cell + 1 < m->cell_count; cell++) {
        const int32_t pair = byte_pair(m, cell);
        if (pair >= 0) m->starts.at[places[pair]++] = (int32_t)cell;
    }
}

/* -- what Python calls */

/* Free what only merging needs; pairs can be looked up still. */
EXPORT void merger_finish(Merger *m) {
    free(m->cells);
    free(m->times);
    free(m->text);
    m->cells = NULL;
    m->times = NULL;
    m->text = NULL;
    RELEASE(m->tokens);
    RELEASE(m->spans);
    RELEASE(m->starts);
    RELEASE(m->last_change);
    RELEASE(m->heap);
    RELEASE(m->steps);
    RELEASE(m->changed);
    RELEASE(m->after_counts);
    for (int side = 0; side < 2; side++) {
        Beside *beside = side ? &m->after : &m->before;
        RELEASE(beside->groups);
        RELEASE(beside->group_of);
        RELEASE(beside->starts);
        RELEASE(beside->groups_of_starts);
    }
}

EXPORT void merger_free(Merger *m) {
    merger_finish(m);
    RELEASE(m->pairs);
    RELEASE(m->counts);
    free(m->slots);
    free(m);
}

/* All that takes memory before the first step; whether there was enough. */
static int begin(Merger *m, const uint8_t *bytes, const int64_t *ends, const int64_t *times,
                 int64_t pretokens, int64_t first_id, int64_t *totals) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return 0;
    m->times = allocated(pretokens, sizeof *m->times);
    copy(m->times, times, pretokens * (int64_t)sizeof *times);
    lay_out(m, bytes, ends, pretokens);
    for (int64_t id = 0; id < first_id; id++) /* a special token stands nowhere */
        add_token(m, id < BYTES ? (Span){id, id + 1} : (Span){0, 0});
    grow_slots(m, FIRST_SLOTS);
    add_byte_pairs(m, totals, totals + BYTE_PAIRS);
    return 1;
}

/* The pretokens stand one after the other in `bytes`, each up to its end; each occurs `times`.
 * The first merge gets `first_id`. NULL: there is no memory, or no such tie rule. */
EXPORT Merger *merger_new(const uint8_t *bytes, const int64_t *ends, const int64_t *times,
                          int64_t pretokens, int64_t first_id, const char *tie_rule,
                          const int32_t *tie_ids, int64_t min_count, int64_t longest,
                          uint64_t seed) {
    Merger *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->wins = tie_rule_named(tie_rule);
    memcpy(m->tie_ids, tie_ids, sizeof m->tie_ids);
    m->seed = seed | 1;
    m->min_count = min_count;
    m->longest = longest;
    m->floor = INT64_MAX;
    int64_t *totals = calloc(2 * BYTE_PAIRS, sizeof *totals);
    const int begun = m->wins != NULL && totals != NULL &&
                      begin(m, bytes, ends, times, pretokens, first_id, totals);
    free(totals);
    if (begun) return m;
    merger_free(m);
    return NULL;
}

/* Merge, at the most so many steps, or until so many changes have come together. Tells the number
 * of steps, which are in `merger_steps` until the next call; `FAILED` without memory, and then
 * nothing but looking pairs up may follow. */
EXPORT int64_t merger_run(Merger *m, int64_t steps, int64_t changes) {
    jmp_buf place;
    out_of_memory = &place;
    if (setjmp(place)) return FAILED;
    m->told += m->changed.length;
    m->steps.length = m->changed.length = m->after_counts.length = 0;
    while (m->steps.length < steps && m->changed.length < changes) {
        const int32_t pair = best_pair(m);
        if (pair < 0 || m->counts.at[pair] < m->min_count) break;
        merge(m, pair);
    }
    return m->steps.length;
}

/* The number of a pair; −1 for one that never stood side by side. */
EXPORT int64_t merger_number_of(const Merger *m, int32_t left, int32_t right) {
    return number_of(m, left, right);
}

EXPORT const Step *merger_steps(const Merger *m) { return m->steps.at; }
EXPORT const int32_t *merger_changed(const Merger *m) { return m->changed.at; }
EXPORT const int64_t *merger_after(const Merger *m) { return m->after_counts.at; }
EXPORT const Pair *merger_pairs(const Merger *m) { return m->pairs.at; }
EXPORT const int64_t *merger_counts(const Merger *m) { return m->counts.at; }
EXPORT int64_t merger_pair_count(const Merger *m) { return m->pairs.length; }
