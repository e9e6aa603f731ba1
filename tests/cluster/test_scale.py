"""tandem scale: a job on one host and on two, over ssh, and what its reports say."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from lab import Lab

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from model_files import make_model  # noqa: E402

BINARY = os.environ.get("TANDEM_BINARY", "build/release/tandem")
USAGE, DATA = 2, 3
RATE, CORES = "200mbit", "0.5"


class Scale(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # Seen by the hosts in the machine's file system, since made before they are; what they
        # write into it is theirs.
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="tandem-scale-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.shared = cls.directory / "shared"
        cls.shared.mkdir()
        make_model(cls.directory / "model")
        words = "good bad fine poor great".split()
        rows = [f"the film was {words[i % 5]} and {words[i % 3]}\t{i % 3}" for i in range(64)]
        (cls.directory / "rows.tsv").write_text("text\tlabel\n" + "\n".join(rows) + "\n")
        cls.lab = Lab(hosts=2, shared=(cls.shared,), rate=RATE, cores=CORES)
        cls.lab.up()
        cls.addClassCleanup(cls.lab.down)
        (cls.shared / "hosts").write_text("host1\nhost2\n")

    def scale(self, output: str, *options, train=()):
        rows = self.directory / "rows.tsv"
        return self.lab.exec(
            "host1", pathlib.Path(BINARY).resolve(), "scale", "--hostfile", self.shared / "hosts",
            "--output", self.shared / output, *options, "--", "train", "--model",
            self.directory / "model", "--train-file", rows, "--batch-size", 8,
            "--ignore-mismatched-sizes", *train)

    def succeeds(self, *arguments, **options):
        result = self.scale(*arguments, **options)
        logs = "".join(f"\n{path}:\n{path.read_text()}" for path in self.shared.rglob("*.log"))
        logs += "".join(f"\n{path}:\n{path.read_text()}" for path in self.shared.rglob("log.txt"))
        self.assertEqual(result.code, 0, result.err + logs)
        return result

    def test_one_host_and_two(self):
        rows = self.directory / "rows.tsv"
        result = self.succeeds("two", "--nodes", "1,2", "--steps", 12,
                               train=("--validation-file", rows))
        self.assertIn("over copies", result.out)
        self.assertIn("eval_accuracy", result.out)
        self.assertIn("8 examples an update, over all hosts", result.out)
        self.assertIn("share one machine", result.out)
        report = json.loads((self.shared / "two/scale.json").read_text())
        one, two = report["runs"]
        self.assertEqual((one["nodes"], two["nodes"]), (1, 2))
        self.assertEqual((one["batch_size"], two["batch_size"]), (8, 8))
        self.assertEqual(two["steps"], 9)
        self.assertEqual([rank["host"] for rank in two["ranks"]], self.lab.hosts)
        self.assertEqual(len(two["copies_samples_per_second"]), 2)
        self.assertGreater(two["speed_up_over_copies"], 0)
        self.assertGreater(two["megabits_per_second"], 0)
        self.assertEqual((one["megabits_per_second"], one["exposed_share"]), (0, 0))
        for run in report["runs"]:
            for rank in run["ranks"]:
                parts = sum(rank["parts_seconds"].values())
                self.assertAlmostEqual(parts / rank["step_seconds"], 1, delta=0.01)
        # The same learning; sums are made in another order, and pass the wire as bf16.
        self.assertAlmostEqual(one["train_loss"], two["train_loss"], delta=0.02)
        page = (self.shared / "two/scale.html").read_text()
        self.assertIn("rank 1 on host2", page)
        self.assertNotIn("nan", page)

    def test_growing_batch_as_json(self):
        result = self.succeeds("growing", "--nodes", "1,2", "--keep-per-device-batch", "--json",
                               "--yardstick", "no", "--mpi", "mpich", train=("--max-steps", 6))
        report = json.loads(result.out)
        self.assertEqual([run["batch_size"] for run in report["runs"]], [8, 16])
        self.assertEqual([run["steps"] for run in report["runs"]], [3, 3])
        self.assertIsNone(report["runs"][1]["speed_up_over_copies"])
        self.assertIn("grows", report["batch"])

    def test_a_run_that_fails_passes_its_exit_code_on(self):
        bad = self.shared / "bad.tsv"
        bad.write_text("text\tlabel\nno label\n")
        result = self.lab.exec(
            "host1", pathlib.Path(BINARY).resolve(), "scale", "--hostfile", self.shared / "hosts",
            "--output", self.shared / "failed", "--nodes", "1,2", "--", "train", "--model",
            self.directory / "model", "--train-file", bad)
        self.assertEqual(result.code, DATA, result.err)
        log = self.shared / "failed/nodes-1/log.txt"
        self.assertIn(f"the run on 1 host ended with exit code {DATA}; its log is {log}", result.err)
        self.assertIn("bad.tsv:2", log.read_text())

    def test_counts_that_cannot_be(self):
        for nodes, text in (("1,3", "has only 2 hosts"), ("2,1", "1 comes after 2"),
                            ("0,1", "expected numbers of hosts"), ("1,,2", 'found ""'),
                            ("1,1", "1 comes after 1")):
            result = self.scale("none", "--nodes", nodes)
            self.assertEqual(result.code, USAGE, result.err)
            self.assertIn(text, result.err)
        self.assertFalse((self.shared / "none").exists())

    def test_an_output_that_is_not_empty(self):
        (self.shared / "full").mkdir()
        (self.shared / "full/file").touch()
        result = self.scale("full", "--nodes", "1")
        self.assertEqual(result.code, USAGE, result.err)


if __name__ == "__main__":
    unittest.main()
