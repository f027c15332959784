/* The merge of each token of a vocabulary that only ranks them: engine/formats/merges_of_ranks.py
 * explains it. */
#include "pieces.h"

/* A part of a token, and the place of the token that it makes with the next part; NEVER if none. */
typedef struct { int64_t begin, end; int32_t joined; } TokenPart;
typedef ARRAY(TokenPart) TokenParts;
enum { NEVER = INT32_MAX };

/* The tokens; the places of those of one and two bytes, which are looked up most; a bit for each of many
 * hashes: 0 if no token has it. Most texts that are looked up are no tokens. */
enum { HASH_BITS = 22 };
typedef struct {
    Pieces all;
    int32_t of_one[256], of_two[1 << 16];
    uint8_t are_there[1 << (HASH_BITS - 3)];
} RankedTokens;

/* Hash a text by its first bytes and its length. */
static uint32_t hash_of_text(const RankedTokens *t, const uint8_t *text, int64_t length) {
    uint64_t word;
    memcpy(&word, text, WORD);
    if (length < WORD) word &= (1ull << 8 * length) - 1;
    return (uint32_t)(scrambled(word ^ (uint64_t)length << 57, t->all.seed) >> (64 - HASH_BITS));
}

static int32_t place_of(const RankedTokens *t, const uint8_t *text, int64_t begin, int64_t end) {
    if (end - begin == 1) return t->of_one[text[begin]];
    if (end - begin == 2) return t->of_two[text[begin] | text[begin + 1] << 8];
    const uint32_t hash = hash_of_text(t, text + begin, end - begin);
    if (!(t->are_there[hash >> 3] >> (hash & 7) & 1)) return NEVER;
    const Piece *piece = known_piece(&t->all, text + begin, end - begin);
    return piece ? (int32_t)(piece - t->all.pieces.at) : NEVER;
}

static void look_up(const RankedTokens *t, const uint8_t *text, TokenParts *parts, int64_t at) {
    if (at < 0 || at + 1 >= parts->length) return;
    parts->at[at].joined = place_of(t, text, parts->at[at].begin, parts->at[at + 1].end);
}

/* Encode a token's own bytes until two parts are left. False without memory. */
static bool encode_token(const RankedTokens *t, const uint8_t *text, int64_t length, TokenParts *parts) {
    parts->length = 0;
    for (int64_t at = 0; at < length; at++) TRY(PUSH(*parts, ((TokenPart){at, at + 1, NEVER})));
    for (int64_t at = 0; length > 2 && at + 1 < length; at++) look_up(t, text, parts, at);
    while (parts->length > 2) {
        int64_t best = 0;
        for (int64_t at = 1; at + 1 < parts->length; at++)
            if (parts->at[at].joined < parts->at[best].joined) best = at;
        if (parts->at[best].joined == NEVER) return true;
        parts->at[best].end = parts->at[best + 1].end;
        parts->length--;
        memmove(parts->at + best + 1, parts->at + best + 2,
                (size_t)(parts->length - best - 1) * sizeof *parts->at);
        look_up(t, text, parts, best - 1);
        look_up(t, text, parts, best);
    }
    return true;
}

static bool number_tokens(RankedTokens *t, const uint8_t *token, const int64_t *sizes, int64_t count) {
    for (int place = 0; place < 1 << 16; place++) t->of_two[place] = NEVER;
    for (int32_t each = 0; each < count; token += sizes[each++]) {
        TRY(number_of_piece(&t->all, token, sizes[each]) == each);
        const uint32_t hash = hash_of_text(t, token, sizes[each]);
        t->are_there[hash >> 3] |= (uint8_t)(1 << (hash & 7));
        if (sizes[each] == 1) t->of_one[*token] = each;
        if (sizes[each] == 2) t->of_two[token[0] | token[1] << 8] = each;
    }
    return true;
}

/* The merges: the two ids of each; the number of the merge and the id that it makes. Then the tokens
 * that no merge makes, by place. Ids are ranks. */
typedef struct { int32_t *pairs, *made, *unmade; } Merges;

static bool split(const RankedTokens *t, const uint8_t *token, const int64_t *sizes,
                  const int32_t *ranks, int64_t count, TokenParts *parts, Merges to, int32_t *merges) {
    for (int32_t each = 0; each < count; token += sizes[each++]) {
        TRY(encode_token(t, token, sizes[each], parts));
        if (parts->length == 2) {
            *to.pairs++ = ranks[place_of(t, token, 0, parts->at[0].end)];
            *to.pairs++ = ranks[place_of(t, token, parts->at[1].begin, sizes[each])];
            *to.made++ = (*merges)++;
            *to.made++ = ranks[each];
        } else if (parts->length > 2) *to.unmade++ = each;
    }
    return true;
}

/* Find the last merge of each token. `text`: the different tokens joined, in order of rank; after it 8
 * bytes may be read. `merges` has room for as many as there are tokens. Return their number; FAILED
 * without memory. */
EXPORT int64_t ranks_split(const uint8_t *text, const int64_t *sizes, const int32_t *ranks,
                           int64_t count, const Merges *merges, uint64_t seed) {
    RankedTokens *tokens = calloc(1, sizeof *tokens);
    TokenParts parts = {0};
    int32_t found = 0;
    const bool done = tokens && start_pieces(&tokens->all, seed) &&
                      number_tokens(tokens, text, sizes, count) &&
                      split(tokens, text, sizes, ranks, count, &parts, *merges, &found);
    if (tokens) release_pieces(&tokens->all);
    free(tokens);
    RELEASE(parts);
    return done ? found : FAILED;
}

static int digit_of_base64(uint8_t c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    return c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Read lines of a token in base64, a space and its rank. After the lines there is a 0. Write the tokens
 * joined, their sizes and ranks; return how many they are, FAILED if a line is not plain. */
EXPORT int64_t ranks_read(const uint8_t *at, uint8_t *text, int64_t *sizes, int32_t *ranks) {
    int64_t count = 0;
    for (; *at; count++) {
        const uint8_t *begin = text, *spelled = at;
        uint32_t bits = 0;
        int held = 0, digits = 0;
        for (int digit; (digit = digit_of_base64(*at)) >= 0; at++) {
            bits = bits << 6 | (uint32_t)digit;
            if ((held += 6) >= 8) *text++ = (uint8_t)(bits >> (held -= 8));
        }
        if (text == begin || held == 6 || bits & ((1u << held) - 1)) return FAILED;
        for (; (at - spelled) % 4; at++)
            if (*at != '=') return FAILED;
        if (*at++ != ' ') return FAILED;
        int32_t rank = 0;
        for (; *at >= '0' && *at <= '9' && digits < 9; digits++) rank = 10 * rank + *at++ - '0';
        if (digits == 0 || *at++ != '\n') return FAILED;
        *sizes++ = text - begin;
        *ranks++ = rank;
    }
    return count;
}
