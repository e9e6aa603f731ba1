"""A training that was interrupted goes on where it was, and ends with the same bits."""
import json
import shutil
import signal
import subprocess
import unittest

from program import (BINARY, INTERRUPTED, MODEL, ROWS, USAGE, ProgramTest, contents, environment,
                     table)

# Four updates an epoch, so that an interval ends within one.
USUAL = (("--batch-size", 3), ("--max-steps", 11), ("--lr", "1e-3"))
EVALUATED = ("--eval-strategy", "steps", "--eval-steps", 2, "--logging-steps", 3, "--save-steps", 4,
             "--do-train", "--do-eval")


class ResumeTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.rows = self.rows_file()
        self.validation = self.rows_file("validation.tsv")

    def arguments(self, *more) -> list:
        """USUAL unless `more` says otherwise."""
        usual = [part for option in USUAL if option[0] not in more for part in option]
        return self.train_arguments(*usual, "--validation-file", self.validation, *more,
                                    train_file=self.rows)

    def interrupted_after(self, *more, line: str) -> None:
        """Starts a training and interrupts it as soon as it says `line`."""
        process = subprocess.Popen([BINARY, *map(str, self.arguments(*more))], text=True,
                                   env=environment(), stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL)
        try:
            for said in process.stderr:
                if said.startswith(line):
                    process.send_signal(signal.SIGTERM)
                    break
            err = process.stderr.read()
        finally:
            process.kill()
            process.stderr.close()
            process.wait()
        self.assertEqual(process.returncode, INTERRUPTED, err)

    def state(self) -> dict:
        state = json.loads((self.output / "trainer_state.json").read_text())
        for entry in state["log_history"]:
            for name in [name for name in entry if "runtime" in name or "per_second" in name]:
                del entry[name]
        return state

    def weights(self) -> bytes:
        return (self.output / "model.safetensors").read_bytes()

    def cut_back_to(self, step: int) -> None:
        """As if the run had been killed before it saved anything after that step."""
        for path in list(self.output.iterdir()):
            if path.name != f"checkpoint-{step}":
                shutil.rmtree(path) if path.is_dir() else path.unlink()


class SameResult(ResumeTest):
    def check_from_each_checkpoint(self, *more) -> None:
        whole = self.directory / "whole"
        self.succeeds(*self.arguments(*more))
        shutil.copytree(self.output, whole)
        expected, state = self.weights(), self.state()
        for step in (4, 8):
            with self.subTest(step=step):
                shutil.rmtree(self.output)
                shutil.copytree(whole, self.output)
                self.cut_back_to(step)
                log = self.succeeds(*self.arguments(*more)).err
                self.assertIn(f"going on from {self.output}/checkpoint-{step}, after {step} of 11",
                              log)
                self.assertEqual(self.weights(), expected)
                self.assertEqual(self.state(), state)

    def test_in_fp32(self):
        self.check_from_each_checkpoint(*EVALUATED)

    def test_in_bf16(self):
        self.check_from_each_checkpoint(*EVALUATED, "--precision", "bf16")

    def test_with_the_best_model_and_accumulation(self):
        self.check_from_each_checkpoint(
            *EVALUATED, "--load-best-model-at-end", "--gradient-accumulation-steps", 2,
            "--early-stopping-patience", 9)

    def test_when_it_stopped_early(self):
        more = ("--eval-strategy", "steps", "--eval-steps", 1, "--save-steps", 1, "--lr", "0",
                "--early-stopping-patience", 3)
        self.succeeds(*self.arguments(*more))
        expected, state = self.weights(), self.state()
        self.assertEqual(state["global_step"], 4)
        self.succeeds(*self.arguments(*more))
        self.assertEqual((self.weights(), self.state()), (expected, state))

    def test_each_of_several_seeds(self):
        more = ("--seeds", 2, "--save-steps", 4)
        self.succeeds(*self.arguments(*more))
        expected = self.weights()
        for path in ("seed-42/checkpoint-11", "seed-43/checkpoint-11", "seed-43/checkpoint-8"):
            shutil.rmtree(self.output / path)
        (self.output / "seed-43" / "model.safetensors").unlink()
        (self.output / "model.safetensors").unlink()
        log = self.succeeds(*self.arguments(*more)).err
        self.assertIn("seed-42/checkpoint-8, after 8 of 11", log)
        self.assertIn("seed-43/checkpoint-4, after 4 of 11", log)
        self.assertEqual(self.weights(), expected)

    def test_by_signal(self):
        more = ("--eval-strategy", "steps", "--eval-steps", 1, "--max-steps", 300)
        self.succeeds(*self.arguments(*more))
        expected, state = self.weights(), self.state()
        shutil.rmtree(self.output)
        for step in (20, 100):
            self.interrupted_after(*more, line=f"{step:6}  ")
        checkpoints = sorted(self.output.glob("checkpoint-*"))
        self.assertEqual(len(checkpoints), 2)
        log = self.succeeds(*self.arguments(*more)).err
        self.assertIn("going on from ", log)
        self.assertEqual(self.weights(), expected)
        self.assertEqual(self.state()["log_history"], state["log_history"])


