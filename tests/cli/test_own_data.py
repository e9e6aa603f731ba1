"""Own rows of every kind: packed, from standard input, with several labels at once, weighted, held
out, longer than the model, and as a newcomer brings them."""
import gzip
import json
import math
import pathlib
import unittest

from program import DATA, ROWS, USAGE, ProgramTest, contents, run, table, trained_model

TOPICS = [("a good film", ["film"]), ("a fine book", ["book"]), ("tea and food", ["food", "tea"]),
          ("the tea was poor", ["tea"]), ("this book and that film", ["film", "book"]),
          ("very dull", []), ("great food", ["food"]), ("that film was a book", ["book", "film"])]


def json_rows(rows) -> str:
    return "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in rows)


def topics_table(separator: str) -> str:
    return table([(text, separator.join(labels)) for text, labels in TOPICS])


class Training(ProgramTest):
    def train(self, *more, **options):
        return self.succeeds(*self.train_arguments(*more, **options))

    def read(self, name: str, directory: pathlib.Path | None = None) -> dict:
        return json.loads(((directory or self.output) / name).read_text())

    def weights(self) -> bytes:
        return (self.output / "model.safetensors").read_bytes()


class PackedRowsAndStandardInput(Training):
    def test_the_same_rows_in_any_wrapping_make_the_same_model(self):
        plain = {"tsv": table(ROWS), "csv": table(ROWS, ","), "jsonl": json_rows(ROWS)}
        self.train("--max-steps", 2)
        expected = self.weights()
        for suffix, text in plain.items():
            packed = self.directory / f"rows.{suffix}.gz"
            packed.write_bytes(gzip.compress(text.encode()))
            with self.subTest(suffix + ", packed"):
                self.train("--max-steps", 2, "--overwrite-output-dir", train_file=packed)
                self.assertEqual(self.weights(), expected)
            with self.subTest(suffix + ", standard input"):
                arguments = self.train_arguments("--max-steps", 2, "--overwrite-output-dir",
                                                 "--format", suffix, train_file="-")
                result = self.succeeds(*arguments, stdin=text)
                self.assertIn("standard input: 10 examples", result.err)
                self.assertEqual(self.weights(), expected)

    def test_predict_and_evaluate_read_packed_rows(self):
        path = self.directory / "rows.csv.gz"
        path.write_bytes(gzip.compress(table(ROWS, ",").encode()))
        for command in ("predict", "evaluate"):
            self.succeeds(command, "--model", trained_model(), "--data", path)
        packed_input = self.succeeds("evaluate", "--model", trained_model(), "--data", "-",
                                     "--format", "csv", "--json", stdin=path.read_bytes())
        self.assertEqual(json.loads(packed_input.out)["eval_samples"], 10)

    def test_gzip_that_is_cut_off_or_damaged(self):
        whole = gzip.compress(table(ROWS).encode())
        path = self.write("rows.tsv.gz", whole[:-6])
        self.fails(DATA, [f"{path}: the gzip data ends early: the file is cut off"],
                   *self.train_arguments(train_file=path))
        path = self.write("rows.tsv.gz", whole[:-6] + b"\0" + whole[-5:])
        self.fails(DATA, [f"{path}: the gzip data is damaged: incorrect data check"],
                   *self.train_arguments(train_file=path))

    def test_standard_input_twice(self):
        self.fails(USAGE, ["only one of the files can be standard input (-)"],
                   *self.train_arguments("--do-train", "--do-eval", "--validation-file", "-",
                                         train_file="-"))

    def test_empty_standard_input(self):
        self.fails(DATA, ["standard input: the file is empty"],
                   *self.train_arguments(train_file="-"))


