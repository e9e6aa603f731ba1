"""What happens on the way through a training: evaluations, checkpoints, the best model, an early
end; and several trainings in a row."""
import json
import pathlib
import resource
import signal
import subprocess
import unittest

from program import (BINARY, INTERRUPTED, ROWS, USAGE, WALL, ProgramTest, contents,
                     environment)
from test_output import small_volume

# The loss falls; taken for better the higher it is, the first evaluation is the best.
FIRST_IS_BEST = ("--metric-for-best-model", "loss", "--greater-is-better", "True", "--lr", "1e-3")
BY_EPOCH = ("--eval-strategy", "epoch", "--save-strategy", "epoch")


class LoopTest(ProgramTest):
    """Trains for 6 updates of 8 rows, 2 an epoch, with the training rows to evaluate on."""

    def train(self, *more, **options) -> str:
        rows = self.rows_file("validation.tsv")
        return self.succeeds(*self.train_arguments("--validation-file", rows, *more, **options)).err

    def fails_to_train(self, text: str, *more, code: int = USAGE) -> None:
        rows = self.rows_file("validation.tsv")
        with self.subTest(more):
            self.fails(code, [text], *self.train_arguments("--validation-file", rows, *more))

    def read(self, name: str) -> dict:
        return json.loads((self.output / name).read_text())

    def weights(self, directory: pathlib.Path) -> bytes:
        return (directory / "model.safetensors").read_bytes()

    def checkpoints(self, output: pathlib.Path | None = None) -> list[str]:
        return sorted(path.name for path in (output or self.output).glob("checkpoint-*"))


class Checkpoints(LoopTest):
    def test_are_whole_models(self):
        self.train("--save-steps", 4)
        self.assertEqual(self.checkpoints(), ["checkpoint-4", "checkpoint-6"])
        self.assert_no_temporary_files()
        checkpoint = self.output / "checkpoint-4"
        self.assertEqual(sorted(contents(checkpoint)), [
            "config.json", "manifest.json", "model.safetensors", "optimizer.safetensors",
            "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json",
            "trainer_state.json", "training_args.json", "training_progress.json", "vocab.txt"])
        self.succeeds("predict", "--model", checkpoint, "--data", self.rows_file())
        state = self.read("checkpoint-4/trainer_state.json")
        self.assertEqual((state["global_step"], state["max_steps"], state["epoch"],
                          state["save_steps"]), (4, 6, 2.0, 4))
        self.assertEqual(self.weights(self.output / "checkpoint-6"), self.weights(self.output))
        self.assertNotEqual(self.weights(checkpoint), self.weights(self.output))

    def test_a_short_run_has_its_model_alone(self):
        self.train()
        self.assertEqual(self.checkpoints(), [])

    def test_strategies(self):
        for strategy, expected in [
                (["no"], []), (["epoch"], ["checkpoint-2", "checkpoint-4", "checkpoint-6"]),
                (["epoch", "--save-total-limit", 2], ["checkpoint-4", "checkpoint-6"]),
                (["steps", "--save-steps", "0.5"], ["checkpoint-3", "checkpoint-6"]),
                (["best", "--eval-strategy", "epoch", *FIRST_IS_BEST], ["checkpoint-2"])]:
            with self.subTest(strategy):
                self.output = self.directory / "-".join(map(str, strategy))
                self.train("--save-strategy", *strategy)
                self.assertEqual(self.checkpoints(), expected)

    def test_of_an_earlier_run_stay_and_are_told_of(self):
        self.train("--save-steps", 3)
        log = self.train("--save-steps", 2, "--overwrite-output-dir")
        self.assertIn("checkpoint-3, checkpoint-6 of an earlier run stay", log)
        self.assertEqual(self.checkpoints(),
                         ["checkpoint-2", "checkpoint-3", "checkpoint-4", "checkpoint-6"])
        self.assertEqual(self.read("checkpoint-6/trainer_state.json")["save_steps"], 2)

    def test_are_whole_whenever_the_program_is_killed(self):
        process = subprocess.Popen(
            [BINARY, *map(str, self.train_arguments("--max-steps", 100_000, "--save-steps", 1,
                                                    "--save-total-limit", 3))],
            env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "checkpoint-20\n" in line:
                break
        process.kill()
        process.wait()
        self.assertGreaterEqual(len(self.checkpoints()), 3)
        for name in self.checkpoints():
            self.succeeds("predict", "--model", self.output / name, "--data", self.rows_file())
            self.assertEqual(f"checkpoint-{self.read(f'{name}/trainer_state.json')['global_step']}",
                             name)
        # What was half-written goes with the next run.
        (self.output / ".checkpoint-7.tmp-999999999").mkdir(exist_ok=True)
        self.train("--max-steps", 1, "--overwrite-output-dir")
        self.assert_no_temporary_files()

    def test_one_that_cannot_be_written_ends_the_run_and_leaves_the_others(self):
        self.train("--save-steps", 3)
        self.fails(WALL, ["model.safetensors: cannot be written: file too large"],
                   *self.train_arguments("--overwrite-output-dir", "--save-steps", 2),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))

    def test_the_disk_must_have_room_for_all(self):
        # 90 kB a model, and the program asks for 1 MB more.
        with small_volume(self.directory / "small", "1400k"):
            self.output = self.directory / "small" / "out"
            self.fails_to_train("no space left: ", "--save-strategy", "epoch", code=WALL)
            self.train("--save-strategy", "no")


