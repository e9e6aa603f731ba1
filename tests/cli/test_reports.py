"""What a run leaves to be read afterwards: event files, report.html, the model card, --json."""
import html.parser
import json
import pathlib
import re
import struct
import unittest

from program import DATA, USAGE, WALL, ROWS, ProgramTest, environment, run, trained_model


def castagnoli(data: bytes) -> int:
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    value = castagnoli(data)
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path: pathlib.Path) -> list[bytes]:
    """The records of a TFRecord file, whose checksums must be right."""
    data, found = path.read_bytes(), []
    while data:
        length, check = struct.unpack("<QI", data[:12])
        assert check == masked(data[:8])
        payload = data[12:12 + length]
        assert struct.unpack("<I", data[12 + length:16 + length]) == (masked(payload),)
        found.append(payload)
        data = data[16 + length:]
    return found


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(message: bytes) -> dict[int, bytes | int | float]:
    """A protocol buffer's fields by number."""
    found, at = {}, 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            found[key >> 3], at = varint(message, at)
        elif key & 7 == 1:
            found[key >> 3], at = struct.unpack("<d", message[at:at + 8])[0], at + 8
        elif key & 7 == 5:
            found[key >> 3], at = struct.unpack("<f", message[at:at + 4])[0], at + 4
        else:
            length, at = varint(message, at)
            found[key >> 3], at = message[at:at + length], at + length
    return found


def read_events(path: pathlib.Path) -> tuple[list[tuple[str, int, float]], dict[str, str]]:
    """(tag, step, value) of each number, and the texts."""
    numbers, texts = [], {}
    first, *rest = map(fields, records(path))
    assert first[3] == b"brain.Event:2"
    for event in rest:
        value = fields(fields(event[5])[1])
        tag = value[1].decode()
        if 8 in value:
            texts[tag] = fields(value[8])[8].decode()
        else:
            numbers.append((tag, event[2], value[2]))
    return numbers, texts


