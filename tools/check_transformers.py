#!/usr/bin/env python3
"""What transformers makes of a model that Tandem wrote.

    check_transformers.py make DIRECTORY ROWS       a small DistilBERT with random weights, and a
                                                    vocabulary of the rows' words
    check_transformers.py compare MODEL TEXTS ANSWERS
                                                    loads MODEL as a pipeline and compares its
                                                    probabilities with those of `tandem predict`
"""
import json
import pathlib
import sys

import torch
import transformers

TOLERANCE = 1e-4


def make(directory: str, rows: str) -> None:
    words = sorted({word for word in pathlib.Path(rows).read_text().lower().split() if word.isalpha()})
    letters = [chr(letter) for letter in range(ord("a"), ord("z") + 1)]
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(
        [*letters, *(f"##{letter}" for letter in letters), *words])]
    torch.manual_seed(1)
    config = transformers.DistilBertConfig(vocab_size=len(tokens), dim=128, hidden_dim=512,
                                           n_layers=3, n_heads=4)
    model = transformers.DistilBertModel(config)
    model.save_pretrained(directory)
    (pathlib.Path(directory) / "vocab.txt").write_text("".join(f"{token}\n" for token in tokens))


def compare(directory: str, texts: str, answers: str) -> None:
    lines = pathlib.Path(texts).read_text().splitlines()
    ours = [json.loads(line) for line in pathlib.Path(answers).read_text().splitlines()]
    pipeline = transformers.pipeline("text-classification", model=directory, device="cpu",
                                     top_k=None)
    worst = 0.0
    for scores, mine in zip(pipeline(lines, truncation=True), ours, strict=True):
        theirs = {entry["label"]: entry["score"] for entry in scores}
        if set(theirs) != set(mine["probabilities"]):
            sys.exit(f"{directory}: labels {sorted(theirs)}, Tandem's {sorted(mine['probabilities'])}")
        worst = max(worst, *(abs(theirs[label] - probability)
                             for label, probability in mine["probabilities"].items()))
    kind = type(pipeline.model).__name__
    print(f"transformers {transformers.__version__}, {kind}, {type(pipeline.tokenizer).__name__}: "
          f"{len(lines)} texts, probabilities differ by {worst:.1e} at most")
    if worst > TOLERANCE:
        sys.exit(f"{directory}: more than {TOLERANCE}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("make", "compare"):
        sys.exit(__doc__)
    {"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:])
