/* Encoding: a text is cut into pieces; each different piece is merged once and then remembered.
 *
 * Pieces are looked up a batch at a time: first all are hashed and their entries asked for, then
 * compared. So many entries are waited for as long as one. A new piece is cut into pretokens by the
 * scanner and merged. Python cuts it, all pieces of a stretch together, if there is no scanner or if
 * the scanner lacks a page of characters.
 */
#include "encoder.h"

enum {
    EXACT = 16,          /* bytes of the longest piece that is in its entry */
    LONG_KEY = EXACT + 1,
    PENDING = 0,
    MANY = INLINE + 1,
    FEW_ENTRIES = 1 << 12,
    LONGEST = 1 << 12,   /* bytes of the longest piece that is remembered */
    STRETCH = 1 << 14,   /* pieces encoded by one call */
    BATCH = 256,         /* pieces in a batch */
    MANY_NEW = 1 << 15,  /* entries that are kept only if most pieces are met again */
    WRONG = -2
};

/* A piece to be looked up: the fields of its entry, its hash, its text. */
typedef struct { uint64_t head, tail, hash; const uint8_t *text; int64_t length; } Key;

static const uint64_t FIRST_BYTES[9] = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, ~0ull};

static inline uint64_t word_of(const uint8_t *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

static inline uint64_t hash_of_entry(const Encoder *e, uint64_t head, uint64_t tail, int64_t length) {
    return scrambled(scrambled(head ^ (uint64_t)length, e->rules->seed) ^ tail, e->rules->seed);
}

/* Return the key of a piece beyond `EXACT`; its last bytes are read as a whole word, too. */
static Key long_key(const Encoder *e, const uint8_t *text, int64_t length) {
    uint64_t hash = (uint64_t)length;
    for (int64_t at = 0; at < length - WORD; at += WORD)
        hash = scrambled(hash ^ word_of(text + at), e->rules->seed);
    hash = scrambled(hash ^ word_of(text + length - WORD), e->rules->seed);
    return (Key){hash, (uint64_t)length, hash, text, length};
}

/* Return the key of a piece. Nothing is read from `end` on. */
static inline Key key_of(const Encoder *e, const uint8_t *text, int64_t length, const uint8_t *end) {
    if (length > EXACT) return long_key(e, text, length);
    uint8_t last[EXACT];
    const uint8_t *from = text;
    if (end - text < EXACT) {
        memset(last, 0, sizeof last);
        from = memcpy(last, text, (size_t)length);
    }
    const uint64_t head = word_of(from) & FIRST_BYTES[length < WORD ? length : WORD];
    const uint64_t tail = word_of(from + WORD) & FIRST_BYTES[length < WORD ? 0 : length - WORD];
    return (Key){head, tail, hash_of_entry(e, head, tail, length), text, length};
}

/* -- entries and records */

static inline int64_t place_of_record(const Entry *entry) {
    int64_t place;
    memcpy(&place, entry->ids, sizeof place);
    return place;
}

/* Return the number of items in a record before its ids. */
static inline int64_t before_ids(const Entry *entry) {
    return 1 + (entry->length == LONG_KEY ? (int64_t)(entry->tail + 3) / 4 : 0);
}

static bool has_text(const Encoder *e, const Entry *entry, const Key *key) {
    return !memcmp(e->records.at + place_of_record(entry) + 1, key->text, (size_t)key->length);
}

/* Return the entry of a piece, or the free entry for it. */
static inline Entry *entry_of(const Encoder *e, const Key *key) {
    const uint8_t length = key->length > EXACT ? LONG_KEY : (uint8_t)key->length;
    for (uint64_t place = key->hash & e->mask;; place = (place + 1) & e->mask) {
        Entry *entry = &e->entries[place];
        const bool same =
            entry->head == key->head && entry->tail == key->tail && entry->length == length;
        if (same && (length != LONG_KEY || has_text(e, entry, key))) return entry;
        if (entry->length == 0) return entry;
    }
}

static bool grow_entries(Encoder *e, int64_t count) {
    Entry *entries = zeroed_table(count, sizeof *entries);
    TRY(entries);
    const uint64_t mask = (uint64_t)count - 1;
    const Entry *end = e->entries ? e->entries + e->mask + 1 : NULL;
    for (const Entry *old = e->entries; old < end; old++) {
        if (old->length == 0) continue;
        const uint64_t hash = old->length == LONG_KEY
                                  ? old->head
                                  : hash_of_entry(e, old->head, old->tail, old->length);
        uint64_t place = hash & mask;
        while (entries[place].length) place = (place + 1) & mask;
        entries[place] = *old;
    }
    free(e->entries);
    e->entries = entries;
    e->mask = mask;
    return true;
}

/* Remember the ids of a piece; none if it is pending. */
static bool store(Encoder *e, const Key *key, const int32_t *ids, int64_t count) {
    Entry *entry = entry_of(e, key);
    const bool is_new = entry->length == 0, is_long = key->length > EXACT;
    const uint8_t length = is_long ? LONG_KEY : (uint8_t)key->length;
    Entry made = {key->head, key->tail, {0}, length, (uint8_t)count};
    if (is_long || count > INLINE) {
        const int64_t place = e->records.length, before = before_ids(&made);
        TRY(RESERVE(e->records, before + count));
        int32_t *record = e->records.at + place;
        *record = (int32_t)count;
        if (is_long) copy(record + 1, key->text, key->length);
        copy(record + before, ids, count * (int64_t)sizeof *ids);
        e->records.length += before + count;
        memcpy(made.ids, &place, sizeof place);
        made.count = count ? MANY : PENDING;
    } else copy(made.ids, ids, count * (int64_t)sizeof *ids);
    *entry = made;
    e->filled += is_new;
    const int64_t entries = (int64_t)e->mask + 1;
    return 3 * e->filled <= 2 * entries || grow_entries(e, 2 * entries);
}

/* -- new pieces */

/* Merge the pretokens of a piece, into `made`. */
static bool make_ids(Encoder *e, const uint8_t *text, const int64_t *lengths, int64_t pretokens) {
    e->made.length = 0;
    for (; pretokens--; text += *lengths++)
        TRY(encode_pretoken(e->rules, &e->space, text, *lengths, &e->made));
    return true;
}

/* Have Python cut a piece. */
static bool suspend(Encoder *e, const Key *key) {
    TRY(APPEND(e->pending_text, key->text, key->length));
    return PUSH(e->pending_sizes, key->length) && store(e, key, NULL, 0);
}

/* Encode a piece that is not in the table, and remember it unless it is very long. */
static bool encode_new(Encoder *e, const Key *key) {
    int64_t begin = 0, pretokens = 1;
    const int64_t *lengths = &key->length;
    const bool is_pretoken = !e->rules->borders.has_tables;
    if (!is_pretoken && (!e->scanner || scanner_missing_page(e->scanner, key->text, key->length, &begin) >= 0))
        return suspend(e, key);
    if (!is_pretoken) {
        TRY((pretokens = scanner_cut(e->scanner, key->text, &key->length, 1)) >= 0);
        lengths = scanner_lengths(e->scanner);
    }
    TRY(make_ids(e, key->text, lengths, pretokens));
    TRY(key->length > LONGEST || store(e, key, e->made.at, e->made.length));
    return APPEND(e->ids, e->made.at, e->made.length);
}

/* -- a stretch of text */

/* Encode a piece whose ids are not in its entry. */
static bool encode_rarely(Encoder *e, const Key *key, const Entry *entry) {
    if (entry->length == 0) return encode_new(e, key);
    if (entry->count == PENDING) return true;
    const int32_t *record = e->records.at + place_of_record(entry);
    return APPEND(e->ids, record + before_ids(entry), *record);
}

/* Encode some pieces. Return their number, FAILED without memory. Nothing is read from `end` on. */
static int encode_pieces(Encoder *e, const uint8_t **at, const uint8_t *stop, const uint8_t *end) {
    const uint8_t *ends[BATCH];
    Key keys[BATCH];
    const int found = find_ends(&e->rules->borders, *at, stop, ends, BATCH);
    e->met += found;
    for (int each = 0; each < found; *at = ends[each++]) {
        keys[each] = key_of(e, *at, ends[each] - *at, end);
        PREFETCH(&e->entries[keys[each].hash & e->mask]);
    }
    for (int each = 0; each < found;) {
        /* One id more is written than there may be: an entry is copied whole. */
        if (!RESERVE(e->ids, INLINE * (found - each) + 1)) return FAILED;
        int32_t *ids = e->ids.at + e->ids.length;
        const Entry *entry = NULL;
        for (; each < found; each++) {
            entry = entry_of(e, &keys[each]);
            if (entry->count == PENDING || entry->count == MANY) break;
            memcpy(ids, entry->ids, (INLINE + 1) * sizeof *ids);
            ids += entry->count;
        }
        e->ids.length = ids - e->ids.at;
        if (each < found && !encode_rarely(e, &keys[each++], entry)) return FAILED;
    }
    return found;
}

static void find_special(Encoder *e, const Specials *specials, const uint8_t *text, int64_t size,
                         int64_t begin) {
    e->searched = begin;
    e->special_at = next_special(specials, text + begin, text + size, &e->special) - text;
}

static void release_memory(Encoder *e) {
    RELEASE(e->records);
    RELEASE(e->pending_text);
    RELEASE(e->pending_sizes);
    free(e->entries);
    e->entries = NULL;
    e->filled = e->met = 0;
    e->resumes = false;
}

/* Forget all pieces. */
EXPORT int64_t encoder_forget(Encoder *e) {
    release_memory(e);
    return grow_entries(e, FEW_ENTRIES) ? 0 : FAILED;
}

static int64_t bytes_taken(const Encoder *e) {
    return (int64_t)sizeof(Entry) * (int64_t)(e->mask + 1) +
           (int64_t)sizeof(int32_t) * e->records.length;
}

/* Forget all pieces, but keep the memory, if hardly any has been met again: a table that outgrows the
 * processor's cache would only cost time. */
static void forget_unmet(Encoder *e) {
    if (e->filled < MANY_NEW || e->met >= 2 * e->filled) return;
    memset(e->entries, 0, (size_t)(e->mask + 1) * sizeof *e->entries);
    e->filled = e->met = e->records.length = 0;
}

int64_t encoder_encode(Encoder *e, const Specials *specials, const uint8_t *text, int64_t size,
                       int64_t begin) {
    const bool is_full = !e->resumes && bytes_taken(e) > e->room;
    if ((e->entries == NULL || is_full) && encoder_forget(e)) return FAILED;
    if (!e->resumes) forget_unmet(e);
    e->resumes = false;
    e->ids.length = 0;
    if (begin == 0 || begin < e->searched || begin > e->special_at)
        find_special(e, specials, text, size, begin);
    const uint8_t *at = text + begin, *end = text + size;
    for (int64_t pieces = 0; at < end && pieces < STRETCH; pieces++) {
        if (at == text + e->special_at) { /* not the end, so it is a special token */
            if (!PUSH(e->ids, e->special->id)) return FAILED;
            at += e->special->size;
            find_special(e, specials, text, size, at - text);
            continue;
        }
        const int encoded = encode_pieces(e, &at, text + e->special_at, end);
        if (encoded < 0) return FAILED;
        pieces += encoded;
    }
    return at - text;
}

/* -- called by Python */

EXPORT void encoder_free(Encoder *e) {
    release_memory(e);
    RELEASE(e->ids);
    RELEASE(e->made);
    release_workspace(&e->space);
    free(e);
}

/* Make an encoder. `scanner` may be NULL. NULL without memory. */
EXPORT Encoder *encoder_new(const Rules *rules, Scanner *scanner, int64_t room) {
    Encoder *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->rules = rules;
    e->scanner = scanner;
    e->room = room;
    if (grow_entries(e, FEW_ENTRIES)) return e;
    encoder_free(e);
    return NULL;
}

/* Of the last stretch: the number of its ids, and the ids. */
EXPORT int64_t encoder_id_count(const Encoder *e) { return e->ids.length; }
EXPORT const int32_t *encoder_ids(const Encoder *e) { return e->ids.at; }

/* The pieces that Python has to cut: their number, their sizes, and their text, joined. */
EXPORT int64_t encoder_pending(const Encoder *e) { return e->pending_sizes.length; }
EXPORT const int64_t *encoder_pending_sizes(const Encoder *e) { return e->pending_sizes.at; }
EXPORT const uint8_t *encoder_pending_text(const Encoder *e) { return e->pending_text.at; }

/* Learn the pending pieces. `lengths`: of all their pretokens, in order. WRONG if these do not add
 * up to the pieces. */
EXPORT int64_t encoder_learn(Encoder *e, const int64_t *lengths, int64_t pretokens) {
    const uint8_t *text = e->pending_text.at, *end = text + e->pending_text.length;
    for (int64_t piece = 0; piece < e->pending_sizes.length; piece++) {
        const int64_t size = e->pending_sizes.at[piece];
        int64_t count = 0;
        for (int64_t left = size; left; left -= lengths[count++])
            if (count == pretokens || lengths[count] < 1 || lengths[count] > left) return WRONG;
        const Key key = key_of(e, text, size, end);
        if (!make_ids(e, text, lengths, count)) return FAILED;
        if (!store(e, &key, e->made.at, e->made.length)) return FAILED;
        text += size;
        lengths += count;
        pretokens -= count;
    }
    e->pending_text.length = e->pending_sizes.length = 0;
    e->resumes = true;
    return pretokens ? WRONG : 0;
}

/* Return the address of `busy`, for Python. */
EXPORT int32_t *encoder_busy(Encoder *e) { return &e->busy; }
