/* Some patterns as scanners, which find the end of the pretoken that begins at a place.
 *
 * Each scanner is its regex of engine/text/patterns.py, alternative by alternative; the tests compare
 * the two. A table has the classes of characters (letter, number, space). Python fills it, page by
 * page, when a text first needs a page, and again when it needs a character that is 0 there.
 *
 * A byte that is not valid UTF-8 is a character by itself, without a class.
 */
#include "characters.h"
#include "scanner.h"

enum { LETTER = 1, NUMBER = 2, SPACE = 4, UPPER = 8, LOWER = 16, KNOWN = 32, MARK = 64 }; /* one byte each */
enum { PAGE = 128, PAGES = 0x110000 / PAGE, NO_PAGE = -1 };

/* `classes`: 0 after the end of the text; `code`: −1 for a byte that is not UTF-8. */
typedef struct { int32_t classes, size, code; } Char;

typedef const uint8_t *Pattern(Scanner *s, const uint8_t *at);
struct Scanner {
    Pattern *pattern;
    uint8_t *pages[PAGES];   /* character → its classes; NULL: no text has needed the page;
                              * 0 for a character that none has needed */
    const uint8_t *end;      /* of the text that is scanned */
    ARRAY(int64_t) lengths;  /* lengths of the pretokens of the last call */
    ARRAY(int64_t) counts;   /* number of pretokens of each piece */
};

/* -- characters */

static Char char_beyond_ascii(Scanner *s, const uint8_t *at) {
    Char c = {KNOWN, 1, -1};
    if ((c.code = read_character(at, s->end, &c.size)) < 0) return c;
    const uint8_t *page = s->pages[c.code / PAGE];
    c.classes = page ? page[c.code % PAGE] : 0;
    return c;
}

/* Return the character at a place. Python adds the first page, ASCII, before any text. */
static inline Char char_at(Scanner *s, const uint8_t *at) {
    if (at >= s->end) return (Char){0, 0, -1};
    if (*at < 0x80) return (Char){s->pages[0][*at], 1, *at};
    return char_beyond_ascii(s, at);
}

static inline int is(Char c, int classes) { return c.classes & classes; }
static inline int is_symbol(Char c) { return c.classes && !is(c, LETTER | NUMBER | SPACE); }
static inline int is_newline(Char c) { return c.code == '\r' || c.code == '\n'; }

/* -- parts of patterns: each returns its end; the place itself, or NULL, if it does not match */

static const uint8_t *run_of(Scanner *s, const uint8_t *at, int classes) {
    for (Char c; is(c = char_at(s, at), classes);) at += c.size;
    return at;
}

static const uint8_t *run_of_symbols(Scanner *s, const uint8_t *at) {
    for (Char c; is_symbol(c = char_at(s, at));) at += c.size;
    return at;
}

static const uint8_t *up_to_numbers(Scanner *s, const uint8_t *at, int most) {
    for (Char c; most-- && is(c = char_at(s, at), NUMBER);) at += c.size;
    return at;
}

/* `'(?:[sdmt]|ll|ve|re)`; U+017F, the long s, equals s if case is ignored. */
static const uint8_t *contraction(const Scanner *s, const uint8_t *at, int any_case) {
    static const char *const endings[] = {"s", "d", "m", "t", "ll", "ve", "re"};
    const int64_t room = s->end - at - 1;
    if (room < 1 || *at != '\'') return at;
    if (any_case && room >= 2 && at[1] == 0xC5 && at[2] == 0xBF) return at + 3;
    const int fold = any_case ? 0x20 : 0;
    for (int each = 0; each < 7; each++) {
        const char *ending = endings[each];
        const int size = ending[1] ? 2 : 1;
        if (room >= size && (at[1] | fold) == ending[0] && (size == 1 || (at[2] | fold) == ending[1]))
            return at + 1 + size;
    }
    return at;
}

