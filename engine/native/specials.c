/* Finding special tokens. */
#include "specials.h"

bool set_specials(Specials *s, const uint8_t *text, const int64_t *sizes, const int32_t *ids,
                  int64_t count) {
    int64_t size = 0;
    for (int64_t each = 0; each < count; size += sizes[each++]) s->first[text[size] + 1]++;
    TRY(RESERVE(s->text, size + 1));
    TRY(RESERVE(s->tokens, count + 1));
    copy(s->text.at, text, size);
    for (int byte = 0; byte < 256; byte++) {
        if (s->first[byte + 1]) s->first_bytes++, s->first_byte = (uint8_t)byte;
        s->first[byte + 1] += s->first[byte];
    }
    int32_t next[256];
    memcpy(next, s->first, sizeof next);
    int64_t begin = 0;
    for (int64_t each = 0; each < count; begin += sizes[each++])
        s->tokens.at[next[text[begin]]++] = (SpecialToken){begin, sizes[each], ids ? ids[each] : 0};
    s->text.length = size;
    s->tokens.length = count;
    return true;
}

void release_specials(Specials *s) {
    RELEASE(s->text);
    RELEASE(s->tokens);
}

/* Return the special token at a place, NULL if there is none. */
static const SpecialToken *special_at(const Specials *s, const uint8_t *at, const uint8_t *end) {
    const SpecialToken *tokens = s->tokens.at;
    for (int32_t each = s->first[*at]; each < s->first[*at + 1]; each++)
        if (tokens[each].size <= end - at &&
            !memcmp(s->text.at + tokens[each].begin, at, (size_t)tokens[each].size))
            return &tokens[each];
    return NULL;
}

const uint8_t *next_special(const Specials *s, const uint8_t *at, const uint8_t *end,
                            const SpecialToken **found) {
    *found = NULL;
    if (s->first_bytes == 0) return end;
    for (; at < end; at++) {
        if (s->first_bytes == 1 && !(at = memchr(at, s->first_byte, (size_t)(end - at)))) return end;
        if ((*found = special_at(s, at, end))) return at;
    }
    return end;
}

/* -- called by Python */

EXPORT void specials_free(Specials *s) {
    release_specials(s);
    free(s);
}

/* Make special tokens: joined, longest first. NULL without memory. */
EXPORT Specials *specials_new(const uint8_t *text, const int64_t *sizes, const int32_t *ids,
                              int64_t count) {
    Specials *s = calloc(1, sizeof *s);
    if (s == NULL || set_specials(s, text, sizes, ids, count)) return s;
    specials_free(s);
    return NULL;
}
