"""The chunks of a corpus in sentences and as a strip: for a screen, for `--plain`, for a command.

cut evenly   0          ┆          ┆          ┆        22.5 MB   4 equal parts
the course   │──────────│──────────│──────────│───────           4 chunks, at <|endoftext|>
thread 1     ██▉  ██▉██▉     ██▉                                 23 chunks │ 0.41 s
thread 2        ██▉     ██▉██▉                                   20 chunks │ 0.39 s
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.session.training import CountOrigin
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number, short_time, size
from bpe_tui.widgets.rows import TOKEN_HUES, Row, Span, left
from bpe_tui.widgets.visible import shorten, visible_text
from engine.core.errors import CorpusError
from engine.counting.chunk_boundaries import CourseCuts, EvenCut
from engine.counting.chunk_log import ChunkReport, LoggedChunks, WorkerShare
from engine.counting.count import WORTH_HELPERS
from engine.text.corpus import CHUNK

PARTS = 4
"""Number of parts in the course's example."""
MOST_PARTS = 64
"""Most parts that a reader may ask for."""
NAME_CELLS = 12
LISTED = 10

DIFFERENCE = (
    "An even cut is the end of an equal part of the file, even inside a word. A thread counts "
    "chunks while others count theirs. The difference: a chunk of the course begins with a special "
    "token, so without one in the text there is one chunk, for one worker. bpe-tui cuts wherever "
    "no pretoken crosses the cut, so it needs none. The counts are the same."
)


def parts_for(report: ChunkReport) -> int:
    """Return the number of parts to cut a file into at first: one for each worker, or four."""
    return len(report.workers) if len(report.workers) > 1 else PARTS


# -- sentences


def describe_counting(report: ChunkReport, origin: CountOrigin) -> Iterator[str]:
    """Yield how the text was cut and counted, or that nothing was counted."""
    if not report.chunks:
        if origin is CountOrigin.KEPT:
            yield tr(
                "Nothing was counted now: the counts were kept from an earlier run. With "
                "BPE_TUI_CACHE=no in the environment they are counted again."
            )
        elif origin is CountOrigin.FILE:
            yield tr("Nothing was counted now: the corpus is a file of counts.")
        else:
            yield tr("Nothing was counted: no corpus is open.")
        return
    chunks, workers = plural(report.chunks, "chunk"), plural(len(report.workers), "thread")
    cut = tr(", cut where no pretoken crosses") if report.chunks > 1 else ""
    template = "Counted by {workers}: {size} in {chunks}{cut}; {pretokens}."
    yield tr(
        template,
        workers=workers,
        size=size(report.bytes),
        chunks=chunks,
        cut=cut,
        pretokens=plural(report.pretokens, "pretoken"),
    )
    if report.after_special:
        template = "Chunks that end after a special token: {after_special}."
        yield tr(template, after_special=report.after_special)
    if report.bytes > 2 * CHUNK * report.chunks:
        template = (
            "It could not be cut into chunks of {size}: with this pattern a pretoken may "
            "cross any cut, or the tokenizer needs the text whole."
        )
        yield tr(template, size=size(CHUNK))
    elif report.chunks < WORTH_HELPERS:
        template = "A chunk has about {size}; below {worth_helpers} chunks one worker counts all."
        yield tr(template, size=size(CHUNK), worth_helpers=WORTH_HELPERS)
    if report.chunks_an_entry > 1:
        template = "There are too many chunks to list: a row is {chunks_an_entry} neighbours."
        yield tr(template, chunks_an_entry=report.chunks_an_entry)


def share_of(share: WorkerShare) -> str:
    """Return what a worker did: `23 chunks │ 11.8 MB │ 0.41 s │ 2,512,000 pretokens`."""
    parts = plural(share.chunks, "chunk"), size(share.bytes), short_time(share.seconds)
    return " │ ".join((*parts, plural(share.pretokens, "pretoken")))


def worker_name(share: WorkerShare) -> str:
    """Return the name of a worker: `thread 2`."""
    return tr("thread {n}", n=share.worker)


COURSE_CUTS = (
    "The course's find_chunk_boundaries, for {parts}: each even cut moves to the next {token}. "
    "That makes {chunks}."
)
COURSE_CUTS_FEWER = (
    "The course's find_chunk_boundaries, for {parts}: each even cut moves to the next {token}. "
    "That makes {chunks}; cuts that meet are one."
)


def describe_course(course: CourseCuts | CorpusError) -> Iterator[str]:
    """Yield how the course's function cuts the file, or why it cannot."""
    if isinstance(course, CorpusError):
        why = visible_text(str(course), spaces=False)
        yield tr("The course's find_chunk_boundaries does not fit here: {why}.", why=why)
        return
    token = shorten(visible_text(course.token), 30)
    asked, chunks = plural(len(course.cuts) + 1, "part"), len(course.boundaries) - 1
    if not course.is_known:
        template = (
            "The course's find_chunk_boundaries, for {asked}: no {token} was found near "
            "some even cuts. The search stops here; the course's goes on to the end of "
            "the file."
        )
        yield tr(template, asked=asked, token=token)
    elif course.cuts and all(cut.moved == course.size for cut in course.cuts):
        template = (
            "The course's find_chunk_boundaries, for {asked}: no {token} is after the "
            "even cuts, so all of them move to the end of the file. One chunk is left, "
            "for one worker."
        )
        yield tr(template, asked=asked, token=token)
    else:
        fewer = chunks != len(course.cuts) + 1
        made = {"chunks": plural(chunks, "chunk"), "token": token}
        asked = plural(len(course.cuts) + 1, "part")
        yield tr(COURSE_CUTS_FEWER if fewer else COURSE_CUTS, parts=asked, **made)