/* ` ?[^\s\p{L}\p{N}]+[\r\n]*`, with `slash` also `/` among the newlines. */
static const uint8_t *symbols(Scanner *s, const uint8_t *at, int slash) {
    const uint8_t *first = at + (at < s->end && *at == ' ');
    const uint8_t *end = run_of_symbols(s, first);
    if (end == first) return NULL;
    while (end < s->end && (*end == '\r' || *end == '\n' || (slash && *end == '/'))) end++;
    return end;
}

/* `\s*[\r\n]+`: up to the last newline of a run of whitespace. */
static const uint8_t *whitespace_to_newline(Scanner *s, const uint8_t *at) {
    const uint8_t *found = NULL;
    for (Char c; is(c = char_at(s, at), SPACE);) {
        at += c.size;
        if (is_newline(c)) found = at;
    }
    return found;
}

/* `\s+(?!\S)|\s+`: a run of several leaves its last character to the text after it. */
static const uint8_t *whitespace(Scanner *s, const uint8_t *at) {
    const uint8_t *last = at, *end = at;
    for (Char c; is(c = char_at(s, end), SPACE);) last = end, end += c.size;
    return end == s->end || last == at ? end : last;
}

/* -- the patterns */

static const uint8_t *gpt2(Scanner *s, const uint8_t *at) {
    const uint8_t *end = contraction(s, at, 0), *first = at + (*at == ' ');
    if (end > at) return end;
    const Char c = char_at(s, first);
    if (is(c, LETTER)) return run_of(s, first, LETTER);
    if (is(c, NUMBER)) return run_of(s, first, NUMBER);
    if (is_symbol(c)) return run_of_symbols(s, first);
    return whitespace(s, at);
}

/* The first alternatives of cl100k and Llama 3: contractions, words, numbers, symbols. */
static const uint8_t *visible(Scanner *s, const uint8_t *at, int most_numbers) {
    const uint8_t *end = contraction(s, at, 1);
    if (end > at) return end;
    const Char c = char_at(s, at);
    if (is(c, NUMBER)) return up_to_numbers(s, at, most_numbers);
    const uint8_t *letters = is(c, LETTER) || is_newline(c) ? at : at + c.size;
    if (is(char_at(s, letters), LETTER)) return run_of(s, letters, LETTER);
    return symbols(s, at, 0);
}

static const uint8_t *newline_or_whitespace(Scanner *s, const uint8_t *at) {
    const uint8_t *end = whitespace_to_newline(s, at);
    return end ? end : whitespace(s, at);
}

static const uint8_t *cl100k(Scanner *s, const uint8_t *at) {
    const uint8_t *end = visible(s, at, 3), *spaces;
    if (end) return end;
    if ((spaces = run_of(s, at, SPACE)) == s->end) return spaces;
    return newline_or_whitespace(s, at);
}

static const uint8_t *llama3(Scanner *s, const uint8_t *at) {
    const uint8_t *end = visible(s, at, 3);
    return end ? end : newline_or_whitespace(s, at);
}

static const uint8_t *qwen2(Scanner *s, const uint8_t *at) {
    const uint8_t *end = visible(s, at, 1);
    return end ? end : newline_or_whitespace(s, at);
}

/* Upper-case letters, then lower-case letters; with `lower`, at least one. A letter of both
 * classes first counts as upper case; if no lower-case letter follows, the match ends after the
 * last such letter. */
static const uint8_t *cased_letters(Scanner *s, const uint8_t *at, int lower) {
    const uint8_t *upper = at, *last_of_both = NULL;
    for (Char c; is(c = char_at(s, upper), UPPER);) {
        upper += c.size;
        if (is(c, LOWER)) last_of_both = upper;
    }
    const uint8_t *end = run_of(s, upper, LOWER);
    if (end == upper && lower) return last_of_both;
    return end == at ? NULL : end;
}

