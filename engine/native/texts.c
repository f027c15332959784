/* Encoding Python's texts: from a `str` to a list of ids in one call, without objects in between.
 *
 * Only this file knows Python. It declares what it needs of the stable ABI, which is the same for all
 * versions, and gets the addresses from engine/native/host.py. So the library is compiled without
 * Python's headers, and one library serves all versions. A list that Python lends owns the integers
 * that are kept here. All functions here are called with the GIL;
 * `texts_encode_all` releases it while it encodes.
 */
#include "encoder.h"

typedef struct Object Object;

/* The beginning of every object: stable, too, but for Python without its lock. */
struct Object { ptrdiff_t references; Object *type; };

/* Two objects and functions of Python, in the order of `_NAMES` of engine/native/host.py. */
typedef struct {
    Object *none, *int_type;
    void (*increment)(Object *object);
    void (*decrement)(Object *object);
    void *(*pointer)(Object *number);
    ptrdiff_t (*text_length)(Object *text);
    Object *(*utf_8)(Object *text);
    char *(*bytes)(Object *bytes);
    ptrdiff_t (*bytes_size)(Object *bytes);
    Object *(*number)(long number);
    Object *(*new_list)(ptrdiff_t size);
    ptrdiff_t (*list_size)(Object *list);
    Object *(*list_item)(Object *list, ptrdiff_t place); /* borrowed */
    int (*set_item)(Object *list, ptrdiff_t place, Object *item); /* takes the item over */
    int (*append)(Object *list, Object *item);
    void (*clear_error)(void);
    Object *(*no_memory)(void); /* sets the error, returns NULL */
    int (*check_signals)(void);
    long (*as_long)(Object *number);
    Object *(*new_bytes)(const char *bytes, ptrdiff_t size);
    Object *(*decode)(const char *bytes, ptrdiff_t size, const char *errors);
    void *(*release_lock)(void);
    void (*acquire_lock)(void *state);
} Host;

static Host host;

/* Set the functions of Python, once for the process. */
EXPORT void host_set(const Host *functions) { host = *functions; }

/* -- ids as Python's integers, each made once */

/* The integer of each id below `room`, NULL if no text has needed it. `keeper`, a list of Python's,
 * owns them. */
typedef struct { Object *keeper; Object **of_id; int64_t room; } Numbers;

EXPORT void numbers_free(Numbers *n) {
    free(n->of_id);
    free(n);
}

EXPORT Numbers *numbers_new(Object *keeper, int64_t room) {
    Numbers *n = calloc(1, sizeof *n);
    if (n == NULL) return NULL;
    *n = (Numbers){keeper, zeroed(room, sizeof *n->of_id), room};
    if (n->of_id) return n;
    numbers_free(n);
    return NULL;
}

/* Return a new reference to the integer of an id that is not in the table; NULL without memory. */
static Object *new_number(Numbers *n, int32_t id) {
    Object *number = host.number(id);
    if (number == NULL || id >= n->room) return number;
    if (host.append(n->keeper, number) == 0) n->of_id[id] = number;
    else host.clear_error();
    return number;
}

static inline Object *known_number(const Numbers *n, int32_t id) {
    return id < n->room ? n->of_id[id] : NULL;
}

/* Ask for the integer of an id that is needed soon: its references are counted in it. */
static inline void prefetch_number(const Numbers *n, const int32_t *ids, int64_t each, int64_t count) {
    enum { AHEAD = 16 };
    if (each + AHEAD < count) PREFETCH(known_number(n, ids[each + AHEAD]));
}

static inline Object *number_of(Numbers *n, int32_t id) {
    Object *known = known_number(n, id);
    if (known == NULL) return new_number(n, id);
    host.increment(known);
    return known;
}

/* Return a list of ids, NULL without memory. */
static Object *list_of(Numbers *n, const int32_t *ids, int64_t count) {
    Object *list = host.new_list(count);
    for (int64_t each = 0; list && each < count; each++) {
        prefetch_number(n, ids, each, count);
        Object *number = number_of(n, ids[each]);
        if (number) host.set_item(list, each, number);
        else host.decrement(list), list = NULL;
    }
    return list;
}

/* Append ids to a list. FAILED without memory. */
EXPORT int64_t numbers_append(Numbers *n, Object *list, const int32_t *ids, int64_t count) {
    for (int64_t each = 0; each < count; each++) {
        prefetch_number(n, ids, each, count);
        Object *known = known_number(n, ids[each]);
        Object *number = known ? known : new_number(n, ids[each]);
        if (number == NULL) return FAILED;
        const int failed = host.append(list, number);
        if (known == NULL) host.decrement(number);
        if (failed) return FAILED;
    }
    return 0;
}

/* -- texts */

enum {
    SHORT = 1 << 14, /* characters of the longest text that is encoded here */
    GROUP = 1 << 17, /* bytes that are encoded without the GIL */
    TEXTS = 1 << 10  /* texts in a group */
};

