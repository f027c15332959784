/* GPT-2's vocabulary and merges, from the text of their files or of a tokenizer.json. Files that are not
 * plain are left to Python, which says what is wrong with them. After each text there is a 0. */
#include "pieces.h"

enum { UNUSUAL = -2, CODES = 0x144 };

/* `byte_of`: the byte that each character spells, below `CODES`; −1 if it spells none. The value of a
 * token is 2 × its id, and one more once a merge makes it. */
typedef struct {
    const int16_t *byte_of;
    Pieces tokens;
    ARRAY(uint8_t) text; /* of the entry that is read */
} Reader;

/* The tokens joined, their sizes and ids; the ids of the two parts of each merge; its number and the id
 * that it makes; the ids of tokens of several bytes that no merge makes; the size that was read of a
 * tokenizer.json. */
typedef struct {
    uint8_t *text;
    int64_t *sizes;
    int32_t *ids, *pairs, *made, *unmade;
    int64_t *size;
} Found;

static const uint8_t *after_space(const uint8_t *at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') at++;
    return at;
}

/* Return the place after some marks, with any space between them; NULL if something else is there. */
static const uint8_t *after(const uint8_t *at, const char *marks) {
    for (const char *mark = marks; *mark; mark++, at++) {
        if (mark > marks) at = after_space(at);
        if (*at != (uint8_t)*mark) return NULL;
    }
    return at;
}

/* Return the character at a place, `CODES` for one that spells no byte, and move after it. */
static int character(const uint8_t **at) {
    const uint8_t *c = *at;
    const bool is_long = *c >= 0xC2 && *c < 0xE0 && (c[1] & 0xC0) == 0x80;
    *at += 1 + is_long;
    return is_long ? (*c & 0x1F) << 6 | (c[1] & 0x3F) : *c < 0x80 ? *c : CODES;
}

/* Do the same after the backslash of a text in JSON. */
static int escaped_character(const uint8_t **at) {
    const uint8_t first = *(*at)++;
    int code = 0;
    if (first != 'u') return first == '"' || first == '\\' ? first : CODES;
    for (int digits = 0; digits < 4; digits++, ++*at) {
        const uint8_t digit = **at, letter = digit | 0x20;
        if (digit >= '0' && digit <= '9') code = 16 * code + digit - '0';
        else if (letter >= 'a' && letter <= 'f') code = 16 * code + letter - 'a' + 10;
        else return CODES;
    }
    return code;
}

/* Append the bytes that the next characters spell; return the first that spells none, or the end of a
 * text in JSON. NULL without memory. */
static const uint8_t *read_token(Reader *r, const uint8_t *at, bool in_json) {
    for (const uint8_t *next = at;; at = next) {
        int code = character(&next);
        if (in_json && code == '"') break;
        if (in_json && code == '\\') code = escaped_character(&next);
        if (code >= CODES || r->byte_of[code] < 0) break;
        if (!PUSH(r->text, (uint8_t)r->byte_of[code])) return NULL;
    }
    return RESERVE(r->text, WORD) ? at : NULL;
}

/* Read `"token": id`, and move `at` after it. */
static int64_t read_entry(Reader *r, const uint8_t **at, int64_t number) {
    const uint8_t *next = after_space(*at);
    r->text.length = 0;
    if (*next != '"') return UNUSUAL;
    if (!(next = read_token(r, next + 1, true))) return FAILED;
    if (!r->text.length || !(next = after(next, "\":"))) return UNUSUAL;
    const uint8_t *digits = next = after_space(next);
    int64_t id = 0;
    for (; *next >= '0' && *next <= '9' && id < INT32_MAX; next++) id = 10 * id + *next - '0';
    if (next == digits || (*digits == '0' && next > digits + 1) || id >= INT32_MAX) return UNUSUAL;
    const int64_t found = number_of_piece(&r->tokens, r->text.at, r->text.length);
    if (found != number) return found < 0 ? FAILED : UNUSUAL;
    r->tokens.pieces.at[number].value = 2 * id;
    *at = after_space(next);
    return 0;
}

/* Read the object of all entries, and move `at` after it. */
static int64_t read_vocab(Reader *r, const uint8_t **at) {
    const uint8_t *next = after_space(*at);
    if (*next != '{') return UNUSUAL;
    for (int64_t number = 0; number == 0 || *next == ','; number++) {
        next++;
        const int64_t problem = read_entry(r, &next, number);
        if (problem) return problem;
    }
    return (*at = after(next, "}")) ? 0 : UNUSUAL;
}

static Piece *token_at(Reader *r, int64_t begin, int64_t end) {
    return (Piece *)known_piece(&r->tokens, r->text.at + begin, end - begin);
}

