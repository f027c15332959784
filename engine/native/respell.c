/* Spelling pretokens in the tokens of earlier merges.
 *
 * A whole document as a pretoken never repeats, but what it is made of does. Where no token has two
 * bytes next to each other, no merge can cross the place between them. Cut there, a text becomes
 * pieces such as words, and each different piece is merged once.
 */
#include "merger.h"

/* The different pieces, and the ids of all, joined; `ends`: of each piece among them. */
typedef struct { Pieces pieces; Ids ids; ARRAY(int64_t) ends; Workspace space; } Merged;

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
    while (all->ends.length < all->pieces.pieces.length) {
        const Piece piece = all->pieces.pieces.at[all->ends.length];
        const uint8_t *text = all->pieces.text.at + piece.begin;
        TRY(encode_pretoken(earlier, &all->space, text, piece.length, &all->ids));
        TRY(PUSH(all->ends, all->ids.length));
    }
    return true;
}

static bool respell_all(Merger *m, Merged *all, const Borders *borders, const Rules *earlier,
                        const uint8_t *at, const int64_t *ends, int64_t pretokens) {
    const uint8_t *bytes = at;
    int32_t numbers[TOGETHER];
    TRY(PUSH(m->cells, BORDER));
    for (int64_t pretoken = 0; pretoken < pretokens; pretoken++) {
        TRY(RESERVE(m->cells, bytes + ends[pretoken] - at)); /* no id has fewer bytes than one */
        for (int found; (found = number_pieces(&all->pieces, borders, &at, bytes + ends[pretoken], numbers));) {
            TRY(found > 0 && merge_new(all, earlier));
            for (int each = 0; each < found; each++) {
                const int32_t number = numbers[each];
                for (int64_t id = number ? all->ends.at[number - 1] : 0; id < all->ends.at[number]; id++)
                    m->cells.at[m->cells.length++] = all->ids.at[id];
            }
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
    RELEASE(all.ends);
    return done;
}
