/* Spelling pretokens in the tokens of earlier merges.
 *
 * A whole document as a pretoken never repeats, but what it is made of does. Where no token has two
 * bytes next to each other, no merge can cross the place between them. Cut there, a text becomes
 * pieces such as words, and each different piece is merged once.
 */
#include "merger.h"

/* A piece in tokens. `first`: the only one, or the place of the first among all ids; `count`: how
 * many they are. */
typedef struct { int32_t count; int64_t first; } Spelled;

/* A piece of at most 8 bytes that is one token. */
typedef struct { uint64_t bytes; int32_t length, id; } Short;
enum { SHORTS = 1 << 13 };

/* The different pieces, their tokens, and the ids of those that have several, joined. `shorts`: hash →
 * the last such piece; most pieces are found there. */
typedef struct {
    Pieces pieces;
    Ids ids;
    ARRAY(Spelled) spelled;
    Workspace space;
    ARRAY(uint8_t) text; /* the pretoken; 8 bytes after it may be read */
    Short shorts[SHORTS];
} Merged;

/* Cut between two bytes that no token has next to each other. */
static void cut_between_tokens(const Merger *m, Borders *borders) {
    memset(borders, 0, sizeof *borders);
    memset(borders->of_two, 2, sizeof borders->of_two); /* before the right byte */
    borders->has_tables = true;
    for (int64_t token = 0; token < m->ends.length; token++) {
        const Span bytes = bytes_of(m, (int32_t)token);
        for (int64_t at = bytes.begin; at + 1 < bytes.end; at++)
            borders->of_two[m->text.at[at] | m->text.at[at + 1] << 8] = 0;
    }
}

/* Merge the pieces that are new. */
static bool merge_new(Merged *all, const Rules *earlier) {
    while (all->spelled.length < all->pieces.pieces.length) {
        const Piece piece = all->pieces.pieces.at[all->spelled.length];
        const uint8_t *text = all->pieces.text.at + piece.begin;
        Spelled spelled = {0, all->ids.length};
        TRY(encode_pretoken(earlier, &all->space, text, piece.length, &all->ids));
        spelled.count = (int32_t)(all->ids.length - spelled.first);
        if (spelled.count == 1) spelled.first = all->ids.at[--all->ids.length];
        TRY(PUSH(all->spelled, spelled));
    }
    return true;
}

/* Write the tokens of a piece, for which there is room. Return the place after them, NULL without
 * memory. */
static inline int32_t *write_piece(Merged *all, const Rules *earlier, const uint8_t *piece, int64_t length,
                                   int32_t *cell) {
    const uint64_t bytes = word_at(piece, length);
    Short *met = &all->shorts[scrambled(bytes, all->pieces.seed) % SHORTS];
    if (met->bytes == bytes && met->length == length) {
        *cell = met->id;
        return cell + 1;
    }
    const int64_t number = number_of_piece(&all->pieces, piece, length);
    if (number < 0 || !merge_new(all, earlier)) return NULL;
    const Spelled spelled = all->spelled.at[number];
    if (spelled.count > 1) copy(cell, all->ids.at + spelled.first, spelled.count * (int64_t)sizeof *cell);
    else *cell = (int32_t)spelled.first;
    if (spelled.count == 1 && length <= WORD) *met = (Short){bytes, (int32_t)length, *cell};
    return cell + spelled.count;
}

static bool respell_all(Merger *m, Merged *all, const Borders *borders, const Rules *earlier,
                        const uint8_t *const *texts, const int64_t *ends, int64_t pretokens) {
    const uint8_t *piece_ends[TOGETHER];
    TRY(RESERVE(m->cells, (pretokens ? ends[pretokens - 1] / 4 : 0) + pretokens + 1)); /* about */
    TRY(PUSH(m->cells, BORDER));
    for (int64_t pretoken = 0; pretoken < pretokens; pretoken++) {
        const int64_t size = ends[pretoken] - (pretoken ? ends[pretoken - 1] : 0);
        TRY(RESERVE(m->cells, size)); /* no id has fewer bytes than one */
        all->text.length = 0;
        TRY(RESERVE(all->text, size + WORD) && APPEND(all->text, texts[pretoken], size));
        const uint8_t *at = all->text.at, *end = at + size;
        int32_t *cell = m->cells.at + m->cells.length;
        while (at < end) {
            const int found = find_ends(borders, at, end, piece_ends, TOGETHER);
            for (int each = 0; each < found; at = piece_ends[each++])
                TRY(cell = write_piece(all, earlier, at, piece_ends[each] - at, cell));
        }
        m->cells.length = cell - m->cells.at;
        TRY(PUSH(m->cells, BORDER));
    }
    return true;
}

bool respell(Merger *m, const Rules *earlier, const uint8_t *const *texts, const int64_t *ends,
             int64_t pretokens) {
    Merged *all = zeroed(1, sizeof *all);
    Borders *borders = zeroed(1, sizeof *borders);
    if (borders) cut_between_tokens(m, borders);
    const bool done = all && borders && start_pieces(&all->pieces, m->seed) &&
                      respell_all(m, all, borders, earlier, texts, ends, pretokens);
    free(borders);
    if (all) {
        release_pieces(&all->pieces);
        release_workspace(&all->space);
        RELEASE(all->ids);
        RELEASE(all->spelled);
        RELEASE(all->text);
    }
    free(all);
    return done;
}
