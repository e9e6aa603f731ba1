#!/usr/bin/env python3
"""Compare a training step of Tandem with one of the reference, interleaved in one run.

    bench/compare-hf [--quick] [--steps 6] [--rounds 2] [--pad longest max] [--json]

Both take the same batches from one order file: the lengths, cut at 128 tokens and shuffled once;
32 lines are a batch. Each round runs every system once, so that a change of the machine's speed
falls on all of them. A system's first step is a warm-up and isn't counted. Times are medians over
the steps, then over the rounds; ratios are taken within a round. Memory is the process's largest
resident size, as the kernel counts it. The GEMM rate is what Tandem measures at a step's own
shapes, by FLOPs that the result needs: padding counts as nothing.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
from typing import NamedTuple

BENCH = pathlib.Path(__file__).resolve().parent
BATCH_SIZE = 32
MAX_TOKENS = 128
SHUFFLE_SEED = 0


class System(NamedTuple):
    """One line of the table; the first system is the one that the others are compared with."""
    name: str
    command: list[str]  # prints one JSON object with seconds_per_step and samples_per_second


class Run(NamedTuple):
    result: dict
    peak_memory_bytes: int


def plan(options: argparse.Namespace, order: pathlib.Path) -> list[System]:
    """What to run. Another model, precision or prediction is one more system here."""
    shared = ["--preset", options.preset, "--batch-size", str(BATCH_SIZE),
              "--steps", str(options.steps), "--threads", str(options.threads)]
    systems = [System("Tandem, fp32", [options.tandem, "bench", "step", "--order", str(order),
                                       "--json", *shared])]
    padded = {"longest": "padded to the longest", "max": f"padded to {MAX_TOKENS}"}
    for pad in options.pad:
        command = [options.hf_python, str(BENCH / "hf_step.py"), str(order), "--pad", pad, *shared]
        systems.append(System(f"transformers, fp32, {padded[pad]}", command))
    return systems


def write_order(lengths: pathlib.Path, order: pathlib.Path, lines_needed: int) -> None:
    try:
        tokens = [min(MAX_TOKENS, int(line)) for line in lengths.read_text().split()]
    except (OSError, ValueError) as error:
        sys.exit(f"{lengths}: expected one token count a line: {error}")
    if len(tokens) < lines_needed:
        sys.exit(f"{lengths}: {lines_needed} sequences are needed, found {len(tokens)}")
    random.Random(SHUFFLE_SEED).shuffle(tokens)
    order.parent.mkdir(parents=True, exist_ok=True)
    order.write_text("".join(f"{n}\n" for n in tokens))


def run(system: System) -> Run:
    try:
        process = subprocess.Popen(system.command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        sys.exit(f"{system.name}: cannot start {system.command[0]}: {error.strerror}; build it "
                 "with scripts/build release, or say where it is with --tandem")
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{system.name}: exit code {process.returncode} from {' '.join(system.command)}")
    return Run(json.loads(output.strip().splitlines()[-1]), usage.ru_maxrss * 1024)


def summarise(name: str, runs: list[Run], first: list[Run]) -> dict:
    ratios = [r.result["seconds_per_step"] / f.result["seconds_per_step"]
              for r, f in zip(runs, first)]
    seconds = statistics.median(r.result["seconds_per_step"] for r in runs)
    ratio = statistics.median(ratios)
    share = statistics.median(f.result["step_share_of_gemm"] for f in first)
    return {"system": name, "seconds_per_step": seconds, "samples_per_second": BATCH_SIZE / seconds,
            "peak_memory_bytes": max(r.peak_memory_bytes for r in runs), "ratio": ratio,
            "ratio_low": min(ratios), "ratio_high": max(ratios), "share_of_gemm": share / ratio}


def cpu_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown CPU"


def tandem_version(tandem: str) -> str:
    done = subprocess.run([tandem, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "Tandem"


def print_table(report: dict) -> None:
    print(f"{report['cpu']}, {report['threads']} threads; {report['preset']}, "
          f"batches of {BATCH_SIZE} from {report['lengths']}, {report['steps'] - 1} steps x "
          f"{report['rounds']} rounds after a warm-up each")
    print(f"{report['tandem']}; torch {report['torch']}, transformers {report['transformers']}\n")
    width = max(len(row["system"]) for row in report["systems"])
    print(f"{'':{width}}  s/step  samples/s  peak GB  Tandem is faster by     share of GEMM rate")
    for row in report["systems"]:
        spread = f"({row['ratio_low']:.2f} to {row['ratio_high']:.2f})"
        print(f"{row['system']:{width}}  {row['seconds_per_step']:6.2f}  "
              f"{row['samples_per_second']:9.2f}  {row['peak_memory_bytes'] / 1e9:7.2f}  "
              f"{row['ratio']:5.2f} {spread:16}  {row['share_of_gemm']:18.0%}")
    print(f"\nGEMM at the step's shapes, in the same run: {report['gemm_gflops']:.0f} GFLOP/s")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/compare-hf", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="3 steps and one round unless said otherwise")
    parser.add_argument("--steps", type=int, help="a run's, with the warm-up; default: 6")
    parser.add_argument("--rounds", type=int, help="default: 2")
    parser.add_argument("--pad", nargs="+", choices=("longest", "max"), default=["longest"],
                        help="how the reference pads; default: longest")
    parser.add_argument("--preset", default="bert-base-cased")
    parser.add_argument("--lengths", type=pathlib.Path, default=BENCH / "mrpc-lengths.txt",
                        help="one sequence's token count a line; default: MRPC's training pairs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tandem", default=str(BENCH.parent / "build/release/tandem"))
    parser.add_argument("--hf-python", default=sys.executable, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    options = parser.parse_args()
    if options.steps is None:
        options.steps = 3 if options.quick else 6
    if options.rounds is None:
        options.rounds = 1 if options.quick else 2
    if options.steps < 2 or options.rounds < 1:
        parser.error("--steps must be at least 2 and --rounds at least 1")
    return options


def main() -> None:
    options = parse_options()
    order = BENCH.parent / "build/compare-hf/order.txt"
    write_order(options.lengths, order, BATCH_SIZE * options.steps)
    systems = plan(options, order)
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"other work is running here (load {busy:.1f}): the figures will be rough",
              file=sys.stderr)
    runs: list[list[Run]] = [[] for _ in systems]
    for number in range(1, options.rounds + 1):
        for system, done in zip(systems, runs):
            done.append(run(system))
            print(f"round {number} of {options.rounds}: {system.name}: "
                  f"{done[-1].result['seconds_per_step']:.2f} s a step", file=sys.stderr)
    ours, reference = runs[0], runs[1][0].result
    report = {
        "cpu": cpu_name(), "threads": options.threads, "preset": options.preset,
        "lengths": options.lengths.name, "steps": options.steps, "rounds": options.rounds,
        "tandem": tandem_version(options.tandem), "torch": reference["torch"],
        "transformers": reference["transformers"],
        "gemm_gflops": statistics.median(r.result["gemm_gflops"] for r in ours),
        "systems": [summarise(s.name, done, ours) for s, done in zip(systems, runs)]}
    if options.json:
        print(json.dumps(report))
    else:
        print_table(report)


if __name__ == "__main__":
    main()
