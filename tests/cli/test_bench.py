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
        phases = {(phase["phase"], phase["pass"]): phase for phase in figures["phases"]}
        for name in ("embeddings", "QKV", "attention", "attention output", "FFN up", "GELU",
                     "FFN down", "LayerNorm", "head"):
            self.assertGreater(phases[name, "forward"]["seconds"], 0, name)
            self.assertGreater(phases[name, "backward"]["seconds"], 0, name)
        for name in ("clipping", "AdamW"):
            self.assertGreater(phases[name, "update"]["bytes"], 0, name)
        # Two layers of width 32 with 61 tokens of 4 sequences: the whole one, and the last, which
        # has keys and values of all tokens and the rest of each sequence's first.
        whole, last = 2 * 61 * 3 * 32 * 32, 2 * (61 * 2 + 4) * 32 * 32
        self.assertEqual(phases["QKV", "forward"]["flops"], whole + last)
        self.assertEqual(phases["QKV", "backward"]["flops"], 2 * (whole + last))
        self.assertEqual(phases["attention output", "forward"]["flops"], 2 * (61 + 4) * 32 * 32)
        total = sum(phase["seconds"] for phase in figures["phases"])
        self.assertLess(abs(total / (sum(figures["seconds"]) / len(figures["seconds"])) - 1), 0.2)

    def test_trace(self):
        trace = self.directory / "trace.json"
        self.succeeds("bench", "step", "--model", self.model, "--batch-size", 4, "--steps", 2,
                      "--max-seq-length", 40, "--threads", 1, "--trace", trace)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual(events[0]["name"], "embeddings")
        self.assertEqual(events[-1]["name"], "AdamW")
        for before, after in zip(events, events[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1)

    def test_prediction(self):
        result = self.succeeds("bench", "predict", "--model", self.model, "--batch-size", 100,
                               "--steps", 4, "--max-seq-length", 40, "--json")
        self.assertGreater(json.loads(result.out)["samples_per_second"], 0)

    def test_bad_lengths(self):
        lengths = self.write("lengths.txt", "5\nfive\n")
        self.fails(DATA, ['lengths.txt:2: expected a token count, found "five"'], "bench", "step",
                   "--model", self.model, "--lengths", lengths)

    def test_kernel_sets(self):
        self.assertIn("reference", self.succeeds("bench", "kernels").out.splitlines())


if __name__ == "__main__":
    unittest.main()
