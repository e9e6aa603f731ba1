"""tandem scale: what it refuses before any host is asked; train --speed-report."""
import json
import unittest

from program import USAGE, ProgramTest, ROWS, table


class Scale(ProgramTest):
    def refused(self, text: str, *options, train=("train", "--model", "m", "--train-file", "t")):
        hosts = self.write("hosts", "h1\nh2\n")
        self.fails(USAGE, [text], "scale", "--hostfile", hosts, "--output",
                   self.directory / "scale", *options, "--", *train)
        self.assertFalse((self.directory / "scale").exists())

    def test_numbers_of_hosts(self):
        self.refused("1 comes after 2; each number must be greater", "--nodes", "2,1")
        self.refused("1 comes after 1", "--nodes", "1,1")
        self.refused('found "0"', "--nodes", "0,1")
        self.refused('found "x"', "--nodes", "1,x")
        self.refused("hosts has only 2 hosts", "--nodes", "1,3")

    def test_the_job(self):
        self.refused("expected `train` and its options", "--nodes", "1,2", train=("evaluate",))
        self.refused("give --train-file", "--nodes", "1,2", train=("train", "--model", "m"))
        self.refused("no whole number", "--nodes", "2,3", "--keep-per-device-batch",
                     train=("train", "--model", "m", "--train-file", "t", "--global-batch-size",
                            "31"))


class SpeedReport(ProgramTest):
    def test_of_one_process(self):
        rows = self.write("rows.tsv", table(ROWS * 2))
        path = self.directory / "reports/speed.json"
        self.succeeds("train", "--model", self.model, "--ignore-mismatched-sizes", "--train-file",
                      rows, "--validation-file", rows, "--output-dir", self.directory / "out",
                      "--batch-size", 4, "--max-steps", 8, "--speed-report", path)
        report = json.loads(path.read_text())
        self.assertEqual((report["steps"], report["examples"], report["batch_size"]), (5, 20, 4))
        self.assertEqual(report["evaluation"][0]["name"], "eval_accuracy")
        (rank,) = report["ranks"]
        self.assertGreater(rank["compute_seconds"], 0)
        self.assertEqual(rank["exposed_seconds"], 0)
        parts = sum(rank[f"{part}_seconds"] for part in ("input", "compute", "optimizer"))
        self.assertLessEqual(parts, rank["step_seconds"] * 1.001)

    def test_without_training(self):
        self.fails(USAGE, ["--speed-report is of training"], "train", "--model", self.model,
                   "--do-eval", "--validation-file", "t", "--output-dir", "o", "--speed-report",
                   "s.json")


if __name__ == "__main__":
    unittest.main()
