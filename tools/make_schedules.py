#!/usr/bin/env python3
"""Make the learning rates that the tests compare with, from transformers' own schedules.

    make_schedules.py [--output tests/golden/schedules.json]

Needs torch and transformers; the tests need neither. tests/golden/README.md says what is in it.
"""
import argparse
import json
import pathlib

import torch
import transformers

TOTAL = 40
# (name, kwargs, warm-up steps), each at every step to a little past the end of the training.
CASES = [
    ("linear", {}, 0), ("linear", {}, 7), ("linear", {}, TOTAL),
    ("cosine", {}, 0), ("cosine", {}, 7), ("cosine", {"num_cycles": 1.25}, 7),
    ("cosine_with_restarts", {}, 7), ("cosine_with_restarts", {"num_cycles": 3}, 7),
    ("polynomial", {}, 0), ("polynomial", {"power": 2.5, "lr_end": 1e-6}, 7),
    ("polynomial", {"lr_end": 0}, 7),
    ("constant", {}, 7), ("constant_with_warmup", {}, 7),
    ("inverse_sqrt", {}, 0), ("inverse_sqrt", {}, 7), ("inverse_sqrt", {"timescale": 20}, 7),
    ("warmup_stable_decay", {"num_decay_steps": 10}, 7),
    ("warmup_stable_decay", {"num_decay_steps": 10, "num_stable_steps": 5}, 7),
    ("warmup_stable_decay", {"num_decay_steps": 12, "min_lr_ratio": 0.1, "warmup_type": "cosine",
                             "decay_type": "linear"}, 7),
    ("warmup_stable_decay", {"num_decay_steps": 12, "min_lr_ratio": 0.25, "warmup_type": "1-sqrt",
                             "decay_type": "1-sqrt"}, 7),
    ("warmup_stable_decay", {"num_decay_steps": 12, "num_cycles": 1.5}, 0),
]
PEAK = 3e-5


def rates(name: str, kwargs: dict, warmup_steps: int) -> list[float]:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=PEAK)
    schedule = transformers.get_scheduler(name, optimizer, warmup_steps, TOTAL, kwargs)
    found = []
    for _ in range(TOTAL + 3):
        found.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent.parent / "tests/golden/schedules.json")
    cases = [{"name": name, "kwargs": kwargs, "warmup_steps": warmup_steps, "peak": PEAK,
              "total_steps": TOTAL, "rates": rates(name, kwargs, warmup_steps)}
             for name, kwargs, warmup_steps in CASES]
    lines = ",\n  ".join(json.dumps(case) for case in cases)
    made_by = json.dumps(f"transformers {transformers.__version__}, torch {torch.__version__}")
    parser.parse_args().output.write_text(f'{{"made_by": {made_by}, "cases": [\n  {lines}\n]}}\n')


if __name__ == "__main__":
    main()
