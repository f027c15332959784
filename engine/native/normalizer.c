/* SentencePiece's normalizer: engine/pipeline/sentencepiece.py explains what it does.
 *
 * The rules are a double array as it comes with a model; engine/pipeline/double_array.py explains a
 * unit. It may be damaged, so each place in it is checked.
 */
#include "characters.h"
#include "trie.h"

enum { ENDS_KEY = 0x100, FAR = 0x200, LABEL = 0xFF, IS_VALUE = 1u << 31, LONGEST_RULE = 64 };

typedef struct {
    ARRAY(uint32_t) units;
    ARRAY(uint8_t) texts; /* replacements, each ended by a NUL */
    Trie kept;            /* symbols that stay as they are; without nodes if there are none */
    bool stays[256];      /* ASCII without a rule, unless a character beyond ASCII follows */
    bool removes, marks;  /* of a run of spaces all but the first; spaces become `▁` */
    ARRAY(uint8_t) out;
    bool only_spaces;     /* the text had nothing else */
} Normalizer;

static inline uint32_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & FAR) >> 6); }

/* Step to the child of a node for a byte; return whether there is one. */
static inline bool step(const Normalizer *n, uint32_t *node, uint8_t byte, uint32_t *unit) {
    const uint32_t child = *node ^ byte;
    if (byte == 0 || child >= n->units.length) return false;
    *unit = n->units.at[child];
    if ((*unit & (IS_VALUE | LABEL)) != byte) return false;
    *node = child ^ offset_of(*unit);
    return true;
}

/* Return the bytes of the longest rule that a text begins with, and its replacement; 0 if none does. */
static int64_t longest_rule(const Normalizer *n, const uint8_t *at, const uint8_t *end,
                            const uint8_t **new) {
    int64_t longest = 0;
    uint32_t node = offset_of(n->units.at[0]), unit;
    int characters = 0;
    for (const uint8_t *next = at; next < end && step(n, &node, *next, &unit);) {
        if ((*next++ & 0xC0) != 0x80 && ++characters > LONGEST_RULE) break;
        if (!(unit & ENDS_KEY) || node >= n->units.length) continue;
        const int64_t place = n->units.at[node] & ~IS_VALUE;
        longest = next - at;
        *new = n->texts.at + (place < n->texts.length ? place : n->texts.length - 1);
    }
    return longest;
}

/* Add a text; `after_space`: whether spaces at its beginning are removed. */
static bool add(Normalizer *n, const uint8_t *text, int64_t size, bool *after_space) {
    static const uint8_t mark[] = {0xE2, 0x96, 0x81};
    n->only_spaces &= size == 1 && *text == ' ';
    for (; size && *after_space && *text == ' '; size--) text++;
    for (int64_t at = 0; at < size; at++) {
        const bool is_mark = n->marks && text[at] == ' ';
        TRY(is_mark ? APPEND(n->out, mark, 3) : PUSH(n->out, text[at]));
    }
    if (size) *after_space = n->removes && text[size - 1] == ' ';
    return true;
}

static bool normalize(Normalizer *n, const uint8_t *at, const uint8_t *end) {
    static const uint8_t not_utf_8[] = {0xEF, 0xBF, 0xBD};
    bool after_space = n->removes;
    n->out.length = 0;
    n->only_spaces = true;
    for (int64_t size; at < end; at += size) {
        /* ASCII that no rule changes, in one go. */
        const uint8_t *begin = at;
        while (at < end && n->stays[*at] && (at + 1 == end || at[1] < 0x80)) at++;
        if (at > begin) {
            TRY(APPEND(n->out, begin, at - begin));
            after_space = n->only_spaces = false;
            if (at == end) break;
        }
        int32_t id;
        const uint8_t *new = at;
        if (n->kept.nodes.length && (size = longest_in(&n->kept, 0, at, end - at, &id)))
            TRY(add(n, at, size, &after_space));
        else if (n->units.length && (size = longest_rule(n, at, end, &new)))
            TRY(add(n, new, (int64_t)strlen((const char *)new), &after_space));
        else {
            size = size_of_character(at, end);
            const bool is_invalid = size == 1 && *at >= 0x80;
            TRY(is_invalid ? add(n, not_utf_8, 3, &after_space) : add(n, at, size, &after_space));
        }
    }
    return true;
}

/* -- called by Python */

EXPORT void normalizer_free(Normalizer *n) {
    RELEASE(n->units);
    RELEASE(n->texts);
    RELEASE(n->kept.nodes);
    RELEASE(n->out);
    free(n);
}

static void find_staying(Normalizer *n) {
    for (int byte = 1; byte < 0x80; byte++) {
        uint32_t node = n->units.length ? offset_of(n->units.at[0]) : 0, unit;
        n->stays[byte] = byte != ' ' && !n->kept.nodes.length;
        if (!n->units.length || !step(n, &node, (uint8_t)byte, &unit)) continue;
        if (unit & ENDS_KEY) n->stays[byte] = false;
        for (int next = 1; next < 0x80; next++) {
            uint32_t inner = node;
            if (step(n, &inner, (uint8_t)next, &unit)) n->stays[byte] = false;
        }
    }
}

/* Make a normalizer. `texts` ends with a NUL; `kept`: as in `set_trie`. NULL without memory. */
EXPORT Normalizer *normalizer_new(const uint32_t *units, int64_t unit_count, const uint8_t *texts,
                                  int64_t size, const uint8_t *kept, const int64_t *kept_sizes,
                                  int64_t kept_count, int64_t removes, int64_t marks) {
    Normalizer *n = calloc(1, sizeof *n);
    if (n == NULL) return NULL;
    n->removes = removes;
    n->marks = marks;
    int32_t *ids = zeroed(kept_count, sizeof *ids);
    const bool made = ids && APPEND(n->units, units, unit_count) && APPEND(n->texts, texts, size) &&
                      (!kept_count || set_trie(&n->kept, kept, kept_sizes, ids, kept_count));
    free(ids);
    if (made) {
        find_staying(n);
        return n;
    }
    normalizer_free(n);
    return NULL;
}

/* Normalize a text in UTF-8, without what is added at its ends. Return the address of the new text,
 * `FAILED` without memory, and set its size: −1 if there were only spaces. */
EXPORT int64_t normalizer_run(Normalizer *n, const uint8_t *text, int64_t size, int64_t *new_size) {
    if (!normalize(n, text, text + size)) return FAILED;
    *new_size = n->only_spaces ? -1 : n->out.length;
    return (int64_t)(intptr_t)n->out.at;
}
