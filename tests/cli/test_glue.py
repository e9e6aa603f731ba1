"""Every GLUE task from small samples of its own files: trained, evaluated, and the server's files
written."""
import gzip
import json
import pathlib
import shutil
import unittest

from program import DATA, MODEL, USAGE, ProgramTest

SAMPLES = pathlib.Path(__file__).parent.parent / "data" / "glue"
# Metrics, answers that the server takes, and the published split that the note names.
NLI = {"entailment", "not_entailment"}
MNLI = {"entailment", "neutral", "contradiction"}
TASKS = {"cola": (["matthews_correlation"], {"0", "1"}, "8551"),
         "sst2": (["accuracy"], {"0", "1"}, "67349"),
         "mrpc": (["f1", "accuracy", "combined_score"], {"0", "1"}, "3668"),
         "stsb": (["pearson", "spearmanr", "combined_score"], None, "5749"),
         "qqp": (["f1", "accuracy", "combined_score"], {"0", "1"}, "363846"),
         "mnli": (["accuracy", "accuracy_mm"], MNLI, "392702"),
         "qnli": (["accuracy"], NLI, "104743"),
         "rte": (["accuracy"], NLI, "2490"),
         "wnli": (["accuracy"], {"0", "1"}, "635")}
FILES = {"cola": {"CoLA.tsv": 3}, "sst2": {"SST-2.tsv": 3}, "mrpc": {"MRPC.tsv": 3},
         "stsb": {"STS-B.tsv": 3}, "qqp": {"QQP.tsv": 3}, "qnli": {"QNLI.tsv": 2},
         "mnli": {"MNLI-m.tsv": 2, "MNLI-mm.tsv": 3, "AX.tsv": 4}, "rte": {"RTE.tsv": 2},
         "wnli": {"WNLI.tsv": 2}}


class Tasks(ProgramTest):
    def train(self, task: str, data: pathlib.Path = SAMPLES):
        output = self.directory / task
        result = self.succeeds(
            "train", "--model", self.model, "--task-name", task, "--data-dir", data, "--do-train",
            "--do-eval", "--max-steps", 2, "--output-dir", output, "--ignore-mismatched-sizes",
            "--threads", 1, "--precision", "fp32")
        return output, result

    def test_every_task_from_its_files_to_the_servers(self):
        for task, (metrics, answers, published) in TASKS.items():
            with self.subTest(task):
                output, result = self.train(task)
                values = json.loads((output / "eval_results.json").read_text())
                for metric in metrics:
                    self.assertIn(f"eval_{metric}", values)
                self.assertIn(f"rows, {published} are published for this split of {task}",
                              result.err)
                self.assertRegex(result.err, rf"(?m)^{task}: published for BERT-base: {metrics[0]} "
                                             rf"0\.\d+ to 0\.\d+.*; here: {metrics[0]} ")
                self.check_submission(task, output, answers)

    def check_submission(self, task: str, model: pathlib.Path, answers: set[str] | None) -> None:
        submission = self.directory / f"submission-{task}"
        self.succeeds("predict", "--model", model, "--task-name", task, "--data-dir", SAMPLES,
                      "--glue-submission", submission, "--threads", 1)
        self.assertEqual({path.name for path in submission.iterdir()}, set(FILES[task]))
        for name, count in FILES[task].items():
            header, *rows = [line.split("\t") for line in
                             (submission / name).read_text().splitlines()]
            self.assertEqual(header, ["index", "prediction"])
            self.assertEqual([row[0] for row in rows], [*map(str, range(count))])
            for _, answer in rows:
                if answers is None:
                    self.assertRegex(answer, r"^[0-5]\.\d{3}$")
                else:
                    self.assertIn(answer, answers)

    def test_files_that_are_packed(self):
        folder = self.directory / "data"
        folder.mkdir()
        for path in (SAMPLES / "MRPC").iterdir():
            (folder / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        _, result = self.train("mrpc", folder)
        self.assertIn("train.tsv.gz: 8 examples", result.err)

    def test_labels_of_another_order_go_by_their_names(self):
        """Trained elsewhere, with the classes of RTE the other way round."""
        model, _ = self.train("rte")
        config = json.loads((model / "config.json").read_text())
        config["id2label"] = {"0": "not_entailment", "1": "entailment"}
        config["label2id"] = {"not_entailment": 0, "entailment": 1}
        turned = self.directory / "turned"
        shutil.copytree(model, turned)
        (turned / "config.json").write_text(json.dumps(config))
        answers = []
        for name in (model, turned):
            submission = self.directory / "answers" / name.name
            self.succeeds("predict", "--model", name, "--task-name", "rte", "--data-dir", SAMPLES,
                          "--glue-submission", submission)
            rows = (submission / "RTE.tsv").read_text().splitlines()[1:]
            answers.append([row.split("\t")[1] for row in rows])
        self.assertTrue(all(a != b for a, b in zip(*answers, strict=True)), answers)

    def test_evaluation_names_the_published_results_and_sizes(self):
        model, _ = self.train("cola")
        result = self.succeeds("evaluate", "--model", model, "--task-name", "cola", "--data",
                               SAMPLES / "CoLA" / "dev.tsv")
        self.assertIn("dev.tsv: has 4 rows, 1043 are published for this split of cola", result.err)
        self.assertIn("cola: published for BERT-base: matthews_correlation 0.5653 to 0.5940; here",
                      result.err)
        on_input = self.succeeds("evaluate", "--model", model, "--task-name", "cola", "--data", "-",
                                 stdin=(SAMPLES / "CoLA" / "dev.tsv").read_bytes())
        self.assertIn("eval_matthews_correlation", on_input.out)


class BadSubmissions(ProgramTest):
    def submission(self, *more) -> list:
        return ["predict", "--model", self.model, "--glue-submission", self.output, *more]

    def test_what_it_needs(self):
        self.fails(USAGE, ["--glue-submission needs --task-name and --data-dir"],
                   *self.submission("--task-name", "rte"))
        self.fails(USAGE, ["--data and --glue-submission exclude each other"],
                   *self.submission("--task-name", "rte", "--data-dir", SAMPLES, "--data", "-"))
        self.fails(USAGE, ["--data-dir is for --glue-submission"], "predict", "--model", self.model,
                   "--data-dir", SAMPLES)

    def test_model_of_another_task(self):
        self.fails(MODEL, ['the model\'s labels are "LABEL_0", "LABEL_1", "LABEL_2", those of task '
                           'rte are "entailment", "not_entailment": it was trained for something '
                           "else"],
                   *self.submission("--task-name", "rte", "--data-dir", SAMPLES))
        self.fails(MODEL, ["those of task stsb are values"],
                   *self.submission("--task-name", "stsb", "--data-dir", SAMPLES))

    def test_missing_test_files(self):
        self.fails(DATA, ["task mnli: there is no test_matched.tsv"],
                   *self.submission("--task-name", "mnli", "--data-dir", self.directory))


if __name__ == "__main__":
    unittest.main()
