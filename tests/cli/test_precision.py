"""--precision: what activations and products are computed in, and what is said about it."""
import json
import unittest

from model_files import read_safetensors
from program import MACHINE, ROWS, USAGE, ProgramTest, run, trained_model


class Precision(ProgramTest):
    def train(self, precision: str, *more) -> str:
        return self.succeeds(*self.train_arguments("--precision", precision,
                                                   "--overwrite-output-dir", *more)).err

    def weights(self) -> bytes:
        return (self.output / "model.safetensors").read_bytes()

    def probabilities(self, *more) -> list[list[float]]:
        texts = self.write("texts.txt", "".join(text + "\n" for text, _ in ROWS))
        out = self.succeeds("predict", "--model", trained_model(), "--data", texts, *more).out
        return [[float(p) for p in line.split("\t")[3:]] for line in out.splitlines()[1:]]

    def test_learns_in_bf16_and_says_how_fast_it_is(self):
        log = self.train("bf16", "--epochs", 60, "--lr", "5e-3", "--batch-size", 5)
        self.assertRegex(log, r"precision: bf16; products of bf16 are \d+\.\d\d times as fast as "
                              r"those of fp32 here\n")
        result = self.succeeds("evaluate", "--model", self.output, "--data", self.rows_file(),
                               "--precision", "fp32", "--json")
        self.assertEqual(json.loads(result.out)["eval_accuracy"], 1.0)

    def test_bf16_gives_the_same_model_again_and_not_that_of_fp32(self):
        self.train("bf16", "--max-steps", 3)
        first = self.weights()
        for threads in (2, 1, 3):
            self.train("bf16", "--max-steps", 3, "--threads", threads)
            self.assertEqual(self.weights(), first)
        self.train("fp32", "--max-steps", 3)
        self.assertNotEqual(self.weights(), first)

    def test_says_afterwards_what_was_trained_in(self):
        for precision in ("fp32", "bf16"):
            self.train(precision, "--max-steps", 1)
            state = json.loads((self.output / "trainer_state.json").read_text())
            attributes = state["stateful_callbacks"]["Tandem"]["attributes"]
            self.assertEqual(attributes["precision"], precision)

    def test_the_model_is_saved_in_fp32(self):
        self.train("bf16", "--max-steps", 1)
        tensors, _ = read_safetensors(self.output / "model.safetensors")
        self.assertEqual({tensor["dtype"] for tensor in tensors.values()}, {"F32"})

    def test_predictions_in_bf16_are_close(self):
        expected = self.probabilities("--precision", "fp32")
        actual = self.probabilities("--precision", "bf16")
        self.assertNotEqual(actual, expected)
        for row, other in zip(actual, expected, strict=True):
            for p, q in zip(row, other, strict=True):
                self.assertAlmostEqual(p, q, delta=0.02)

    def test_every_kernel_set_computes_in_bf16(self):
        expected = self.probabilities("--precision", "bf16")
        for kernels in run("bench", "kernels").out.split():
            with self.subTest(kernels):
                actual = self.probabilities("--precision", "bf16", "--kernels", kernels)
                for row, other in zip(actual, expected, strict=True):
                    for p, q in zip(row, other, strict=True):
                        self.assertAlmostEqual(p, q, delta=0.02)

    def test_auto_is_fp32_where_kernels_multiply_no_bf16(self):
        log = self.train("auto", "--max-steps", 1, "--kernels", "reference")
        self.assertIn("precision: fp32; this CPU, or --kernels, multiplies no bf16\n", log)
        automatic = self.weights()
        self.assertIn("precision: fp32\n",
                      self.train("fp32", "--max-steps", 1, "--kernels", "reference"))
        self.assertEqual(self.weights(), automatic)

    def test_bf16_is_not_measured_with_plain_loops(self):
        log = self.train("bf16", "--max-steps", 1, "--kernels", "reference")
        self.assertIn("precision: bf16\n", log)
        self.assertIn("bf16 is no faster than fp32 on this machine", log)

    def test_8_bit_weights_give_way_to_bf16(self):
        self.succeeds("quantize", "--model", trained_model(), "--output", self.output)
        result = self.succeeds("predict", "--model", self.output, "--data",
                               self.write("texts.txt", "a film\n"), "--precision", "bf16")
        self.assertIn("8-bit weights: not multiplied as integers, because bf16 is asked for\n",
                      result.err)
        self.assertIn("precision: bf16; ", result.err)

    def test_steps_are_measured_in_either(self):
        for precision in ("fp32", "bf16"):
            for command in ("step", "predict"):
                result = self.succeeds("bench", command, "--model", self.model, "--batch-size", 100,
                                       "--max-seq-length", 40, "--steps", 4, "--precision",
                                       precision, "--json")
                self.assertEqual(json.loads(result.out)["precision"], precision)

    def test_8_bit_prediction_is_measured_in_integers_alone(self):
        arguments = ["bench", "predict", "--model", self.model, "--int8"]
        self.fails(USAGE, ["--int8", "--precision bf16"], *arguments, "--precision", "bf16")
        result = run(*arguments, "--batch-size", 100, "--max-seq-length", 40, "--json")
        if result.code == MACHINE:
            self.skipTest("this CPU multiplies no 8-bit integers fast")
        self.assertEqual(json.loads(result.out)["precision"], "int8")

    def test_products_are_measured_in_either(self):
        arguments = ["bench", "gemm", "--model", self.model, "--tokens", 40, "--precision", "bf16"]
        figures = json.loads(self.succeeds(*arguments, "--json").out)
        self.assertGreater(figures["bf16_gemm_gflops"], 0)
        for shape in figures["shapes"]:
            self.assertGreater(shape["bf16_gflops"], 0)
        self.assertIn("bf16 GFLOP/s", self.succeeds(*arguments).out)
        figures = json.loads(self.succeeds(*arguments[:-1], "fp32", "--json").out)
        self.assertEqual(figures["bf16_gemm_gflops"], 0)

    def test_unknown(self):
        self.fails(USAGE, ["--precision", "fp16", "auto", "bf16"],
                   *self.train_arguments("--precision", "fp16"))


if __name__ == "__main__":
    unittest.main()
