"""tandem train: what it learns from, and that the same command gives the same model."""
import json
import pathlib
import unittest

from model_files import make_distilbert
from program import ROWS, ProgramTest, run, table

PAIRS = [(text, text[::-1], label) for text, label in ROWS]


class Training(ProgramTest):
    def train(self, *more, **options) -> str:
        return self.succeeds(*self.train_arguments(*more, **options)).err

    def state(self, output: pathlib.Path | None = None) -> dict:
        return json.loads(((output or self.output) / "trainer_state.json").read_text())

    def weights(self) -> bytes:
        return (self.output / "model.safetensors").read_bytes()

    def test_learns_a_small_table(self):
        self.train("--epochs", 60, "--lr", "5e-3", "--batch-size", 5)
        result = self.succeeds("evaluate", "--model", self.output, "--data", self.rows_file(),
                               "--json")
        self.assertEqual(json.loads(result.out)["eval_accuracy"], 1.0)

    def test_evaluates_and_predicts(self):
        rows = self.rows_file()
        result = self.succeeds(*self.train_arguments(
            "--do-train", "--do-eval", "--do-predict", "--validation-file", rows,
            "--test-file", rows))
        self.assertIn("***** train metrics *****\n", result.out)
        self.assertIn("***** eval metrics *****\n", result.out)
        self.assertRegex(result.out, r"(?m)^  eval_accuracy +=  +\d")
        self.assertIn("training: 6 updates of 8 examples, 2 an epoch", result.err)
        lines = (self.output / "predict_results.txt").read_text().splitlines()
        self.assertEqual(lines[0], "index\tprediction")
        self.assertEqual([line.split("\t")[0] for line in lines[1:]], [*map(str, range(10))])

    def test_evaluation_of_a_fine_tuned_model_alone(self):
        self.train("--max-steps", 2)
        rows = self.rows_file("validation.tsv")
        result = self.succeeds("train", "--model", self.output, "--do-eval", "--validation-file",
                               rows, "--output-dir", self.directory / "again")
        self.assertIn("eval_accuracy", result.out)
        self.assertFalse((self.directory / "again" / "model.safetensors").exists())

    def test_spellings_of_run_glue(self):
        rows = str(self.rows_file())
        self.succeeds("train", "--model_name_or_path", self.model, "--train_file", rows,
                      "--do_train", "True", "--do_eval", "False", "--per_device_train_batch_size=4",
                      "--learning_rate", "1e-4", "--num_train_epochs", "1",
                      "--max_seq_length", "16", "--output_dir", self.output,
                      "--overwrite_output_dir", "--seed=7")
        arguments = json.loads((self.output / "training_args.json").read_text())
        self.assertEqual(
            {name: arguments[name] for name in ("do_train", "do_eval", "learning_rate", "seed",
                                                "per_device_train_batch_size", "train_file")},
            {"do_train": True, "do_eval": False, "learning_rate": 1e-4, "seed": 7,
             "per_device_train_batch_size": 4, "train_file": rows})
        self.assertEqual(self.state()["max_steps"], 3)

    def test_task_of_glue(self):
        folder = self.sst2_folder()
        (folder / "test.tsv").write_text("index\tsentence\n0\ta good film\n1\ta bad film\n")
        result = self.succeeds(
            "train", "--model", self.model, "--task_name", "SST-2", "--data_dir", folder.parent,
            "--output_dir", self.output, "--do_train", "--do_eval", "--do_predict",
            "--max_steps", 2, "--ignore-mismatched-sizes")
        self.assertIn("eval_accuracy", result.out)
        self.assertRegex((self.output / "predict_results_sst2.txt").read_text(),
                         r"^index\tprediction\n0\t(nega|posi)tive\n1\t(nega|posi)tive\n$")

    def test_distilbert(self):
        self.model = make_distilbert(self.directory / "distilbert")
        rows = self.rows_file()
        log = self.train("--max-steps", 40, "--lr", "5e-3", "--validation-file", rows)
        self.assertIn("pre-classifier: loaded", log)
        config = json.loads((self.output / "config.json").read_text())
        self.assertEqual(config["architectures"], ["DistilBertForSequenceClassification"])
        tokenizer = json.loads((self.output / "tokenizer_config.json").read_text())
        self.assertEqual(tokenizer["tokenizer_class"], "DistilBertTokenizer")
        losses = [entry["loss"] for entry in self.state()["log_history"] if "loss" in entry]
        self.assertLess(losses[-1], 1.0)
        small = self.directory / "int8"
        self.succeeds("quantize", "--model", self.output, "--output", small)
        for directory in (self.output, small):
            self.succeeds("evaluate", "--model", directory, "--data", rows, "--json")

    def test_pairs(self):
        path = self.write("pairs.csv", table(PAIRS, ",", ("sentence1", "sentence2", "label")))
        log = self.train("--max-steps", 1, train_file=path)
        self.assertIn('text: column "sentence1" (1 of 3), pair: column "sentence2" (2 of 3)', log)

    def test_regression(self):
        rows = [(text, str(len(text) / 10)) for text, _ in ROWS]
        path = self.rows_file("values.tsv", rows)
        log = self.train("--max-steps", 2, "--ignore-mismatched-sizes", train_file=path)
        self.assertIn("this is taken for regression", log)
        config = json.loads((self.output / "config.json").read_text())
        self.assertEqual((config["problem_type"], len(config["id2label"])), ("regression", 1))
        result = self.succeeds("evaluate", "--model", self.output, "--data", path)
        self.assertIn("eval_pearson", result.out)
        lines = self.succeeds("predict", "--model", self.output, "--data", path).out.splitlines()
        self.assertEqual(lines[0], "index\tprediction")
        self.assertEqual(len(lines), 11)
        float(lines[1].split("\t")[1])

    def test_whole_numbers_as_values(self):
        path = self.rows_file("values.tsv", [(text, str(len(text))) for text, _ in ROWS])
        self.train("--max-steps", 1, "--do-regression", "--ignore-mismatched-sizes",
                   train_file=path)
        self.assertIn("regression", (self.output / "config.json").read_text())

    def test_limits(self):
        log = self.train("--max-steps", 3, "--max-train-samples", 9, "--batch-size", 3,
                         "--max-eval-samples", 4, "--do-train", "--do-eval", "--validation-file",
                         self.rows_file("validation.tsv"))
        self.assertIn("train.tsv: 9 examples", log)
        self.assertIn("validation.tsv: 4 examples", log)
        self.assertEqual(self.state()["global_step"], 3)
        self.assertEqual(self.state()["epoch"], 1.0)

    def test_evaluation_while_training(self):
        rows = self.rows_file("validation.tsv")
        for strategy, steps in [(["epoch"], [2, 4, 6]), (["steps", "--eval-steps", 3], [3, 6])]:
            with self.subTest(strategy):
                log = self.train("--eval-strategy", *strategy, "--validation-file", rows,
                                 "--overwrite-output-dir")
                history = self.state()["log_history"]
                evaluated = [entry["step"] for entry in history if "eval_loss" in entry]
                self.assertEqual(evaluated, steps)
                self.assertIn("  step   epoch  train_loss  eval_", log)
                self.assertIn(f"\n{steps[0]:6}  {steps[0] / 2:6.2f}  ", log)

    def test_logging_steps(self):
        self.train("--logging-steps", 2)
        entries = [entry for entry in self.state()["log_history"] if "loss" in entry]
        self.assertEqual([entry["step"] for entry in entries], [2, 4, 6])
        self.assertEqual(set(entries[0]), {"step", "epoch", "loss", "grad_norm", "learning_rate"})

    def test_gradient_accumulation_is_a_larger_batch(self):
        losses = []
        for arguments in (["--batch-size", 10],
                          ["--batch-size", 2, "--gradient-accumulation-steps", 5]):
            self.train(*arguments, "--max-steps", 3, "--logging-steps", 1, "--overwrite-output-dir")
            history = self.state()["log_history"]
            losses.append([entry["loss"] for entry in history if "loss" in entry])
        self.assertEqual(len(losses[0]), 3)
        for whole, parts in zip(*losses):
            self.assertAlmostEqual(whole, parts, places=5)  # the order of a sum differs, in fp32

    def test_the_same_command_and_other_thread_counts_give_the_same_bits(self):
        results = []
        for threads in (2, 2, 1):
            self.train("--threads", threads, "--overwrite-output-dir")
            results.append(self.weights())
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])
        self.train("--seed", 1, "--overwrite-output-dir")
        self.assertNotEqual(results[0], self.weights())


class Init(ProgramTest):
    def test_new_model_is_trained(self):
        new = self.directory / "new"
        log = self.succeeds("init", "--config", self.model / "config.json", "--vocabulary",
                            self.model, "--output", new, "--seed", 3).err
        self.assertIn("parameters, random", log)
        again = self.directory / "again"
        run("init", "--config", self.model / "config.json", "--output", again, "--seed", 3)
        self.assertEqual((new / "model.safetensors").read_bytes(),
                         (again / "model.safetensors").read_bytes())
        self.succeeds("train", "--model", new, "--train-file", self.rows_file(), "--output-dir",
                      self.output, "--max-steps", 2)
        self.succeeds("predict", "--model", self.output, "--data", self.rows_file())

    def test_model_without_a_vocabulary(self):
        log = self.succeeds("init", "--config", self.model / "config.json", "--output",
                            self.output).err
        self.assertIn("no vocabulary: --vocabulary DIR takes another model's", log)
        self.assertEqual(sorted(path.name for path in self.output.iterdir()),
                         ["config.json", "model.safetensors"])


if __name__ == "__main__":
    unittest.main()
