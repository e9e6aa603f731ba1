#!/usr/bin/env python3
"""Make docs/flags.md: every flag of the reference, and what `tandem train` makes of it.

    make_flag_table.py WHEEL... [--program build/release/tandem] [--output docs/flags.md]

Reads TrainingArguments from the wheels of transformers (no import, so that they need no torch) and
adds the arguments of its examples run_glue.py and run_classification.py. Fails when one is missing.
"""
import argparse
import ast
import pathlib
import subprocess
import sys
import zipfile

EXAMPLES = """
    cache_dir config_name dataset_config_name dataset_name do_regression ignore_mismatched_sizes
    label_column_name max_eval_samples max_predict_samples max_seq_length max_train_samples
    metric_name model_name_or_path model_revision overwrite_cache pad_to_max_length
    preprocessing_num_workers remove_columns remove_splits shuffle_seed shuffle_train_dataset
    task_name test_file test_split_name text_column_delimiter text_column_names token
    tokenizer_name train_file train_split_name trust_remote_code use_auth_token use_fast_tokenizer
    validation_file validation_split_name""".split()
OF_OLD_EXAMPLES = "evaluation_strategy use_ipex xpu_backend".split()


def training_arguments(wheel: pathlib.Path) -> set[str]:
    source = zipfile.ZipFile(wheel).read("transformers/training_args.py").decode()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name == "TrainingArguments":
            return {field.target.id for field in node.body if isinstance(field, ast.AnnAssign)}
    raise SystemExit(f"{wheel}: has no TrainingArguments")


def options_of(program: pathlib.Path) -> set[str]:
    text = subprocess.run([program, "train", "--help"], check=True, capture_output=True,
                          text=True).stdout
    return {word.strip(",").removeprefix("--") for word in text.split() if word.startswith("--")}


def others_of(program: pathlib.Path) -> dict[str, tuple[str, str]]:
    text = subprocess.run([program, "train", "--reference-flags"], check=True, capture_output=True,
                          text=True).stdout
    rows = (line.split("\t") for line in text.splitlines())
    return {name: (use, why) for name, use, why in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path, default="build/release/tandem")
    parser.add_argument("--output", type=pathlib.Path, default="docs/flags.md")
    options = parser.parse_args()

    sources: dict[str, list[str]] = {}
    for wheel in options.wheels:
        version = ".".join(wheel.name.split("-")[1].split(".")[:2])
        for name in training_arguments(wheel):
            sources.setdefault(name.removeprefix("_"), []).append(version)
    for name in [*EXAMPLES, *OF_OLD_EXAMPLES]:
        sources.setdefault(name, []).append("examples")

    supported, others = options_of(options.program), others_of(options.program)
    rows, missing = [], []
    for name in sorted(sources):
        flag = name.replace("_", "-")
        where = ", ".join(sorted(sources[name]))
        if flag in supported:
            rows.append(f"| `--{name}` | {where} | supported | |")
        elif flag in others:
            use, why = others[flag]
            rows.append(f"| `--{name}` | {where} | {use} | {why} |")
        else:
            missing.append(name)
    if missing:
        sys.exit(f"the program doesn't know {', '.join(missing)}")
    options.output.write_text("\n".join([
        "# The reference's flags", "",
        "What `tandem train` makes of every flag of transformers' TrainingArguments (the versions "
        "say which have it)", "and of the examples run_glue.py and run_classification.py. Made by "
        "`tools/make_flag_table.py`.", "",
        "| flag | where | here | |", "|---|---|---|---|", *rows, ""]))
    print(f"{options.output}: {len(rows)} flags")


if __name__ == "__main__":
    main()