def describe_cut(cut: EvenCut, course: CourseCuts) -> str:
    """Return where an even cut moves: `The even cut at byte 9 moves 11 bytes on, to 20.`"""
    if cut.moved is None:
        template = "The even cut at byte {even}: the search for a token was given up."
        return tr(template, even=cut.even)
    end = tr(", the end of the file") if cut.moved == course.size else ""
    by = plural(cut.moved - cut.even, "byte")
    template = "The even cut at byte {even} moves {by} on, to {moved}{end}."
    return tr(template, even=cut.even, by=by, moved=cut.moved, end=end)


def describe_all(
    report: ChunkReport, origin: CountOrigin, course: CourseCuts | CorpusError
) -> Iterator[str]:
    """Yield all sentences, for a reader without a screen."""
    yield from describe_counting(report, origin)
    for share in report.workers:
        yield f"{worker_name(share)}: {share_of(share)}."
    for place, logged in enumerate(report.logged[:LISTED]):
        who = tr(" and ").join(tr("thread {n}", n=worker) for worker in logged.workers)
        template = "Chunk {numbers}: bytes {start} to {end}, {who}, {seconds}, {pretokens}."
        yield tr(
            template,
            numbers=chunk_numbers(report, place),
            start=logged.start,
            end=logged.start + logged.size,
            who=who,
            seconds=short_time(logged.seconds),
            pretokens=plural(logged.pretokens, "pretoken"),
        )
    if more := len(report.logged[LISTED:]):
        yield tr("… and {more} more.", more=more)
    yield from describe_course(course)
    if isinstance(course, CourseCuts):
        for cut in course.cuts[:LISTED]:
            yield describe_cut(cut, course)
    yield tr(DIFFERENCE)


def chunk_numbers(report: ChunkReport, place: int) -> str:
    """Return the numbers of the chunks of an entry, from 1 on: `5`, or `9–12`."""
    first = place * report.chunks_an_entry + 1
    last = first + report.logged[place].chunks - 1
    return number(first) if first == last else f"{number(first)}–{number(last)}"


# -- the strip


def hue_of(worker: int) -> str:
    """Return the role of a worker."""
    return f"mark-{(worker - 1) % TOKEN_HUES}"


def strip_rows(
    report: ChunkReport, total: int, width: int, course: CourseCuts | CorpusError | None = None
) -> Iterator[Row]:
    """Yield the file as a strip: even cuts, the course's chunks, a lane for each worker.

    Args:
        total: bytes of the whole strip.
        width: cells of a row.
        course: the course's cuts; `None` to leave them out.
    """
    note_cells = 54 if width >= 110 else 24 if width >= 70 else 0
    cells = max(width - NAME_CELLS - note_cells, 8)
    if isinstance(course, CourseCuts):
        even = {cell_of(cut.even, total, cells) for cut in course.cuts}
        strip = "".join("┆" if cell in even else " " for cell in range(cells))
        parts = plural(len(course.cuts) + 1, "equal part")
        yield _lane("cut evenly", [(strip, "tie")], parts, note_cells)
        starts = {cell_of(place, total, cells) for place in course.boundaries[:-1]}
        strip = "".join("│" if cell in starts else "─" for cell in range(cells))
        known = (
            plural(len(course.boundaries) - 1, "chunk") if course.is_known else tr("not searched")
        )
        yield _lane("the course", [(strip, "border")], known, note_cells)
    lanes = lanes_of(report.logged, total, cells)
    for share in report.workers:
        role = hue_of(share.worker)
        note = share_of(share) if width >= 110 else _short_share(share)
        strip = lanes.get(share.worker, " " * cells)
        yield _lane(worker_name(share), [(strip, role)], note, note_cells)


def _short_share(share: WorkerShare) -> str:
    return f"{plural(share.chunks, 'chunk')} │ {short_time(share.seconds)}"


def _lane(name: str, strip: Sequence[Span], note: str, note_cells: int) -> Row:
    remark = [("  ", ""), *left([(note, "dim")], note_cells - 2)] if note_cells else []
    return Row([*left([(tr(name), "dim")], NAME_CELLS), *strip, *remark])


def cell_of(place: int, total: int, cells: int) -> int:
    """Return the cell of a strip that shows a place.

    >>> [cell_of(place, 100, 10) for place in (0, 9, 10, 99, 100)], cell_of(1, 1, 10)
    ([0, 0, 1, 9, 9], 9)
    """
    return min(place * cells // max(total, 1), cells - 1)


def lanes_of(logged: Sequence[LoggedChunks], total: int, cells: int) -> dict[int, str]:
    """Return a strip for each worker, filled where it counted; the end of a chunk is thinner.

    >>> one, two = LoggedChunks(0, 50, 1, (1,), 0.1, 9), LoggedChunks(50, 50, 1, (2,), 0.1, 9)
    >>> lanes_of([one, two], 100, 6)
    {1: '██▉   ', 2: '   ██▉'}
    """
    lanes: dict[int, list[str]] = {}
    for each in logged:
        first = cell_of(each.start, total, cells)
        last = cell_of(each.start + each.size - 1, total, cells)
        for worker in each.workers:
            lane = lanes.setdefault(worker, [" "] * cells)
            lane[first : last + 1] = "█" * (last - first) + "▉"
    return {worker: "".join(lane) for worker, lane in sorted(lanes.items())}