/* What encodes texts around special tokens. */
typedef struct {
    Encoder *encoder;
    const Specials *specials;
    Numbers *numbers;
} Texts;

EXPORT void texts_free(Texts *t) { free(t); }

EXPORT Texts *texts_new(Encoder *encoder, const Specials *specials, Numbers *numbers) {
    Texts *t = calloc(1, sizeof *t);
    if (t) *t = (Texts){encoder, specials, numbers};
    return t;
}

static Object *none(void) {
    host.increment(host.none);
    return host.none;
}

/* Return a short text as UTF-8; NULL for a long one, for stray surrogates and for other objects. */
static Object *short_utf_8(Object *text) {
    const ptrdiff_t length = host.text_length(text);
    Object *utf_8 = length >= 0 && length <= SHORT ? host.utf_8(text) : NULL;
    if (utf_8 == NULL) host.clear_error();
    return utf_8;
}

/* Encode a short text; its ids are in the encoder. Return whether that was possible in one go. */
static bool encode_short(Texts *t, const uint8_t *text, int64_t size) {
    const int64_t end = encoder_encode(t->encoder, t->specials, text, size, 0);
    if (end == FAILED) encoder_forget(t->encoder);
    return end == size && t->encoder->pending_sizes.length == 0;
}

/* Return a list of the ids in the encoder, NULL without memory. A new list may start a garbage
 * collection, and a finalizer may encode meanwhile; so the encoder does without these ids. */
static Object *list_of_encoded(Texts *t) {
    Ids *ids = &t->encoder->ids, kept = *ids;
    *ids = (Ids){0};
    Object *list = list_of(t->numbers, kept.at, kept.length);
    RELEASE(*ids);
    *ids = kept;
    return list;
}

/* Return the ids of a text; None if the general way has to be taken. `self`: the address of `Texts`,
 * as an integer. */
EXPORT Object *texts_encode(Object *self, Object *text) {
    Texts *t = host.pointer(self);
    Object *utf_8 = t->encoder->busy ? NULL : short_utf_8(text);
    if (utf_8 == NULL) return none();
    const bool encoded =
        encode_short(t, (const uint8_t *)host.bytes(utf_8), host.bytes_size(utf_8));
    host.decrement(utf_8);
    Object *list = encoded ? list_of_encoded(t) : NULL;
    if (list) return list;
    host.clear_error();
    return none();
}

/* Some texts as UTF-8, NULL for one that is not short; the number of ids of each, FAILED if the
 * general way has to be taken; all ids. */
typedef struct { Object *utf_8[TEXTS]; int64_t counts[TEXTS]; int64_t length; Ids ids; } Group;

/* Take texts of a list from a place on. */
static void take_texts(Group *g, Object *texts, ptrdiff_t begin, ptrdiff_t end) {
    int64_t size = 0;
    for (g->length = 0; g->length < TEXTS && begin < end && size < GROUP; begin++) {
        Object *utf_8 = short_utf_8(host.list_item(texts, begin));
        size += utf_8 ? host.bytes_size(utf_8) : 0;
        g->utf_8[g->length++] = utf_8;
    }
}

/* Encode a text of a group, without the GIL. */
static int64_t encode_in_group(Texts *t, Group *g, const uint8_t *text, int64_t size) {
    if (!encode_short(t, text, size)) return FAILED;
    const Ids *ids = &t->encoder->ids;
    return APPEND(g->ids, ids->at, ids->length) ? ids->length : FAILED;
}

static void encode_group(Texts *t, Group *g) {
    const uint8_t *text[TEXTS];
    int64_t size[TEXTS];
    for (int64_t each = 0; each < g->length; each++) {
        text[each] = g->utf_8[each] ? (const uint8_t *)host.bytes(g->utf_8[each]) : NULL;
        size[each] = g->utf_8[each] ? host.bytes_size(g->utf_8[each]) : 0;
    }
    g->ids.length = 0;
    void *state = host.release_lock();
    for (int64_t each = 0; each < g->length; each++)
        g->counts[each] = text[each] ? encode_in_group(t, g, text[each], size[each]) : FAILED;
    host.acquire_lock(state);
    for (int64_t each = 0; each < g->length; each++)
        if (g->utf_8[each]) host.decrement(g->utf_8[each]);
}

/* Put the ids of a group into a list from a place on. Return false if there is not enough memory or
 * the program was interrupted. */
static bool give_ids(Texts *t, const Group *g, Object *lists, ptrdiff_t begin) {
    const int32_t *ids = g->ids.at;
    for (int64_t each = 0; each < g->length; each++) {
        const int64_t count = g->counts[each];
        Object *list = count == FAILED ? none() : list_of(t->numbers, ids, count);
        TRY(list);
        ids += count == FAILED ? 0 : count;
        host.set_item(lists, begin + each, list);
    }
    return host.check_signals() == 0;
}

/* Return the ids of each text of a list that nobody changes; None for those where the general way
 * has to be taken. The GIL is released meanwhile, so the caller has to keep the encoder for itself. */
