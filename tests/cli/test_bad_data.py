"""Tables that cannot be read end with exit code 3 and a message that says where and what to do."""
import unittest

from program import DATA, ROWS, ProgramTest, table

HEADER = "text\tlabel\n"
TWO_ROWS = "a film\tgood\na book\tbad\n"


class BadTable(ProgramTest):
    def fails_to_read(self, name: str, content: bytes | str, *texts: str) -> None:
        """Training on this file, which must be named at the start of the message."""
        path = self.write(name, content)
        self.fails(DATA, [f"tandem: {path}", *texts], *self.train_arguments(train_file=path))

    def test_missing_file(self):
        missing = self.directory / "nowhere.tsv"
        self.fails(DATA, [f"{missing}: cannot be read: no such file or directory"],
                   *self.train_arguments(train_file=missing))

    def test_directory_instead_of_a_file(self):
        (self.directory / "rows.tsv").mkdir()
        self.fails(DATA, ["rows.tsv: expected a regular file, found a directory"],
                   *self.train_arguments(train_file=self.directory / "rows.tsv"))

    def test_empty_file(self):
        self.fails_to_read("rows.tsv", "", ": the file is empty; expected a table with the names")

    def test_header_only(self):
        self.fails_to_read("rows.tsv", HEADER, ': has a header ("text", "label") but no rows')

    def test_label_column_missing_suggests_the_nearest(self):
        self.fails_to_read("rows.tsv", "text\tlable\na film\tgood\na book\tbad\n",
                           'there is no column "label"', '(columns: "text", "lable")',
                           "--label-column", 'did you mean "lable"?')

    def test_named_column_missing_suggests_the_nearest(self):
        self.fails(DATA, ['--text-column: there is no column "txt"', 'did you mean "text"?'],
                   *self.train_arguments("--text-column", "txt"))

    def test_one_label_only(self):
        self.fails_to_read("rows.tsv", HEADER + "a film\tgood\na book\tgood\n",
                           'every row has the label "good" in column "label"', "--label-column")

    def test_empty_label(self):
        self.fails_to_read("rows.tsv", HEADER + TWO_ROWS + "a tea\t\n",
                           'rows.tsv:4: the label in column "label" is empty')

    def test_too_few_fields(self):
        self.fails_to_read("rows.tsv", HEADER + TWO_ROWS + "no label here\n",
                           "rows.tsv:4: expected 2 tab-separated fields", "found 1")

    def test_too_many_fields(self):
        self.fails_to_read("rows.tsv", HEADER + "a\tfilm\tgood\n",
                           "rows.tsv:2: expected 2", "found 3")

    def test_nul_bytes(self):
        self.fails_to_read("rows.tsv", HEADER + TWO_ROWS + "a\0film\tgood\n",
                           "rows.tsv:4: byte 2 of the line is NUL")

    def test_not_utf_8(self):
        self.fails_to_read("rows.tsv", HEADER.encode() + "caf\u00e9\tgood\n".encode("latin-1"),
                           "rows.tsv:2: byte 4 of the line is 0xE9", "iconv -f latin1 -t utf-8")

    def test_utf_16(self):
        self.fails_to_read("rows.tsv", (HEADER + TWO_ROWS).encode("utf-16"),
                           "rows.tsv:1: this is UTF-16", "iconv -f utf-16 -t utf-8")

    def test_lone_carriage_returns(self):
        self.fails_to_read("rows.tsv", (HEADER + TWO_ROWS).replace("\n", "\r"),
                           "rows.tsv:1: lines end with a lone CR", "tr '\\r' '\\n'")

    def test_unknown_extension(self):
        self.fails_to_read("rows.xlsx", HEADER + TWO_ROWS, 'extension ".xlsx"', ".csv", ".jsonl")

    def test_commas_in_a_tsv(self):
        self.fails_to_read("rows.tsv", "text,label\na,b\n",
                           "rows.tsv:1: expected columns separated by tabs", "rename the file")

    def test_the_same_column_twice(self):
        self.fails_to_read("rows.tsv", "text\ttext\na\tb\n",
                           'rows.tsv:1: two columns have the name "text"')

    def test_csv_with_an_open_quote(self):
        self.fails_to_read("rows.csv", 'text,label\na film,good\n"a book,bad\na tea,good\n',
                           "rows.csv:3: the quote that opens field 1 is not closed by line 4")

    def test_csv_with_text_after_a_quote(self):
        self.fails_to_read("rows.csv", 'text,label\n"a" film,good\n',
                           'rows.csv:2: field 1: found " film,good" after the closing quote')

    def test_json_lines_that_is_not_json(self):
        self.fails_to_read("rows.jsonl", '{"text": "a film", "label": 1}\n{"text": oops}\n',
                           "rows.jsonl:2: byte 10 of the line: not JSON")

    def test_json_lines_that_lacks_a_key(self):
        self.fails_to_read("rows.jsonl", '{"text": "a", "label": 1}\n{"text": "b"}\n',
                           "rows.jsonl:2:", '"label"')

    def test_json_lines_that_is_one_list(self):
        self.fails_to_read("rows.json", '[\n{"text": "a", "label": 1}\n]\n', "rows.json:1:",
                           "one JSON object on each line", "jq -c '.[]'")