class BestModel(LoopTest):
    def test_is_loaded_at_the_end(self):
        log = self.train(*BY_EPOCH, *FIRST_IS_BEST, "--load-best-model-at-end", "--do-train",
                         "--do-eval")
        self.assertRegex(log, r"  step   epoch  train_loss  .*eval_accuracy.*\n"
                              r"     2    1\.00 .*  best so far\n")
        self.assertIn("the best model is that of step 2, eval_loss", log)
        self.assertEqual(self.weights(self.output), self.weights(self.output / "checkpoint-2"))
        self.assertNotEqual(self.weights(self.output), self.weights(self.output / "checkpoint-6"))
        state = self.read("trainer_state.json")
        self.assertEqual((state["best_global_step"], state["best_model_checkpoint"]),
                         (2, "checkpoint-2"))
        history = {entry["step"]: entry["eval_loss"] for entry in state["log_history"]
                   if "eval_loss" in entry}
        self.assertEqual(state["best_metric"], history[2])
        self.assertAlmostEqual(self.read("eval_results.json")["eval_loss"], history[2], places=6)

    def test_in_bf16(self):
        self.train(*BY_EPOCH, *FIRST_IS_BEST, "--load-best-model-at-end", "--precision", "bf16",
                   "--do-train", "--do-eval")
        state = self.read("trainer_state.json")
        self.assertAlmostEqual(self.read("eval_results.json")["eval_loss"], state["best_metric"],
                               places=6)

    def test_with_a_limit_of_one_it_is_the_only_checkpoint(self):
        self.train(*BY_EPOCH, *FIRST_IS_BEST, "--load-best-model-at-end", "--save-total-limit", 1)
        self.assertEqual(self.checkpoints(), ["checkpoint-2"])

    def test_stops_early(self):
        log = self.train(*BY_EPOCH, *FIRST_IS_BEST, "--early-stopping-patience", 1,
                         "--load_best_model_at_end", "True")
        self.assertIn("stopping early after step 4 of 6: 1 evaluation in a row had no better "
                      "eval_loss than ", log)
        state = self.read("trainer_state.json")
        self.assertEqual((state["global_step"], state["max_steps"]), (4, 6))
        self.assertEqual(self.weights(self.output), self.weights(self.output / "checkpoint-2"))

    def test_early_end_by_a_threshold(self):
        self.train(*BY_EPOCH, "--early-stopping-patience", 2, "--early-stopping-threshold", 100,
                   "--epochs", 10)
        self.assertEqual(self.read("trainer_state.json")["global_step"], 6)

    def test_wrong_usage(self):
        best = "--load-best-model-at-end"
        for text, more in [
                (f"{best} needs evaluations on the way: give --eval-strategy epoch or steps",
                 [best]),
                ("--early-stopping-patience needs evaluations", ["--early-stopping-patience", 2]),
                ("--save-strategy best needs evaluations", ["--save-strategy", "best"]),
                ("--eval-strategy is epoch and --save-strategy steps; give --save-strategy epoch",
                 [best, "--eval-strategy", "epoch"]),
                ("--save-steps to be a whole multiple of --eval-steps, found 500 and 3; give "
                 "--save-steps 3", [best, "--eval-strategy", "steps", "--eval-steps", 3]),
                ("found 4 and 0.5", [best, "--eval-strategy", "steps", "--eval-steps", "0.5",
                                     "--save-steps", 4]),
                ("--metric-for-best-model eval_acuracy: an evaluation has no such metric; did you "
                 'mean "eval_accuracy"?; it has eval_accuracy, eval_loss',
                 [*BY_EPOCH, best, "--metric-for-best-model", "acuracy"]),
                ("--eval-steps: 2.5: expected a whole number of updates, or a share of all",
                 ["--eval-strategy", "steps", "--eval-steps", "2.5"]),
                ("--save-steps: 0: expected a whole number", ["--save-steps", 0]),
                ("--save-strategy: often not in {no,steps,epoch,best}",
                 ["--save-strategy", "often"]),
                ("--early-stopping-patience: Value -1 not in range 0",
                 ["--early-stopping-patience", -1])]:
            self.fails_to_train(text, *more)