EXPORT Object *texts_encode_all(Object *self, Object *texts) {
    Texts *t = host.pointer(self);
    const ptrdiff_t end = host.list_size(texts);
    Group *g = calloc(1, sizeof *g);
    Object *lists = g ? host.new_list(end) : NULL;
    bool done = lists != NULL;
    for (ptrdiff_t begin = 0; done && begin < end; begin += g->length) {
        take_texts(g, texts, begin, end);
        encode_group(t, g);
        done = give_ids(t, g, lists, begin);
    }
    if (g == NULL) return host.no_memory();
    RELEASE(g->ids);
    free(g);
    if (done || lists == NULL) return lists;
    host.decrement(lists);
    return NULL;
}

/* -- decoding */

enum { AT_ONCE = 16 }; /* bytes that are copied together; as many may be read after the last token */

/* The bytes of a token in `text`; `size` −1 if no token has the id. */
typedef struct { int64_t begin, size; } Token;

/* The tokens of a vocabulary by id. The rest is memory for one call. */
typedef struct { ARRAY(Token) tokens; ARRAY(uint8_t) text; Ids ids; ARRAY(char) out; } Tokens;

EXPORT void tokens_free(Tokens *t) {
    RELEASE(t->tokens);
    RELEASE(t->text);
    RELEASE(t->ids);
    RELEASE(t->out);
    free(t);
}

/* Make a table of tokens: joined, in the order of their ids. NULL without memory. */
EXPORT Tokens *tokens_new(const uint8_t *text, const int64_t *sizes, int64_t count) {
    Tokens *t = calloc(1, sizeof *t);
    int64_t size = 0;
    bool made = t && RESERVE(t->tokens, count);
    for (int64_t id = 0; made && id < count; size += sizes[id] > 0 ? sizes[id] : 0, id++)
        t->tokens.at[t->tokens.length++] = (Token){size, sizes[id]};
    made = made && RESERVE(t->text, size + AT_ONCE);
    if (made) {
        memset(t->text.at + size, 0, AT_ONCE);
        copy(t->text.at, text, size);
        return t;
    }
    if (t) tokens_free(t);
    return NULL;
}

/* Join the tokens of ids in `out`. Return false if an id has no token, or without memory. */
static bool join_tokens(Tokens *t, const int32_t *ids, int64_t count) {
    int64_t size = 0;
    for (int64_t each = 0; each < count; each++) {
        if (ids[each] < 0 || ids[each] >= t->tokens.length) return false;
        const int64_t more = t->tokens.at[ids[each]].size;
        if (more < 0) return false;
        size += more;
    }
    t->out.length = 0;
    TRY(RESERVE(t->out, size + AT_ONCE));
    char *to = t->out.at;
    for (int64_t each = 0; each < count; each++) {
        const Token token = t->tokens.at[ids[each]];
        const uint8_t *from = t->text.at + token.begin;
        if (token.size <= AT_ONCE) memcpy(to, from, AT_ONCE);
        else memcpy(to, from, (size_t)token.size);
        to += token.size;
    }
    t->out.length = size;
    return true;
}

/* Take the ids of a list; false if one is no `int`, or too large for 32 bits. */
static bool take_ids(Tokens *t, Object *list) {
    const ptrdiff_t count = host.list_size(list);
    t->ids.length = 0;
    if (count < 0 || !RESERVE(t->ids, count)) return false;
    for (ptrdiff_t each = 0; each < count; each++) {
        Object *item = host.list_item(list, each);
        if (item->type != host.int_type) return false;
        const long id = host.as_long(item);
        if (id < 0 || id > INT32_MAX) return false;
        t->ids.at[t->ids.length++] = (int32_t)id;
    }
    return true;
}

/* Memory that a long text has needed is given back. */
static Object *given_back(Tokens *t, Object *result) {
    if (t->out.room > GROUP) {
        RELEASE(t->out);
        RELEASE(t->ids);
    }
    if (result) return result;
    host.clear_error();
    return none();
}

static bool join_list(Tokens *t, Object *list) {
    return take_ids(t, list) && join_tokens(t, t->ids.at, t->ids.length);
}

/* Return the bytes, or the text, of a list of ids, or the bytes of an array; None if the general way
 * has to be taken. */
EXPORT Object *tokens_bytes(Object *self, Object *list) {
    Tokens *t = host.pointer(self);
    return given_back(t, join_list(t, list) ? host.new_bytes(t->out.at, t->out.length) : NULL);
}

EXPORT Object *tokens_text(Object *self, Object *list) {
    Tokens *t = host.pointer(self);
    return given_back(t, join_list(t, list) ? host.decode(t->out.at, t->out.length, "replace") : NULL);
}

EXPORT Object *tokens_bytes_of_array(Tokens *t, const int32_t *ids, int64_t count) {
    const bool joined = join_tokens(t, ids, count);
    return given_back(t, joined ? host.new_bytes(t->out.at, t->out.length) : NULL);
}
