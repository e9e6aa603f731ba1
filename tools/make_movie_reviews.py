#!/usr/bin/env python3
"""Make the quickstart's data set, train.tsv and dev.tsv, from the source package of vaderSentiment.

    make_movie_reviews.py vaderSentiment-3.3.2.tar.gz DIR

The package holds an archive with sentences from movie reviews (Hutto and Gilbert 2014, ICWSM), each
with the mean of some 20 people's ratings from -4 to 4: `id<TAB>mean<TAB>text`, UTF-8, CRLF. A
sentence is positive (1) if its mean is above zero and negative (0) if it is below; the few of mean
zero have no sign and are left out. Every sentence whose id is divisible by ten is held out, in
dev.tsv. Ids are the rows' numbers: that is a tenth of all of the file, and always the same one.
"""
import argparse
import io
import os
import sys
import tarfile
from typing import NamedTuple

PACKED_ARCHIVE = "vaderSentiment-3.3.2/additional_resources/hutto_ICWSM_2014.tar.gz"
RATINGS_FILE = "hutto_ICWSM_2014/movieReviewSnippets_GroundTruth.txt"
ROWS = 10605
HELD_OUT_EVERY = 10


class Row(NamedTuple):
    id: int
    mean: float
    text: str


def read_member(archive: tarfile.TarFile, name: str) -> bytes:
    """The bytes of one file of the archive; nothing is unpacked to disk."""
    try:
        member = archive.extractfile(name)
    except KeyError:
        member = None
    if member is None:
        sys.exit(f"{archive.name or PACKED_ARCHIVE}: has no file {name}, unlike version 3.3.2's")
    return member.read()


def read_ratings(package: str) -> bytes:
    try:
        with tarfile.open(package, "r:gz") as outer:
            packed = read_member(outer, PACKED_ARCHIVE)
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as inner:
            return read_member(inner, RATINGS_FILE)
    except (OSError, EOFError, tarfile.TarError) as error:
        sys.exit(f"{package}: cannot be read as a tar.gz archive: {error}")


def parse_rows(content: bytes) -> list[Row]:
    rows = []
    for number, line in enumerate(content.decode("utf-8").split("\n"), start=1):
        cells = line.split("\t", maxsplit=2)
        if len(cells) != 3:
            sys.exit(f"{RATINGS_FILE}:{number}: expected 3 tab-separated columns, "
                     f"found {len(cells)}")
        text = " ".join(cells[2].replace("\t", " ").splitlines()).strip()
        rows.append(Row(int(cells[0]), float(cells[1]), text))
    if [row.id for row in rows] != list(range(1, ROWS + 1)):
        sys.exit(f"{RATINGS_FILE}: expected ids 1 to {ROWS} in order, found {len(rows)} rows")
    return rows


def write_table(path: str, rows: list[Row]) -> None:
    """Writes under another name first, so that an interrupted run leaves no half a file."""
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8", newline="\n") as file:
        file.write("sentence\tlabel\n")
        for row in rows:
            file.write(f"{row.text}\t{int(row.mean > 0)}\n")
    os.replace(partial, path)
    positive = sum(row.mean > 0 for row in rows)
    print(f"{path}: {len(rows)} sentences, {positive} positive and {len(rows) - positive} negative")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", help="vaderSentiment-3.3.2.tar.gz, the source package")
    parser.add_argument("output", metavar="DIR", help="folder for train.tsv and dev.tsv")
    options = parser.parse_args()
    rows = [row for row in parse_rows(read_ratings(options.package)) if row.mean != 0]
    os.makedirs(options.output, exist_ok=True)
    train = [row for row in rows if row.id % HELD_OUT_EVERY != 0]
    dev = [row for row in rows if row.id % HELD_OUT_EVERY == 0]
    write_table(os.path.join(options.output, "train.tsv"), train)
    write_table(os.path.join(options.output, "dev.tsv"), dev)


if __name__ == "__main__":
    main()
