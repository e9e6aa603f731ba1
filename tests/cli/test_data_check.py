"""tandem data check: all faults of a data set at once, each with its line."""
import gzip
import json
import unittest

from program import DATA, MODEL, ROWS, USAGE, ProgramTest, run, table

HEADER = "text\tlabel\n"
BAD = (HEADER + "a film\tgood\na book\tbad\na film\tgood\n\tbad\ncaf\u00e9\tgood\n").encode(
    "latin-1") + b"only one field\na book\tgood\na tea\t\n"


class DataCheck(ProgramTest):
    def check(self, *arguments, code: int = 0, **options):
        result = run("data", "check", *arguments, **options)
        self.assertEqual((result.code, result.err), (code, ""), result.out)
        return result.out

    def findings(self, *arguments, code: int = 0, **options) -> list[tuple]:
        values = json.loads(self.check(*arguments, "--json", code=code, **options))
        found = [(one["severity"], one["kind"], one["lines"]) for one in values["findings"]]
        self.assertEqual(values["errors"], sum(one[0] == "error" for one in found))
        self.assertEqual(values["warnings"], sum(one[0] == "warning" for one in found))
        return found

    def test_good_rows(self):
        out = self.check(self.rows_file())
        self.assertIn('train.tsv: single label, 3 labels: "bad" 4, "good" 4, "so-so" 2\n', out)
        self.assertTrue(out.endswith("\n0 errors, 0 warnings\n"))

    def test_all_faults_at_once(self):
        path = self.write("rows.tsv", BAD)
        self.assertEqual(self.findings(path, code=DATA), [
            ("error", "row", [6]), ("error", "row", [7]), ("error", "label", [9]),
            ("warning", "empty", [5]), ("warning", "contradiction", [8]),
            ("warning", "duplicate", [4])])
        out = self.check(path, code=DATA)
        for line in (f"error: {path}:6: byte 4 of the line is 0xE9, which is not UTF-8",
                     f"error: {path}:7: expected 2 tab-separated fields",
                     f'error: {path}:9: has no label in column "label"',
                     f"warning: {path}: repeats an earlier row: line 4 (as 2): 1 row",
                     "3 errors, 3 warnings: training would fail\n"):
            self.assertIn(line, out)

    def test_what_it_finds_fails_training_and_what_it_lets_pass_does_not(self):
        path = self.write("rows.tsv", BAD)
        self.fails(DATA, ["rows.tsv:6: byte 4"], *self.train_arguments(train_file=path))
        only_warnings = self.write("warnings.tsv", HEADER + "a\tx\na\tx\n\ty\nb\ty\n")
        self.assertTrue(all(one[0] == "warning" for one in self.findings(only_warnings)))
        self.succeeds(*self.train_arguments("--max-steps", 1, "--ignore-mismatched-sizes",
                                            train_file=only_warnings))

    def test_across_splits(self):
        validation = self.rows_file("validation.tsv", [ROWS[0], ("a new text", "goood"),
                                                       ("another", "bad"), ("third", "so-so")])
        self.assertEqual(self.findings(self.rows_file(), "--validation", validation, code=DATA),
                         [("error", "unknown-label", [3]), ("warning", "leak", [2])])
        out = self.check(self.rows_file(), validation, code=DATA)
        self.assertIn('has the label "goood", which ', out)
        self.assertIn('did you mean "good"?', out)
        self.assertIn(f"line 2 (as {self.directory}/train.tsv:2)", out)

    def test_texts_that_would_be_cut(self):
        rows = self.rows_file("rows.tsv", [*ROWS, ("good " * 200, "good")])
        self.assertEqual(self.findings(rows, "--model", self.model), [("warning", "cut", [12])])
        cut = self.findings(rows, "--model", self.model, "--max-seq-length", 5)[0]
        self.assertGreater(len(cut[2]), 1)
        self.assertEqual(self.findings(rows), [])

    def test_files_that_cannot_be_read(self):
        missing = self.directory / "nowhere.tsv"
        out = self.check(missing, code=DATA)
        self.assertIn(f"error: {missing}: cannot be read: no such file or directory", out)
        utf_16 = self.write("rows.tsv", table(ROWS).encode("utf-16"))
        self.assertIn(f"error: {utf_16}:1: this is UTF-16", self.check(utf_16, code=DATA))
        self.assertEqual(self.findings(self.write("empty.csv", ""), code=DATA),
                         [("error", "file", [])])

    def test_packed_rows_standard_input_and_columns(self):
        packed = self.write("rows.csv.gz", gzip.compress(table(ROWS, ",", ("t", "l")).encode()))
        self.assertEqual(self.findings(packed, code=DATA), [("error", "columns", [])])
        self.assertEqual(self.findings(packed, "--label-column", "l"), [])
        self.assertEqual(self.findings("-", "--format", "tsv", stdin=table(ROWS)), [])
        self.assertEqual(self.findings("-", "--format", "tsv", stdin=HEADER + "a\tx\nb\tx\n",
                                       code=DATA), [("error", "labels", [])])

    def test_numbers(self):
        values = self.rows_file("values.tsv", [(text, str(len(text) / 10)) for text, _ in ROWS])
        self.assertEqual(self.findings(values), [("warning", "numbers", [])])
        self.assertEqual(self.findings(values, "--do-regression"), [])

    def test_usage(self):
        self.fails(USAGE, ["subcommand is required", "`tandem data --help`"], "data")
        self.fails(USAGE, ["files is required", "`tandem data check --help`"], "data", "check")
        self.fails(USAGE, ["--jsn: there is no such option; did you mean --json?"], "data", "check",
                   self.rows_file(), "--jsn")
        self.fails(MODEL, ["vocab.txt"], "data", "check", self.rows_file(), "--model",
                   self.directory)
        self.assertIn("3 training would fail", run("data", "check", "--help").out)


if __name__ == "__main__":
    unittest.main()
