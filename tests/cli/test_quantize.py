"""tandem quantize: a model with 8-bit weights is a model like any other, for prediction."""
import json
import unittest

from model_files import change_config, read_safetensors
from program import DATA, MODEL, ROWS, USAGE, ProgramTest, table, trained_model


class Quantize(ProgramTest):
    def quantize(self, *more):
        return self.succeeds("quantize", "--model", trained_model(), "--output", self.output, *more)

    def test_writes_integers_with_their_scales(self):
        self.quantize()
        tensors, _ = read_safetensors(self.output / "model.safetensors")
        query = "bert.encoder.layer.0.attention.self.query.weight"
        self.assertEqual(tensors[query]["dtype"], "I8")
        self.assertEqual(tensors[query + "_scale"]["dtype"], "F32")
        self.assertEqual(tensors[query + "_scale"]["shape"], [tensors[query]["shape"][0], 1])
        self.assertEqual(tensors["classifier.weight"]["dtype"], "F32")
        self.assertEqual(tensors["bert.embeddings.word_embeddings.weight"]["dtype"], "F32")
        config = json.loads((self.output / "config.json").read_text())
        self.assertEqual(config["quantization_config"]["format"], "int-quantized")
        self.assertEqual(config["quantization_config"]["ignore"],
                         ["bert.pooler.dense", "classifier"])

    def test_predicts_as_the_model_it_was_made_of(self):
        self.quantize()
        texts = self.write("texts.txt", "".join(text + "\n" for text, _ in ROWS))
        def probabilities(model, *more) -> list[list[float]]:
            out = self.succeeds("predict", "--model", model, "--data", texts, "--precision",
                                "fp32", *more).out
            return [[float(p) for p in line.split("\t")[3:]] for line in out.splitlines()[1:]]
        expected = probabilities(trained_model())
        for kernels in ("auto", "reference"):
            with self.subTest(kernels):
                for row, other in zip(probabilities(self.output, "--kernels", kernels), expected,
                                      strict=True):
                    for p, q in zip(row, other, strict=True):
                        self.assertAlmostEqual(p, q, delta=0.02)

    def test_evaluates_both_when_there_are_rows(self):
        rows = self.write("dev.tsv", table(ROWS))
        result = self.quantize("--data", rows)
        self.assertIn("***** fp32 metrics *****", result.out)
        self.assertIn("***** int8 metrics *****", result.out)
        self.assertEqual(result.out.count("eval_accuracy"), 2)

    def test_checks_the_rows_before_it_writes(self):
        rows = self.write("dev.tsv", table([("a film", "unheard-of")]))
        self.fails(DATA, ["unheard-of"], "quantize", "--model", trained_model(), "--output",
                   self.output, "--data", rows)
        self.fails(USAGE, ["standard input can be read only once"], "quantize", "--model",
                   trained_model(), "--output", self.output, "--data", "-")

    def test_is_not_trained(self):
        self.quantize()
        self.fails(MODEL, ["has 8-bit weights, which cannot be trained"], "train", "--model",
                   self.output, "--train-file", self.rows_file(), "--output-dir",
                   self.directory / "other")

    def test_does_not_write_over_what_is_there(self):
        self.quantize()
        self.fails(USAGE, ["--overwrite-output-dir"], "quantize", "--model", trained_model(),
                   "--output", self.output)
        self.fails(USAGE, ["is the model itself"], "quantize", "--model", self.output, "--output",
                   self.output, "--overwrite-output-dir")

    def test_refuses_another_kind_of_quantisation(self):
        self.quantize()
        written = json.loads((self.output / "config.json").read_text())["quantization_config"]
        asymmetric = json.loads(json.dumps(written).replace('"symmetric": true',
                                                            '"symmetric": false'))
        for other in ({"quant_method": "gptq", "bits": 4}, asymmetric):
            change_config(self.output, quantization_config=other)
            self.refuses_to_predict()

    def refuses_to_predict(self):
        self.fails(MODEL, ["config.json: quantization_config: weights quantised in this way are not "
                           "supported"], "predict", "--model", self.output, "--data",
                   self.write("texts.txt", "a film\n"))


if __name__ == "__main__":
    unittest.main()
