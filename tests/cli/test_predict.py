"""tandem predict, evaluate and tokenize: answers on standard output, in input order."""
import json
import subprocess
import unittest

from program import BINARY, DATA, ROWS, ProgramTest, environment, table, trained_model

TEXTS = [text for text, _ in ROWS] * 4


class Predict(ProgramTest):
    def predict(self, data, *more, stdin: bytes | str = b"") -> list[list[str]]:
        """The rows of the table that is printed, after its header has been checked."""
        result = self.succeeds("predict", "--model", trained_model(), "--data", data,
                               "--precision", "fp32", *more, stdin=stdin)
        header, *rows = [line.split("\t") for line in result.out.splitlines()]
        self.assertEqual(header, ["index", "label", "probability", "p(bad)", "p(good)", "p(so-so)"])
        return rows

    def test_rows_in_input_order_whose_probabilities_add_up(self):
        rows = self.predict(self.write("texts.txt", "\n".join(TEXTS) + "\n"))
        self.assertEqual([row[0] for row in rows], [str(index) for index in range(len(TEXTS))])
        for row in rows:
            probabilities = [float(value) for value in row[3:]]
            self.assertAlmostEqual(sum(probabilities), 1, delta=2e-6)  # each is rounded to 1e-6
            self.assertEqual(float(row[2]), max(probabilities))
            best = probabilities.index(max(probabilities))
            self.assertEqual(row[1], ["bad", "good", "so-so"][best])
        # The same text at another place of a batch: sums in another order, then rounded to 1e-6.
        for row, same_text in zip(rows[10:], rows):
            self.assertEqual(row[1], same_text[1])
            self.assertAlmostEqual(float(row[2]), float(same_text[2]), delta=3e-6)

    def test_files_and_standard_input_of_every_format_agree(self):
        contents = {"txt": "".join(text + "\n" for text in TEXTS),
                    "csv": table([(f'"{text}"',) for text in TEXTS], header=("text",)),
                    "tsv": table([(text, "good") for text in TEXTS]),
                    "jsonl": "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)}
        expected = self.predict(self.write("rows.txt", contents["txt"]))
        for suffix, content in contents.items():
            with self.subTest(suffix):
                self.assertEqual(self.predict(self.write("rows." + suffix, content)), expected)
                self.assertEqual(self.predict("-", "--format", suffix, stdin=content), expected)

    def test_batches_and_threads_do_not_matter(self):
        path = self.write("texts.txt", "\n".join(TEXTS))
        expected = self.predict(path)
        for batch, threads in ((1, 1), (7, 2), (1000, 2)):
            for row, other in zip(expected, self.predict(path, "--batch-size", batch, "--threads",
                                                         threads), strict=True):
                self.assertEqual(row[:2], other[:2])
                self.assertAlmostEqual(float(row[2]), float(other[2]), delta=3e-6)

    def test_json_lines(self):
        path = self.write("texts.txt", "a good film\na bad book\n")
        result = self.succeeds("predict", "--model", trained_model(), "--data", path, "--json")
        answers = [json.loads(line) for line in result.out.splitlines()]
        self.assertEqual([answer["index"] for answer in answers], [0, 1])
        for answer in answers:
            self.assertEqual(set(answer["probabilities"]), {"bad", "good", "so-so"})
            self.assertAlmostEqual(sum(answer["probabilities"].values()), 1, places=9)
            self.assertEqual(answer["probabilities"][answer["label"]], answer["probability"])

    def test_pairs(self):
        rows = self.predict(self.write("pairs.txt", "a good film\ta bad book\na tea\ta film\n"))
        self.assertEqual(len(rows), 2)

    def test_unrelated_labels_do_not_matter(self):
        path = self.write("rows.tsv", "text\tcategory\na good film\tcinema\n")
        self.assertEqual(len(self.predict(path)), 1)

    def test_empty_text_is_predicted(self):
        path = self.write("rows.tsv", "text\tlabel\n\tgood\na\tbad\n")
        self.assertEqual(len(self.predict(path)), 2)

    def test_empty_standard_input(self):
        self.fails(DATA, ["standard input: the file is empty"], "predict", "--model",
                   trained_model(), "--data", "-")

    def test_bad_bytes_on_standard_input(self):
        self.fails(DATA, ["standard input:2: byte 4 of the line is 0xE9"], "predict", "--model",
                   trained_model(), "--data", "-", stdin=b"good\ncaf\xe9\n")

    def test_reader_that_stops_early_sees_no_crash(self):
        path = self.write("many.txt", "a good film\n" * 40_000)
        with subprocess.Popen([BINARY, "predict", "--model", trained_model(), "--data", path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment()) as process:
            self.assertTrue(process.stdout.readline().startswith(b"index\t"))
            process.stdout.close()
            log = process.stderr.read().decode()
            process.wait()
        self.assertNotIn("Sanitizer", log)
        self.assertNotIn("tandem: unexpected", log)


class Evaluate(ProgramTest):
    def test_block_and_json_agree(self):
        arguments = ["evaluate", "--model", trained_model(), "--data", self.rows_file()]
        block = self.succeeds(*arguments).out
        values = json.loads(self.succeeds(*arguments, "--json").out)
        self.assertTrue(block.startswith("***** eval metrics *****\n"))
        for name in ("eval_accuracy", "eval_loss", "eval_samples", "eval_runtime",
                     "eval_samples_per_second", "eval_steps_per_second"):
            self.assertIn(name, values)
            self.assertRegex(block, rf"(?m)^  {name} += ")
        self.assertEqual(values["eval_samples"], 10)

    def test_label_that_the_model_lacks(self):
        path = self.rows_file("rows.tsv", [("a film", "good"), ("a film", "excellent")])
        self.fails(DATA, ['rows.tsv:3: the label "excellent" is not one that the model knows: ',
                          '"bad"'],
                   "evaluate", "--model", trained_model(), "--data", path)

    def test_rows_without_labels(self):
        path = self.write("rows.csv", "text\na film\n")
        self.fails(DATA, ['there is no column "label"', "--label-column"], "evaluate", "--model",
                   trained_model(), "--data", path)


class Tokenize(ProgramTest):
    def test_ids_of_a_file_and_of_standard_input(self):
        text = "a good film\n\nGOOD teas\n"
        expected = "2 17 5 12 3\n2 3\n2 5 15 54 3\n"
        path = self.write("texts.txt", text)
        self.assertEqual(self.succeeds("tokenize", "--model", self.model, path).out, expected)
        self.assertEqual(self.succeeds("tokenize", "--model", self.model, stdin=text).out, expected)

    def test_json(self):
        out = self.succeeds("tokenize", "--model", self.model, "--json", stdin="good teas\n").out
        self.assertEqual(json.loads(out), {"ids": [2, 5, 15, 54, 3],
                                           "tokens": ["[CLS]", "good", "tea", "##s", "[SEP]"],
                                           "offsets": [[0, 0], [0, 4], [5, 8], [8, 9], [0, 0]]})

    def test_cut_at_max_seq_length(self):
        out = self.succeeds("tokenize", "--model", self.model, "--max-seq-length", 4,
                            stdin="good bad fine poor\n").out
        self.assertEqual(out, "2 5 6 3\n")

    def test_bad_files(self):
        self.fails(DATA, ["nowhere.txt: cannot be read: no such file"], "tokenize", "--model",
                   self.model, "nowhere.txt")
        result = self.fails(DATA, ["latin.txt:1: byte 4 is not UTF-8", "iconv"], "tokenize",
                            "--model", self.model, self.write("latin.txt", b"caf\xe9\n"))
        self.assertEqual(result.out, "")


if __name__ == "__main__":
    unittest.main()