class LabelsThatDoNotFit(ProgramTest):
    def test_validation_label_that_training_lacks(self):
        validation = self.rows_file("validation.tsv", [ROWS[0], ("a book", "goood")])
        self.fails(DATA, ['validation.tsv:3: the label "goood" is not one that', "train.tsv knows",
                          'did you mean "good"?'],
                   *self.train_arguments("--do-train", "--do-eval", "--validation-file",
                                         validation))

    def test_text_among_numbers(self):
        path = self.write("rows.tsv", HEADER + "a film\t1.5\na book\tbad\n")
        self.fails(DATA, ['rows.tsv:3: column "label" is read as numbers (line 2 has 1.5)'],
                   *self.train_arguments(train_file=path))

    def test_regression_of_names(self):
        self.fails(DATA, ['train.tsv:2: column "label" is read as regression', 'found "good"'],
                   *self.train_arguments("--do-regression"))


class Tasks(ProgramTest):
    def task_arguments(self) -> list:
        return ["train", "--model", self.model, "--task-name", "mrpc", "--data-dir", self.directory,
                "--output-dir", self.output, "--do-train", "--do-eval"]

    def test_missing_task_file(self):
        self.fails(DATA, ["task mrpc: there is no train.tsv", "MRPC/train.tsv", "--data-dir"],
                   *self.task_arguments())

    def test_task_file_with_other_columns(self):
        self.write("train.tsv", table(ROWS))
        self.fails(DATA, ["train.tsv: task mrpc needs a column", '"#1 String"',
                          'has "text", "label"'],
                   *self.task_arguments())


class UnusualButFine(ProgramTest):
    def learns_from(self, name: str, content: bytes | str) -> str:
        path = self.write(name, content)
        return self.succeeds(*self.train_arguments(
            "--max-steps", 1, "--ignore-mismatched-sizes", train_file=path)).err

    def test_byte_order_mark_and_crlf(self):
        log = self.learns_from("rows.tsv", b"\xef\xbb\xbf" + (HEADER + TWO_ROWS).replace(
            "\n", "\r\n").encode())
        self.assertIn('text: column "text" (1 of 2), label: column "label" (2 of 2)', log)
        self.assertIn('"bad" 1, "good" 1', log)

    def test_line_of_a_megabyte(self):
        log = self.learns_from("rows.tsv", HEADER + TWO_ROWS + "good film " * 100_000 + "\tgood\n")
        self.assertIn("3 examples", log)
        self.assertIn("1 cut at 40 tokens", log)

    def test_no_line_end_at_the_end(self):
        self.assertIn("2 examples", self.learns_from("rows.tsv", (HEADER + TWO_ROWS).rstrip("\n")))

    def test_csv_with_quotes_and_line_ends_in_a_field(self):
        log = self.learns_from("rows.csv", 'text,label\n"a ""good"", long\nfilm",good\nbook,bad\n')
        self.assertIn("2 examples", log)

    def test_upper_case_extension(self):
        self.assertIn("2 examples", self.learns_from("ROWS.TSV", HEADER + TWO_ROWS))


if __name__ == "__main__":
    unittest.main()