class Elements(html.parser.HTMLParser):
    """Whether elements are closed in order, and the text of each kind of cell."""
    VOID = {"meta", "hr", "br"}

    def __init__(self, page: str):
        super().__init__()
        self.open, self.texts, self.faults = [], [], []
        self.feed(page)
        self.close()
        if self.open:
            self.faults.append(f"never closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.append(data)


class Events(ProgramTest):
    def events(self) -> pathlib.Path:
        (path,) = self.output.glob("runs/*/events.out.tfevents.*")
        return path

    def test_scalars_and_texts(self):
        rows = self.rows_file("validation.tsv")
        result = self.succeeds(*self.train_arguments(
            "--report-to", "tensorboard", "--logging-steps", 2, "--eval-strategy", "epoch",
            "--epochs", 2, "--validation-file", rows))
        self.assertIn("event file for TensorBoard: ", result.err)
        self.assertRegex(str(self.events().relative_to(self.output)),
                         r"^runs/[A-Z][a-z]{2}\d\d_\d\d-\d\d-\d\d_[^/]+/events\.out\.tfevents\.\d{10}\.")
        numbers, texts = read_events(self.events())
        steps = {}
        for tag, step, _ in numbers:
            steps.setdefault(tag, []).append(step)
        for tag in ("train/loss", "train/grad_norm", "train/learning_rate"):
            self.assertEqual(steps[tag], [2, 4], tag)
        # On the way, and once more at the end.
        self.assertEqual(steps["eval/loss"], [2, 4, 4])
        self.assertEqual(steps["train/train_runtime"], [4])
        self.assertNotIn("train/step", steps)
        history = json.loads((self.output / "trainer_state.json").read_text())["log_history"]
        losses = [entry["loss"] for entry in history if "loss" in entry]
        for (tag, _, value), loss in zip([n for n in numbers if n[0] == "train/loss"], losses):
            self.assertAlmostEqual(value, loss, places=6)  # a float of 32 bits
        self.assertEqual(texts["args/text_summary"],
                         (self.output / "training_args.json").read_text())
        self.assertEqual(json.loads(texts["model_config/text_summary"])["model_type"], "bert")

    def test_none_is_the_default(self):
        self.succeeds(*self.train_arguments("--max-steps", 1))
        self.assertFalse((self.output / "runs").exists())

    def test_place(self):
        arguments = self.train_arguments("--max-steps", 1, "--report-to", "all",
                                         "--overwrite-output-dir")
        self.succeeds(*arguments, "--logging-dir", self.directory / "mine")
        self.assertEqual(len(list((self.directory / "mine").glob("events.out.*"))), 1)
        self.succeeds(*arguments, env=environment(
            TENSORBOARD_LOGGING_DIR=str(self.directory / "theirs")))
        self.assertEqual(len(list((self.directory / "theirs").glob("events.out.*"))), 1)

    def test_unknown_tool(self):
        self.fails(USAGE, ["--report-to: wandb not in {none,tensorboard,all}"],
                   *self.train_arguments("--report-to", "wandb"))

    def test_place_that_cannot_be_made(self):
        blocked = self.write("blocked", "")
        self.fails(WALL, [f"{blocked / 'runs'}: the directory cannot be made"],
                   *self.train_arguments("--report-to", "all", "--logging-dir", blocked / "runs"))


class Report(ProgramTest):
    def page(self, path: pathlib.Path) -> str:
        page = path.read_text()
        elements = Elements(page)
        self.assertEqual(elements.faults, [])
        for outside in ("http:", "https:", "<script", "src=", "url("):
            self.assertNotIn(outside, page)
        return page

    def test_of_a_training_run(self):
        rows = self.rows_file("validation.tsv", [*ROWS, ("a <b>&\"'</b> film", "bad")])
        self.succeeds(*self.train_arguments("--validation-file", rows, "--eval-strategy", "epoch"))
        page = self.page(self.output / "report.html")
        for part in ("Learning rate", "accuracy by evaluation", ", best 0.", "Confusion matrix",
                     "macro average", "Calibration, ECE", "Worst predictions", "Lengths in training",
                     "per_device_train_batch_size", "processor"):
            self.assertIn(part, page)
        self.assertNotIn("<b>&\"", page)
        results = json.loads((self.output / "eval_results.json").read_text())
        self.assertIn(f"<b>{results['eval_accuracy']:.4f}</b>", page)

    def test_without_rows_to_evaluate_there_is_none(self):
        self.succeeds(*self.train_arguments("--max-steps", 1))
        self.assertFalse((self.output / "report.html").exists())
        self.assertTrue((self.output / "README.md").exists())

    def test_of_evaluation_alone(self):
        path = self.directory / "page.html"
        rows = self.rows_file()
        result = self.succeeds("evaluate", "--model", trained_model(), "--data", rows, "--report",
                               path, "--json")
        page = self.page(path)
        self.assertNotIn("<h2>Training", page)
        results = json.loads(result.out)
        self.assertIn(f"<b>{results['eval_accuracy']:.4f}</b>", page)
        # The confusion matrix has each row once.
        counts = [int(count) for count in re.findall(r"rgba[^>]*>(\d+) ", page)]
        self.assertEqual(sum(counts), len(ROWS))
        self.assertEqual(counts[0] + counts[4] + counts[8],
                         round(results["eval_accuracy"] * len(ROWS)))

    def test_of_two_classes_and_of_values(self):
        for name, rows, parts in [
                ("two", [(text, str(i % 2)) for i, (text, _) in enumerate(ROWS)],
                 ["ROC, area", "average precision"]),
                ("values", [(text, f"{len(text) / 7:.3f}") for text, _ in ROWS],
                 ["Predicted against actual", "Residuals", "Values in training"])]:
            with self.subTest(name):
                path = self.rows_file(f"{name}.tsv", rows)
                self.succeeds(*self.train_arguments(
                    "--max-steps", 2, "--ignore-mismatched-sizes", "--overwrite-output-dir",
                    "--validation-file", path, train_file=path))
                page = self.page(self.output / "report.html")
                for part in parts:
                    self.assertIn(part, page)

    def test_a_file_that_cannot_be_written(self):
        self.write("blocked", "")
        self.fails(WALL, ["the directory cannot be made"], "evaluate", "--model", trained_model(),
                   "--data", self.rows_file(), "--report", self.directory / "blocked" / "page.html")


class Card(ProgramTest):
    def test_front_matter_and_table(self):
        rows = self.rows_file("my rows.tsv")
        self.succeeds(*self.train_arguments("--validation-file", rows, "--eval-strategy", "epoch"))
        card = (self.output / "README.md").read_text()
        _, front, body = card.split("---\n", 2)
        keys = re.findall(r"(?m)^([a-z_-]+):", front)
        self.assertEqual(keys, ["library_name", "tags", "metrics", "model-index"])
        self.assertIn('      name: "my rows.tsv"\n      type: unknown\n', front)
        accuracy = json.loads((self.output / "eval_results.json").read_text())["eval_accuracy"]
        self.assertIn(f"    - name: Accuracy\n      type: accuracy\n      value: {accuracy}\n", front)
        self.assertIn("- learning_rate: 5e-05\n- train_batch_size: 8\n", body)
        self.assertEqual(len(re.findall(r"(?m)^\| (No log|\d)", body)), 3)
        self.assertIn("fine-tuned version of tiny on", body)

    def test_task_of_glue(self):
        folder = self.sst2_folder()
        cached = self.directory / "models--org--tiny" / "snapshots" / "0"
        cached.parent.mkdir(parents=True)
        self.model.rename(cached)
        self.succeeds("train", "--model", cached, "--task-name", "sst2", "--data-dir",
                      folder.parent, "--output-dir", self.output, "--do-train", "--do-eval",
                      "--max-steps", 2, "--ignore-mismatched-sizes")
        card = (self.output / "README.md").read_text()
        for part in ("language:\n- en\n", "base_model: org/tiny\n", "datasets:\n- glue\n",
                     '      name: "GLUE SST2"\n      type: glue\n      config: sst2\n'
                     "      split: validation\n      args: sst2\n", "training_steps: 2"):
            self.assertIn(part, card)


class Json(ProgramTest):
    def test_train(self):
        rows = self.rows_file("validation.tsv")
        result = self.succeeds(*self.train_arguments("--max-steps", 2, "--validation-file", rows,
                                                     "--json"))
        values = json.loads(result.out)
        self.assertEqual(values, json.loads((self.output / "all_results.json").read_text()))
        self.assertIn("eval_accuracy", values)
        self.assertIn("train_loss", values)

    def test_an_error_prints_none(self):
        path = self.rows_file(rows=[("a", "x")])
        self.fails(DATA, ["train.tsv"], *self.train_arguments("--json", train_file=path))

    def test_init(self):
        result = self.succeeds("init", "--config", self.model / "config.json", "--output",
                               self.output, "--json")
        values = json.loads(result.out)
        self.assertEqual((values["output_dir"], values["vocabulary"]), (str(self.output), False))
        self.assertGreater(values["parameters"], 1000)

    def test_quantize(self):
        result = self.succeeds("quantize", "--model", trained_model(), "--output", self.output,
                               "--data", self.rows_file(), "--json")
        values = json.loads(result.out)
        self.assertEqual(values["output_dir"], str(self.output))
        for precision in ("fp32", "int8"):
            self.assertIn("eval_accuracy", values[precision])

    def test_bench_lists(self):
        names = json.loads(self.succeeds("bench", "kernels", "--json").out)["kernels"]
        self.assertEqual(names, self.succeeds("bench", "kernels").out.split())
        cores = json.loads(self.succeeds("bench", "cores", "--json").out)["cores"]
        self.assertEqual(str(cores), self.succeeds("bench", "cores").out.strip())

    def test_every_command_has_it(self):
        for command in (["train"], ["evaluate"], ["predict"], ["quantize"], ["tokenize"], ["init"],
                        ["bench", "gemm"], ["bench", "step"], ["bench", "predict"],
                        ["bench", "kernels"], ["bench", "cores"], ["doctor"], ["launch"], ["scale"]):
            with self.subTest(command):
                self.assertIn("--json", run(*command, "--help").out)


if __name__ == "__main__":
    unittest.main()
