#!/usr/bin/env python3
"""Compare Tandem with the reference, training and predicting, interleaved in one run.

    bench/compare-hf [--quick] [--steps 6] [--rounds 2] [--presets bert-base-cased minilm-l6]
                     [--modes training prediction] [--pad longest max] [--json]

All take the same batches from one order file: the lengths, cut at 128 tokens and shuffled once;
32 lines are a batch. Each round runs every system once, so that a change of the machine's speed
falls on all of them. A system's first step is a warm-up and isn't counted. Times are medians over
the steps, then over the rounds; ratios are taken within a round. Memory is the process's largest
resident size, as the kernel counts it. The GEMM rate is what Tandem measures at a step's own
shapes, by FLOPs that the result needs: padding counts as nothing. When it predicts, Tandem takes the
same sequences 2,048 tokens or more at a time, as its evaluation does, and the time of a batch is 32
times its mean time of a sequence.
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
    """One line of the table; the first system of a group is compared with the others."""
    name: str
    command: list[str]  # prints one JSON object with seconds_per_step and samples_per_second


class Group(NamedTuple):
    preset: str
    mode: str
    systems: list[System]


class Run(NamedTuple):
    result: dict
    peak_memory_bytes: int


def cpu_flags() -> set[str]:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("flags"):
            return set(line.split(":", 1)[1].split())
    return set()


def plan(options: argparse.Namespace, preset: str, mode: str, order: pathlib.Path) -> Group:
    predicts = mode == "prediction"
    shared = ["--preset", preset, "--batch-size", str(BATCH_SIZE),
              "--steps", str(options.steps), "--threads", str(options.threads)]
    ours = [options.tandem, "bench", "predict" if predicts else "step", "--order", str(order),
            "--json", *shared]
    dtypes = ["fp32", "bf16"] if "avx512_bf16" in cpu_flags() else ["fp32"]
    systems = [System(f"Tandem, {dtype}", [*ours, "--precision", dtype]) for dtype in dtypes]
    if predicts and "avx512_vnni" in cpu_flags():
        systems.append(System("Tandem, int8", [*ours, "--int8"]))
    padded = {"longest": "padded to the longest", "max": f"padded to {MAX_TOKENS}"}
    for dtype in dtypes:
        for pad in options.pad:
            command = [options.hf_python, str(BENCH / "hf_step.py"), str(order), "--pad", pad,
                       "--dtype", dtype, *shared, *(["--predict"] if predicts else [])]
            systems.append(System(f"transformers, {dtype}, {padded[pad]}", command))
    return Group(preset, mode, systems)


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


def summarise(group: Group, runs: list[list[Run]]) -> dict:
    rows = []
    ours = runs[0]
    shares = [run.result["step_share_of_gemm"] for run in ours if "step_share_of_gemm" in run.result]
    for system, done in zip(group.systems, runs):
        ratios = [r.result["seconds_per_step"] / f.result["seconds_per_step"]
                  for r, f in zip(done, ours)]
        seconds = statistics.median(r.result["seconds_per_step"] for r in done)
        ratio = statistics.median(ratios)
        rows.append({
            "system": system.name, "seconds_per_step": seconds,
            "samples_per_second": BATCH_SIZE / seconds,
            "peak_memory_bytes": max(r.peak_memory_bytes for r in done), "ratio": ratio,
            "ratio_low": min(ratios), "ratio_high": max(ratios),
            "share_of_gemm": statistics.median(shares) / ratio if shares else None})
    rates = [run.result["gemm_gflops"] for run in ours if "gemm_gflops" in run.result]
    return {"preset": group.preset, "mode": group.mode, "systems": rows,
            "gemm_gflops": statistics.median(rates) if rates else None}


def cpu_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown CPU"


def tandem_version(tandem: str) -> str:
    done = subprocess.run([tandem, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "Tandem"


def print_table(report: dict) -> None:
    print(f"{report['cpu']}, {report['threads']} threads; batches of {BATCH_SIZE} from "
          f"{report['lengths']}, {report['steps'] - 1} steps x {report['rounds']} rounds after a "
          "warm-up each")
    print(f"{report['tandem']}; torch {report['torch']}, transformers {report['transformers']}")
    width = max(len(row["system"]) for group in report["groups"] for row in group["systems"])
    for group in report["groups"]:
        rate = group["gemm_gflops"]
        print(f"\n{group['preset']}, {group['mode']}" +
              (f" (products alone, in the same run: {rate:.0f} GFLOP/s)" if rate else ""))
        print(f"{'':{width}}  s/batch  samples/s  peak GB  x Tandem's fp32 time  of GEMM rate")
        for row in group["systems"]:
            spread = f"({row['ratio_low']:.2f} to {row['ratio_high']:.2f})"
            share = row["share_of_gemm"]
            print(f"{row['system']:{width}}  {row['seconds_per_step']:7.3f}  "
                  f"{row['samples_per_second']:9.2f}  {row['peak_memory_bytes'] / 1e9:7.2f}  "
                  f"{row['ratio']:5.2f} {spread:15}  " +
                  (f"{share:12.0%}" if share else f"{'-':>12}"))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/compare-hf", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="3 steps and one round unless said otherwise")
    parser.add_argument("--steps", type=int, help="a run's, with the warm-up; default: 6")
    parser.add_argument("--rounds", type=int, help="default: 2")
    parser.add_argument("--pad", nargs="+", choices=("longest", "max"),
                        default=["longest", "max"], help="how the reference pads; default: both ways")
    parser.add_argument("--presets", nargs="+", default=["bert-base-cased", "minilm-l6"],
                        help="default: both")
    parser.add_argument("--modes", nargs="+", choices=("training", "prediction"),
                        default=["training", "prediction"], help="default: both")
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
    groups = [plan(options, preset, mode, order)
              for preset in options.presets for mode in options.modes]
    busy = os.getloadavg()[0]
    if busy > 0.5:
        print(f"other work is running here (load {busy:.1f}): the figures will be rough",
              file=sys.stderr)
    runs: list[list[list[Run]]] = [[[] for _ in group.systems] for group in groups]
    for number in range(1, options.rounds + 1):
        for group, of_group in zip(groups, runs):
            for system, done in zip(group.systems, of_group):
                done.append(run(system))
                print(f"round {number} of {options.rounds}: {group.preset}, {group.mode}: "
                      f"{system.name}: {done[-1].result['seconds_per_step']:.3f} s a batch",
                      file=sys.stderr)
    reference = runs[0][-1][0].result
    report = {
        "cpu": cpu_name(), "threads": options.threads, "lengths": options.lengths.name,
        "steps": options.steps, "rounds": options.rounds, "tandem": tandem_version(options.tandem),
        "torch": reference["torch"], "transformers": reference["transformers"],
        "groups": [summarise(group, of_group) for group, of_group in zip(groups, runs)]}
    if options.json:
        print(json.dumps(report))
    else:
        print_table(report)


if __name__ == "__main__":
    main()
