#!/usr/bin/env bash
# Draw the README's pictures again, after a change that shows: bash docs/pictures.sh [FOLDER]
set -euo pipefail
out=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")}" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
stories=samples/tinystories_valid.txt

bpe-tui record samples/handout.txt --pattern whitespace --view lesson --text "the lowest" \
    --steps 0-5 --size 90x26 --out "$out/lesson.svg" --force
bpe-tui record $stories --vocab-size 700 --view training --steps 12 --size 120x40 --out "$out/training.svg" --force
bpe-tui record $stories --vocab-size 1000 --view encoding --text "the lowest newcomer" \
    --steps 743 --size 100x28 --out "$out/encoding.svg" --force
bpe-tui record $stories --view charts --steps 500 --size 120x32 --out "$out/charts.svg" --force
