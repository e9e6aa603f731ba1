#!/usr/bin/env python3
"""Compare `tandem tokenize` with the `tokenizers` package, token for token.

    compare_tokenizers.py MODEL_DIR --tandem build/release/tandem [FILE[:COLUMNS] ...]

Compared are every line of the files and every Unicode code point between two letters, all cut at 128
tokens: with the model's own tokenizer, and with its vocabulary cased and uncased, with accents and
without. COLUMNS, counted from 1 as cut(1) does, picks tab-separated fields, each a text of its own:
`mrpc/train.tsv:4,5`. Exits with 1 and prints the first differences if there are any.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from tokenizers import Tokenizer

MAX_TOKENS = 128
NORMALIZERS = {
    "as it is": {},
    "uncased": {"lowercase": True, "strip_accents": None},
    "uncased, accents kept": {"lowercase": True, "strip_accents": False},
    "cased": {"lowercase": False, "strip_accents": None},
    "cased, accents stripped": {"lowercase": False, "strip_accents": True},
}
SHOWN = 10
BATCH = 100_000


def every_code_point() -> Iterator[str]:
    for c in range(0x110000):
        if not 0xD800 <= c <= 0xDFFF and chr(c) not in "\r\n":
            yield f"a{chr(c)}b"


def texts_of(argument: str) -> Iterator[str]:
    path, columns = argument, None
    if not os.path.exists(path):
        path, _, numbers = argument.rpartition(":")
        columns = [int(number) - 1 for number in numbers.split(",")]
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            line = line.rstrip("\r\n")
            if columns is None:
                yield line
            else:
                fields = line.split("\t")
                yield from (fields[column] for column in columns)


def batches(texts: Iterator[str]) -> Iterator[list[str]]:
    batch = []
    for text in texts:
        batch.append(text)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def tandem_ids(tandem: str, model: str, texts: list[str]) -> list[list[int]]:
    command = [tandem, "tokenize", "--model", model, "-"]
    process = subprocess.run(command, input="".join(text + "\n" for text in texts).encode(),
                             stdout=subprocess.PIPE, check=False)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {process.returncode}")
    lines = process.stdout.decode().split("\n")[:-1]
    if len(lines) != len(texts):
        sys.exit(f"{' '.join(command)}: {len(lines)} lines for {len(texts)} texts")
    return [[int(number) for number in line.split()] for line in lines]


def differences(tokenizer: Tokenizer, tandem: str, model: str, name: str,
                texts: Iterator[str]) -> int:
    compared = different = 0
    for batch in batches(texts):
        ours = tandem_ids(tandem, model, batch)
        theirs = [encoding.ids for encoding in tokenizer.encode_batch(batch)]
        compared += len(batch)
        for text, our_ids, their_ids in zip(batch, ours, theirs):
            if our_ids == their_ids:
                continue
            different += 1
            if different <= SHOWN:
                print(f"{ascii(text)}\n  tandem     {our_ids}\n  tokenizers {their_ids}")
    print(f"{name}: {compared} texts compared, {different} differ", flush=True)
    return different


def compare(description: dict, tandem: str, files: list[str], name: str) -> int:
    """Compares one tokenizer, given as the content of tokenizer.json."""
    tokenizer = Tokenizer.from_str(json.dumps(description))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    with tempfile.TemporaryDirectory() as model:
        with open(os.path.join(model, "tokenizer.json"), "w", encoding="utf-8") as file:
            json.dump(description, file)
        different = differences(tokenizer, tandem, model, f"{name}: code points",
                                every_code_point())
        for argument in files:
            different += differences(tokenizer, tandem, model, f"{name}: {argument}",
                                     texts_of(argument))
    return different


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODEL_DIR", help="folder with tokenizer.json")
    parser.add_argument("--tandem", required=True, help="the program")
    parser.add_argument("files", nargs="*", metavar="FILE[:COLUMNS]")
    options = parser.parse_intermixed_args()

    with open(os.path.join(options.model, "tokenizer.json"), encoding="utf-8") as file:
        description = json.load(file)
    different = 0
    for name, changes in NORMALIZERS.items():
        if changes and changes.items() <= description["normalizer"].items():
            continue  # as it is
        changed = description | {"normalizer": description["normalizer"] | changes}
        different += compare(changed, options.tandem, options.files, name)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