class SeveralLabelsAtOnce(Training):
    def test_lists_and_separators_make_the_same_model(self):
        rows = self.write("rows.jsonl", json_rows(TOPICS))
        result = self.train("--max-steps", 3, "--ignore-mismatched-sizes", train_file=rows)
        self.assertIn('several labels at once, 4 labels: "book" 3, "film" 3, "food" 2, "tea" 2; 1 '
                      "rows have none", result.err)
        config = self.read("config.json")
        self.assertEqual(config["problem_type"], "multi_label_classification")
        self.assertEqual(config["id2label"], {"0": "book", "1": "film", "2": "food", "3": "tea"})
        expected = self.weights()
        for name, separator in (("rows.tsv", ","), ("rows.csv", "|")):
            text = topics_table(separator) if name == "rows.tsv" else table(
                [(text, "|".join(labels)) for text, labels in TOPICS], ",")
            self.train("--max-steps", 3, "--ignore-mismatched-sizes", "--overwrite-output-dir",
                       "--label-separator", separator, train_file=self.write(name, text))
            self.assertEqual(self.weights(), expected)

    def test_learns_evaluates_and_predicts(self):
        rows = self.write("rows.jsonl", json_rows(TOPICS))
        self.train("--epochs", 250, "--lr", "5e-3", "--batch-size", 4, "--do-train", "--do-eval",
                   "--do-predict", "--validation-file", rows, "--test-file", rows,
                   "--ignore-mismatched-sizes", train_file=rows)
        results = self.read("eval_results.json")
        self.assertEqual(results["eval_f1_micro"], 1)
        self.assertIn("eval_f1_macro", results)
        lines = (self.output / "predict_results.txt").read_text().splitlines()
        self.assertEqual(lines[:4], ["index\tprediction", "0\t['film']", "1\t['book']",
                                     "2\t['food', 'tea']"])
        self.assertEqual(lines[6], "5\t[]")
        self.check_predictions(rows)

    def check_predictions(self, rows: pathlib.Path) -> None:
        answer = self.succeeds("predict", "--model", self.output, "--data", rows).out.splitlines()
        self.assertEqual(answer[0], "index\tlabels\tp(book)\tp(film)\tp(food)\tp(tea)")
        self.assertEqual([line.split("\t")[1] for line in answer[1:]],
                         [",".join(sorted(labels)) for _, labels in TOPICS])
        json_lines = self.succeeds("predict", "--model", self.output, "--data", rows, "--json").out
        for line, (_, labels) in zip(json_lines.splitlines(), TOPICS, strict=True):
            values = json.loads(line)
            self.assertEqual(values["labels"], sorted(labels))
            for name, probability in values["probabilities"].items():
                self.assertEqual(probability > 0.5, name in labels)
        evaluated = self.succeeds("evaluate", "--model", self.output, "--data", "-", "--format",
                                  "tsv", "--label-separator", ";", "--json",
                                  stdin=topics_table(";"))
        self.assertEqual(json.loads(evaluated.out)["eval_f1_micro"], 1)

    def test_loss_of_equal_logits_is_that_of_a_coin(self):
        rows = self.write("rows.jsonl", json_rows(TOPICS))
        result = self.train("--lr", 0, "--max-steps", 1, "--ignore-mismatched-sizes",
                            train_file=rows)
        self.assertIn("train_loss", result.out)
        self.assertAlmostEqual(self.read("train_results.json")["train_loss"], math.log(2),
                               delta=0.15)  # a new head's logits are near 0

    def test_bad_labels(self):
        bad = [(TOPICS[0][0], None), *TOPICS[1:]]
        path = self.write("rows.jsonl", json_rows([*TOPICS, *bad]))
        self.fails(DATA, ['rows.jsonl:9: column "label": expected a list of labels, found null'],
                   *self.train_arguments(train_file=path))
        path = self.write("rows.jsonl", json_rows([("a", ["x"]), ("b", [["x", "y"]])]))
        self.fails(DATA, ['rows.jsonl:2: column "label": expected a list of labels, texts or '
                          "numbers, found"], *self.train_arguments(train_file=path))
        path = self.write("rows.jsonl", json_rows([("a", ["x"]), ("b", ["x"])]))
        self.fails(DATA, ["has only the label x in all of its rows; several labels at once need at "
                          "least two"], *self.train_arguments(train_file=path))

    def test_validation_label_that_training_lacks(self):
        rows = self.write("rows.jsonl", json_rows(TOPICS))
        other = self.write("other.jsonl", json_rows([("a", ["tea", "films"])]))
        self.fails(DATA, ['other.jsonl:1: the label "films" is not one that', 'mean "film"?'],
                   *self.train_arguments("--do-train", "--do-eval", "--validation-file", other,
                                         train_file=rows))