class Schedules(LoopTest):
    def rates(self, *more) -> list[float]:
        self.train("--logging-steps", 1, "--lr", "1e-4", "--overwrite-output-dir", *more)
        return [entry["learning_rate"] for entry in self.read("trainer_state.json")["log_history"]
                if "learning_rate" in entry]

    def test_by_name_and_with_more_settings(self):
        self.assertEqual(self.rates("--lr_scheduler_type", "constant"), [1e-4] * 6)
        found = self.rates("--lr_scheduler_type", "cosine_with_restarts", "--lr_scheduler_kwargs",
                           '{"num_cycles": 2}')
        for rate, expected in zip(found, [1e-4, 0.75e-4, 0.25e-4] * 2, strict=True):
            self.assertAlmostEqual(rate, expected, places=12)

    def test_warm_up_by_steps_or_share(self):
        expected = self.rates("--warmup-steps", 3)
        self.assertEqual(expected[0], 0)
        self.assertEqual(expected[3], 1e-4)
        for more in (["--warmup-steps", "0.5"], ["--warmup_ratio", "0.45"]):
            self.assertEqual(self.rates(*more), expected)

    def test_wrong_usage(self):
        for text, more in [
                ('there is no such schedule; did you mean "cosine"?',
                 ["--lr-scheduler-type", "cosin"]),
                ("--lr-scheduler-kwargs: schedule linear takes none",
                 ["--lr-scheduler-kwargs", '{"power": 2}']),
                ("needs num_decay_steps", ["--lr-scheduler-type", "warmup_stable_decay"]),
                ("lr_end 1e-07 must be below --learning-rate 1e-08",
                 ["--lr-scheduler-type", "polynomial", "--lr", "1e-8"]),
                ("2 updates of warm-up and 5 of decay are more than the 6 that there are",
                 ["--lr-scheduler-type", "warmup_stable_decay", "--lr-scheduler-kwargs",
                  '{"num_decay_steps": 5}', "--warmup-steps", 2]),
                ("--warmup-steps: 1.5: expected a whole number", ["--warmup-steps", "1.5"])]:
            self.fails_to_train(text, *more)


class Warnings(LoopTest):
    def test_one_class_for_everything(self):
        alike = self.rows_file("alike.tsv", [("a film", label) for label in ("good", "bad")] * 5)
        log = self.succeeds(*self.train_arguments(
            "--max-steps", 1, "--eval-strategy", "epoch", "--validation-file", alike)).err
        self.assertRegex(log, r'warning: .*alike.tsv: all 10 rows are predicted "[a-z-]+", which '
                              r'(50|0)\.0% of them are; if that stays so, a smaller ')

    def test_labels_the_other_way_round(self):
        rows = [("a good film", "good"), ("awful dull tea", "bad")] * 20
        swapped = [(text, "bad" if label == "good" else "good") for text, label in rows]
        log = self.succeeds(*self.train_arguments(
            "--eval-strategy", "epoch", "--epochs", 20, "--lr", "5e-3", "--ignore-mismatched-sizes",
            "--validation-file", self.rows_file("swapped.tsv", swapped),
            train_file=self.rows_file("rows.tsv", rows))).err
        self.assertIn('swapped.tsv: accuracy 0.000 is below chance, 0.500; it would be 1.000 if '
                      '"bad" meant "good" and "good" meant "bad"', log)


