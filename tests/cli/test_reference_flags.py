"""Flags of the reference that aren't options here: left out with a note, or refused with a reason."""
import json
import pathlib
import re
import unittest

from program import USAGE, ProgramTest, run

TABLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "flags.md"


class ReferenceFlags(ProgramTest):
    def test_the_table_tells_the_truth(self):
        rows = re.findall(r"^\| `--(\w+)` \| [^|]* \| ([^|]*) \|", TABLE.read_text(), re.MULTILINE)
        self.assertGreater(len(rows), 130)
        options = set(re.findall(r"--([a-z][a-z0-9-]+)", run("train", "--help").out))
        listed = dict(line.split("\t")[:2]
                      for line in self.succeeds("train", "--reference-flags").out.splitlines())
        for name, use in rows:
            flag = name.replace("_", "-")
            self.assertEqual(use, "supported" if flag in options else listed.get(flag), name)

    def test_noted(self):
        result = self.succeeds(*self.train_arguments(
            "--max_steps", 1, "--no_cuda", "--use_ipex", "True", "--xpu_backend", "ccl",
            "--dataloader_num_workers=4", "--include_for_metrics", "inputs", "loss",
            "--optim", "adamw_torch", "--fp16", "False", "--deepspeed", "None"))
        self.assertIn("--no-cuda: Tandem trains on CPUs", result.err)
        self.assertIn("--use-ipex: Tandem needs no extension for the CPU", result.err)
        self.assertNotIn("--fp16", result.err)

    def test_refused(self):
        for flags, text in [
                (["--fp16"], "--fp16: no CPU is faster in fp16; use --precision bf16"),
                (["--deepspeed", "zero.json"], "--deepspeed: a model is never divided"),
                (["--optim", "sgd"], "--optim sgd: the optimizer is AdamW; leave it out"),
                (["--trust-remote-code=true"], "--trust-remote-code: code from a model's"),
                (["--no-cudaa"], "--no-cudaa: there is no such option")]:
            with self.subTest(flags):
                self.fails(USAGE, [text], *self.train_arguments(*flags))

    def test_renamed(self):
        self.succeeds(*self.train_arguments("--max-steps", 1, "--per_gpu_train_batch_size", 3))
        arguments = json.loads((self.output / "training_args.json").read_text())
        self.assertEqual(arguments["per_device_train_batch_size"], 3)

    def test_arguments_from_a_file(self):
        path = self.write("args.json", json.dumps({
            "model_name_or_path": str(self.model), "train_file": str(self.rows_file()),
            "output_dir": str(self.output), "max_steps": 2, "learning_rate": 2e-5,
            "do_train": True, "no_cuda": True, "cache_dir": None, "precision": "fp32"}))
        self.succeeds("train", path)
        arguments = json.loads((self.output / "training_args.json").read_text())
        self.assertEqual((arguments["max_steps"], arguments["learning_rate"]), (2, 2e-5))
        self.fails(USAGE, ["--nonsense=1: there is no such option"], "train", self.write(
            "bad.json", json.dumps({"model": "x", "output_dir": "x", "nonsense": 1})))


if __name__ == "__main__":
    unittest.main()