class ClassWeights(Training):
    def test_balanced_and_from_a_table(self):
        result = self.train("--max-steps", 1, "--class-weights", "balanced")
        self.assertIn('class weights: "bad" 0.8333, "good" 0.8333, "so-so" 1.667', result.err)
        balanced = self.read("train_results.json")["train_loss"]
        path = self.write("weights.csv", "label,weight\nso-so,1.6666667\ngood,0.8333333\n"
                          "bad,0.8333333\n")
        self.train("--max-steps", 1, "--class-weights", path, "--overwrite-output-dir")
        self.assertAlmostEqual(self.read("train_results.json")["train_loss"], balanced, places=5)
        self.train("--max-steps", 1, "--overwrite-output-dir")
        self.assertNotAlmostEqual(self.read("train_results.json")["train_loss"], balanced, places=5)

    def test_equal_weights_change_nothing(self):
        self.train("--max-steps", 3)
        expected = self.read("train_results.json")["train_loss"]
        path = self.write("weights.tsv", "label\tweight\nbad\t2\ngood\t2\nso-so\t2\n")
        self.train("--max-steps", 3, "--class-weights", path, "--overwrite-output-dir")
        self.assertAlmostEqual(self.read("train_results.json")["train_loss"], expected, places=6)

    def test_bad_weights(self):
        for text, message in (
                ("label\tweight\nbad\t1\ngood\t1\n", 'the label "so-so" has no weight'),
                ("label\tweight\nbad\t1\nbad\t1\n", 'w.tsv:3: the label "bad" has a weight'),
                ("label\tweight\nbad\t-1\n", 'w.tsv:2: expected a weight, a number above 0, found'),
                ("label\tweight\nbda\t1\n", 'w.tsv:2: the label "bda" is not one that training'),
                ("label\tw\nbad\t1\n", 'there is no column "weight"')):
            with self.subTest(message):
                self.fails(DATA, [message], *self.train_arguments(
                    "--class-weights", self.write("w.tsv", text)))

    def test_problems_without_classes(self):
        values = self.rows_file("values.tsv", [(text, str(len(text) / 10)) for text, _ in ROWS])
        topics = self.write("rows.jsonl", json_rows(TOPICS))
        for path, what in ((values, "values"), (topics, "several at once")):
            self.fails(USAGE, [f"--class-weights are for classes", f"here the labels are {what}"],
                       *self.train_arguments("--class-weights", "balanced", train_file=path))
            self.fails(USAGE, ["--label-smoothing-factor is for classes"],
                       *self.train_arguments("--label-smoothing-factor", "0.1",
                                             "--ignore-mismatched-sizes", train_file=path))

    def test_label_smoothing_raises_the_loss_of_a_model_that_is_sure(self):
        self.train("--epochs", 60, "--lr", "5e-3", "--batch-size", 5)
        plain = self.read("train_results.json")["train_loss"]
        self.train("--epochs", 60, "--lr", "5e-3", "--batch-size", 5, "--overwrite-output-dir",
                   "--label_smoothing_factor", "0.2")
        smoothed = self.read("train_results.json")["train_loss"]
        self.assertGreater(smoothed, plain + 0.1)


class ValidationSplit(Training):
    def test_holds_out_rows_of_each_label_by_seed(self):
        rows = self.rows_file("rows.tsv", ROWS * 4)
        result = self.train("--validation-split", "0.25", "--max-steps", 1, train_file=rows)
        self.assertIn("10 rows are held out to evaluate on, 30 are left to learn from", result.err)
        self.assertIn('(held out): single label, 3 labels: "bad" 4, "good" 4, "so-so" 2',
                      result.err)
        self.assertEqual(self.read("eval_results.json")["eval_samples"], 10)
        self.assertIn("judged by accuracy: accuracy decides which model is best", result.err)

    def test_contradictions(self):
        rows = self.rows_file("other.tsv")
        self.fails(USAGE, ["--validation-split divides the rows of --train-file; --validation"],
                   *self.train_arguments("--validation-split", "0.1", "--validation-file", rows))
        self.fails(USAGE, ["--validation-split divides the training rows: give --do-train"],
                   *self.train_arguments("--validation-split", "0.1", "--do-predict", "--test-file",
                                         rows))
        self.fails(USAGE, ["--validation-split: Value 1.5 not in range"],
                   *self.train_arguments("--validation-split", "1.5"))

    def test_rows_that_cannot_be_divided(self):
        path = self.rows_file("rows.tsv", [("a", "x"), ("b", "y")])
        self.fails(DATA, ["rows.tsv: no rows can be held out of 2"],
                   *self.train_arguments("--validation-split", "0.5", train_file=path))