class WhatIsGoneOnWith(ResumeTest):
    def trained(self) -> None:
        """Leaves checkpoints 4 and 8."""
        self.succeeds(*self.arguments("--save-steps", 4))
        shutil.rmtree(self.output / "checkpoint-11")

    def test_the_newest_that_is_whole(self):
        self.trained()
        path = self.output / "checkpoint-8" / "optimizer.safetensors"
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
        expected = self.weights()
        log = self.succeeds(*self.arguments("--save-steps", 4)).err
        self.assertIn("checkpoint-8/optimizer.safetensors: its content isn't the one that "
                      "manifest.json has the hash of; an earlier checkpoint is looked for", log)
        self.assertIn("checkpoint-4, after 4 of 11", log)
        self.assertEqual(self.weights(), expected)

    def test_one_that_was_complete_but_not_named_yet(self):
        self.trained()
        self.cut_back_to(8)
        (self.output / "checkpoint-8").rename(self.output / ".checkpoint-8.tmp-999999999")
        (self.output / ".checkpoint-12.tmp-999999998").mkdir()
        log = self.succeeds(*self.arguments("--save-steps", 4)).err
        self.assertIn("checkpoint-8, after 8 of 11", log)
        self.assert_no_temporary_files()

    def test_the_one_that_is_named(self):
        self.trained()
        expected = self.weights()
        log = self.succeeds(*self.arguments(
            "--save-steps", 4, "--resume-from-checkpoint", self.output / "checkpoint-4")).err
        self.assertIn("checkpoint-4, after 4 of 11", log)
        self.assertEqual(self.weights(), expected)

    def test_a_named_one_that_is_damaged(self):
        self.trained()
        (self.output / "checkpoint-8" / "config.json").unlink()
        self.fails(MODEL, ["checkpoint-8/config.json: cannot be read"], *self.arguments(
            "--resume-from-checkpoint", self.output / "checkpoint-8"))

    def test_none_when_the_directory_is_to_be_overwritten(self):
        self.trained()
        log = self.succeeds(*self.arguments("--save-steps", 4, "--overwrite-output-dir")).err
        self.assertNotIn("going on", log)
        shutil.rmtree(self.output / "checkpoint-11")
        log = self.succeeds(*self.arguments("--save-steps", 4, "--overwrite-output-dir",
                                            "--resume-from-checkpoint", "True")).err
        self.assertIn("checkpoint-8, after 8 of 11", log)

    def test_not_the_checkpoints_of_another_program(self):
        (self.output / "checkpoint-500").mkdir(parents=True)
        (self.output / "checkpoint-500" / "config.json").write_text("{}")
        self.fails(USAGE, ["is not empty"], *self.arguments())

    def test_of_other_arguments_only_when_that_is_said(self):
        self.trained()
        before = contents(self.output)
        self.fails(USAGE, ["was made with other arguments: --learning-rate was 0.001, is now 0.002; "
                           "--warmup-steps was 0, is now 3; give --allow-change to go on with these"],
                   *self.arguments("--lr", "2e-3", "--warmup-steps", 3))
        self.assertEqual(contents(self.output), before)
        log = self.succeeds(*self.arguments("--lr", "2e-3", "--allow-change")).err
        self.assertIn("checkpoint-8, after 8 of 11", log)

    def test_of_other_rows_only_when_that_is_said(self):
        self.trained()
        self.rows.write_text(table(ROWS[1:]))
        self.fails(USAGE, ["was made with other training rows"], *self.arguments())
        self.succeeds(*self.arguments("--allow-change"))

    def test_what_changes_nothing_may_be_changed(self):
        self.trained()
        expected = self.weights()
        log = self.succeeds(*self.arguments("--save-steps", 2, "--logging-steps", 5, "--threads", 1,
                                            "--json", "--report-to", "tensorboard")).err
        self.assertIn("checkpoint-8, after 8 of 11", log)
        self.assertNotIn("not bit for bit the same", log)
        self.assertEqual(self.weights(), expected)

    def test_other_kernels_are_said(self):
        self.trained()
        log = self.succeeds(*self.arguments("--kernels", "reference")).err
        self.assertIn("kernels reference, fp32, 1 rank: the result is as good, but not bit for bit "
                      "the same", log)


if __name__ == "__main__":
    unittest.main()