/* Whether a token may be a part of a merge: it is a byte, or a merge before has made it. */
static bool is_there(const Piece *token) { return token && (token->length == 1 || token->value & 1); }

/* The marks of a merge: before, between and after its two tokens. */
typedef struct { const char *before, *between, *end; } Form;
static const Form LINE = {"", " ", ""}, TEXT = {"\"", " ", "\""}, LIST = {"[\"", "\",\"", "\"]"};

/* Read a merge, and move `at` after it. */
static int64_t read_merge(Reader *r, const uint8_t **at, const Form *form, Found *to, int32_t number) {
    const bool in_json = *form->before;
    const uint8_t *next = after(*at, form->before);
    r->text.length = 0;
    if (!next) return UNUSUAL;
    if (!(next = read_token(r, next, in_json))) return FAILED;
    const int64_t left = r->text.length;
    if (!(next = after(next, form->between))) return UNUSUAL;
    if (!(next = read_token(r, next, in_json))) return FAILED;
    const int64_t both = r->text.length;
    if (!(*at = after(next, form->end)) || left == 0 || both == left) return UNUSUAL;
    Piece *parts[] = {token_at(r, 0, left), token_at(r, left, both)}, *made = token_at(r, 0, both);
    if (!is_there(parts[0]) || !is_there(parts[1]) || !made || made->value & 1) return UNUSUAL;
    made->value |= 1;
    for (int each = 0; each < 2; each++) *to->pairs++ = (int32_t)(parts[each]->value >> 1);
    *to->made++ = number;
    *to->made++ = (int32_t)(made->value >> 1);
    return 0;
}

static int64_t read_lines(Reader *r, const uint8_t *at, const uint8_t *end, Found *to) {
    int32_t merges = 0;
    while (at < end) {
        if (*at == '\n') {
            at++;
            continue;
        }
        const int64_t problem = read_merge(r, &at, &LINE, to, merges++);
        if (problem) return problem;
        at += *at == '\r';
        if (*at != '\n' && *at) return UNUSUAL;
    }
    return merges;
}

/* Read `, "merges": […]`, and move `at` after it. */
static int64_t read_list(Reader *r, const uint8_t **at, Found *to) {
    static const char KEY[] = "\"merges\"";
    int32_t merges = 0;
    const uint8_t *next = after(after_space(*at), ",");
    if (!next || strncmp((const char *)after_space(next), KEY, sizeof KEY - 1)) return UNUSUAL;
    if (!(next = after(after_space(after_space(next) + sizeof KEY - 1), ":["))) return UNUSUAL;
    for (bool is_more = true; is_more; next += is_more) {
        next = after_space(next);
        const int64_t problem = read_merge(r, &next, *next == '[' ? &LIST : &TEXT, to, merges++);
        if (problem) return problem;
        is_more = *(next = after_space(next)) == ',';
    }
    return (*at = after(next, "]")) ? merges : UNUSUAL;
}

static void copy_tokens(const Pieces *tokens, Found to) {
    copy(to.text, tokens->text.at, tokens->text.length);
    sizes_from(tokens, 0, to.sizes);
    for (int64_t each = 0; each < tokens->pieces.length; each++) {
        const Piece token = tokens->pieces.at[each];
        *to.ids++ = (int32_t)(token.value >> 1);
        if (token.length > 1 && !(token.value & 1)) *to.unmade++ = to.ids[-1];
    }
}

/* Read a vocabulary and merges. `found` has room for as many tokens as the vocabulary has commas, and one
 * more; for all merges.
 *
 * Args:
 *     vocab: the object; without `lines` the merges of a tokenizer.json come after it.
 *
 * Returns:
 *     the number of merges; UNUSUAL if an entry or a merge is not plain, a token comes twice, or a merge
 *     needs one that is not there; FAILED without memory. */
EXPORT int64_t gpt2_read(const uint8_t *vocab, int64_t vocab_size, const uint8_t *lines, int64_t size,
                         const int16_t *byte_of, const Found *found, uint64_t seed) {
    Reader r = {.byte_of = byte_of};
    Found to = *found;
    const uint8_t *at = vocab;
    int64_t merges = FAILED;
    if (start_pieces(&r.tokens, seed)) merges = read_vocab(&r, &at);
    if (merges == 0 && lines && after_space(at) != vocab + vocab_size) merges = UNUSUAL;
    if (merges == 0) merges = lines ? read_lines(&r, lines, lines + size, &to) : read_list(&r, &at, &to);
    if (merges >= 0) copy_tokens(&r.tokens, *found);
    if (merges >= 0) *found->size = at - vocab;
    release_pieces(&r.tokens);
    RELEASE(r.text);
    return merges;
}