class Seeds(LoopTest):
    def test_train_one_model_each_and_keep_the_best(self):
        rows = self.rows_file("validation.tsv")
        result = self.succeeds(*self.train_arguments("--validation-file", rows, "--seeds", 3,
                                                     "--seed", 7, "--lr", "1e-3"))
        directories = ["seed-7", "seed-8", "seed-9"]
        self.assertEqual(sorted(path.name for path in self.output.glob("seed-*")), directories)
        seeds = self.read("seeds.json")
        self.assertEqual([run["seed"] for run in seeds["runs"]], [7, 8, 9])
        self.assertEqual(seeds["metric"], "eval_accuracy")
        values = [run["eval_accuracy"] for run in seeds["runs"]]
        self.assertAlmostEqual(seeds["mean"]["eval_accuracy"], sum(values) / 3)
        best = directories[values.index(max(values))]
        self.assertEqual(seeds["best_directory"], best)
        self.assertEqual(self.weights(self.output), self.weights(self.output / best))
        self.assertEqual(self.read("eval_results.json"), self.read(f"{best}/eval_results.json"))
        self.assertRegex(result.out, r"(?m)^seed  eval_accuracy  eval_loss\n   7 ")
        self.assertRegex(result.out, r"(?m)^eval_accuracy +\d\.\d{4} +\d\.\d{4}$")
        self.assertIn(f"in {self.output / best}, copied to {self.output}\n", result.out)
        self.assertEqual(self.read("seed-8/training_args.json")["seed"], 8)
        self.assertEqual(result.err.count("model.safetensors"), 1, "the model is told of once")
        self.succeeds("predict", "--model", self.output, "--data", rows)

    def test_each_is_what_training_with_its_seed_alone_gives(self):
        self.train("--seeds", 2, "--seed", 7)
        together = self.output
        self.output = self.directory / "alone"
        self.train("--seed", 8)
        self.assertEqual(self.weights(self.output), self.weights(together / "seed-8"))

    def test_with_checkpoints_and_another_metric(self):
        self.train("--seeds", 2, *BY_EPOCH, "--load-best-model-at-end", "--metric-for-best-model",
                   "loss", "--save-total-limit", 1)
        self.assertEqual(self.read("seeds.json")["metric"], "eval_loss")
        for seed in (42, 43):
            self.assertEqual(len(self.checkpoints(self.output / f"seed-{seed}")), 1)

    def test_wrong_usage(self):
        self.fails(USAGE, ["--seeds needs rows to compare the models on: give --validation-file"],
                   *self.train_arguments("--seeds", 2))
        for text, more in [
                ("--seeds: Value 0 not in range 1", ["--seeds", 0]),
                ("--seeds and --autotune exclude each other", ["--seeds", 2, "--autotune", "1m"]),
                ("--speed-report is of one training",
                 ["--seeds", 2, "--speed-report", self.directory / "speed.json"]),
                ("--autotune 10x: expected a time such as 90s, 10m or 2h", ["--autotune", "10x"]),
                ("--autotune chooses epochs and batches: leave out --max-steps",
                 ["--autotune", "1m", "--max-steps", 3]),
                ("--autotune: --do-predict is left to `tandem predict`",
                 ["--autotune", "1m", "--do-predict"])]:
            self.fails_to_train(text, *more)


class Autotune(LoopTest):
    def test_searches_and_keeps_the_best(self):
        rows = self.rows_file("validation.tsv")
        result = self.succeeds(*self.train_arguments("--validation-file", rows, "--autotune", "2m"))
        found = self.read("autotune.json")
        self.assertEqual(len(found["trials"]), 14)
        values = [trial["eval_accuracy"] for trial in found["trials"]]
        self.assertEqual(found["best_trial"], values.index(max(values)) + 1)
        best = found["trials"][found["best_trial"] - 1]
        arguments = self.read("training_args.json")
        self.assertEqual(arguments["learning_rate"], best["learning_rate"])
        self.assertEqual(arguments["global_batch_size"], best["batch"])
        self.assertEqual(arguments["num_train_epochs"], best["epochs"])
        self.assertEqual(self.read("eval_results.json")["eval_accuracy"], max(values))
        self.assertEqual(list(self.output.glob("trial-*")), [])
        self.assertRegex(result.out, r"(?m)^learning_rate  batch  epochs  eval_accuracy  eval_loss")
        self.succeeds("predict", "--model", self.output, "--data", rows)

    def test_interrupted_keeps_the_best_so_far(self):
        many = self.write("many.tsv", "text\tlabel\n" + "".join(
            f"{text}\t{label}\n" for text, label in ROWS * 400))
        process = subprocess.Popen(
            [BINARY, *map(str, self.train_arguments(
                "--validation-file", self.rows_file("validation.tsv"), "--autotune", "2h",
                train_file=many))],
            env=environment(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if line.startswith("trial 3: "):
                break
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertRegex(err, r"tandem: interrupted in trial [3-9]; the best model of those before "
                              rf"is in {self.output}\n$")
        self.assertGreaterEqual(len(self.read("autotune.json")["trials"]), 2)
        self.assertEqual(list(self.output.glob("trial-*")), [])
        self.succeeds("predict", "--model", self.output, "--data", self.rows_file())

    def test_tries_one_however_short_the_time(self):
        log = self.train("--autotune", "0.001s")
        self.assertIn("--autotune: there was time for 1 trial; more time tries more", log)
        self.assertEqual(len(self.read("autotune.json")["trials"]), 1)


if __name__ == "__main__":
    unittest.main()
