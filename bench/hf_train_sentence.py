#!/usr/bin/env python3
"""The reference's fine-tuning on the quickstart's data, with transformers' own Trainer, on the CPU.

    hf_train_sentence.py --model DIR --data DIR [--epochs 1] [--lr 5e-5] [--seed 42]

DIR of --data holds train.tsv and dev.tsv with the header `sentence<TAB>label`, as
scripts/fetch-quickstart makes them. Dropout 0.1, batch 32, each batch padded to its longest, texts
cut at 128 tokens. Prints one JSON line with the held-out accuracy and the times. Needs torch,
transformers and accelerate; the project's own tests don't run it.
"""
import argparse
import json
import os
import tempfile
import time

import torch
import transformers
from transformers import (AutoModelForSequenceClassification, AutoTokenizer,
                          DataCollatorWithPadding, Trainer, TrainingArguments, set_seed)


def read_table(path: str) -> list[tuple[str, int]]:
    with open(path, encoding="utf-8", newline="\n") as file:
        if next(file).rstrip("\n") != "sentence\tlabel":
            raise SystemExit(f"{path}:1: expected the header sentence<TAB>label")
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [(text, int(label)) for text, label in rows]


def encode(path: str, tokenizer) -> list[dict]:
    items = []
    for text, label in read_table(path):
        item = dict(tokenizer(text, truncation=True, max_length=128))
        item["labels"] = label
        items.append(item)
    return items


def accuracy(prediction) -> dict[str, float]:
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="model directory in Hugging Face layout")
    parser.add_argument("--data", required=True, help="folder with train.tsv and dev.tsv")
    parser.add_argument("--epochs", type=float, default=1)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    set_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    model = AutoModelForSequenceClassification.from_pretrained(options.model, num_labels=2)
    with tempfile.TemporaryDirectory() as scratch:
        arguments = TrainingArguments(
            scratch, per_device_train_batch_size=options.batch_size,
            per_device_eval_batch_size=options.batch_size, learning_rate=options.lr,
            num_train_epochs=options.epochs, seed=options.seed, use_cpu=True, report_to=[],
            save_strategy="no", logging_steps=50, disable_tqdm=True)
        trainer = Trainer(
            model=model, args=arguments, compute_metrics=accuracy,
            train_dataset=encode(os.path.join(options.data, "train.tsv"), tokenizer),
            eval_dataset=encode(os.path.join(options.data, "dev.tsv"), tokenizer),
            data_collator=DataCollatorWithPadding(tokenizer))
        start = time.monotonic()
        result = trainer.train()
        trained = time.monotonic()
        scores = trainer.evaluate()
    print(json.dumps({
        "seed": options.seed, "epochs": options.epochs, "lr": options.lr,
        "threads": options.threads, "torch": torch.__version__,
        "transformers": transformers.__version__,
        "train_seconds": round(trained - start, 1),
        "eval_seconds": round(time.monotonic() - trained, 1), "train_loss": result.training_loss,
        "eval_accuracy": scores["eval_accuracy"], "eval_loss": scores["eval_loss"]}))


if __name__ == "__main__":
    main()
