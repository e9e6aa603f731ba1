#!/usr/bin/env python3
"""Writes the tests' Parquet files with pyarrow 26.0.1, which the tests need not have.

    make_parquet_fixtures.py tests/formats/parquet tests/cli/glue_mrpc

The C++ test computes the same cells (tests/formats/parquet_test.cc).
"""
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 300


def table() -> pa.Table:
    rows = range(ROWS)
    return pa.table({
        "sentence": pa.array([f'row {i % 7}\t"é"\n' if i % 10 else "" for i in rows], pa.string()),
        "note": pa.array([None if i % 3 else f"note {i}" for i in rows], pa.string()),
        "label": pa.array([i % 3 - 1 for i in rows], pa.int64()),
        "idx": pa.array([i * 1000 for i in rows], pa.int32()),
        "score": pa.array([i / 4 for i in rows], pa.float32()),
        "weight": pa.array([-i / 10 for i in rows], pa.float64()),
    })


def mrpc(rows: int, hidden: bool) -> pa.Table:
    """In the layout of the hub's data set nyu-mll/glue, configuration mrpc."""
    return pa.table({
        "sentence1": [f"the film was good {i}" for i in range(rows)],
        "sentence2": [f"this film is {'good' if i % 2 else 'bad'}" for i in range(rows)],
        "label": pa.array([-1 if hidden else i % 2 for i in range(rows)], pa.int64()),
        "idx": pa.array(range(rows), pa.int32()),
    })


def main() -> None:
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(exist_ok=True)
    # As the hub's data sets are written: dictionaries, Snappy, several groups of rows.
    pq.write_table(table(), directory / "dictionary.parquet", row_group_size=128)
    pq.write_table(table(), directory / "plain.parquet", use_dictionary=False, compression="none")
    pq.write_table(table(), directory / "version2.parquet", data_page_version="2.0",
                   data_page_size=512, write_batch_size=50)
    few = table().slice(0, 4)
    pq.write_table(few, directory / "gzip.parquet", compression="gzip")
    pq.write_table(few, directory / "delta.parquet", use_dictionary=False,
                   column_encoding={"idx": "DELTA_BINARY_PACKED"})
    pq.write_table(pa.table({"words": [["a", "b"], []]}), directory / "list.parquet")
    pq.write_table(pa.table({"yes": [True, False]}), directory / "boolean.parquet")

    directory = pathlib.Path(sys.argv[2])
    directory.mkdir(exist_ok=True)
    for split, rows in (("train", 6), ("validation", 4), ("test", 3)):
        pq.write_table(mrpc(rows, split == "test"), directory / f"{split}.parquet")


if __name__ == "__main__":
    main()
