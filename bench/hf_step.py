#!/usr/bin/env python3
"""The reference's speed: seconds for one training step of a randomly initialised BERT, or for the
prediction of one batch.

    hf_step.py ORDER [--preset bert-base-cased] [--pad longest|max] [--dtype fp32|bf16] [--steps 6]
               [--predict]

ORDER has one sequence's token count a line; batch i is lines 32 i to 32 i + 31 of it, as they
stand, with random ids. A step is forward, backward, clipping and AdamW, with dropout. The first
--warmup steps don't count. Prints one JSON line. Needs torch and transformers; bench/compare-hf
runs this. Under torchrun it trains data-parallel over gloo: of W processes, process r takes batch
W i + r at step i, and the first one prints. bench/compare-hf-ddp runs that.
"""
import argparse
import json
import os
import resource
import statistics
import time

import torch
import transformers
from transformers import BertConfig, BertForSequenceClassification

MAX_TOKENS = 128
PRESETS = {  # what differs from BertConfig's defaults, which are bert-base-uncased
    "bert-base-uncased": {},
    "bert-base-cased": {"vocab_size": 28996},
    "bert-large-cased": {"vocab_size": 28996, "hidden_size": 1024, "num_hidden_layers": 24,
                         "num_attention_heads": 16, "intermediate_size": 4096},
    "minilm-l6": {"hidden_size": 384, "num_hidden_layers": 6, "intermediate_size": 1536},
}


def read_batches(path: str, batch_size: int, steps: int) -> list[list[int]]:
    with open(path, encoding="utf-8") as file:
        lengths = [min(MAX_TOKENS, int(line)) for line in file]
    if len(lengths) < batch_size * steps:
        raise SystemExit(f"{path}: {steps} steps of {batch_size} sequences need "
                         f"{batch_size * steps} lines, found {len(lengths)}")
    return [lengths[i * batch_size:(i + 1) * batch_size] for i in range(steps)]


def make_inputs(lengths: list[int], pad: str, vocabulary: int) -> dict[str, torch.Tensor]:
    width = MAX_TOKENS if pad == "max" else max(lengths)
    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long()
    return {"input_ids": torch.randint(1, vocabulary, mask.shape) * mask, "attention_mask": mask,
            "labels": torch.randint(0, 2, (len(lengths),))}


def make_optimizer(model: torch.nn.Module) -> torch.optim.Optimizer:
    kinds: dict[bool, list] = {True: [], False: []}
    for name, parameter in model.named_parameters():
        kinds["bias" not in name and "LayerNorm" not in name].append(parameter)
    return torch.optim.AdamW([{"params": kinds[True], "weight_decay": 0.01},
                              {"params": kinds[False], "weight_decay": 0.0}], lr=2e-5, fused=True)


def time_step(model: torch.nn.Module, optimizer: torch.optim.Optimizer,
              inputs: dict[str, torch.Tensor], dtype: str) -> float:
    start = time.monotonic()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == "bf16"):
        loss = model(**inputs).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return time.monotonic() - start


def time_prediction(model: torch.nn.Module, inputs: dict[str, torch.Tensor], dtype: str) -> float:
    start = time.monotonic()
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16,
                                                enabled=dtype == "bf16"):
        model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
    return time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("order", metavar="ORDER")
    parser.add_argument("--preset", choices=PRESETS, default="bert-base-cased")
    parser.add_argument("--pad", choices=("longest", "max"), default="longest",
                        help="each batch to its longest, or all to 128 as run_glue.py does")
    parser.add_argument("--dtype", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--steps", type=int, default=6, help="with the warm-up")
    parser.add_argument("--warmup", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--predict", action="store_true", help="forward only, without dropout")
    options = parser.parse_args()
    if options.warmup >= options.steps:
        parser.error("--steps must be more than --warmup")
    world, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    config = BertConfig(**PRESETS[options.preset])
    model = BertForSequenceClassification(config).train(not options.predict)
    optimizer = None if options.predict else make_optimizer(model)
    if world > 1:
        torch.distributed.init_process_group("gloo")
        model = torch.nn.parallel.DistributedDataParallel(model)
    seconds = []
    batches = read_batches(options.order, options.batch_size, options.steps * world)
    for lengths in batches[rank::world]:
        inputs = make_inputs(lengths, options.pad, config.vocab_size)
        seconds.append(time_step(model, optimizer, inputs, options.dtype) if optimizer
                       else time_prediction(model, inputs, options.dtype))
    if world > 1:
        torch.distributed.destroy_process_group()
    if rank > 0:
        return
    median = statistics.median(seconds[options.warmup:])
    print(json.dumps({
        "preset": options.preset, "pad": options.pad, "dtype": options.dtype,
        "threads": options.threads, "processes": world, "torch": torch.__version__,
        "transformers": transformers.__version__, "step_seconds": [round(s, 3) for s in seconds],
        "seconds_per_step": round(median, 4),
        "samples_per_second": round(world * options.batch_size / median, 3),
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