class LongTexts(Training):
    TEXT = "the film was good and the book was bad and the tea is a dull dull dull tea ."

    def predict(self, text: str, *more) -> list[float]:
        path = self.write("long.txt", text + "\n")
        out = self.succeeds("predict", "--model", trained_model(), "--data", path, "--precision",
                            "fp32", "--json", *more).out
        return list(json.loads(out)["probabilities"].values())

    def close(self, first: list[float], second: list[float]) -> bool:
        return all(abs(a - b) < 1e-5 for a, b in zip(first, second, strict=True))

    def test_each_way_reads_what_it_says(self):
        words = self.TEXT.split()
        short = ("--max-seq-length", 10)  # of which 8 are words
        for way, kept in (("head", words[:8]), ("tail", words[-8:]),
                          ("head-tail", words[:2] + words[-6:])):
            with self.subTest(way):
                self.assertTrue(self.close(self.predict(self.TEXT, "--long-text", way, *short),
                                           self.predict(" ".join(kept), *short)))
        self.assertTrue(self.close(self.predict(self.TEXT, *short),
                                   self.predict(self.TEXT, "--long-text", "head", *short)))

    def test_windows_are_averaged(self):
        words = self.TEXT.split()
        path = self.write("long.txt", self.TEXT + "\na good film\n")
        result = self.succeeds("predict", "--model", trained_model(), "--data", path, "--json",
                               "--long-text", "window", "--max-seq-length", 10, "--precision",
                               "fp32")
        self.assertIn("2 examples", result.err)
        self.assertIn("1 longer than 10 tokens, read in 3 pieces", result.err)
        first, second = [json.loads(line) for line in result.out.splitlines()]
        pieces = [self.predict(" ".join(words[begin:begin + 8])) for begin in (0, 6, 11)]
        logits = [sum(math.log(p[k]) for p in pieces) / 3 for k in range(3)]
        # Softmax of averaged logits; log p differs from a logit by a constant of each piece.
        total = sum(map(math.exp, logits))
        self.assertTrue(self.close(list(first["probabilities"].values()),
                                   [math.exp(value) / total for value in logits]))
        self.assertTrue(self.close(list(second["probabilities"].values()),
                                   self.predict("a good film")))

    def test_training_on_windows_reads_heads_and_evaluates_pieces(self):
        rows = self.rows_file("rows.tsv", [(self.TEXT + " " + text, label) for text, label in ROWS])
        arguments = ("--max-steps", 1, "--max-seq-length", 12, "--validation-file", rows)
        result = self.train("--long-text", "window", *arguments, train_file=rows)
        self.assertIn("10 cut at 12 tokens", result.err)
        self.assertRegex(result.err, r"10 longer than 12 tokens, read in \d+ pieces")
        self.assertEqual(self.read("eval_results.json")["eval_samples"], 10)

    def test_unknown_way(self):
        self.fails(USAGE, ["--long-text: middle not in {head,tail,head-tail,window}"],
                   *self.train_arguments("--long-text", "middle"))


class Newcomer(Training):
    """RTE's rows and a model, and nothing else."""

    def rte(self) -> pathlib.Path:
        rows = [(f"the {a} is {b} and the {c} is {d} .", f"the {a} is {e} .", str(int(b != e)),
                 str(index))
                for index, (a, b, c, d, e) in enumerate(
                    (a, b, c, d, e) for a in ("film", "book") for b in ("good", "bad")
                    for c, d in (("tea", "fine"), ("food", "dull")) for e in ("good", "bad"))]
        return self.write("rte.tsv", table(rows, header=("sentence1", "sentence2", "label", "idx")))

    def test_guesses_says_so_and_trains(self):
        rows = self.rte()
        result = self.succeeds("train", rows, "--model", self.model, "--ignore-mismatched-sizes",
                               "--epochs", 1)
        for text in ('text: column "sentence1" (1 of 4), pair: column "sentence2" (2 of 4), label: '
                     'column "label" (3 of 4)',
                     'single label, 2 labels: "0" ', "judged by accuracy, f1: accuracy decides",
                     "2 rows are held out to evaluate on, 14 are left to learn from",
                     f"the model goes to {self.directory}/rte-model"):
            self.assertIn(text, result.err)
        self.assertIn("eval_accuracy", result.out)
        arguments = self.read("training_args.json", self.directory / "rte-model")
        self.assertEqual(arguments["train_file"], str(rows))
        self.assertEqual(arguments["validation_split"], 0.1)
        self.assertEqual(arguments["output_dir"], f"{self.directory}/rte-model")

    def test_overwrites_nothing(self):
        rows = self.rte()
        for expected in ("rte-model", "rte-model-2", "rte-model-3"):
            before = contents(self.directory)
            self.succeeds("train", rows, "--model", self.model, "--ignore-mismatched-sizes",
                          "--max-steps", 1)
            after = contents(self.directory)
            self.assertEqual({name: after[name] for name in before}, before)
            self.assertIn(f"{expected}/model.safetensors", after)

    def test_two_sources_of_rows(self):
        rows = self.rte()
        self.fails(USAGE, [f"{rows} and --task-name both name what to learn from"], "train", rows,
                   "--model", self.model, "--task-name", "rte", "--data-dir", self.directory)

    def test_standard_input_has_no_place_beside_it(self):
        self.fails(USAGE, ["--output-dir DIR is needed"], "train", "-", "--model", self.model,
                   stdin=table(ROWS))
        result = run("train", "-", "--model", self.model, "--output-dir", self.output,
                     "--max-steps", 1, stdin=table(ROWS * 2))
        self.assertEqual(result.code, 0, result.err)


if __name__ == "__main__":
    unittest.main()