static const uint8_t *o200k(Scanner *s, const uint8_t *at) {
    const Char c = char_at(s, at);
    const int may_lead = !is_newline(c) && !is(c, LETTER | NUMBER);
    for (int lower = 1; lower >= 0; lower--) {
        const uint8_t *end = may_lead ? cased_letters(s, at + c.size, lower) : NULL;
        if (!end) end = cased_letters(s, at, lower);
        if (end) return contraction(s, end, 1);
    }
    if (is(c, NUMBER)) return up_to_numbers(s, at, 3);
    const uint8_t *end = symbols(s, at, 1);
    return end ? end : newline_or_whitespace(s, at);
}

static const uint8_t *bert(Scanner *s, const uint8_t *at) {
    const Char c = char_at(s, at);
    if (is(c, MARK)) return at + c.size;
    if (is(c, SPACE)) return run_of(s, at, SPACE);
    for (Char next; is(next = char_at(s, at), KNOWN) && !is(next, MARK | SPACE);) at += next.size;
    return at;
}

static Pattern *pattern_named(const char *name) {
    static const struct { const char *name; Pattern *pattern; } patterns[] = {
        {"gpt2", gpt2}, {"cl100k", cl100k}, {"o200k", o200k},
        {"llama3", llama3}, {"qwen2", qwen2}, {"bert", bert}};
    for (size_t each = 0; each < sizeof patterns / sizeof *patterns; each++)
        if (!strcmp(patterns[each].name, name)) return patterns[each].pattern;
    return NULL;
}

/* -- called by Python */

EXPORT void scanner_free(Scanner *s) {
    for (int page = 0; page < PAGES; page++) free(s->pages[page]);
    RELEASE(s->lengths);
    RELEASE(s->counts);
    free(s);
}

/* Make the scanner of a pattern. NULL without memory, or if the pattern is unknown. */
EXPORT Scanner *scanner_new(const char *name) {
    Scanner *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->pattern = pattern_named(name);
    if (s->pattern) return s;
    scanner_free(s);
    return NULL;
}

/* Set the classes of the characters of a page. */
EXPORT int64_t scanner_add_page(Scanner *s, int64_t page, const uint8_t *classes) {
    if (page < 0 || page >= PAGES) return FAILED;
    if (!s->pages[page] && (s->pages[page] = malloc(PAGE)) == NULL) return FAILED;
    memcpy(s->pages[page], classes, PAGE);
    return 0;
}

/* Return the first page that the text needs from `begin` on and that lacks a character of it, and
 * move `begin` there; `NO_PAGE` if none lacks one. */
EXPORT int64_t scanner_missing_page(Scanner *s, const uint8_t *text, int64_t size, int64_t *begin) {
    const uint8_t *at = text + *begin;
    s->end = text + size;
    for (Char c; at < s->end; at += c.size) {
        c = char_at(s, at);
        if (c.classes) continue;
        *begin = at - text;
        return c.code / PAGE;
    }
    return NO_PAGE;
}

static bool cut_piece(Scanner *s, const uint8_t *at, int64_t size) {
    const int64_t before = s->lengths.length;
    s->end = at + size;
    for (const uint8_t *next; at < s->end; at = next) {
        next = s->pattern(s, at);
        TRY(PUSH(s->lengths, next - at));
    }
    return PUSH(s->counts, s->lengths.length - before);
}

/* Cut the joined pieces of a text into pretokens. Return the number of pretokens, FAILED without
 * memory. No page may be missing. */
EXPORT int64_t scanner_cut(Scanner *s, const uint8_t *text, const int64_t *sizes, int64_t pieces) {
    s->lengths.length = s->counts.length = 0;
    s->end = text;
    for (int64_t each = 0; each < pieces; each++)
        if (!cut_piece(s, s->end, sizes[each])) return FAILED;
    return s->lengths.length;
}

/* Of the last call: the lengths of all pretokens, and the number of pretokens of each piece. */
EXPORT const int64_t *scanner_lengths(const Scanner *s) { return s->lengths.at; }
EXPORT const int64_t *scanner_counts(const Scanner *s) { return s->counts.at; }
