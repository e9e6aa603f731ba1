"""tandem bench: figures that a script can read."""
import json
import unittest

from program import DATA, ProgramTest


class Bench(ProgramTest):
    def test_products(self):
        arguments = ["bench", "gemm", "--model", self.model, "--tokens", 64, "--threads", 1]
        self.assertIn("GFLOP/s", self.succeeds(*arguments).out)
        figures = json.loads(self.succeeds(*arguments, "--json").out)
        self.assertGreater(figures["gemm_gflops"], 0)
        self.assertIn(64, [shape["rows"] for shape in figures["shapes"]])

    def test_steps(self):
        lengths = self.write("lengths.txt", "5\n40\n7\n9\n" * 4)
        result = self.succeeds("bench", "step", "--model", self.model, "--lengths", lengths,
                               "--batch-size", 4, "--steps", 3, "--threads", 1, "--json")
        figures = json.loads(result.out)
        self.assertGreater(figures["samples_per_second"], 0)
        self.assertGreater(figures["peak_memory_bytes"], 0)

    def test_bad_lengths(self):
        lengths = self.write("lengths.txt", "5\nfive\n")
        self.fails(DATA, ['lengths.txt:2: expected a token count, found "five"'], "bench", "step",
                   "--model", self.model, "--lengths", lengths)

    def test_kernel_sets(self):
        self.assertIn("reference", self.succeeds("bench", "kernels").out.splitlines())


if __name__ == "__main__":
    unittest.main()
