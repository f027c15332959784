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

/* The different pieces, their tokens, and the ids of those that have several, joined. */
typedef struct { Pieces pieces; Ids ids; ARRAY(Spelled) spelled; Workspace space; } Merged;

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

static bool respell_all(Merger *m, Merged *all, const Borders *borders, const Rules *earlier,
                        const uint8_t *at, const int64_t *ends, int64_t pretokens) {
    const uint8_t *bytes = at;
    int32_t numbers[TOGETHER];
    TRY(RESERVE(m->cells, (pretokens ? ends[pretokens - 1] / 4 : 0) + pretokens + 1)); /* about */
    TRY(PUSH(m->cells, BORDER));
    for (int64_t pretoken = 0; pretoken < pretokens; pretoken++) {
        TRY(RESERVE(m->cells, bytes + ends[pretoken] - at)); /* no id has fewer bytes than one */
        for (int found; (found = number_pieces(&all->pieces, borders, &at, bytes + ends[pretoken], numbers));) {
            TRY(found > 0 && merge_new(all, earlier));
            int32_t *cell = m->cells.at + m->cells.length;
            for (int each = 0; each < found; each++) {
                const Spelled spelled = all->spelled.at[numbers[each]];
                if (spelled.count == 1) *cell++ = (int32_t)spelled.first;
                else for (int32_t id = 0; id < spelled.count; id++) *cell++ = all->ids.at[spelled.first + id];
            }
            m->cells.length = cell - m->cells.at;
        }
        TRY(PUSH(m->cells, BORDER));
    }
    return true;
}

bool respell(Merger *m, const Rules *earlier, const uint8_t *bytes, const int64_t *ends,
             int64_t pretokens) {
    Merged all = {0};
    Borders *borders = zeroed(1, sizeof *borders);
    if (borders) cut_between_tokens(m, borders);
    const bool done = borders && start_pieces(&all.pieces, m->seed) &&
                      respell_all(m, &all, borders, earlier, bytes, ends, pretokens);
    free(borders);
    release_pieces(&all.pieces);
    release_workspace(&all.space);
    RELEASE(all.ids);
    RELEASE(all.spelled);
    return done;
}
