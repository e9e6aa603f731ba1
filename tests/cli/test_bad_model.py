"""Models that cannot be used end with exit code 4 and a message that says why and what to do."""
import json
import struct
import unittest

import model_files
from program import MODEL, ROWS, ProgramTest


class BadModel(ProgramTest):
    def training_fails(self, *texts: str) -> None:
        self.fails(MODEL, list(texts), *self.train_arguments())

    @property
    def weights(self):
        return self.model / "model.safetensors"

    def test_missing_directory(self):
        for command in (["train", "--train-file", self.rows_file(), "--output-dir", self.output],
                        ["predict", "--data", self.rows_file()]):
            self.fails(MODEL, ["bert-base-cased: there is no such directory, and no such model in "
                               "the cache /nonexistent/hub; `tandem fetch bert-base-cased` brings"],
                       *command, "--model", "bert-base-cased")

    def test_missing_config(self):
        (self.model / "config.json").unlink()
        self.training_fails(f"{self.model}/config.json: cannot be read: no such file or directory")

    def test_config_that_is_not_json(self):
        (self.model / "config.json").write_text("{")
        self.training_fails("config.json:1: not valid JSON at column 1")

    def test_unknown_model_type(self):
        model_files.change_config(self.model, model_type="gpt2")
        self.training_fails('config.json: model_type: "gpt2" is not supported; supported: "bert"')

    def test_unsupported_activation(self):
        model_files.change_config(self.model, hidden_act="relu")
        self.training_fails("config.json: hidden_act", '"gelu", the only one supported')

    def test_config_of_another_size(self):
        model_files.change_config(self.model, intermediate_size=128)
        self.training_fails("model.safetensors: tensor bert.encoder.layer.0.intermediate.dense.",
                            "config.json implies [128")

    def test_truncated_weights(self):
        self.weights.write_bytes(self.weights.read_bytes()[:-1000])
        self.training_fails("model.safetensors: tensor", "it is truncated or damaged",
                            "copy or download it again")

    def test_weights_cut_in_the_header(self):
        self.weights.write_bytes(self.weights.read_bytes()[:100])
        self.training_fails("model.safetensors: ", "header")

    def test_empty_weights(self):
        self.weights.write_bytes(b"")
        self.training_fails("model.safetensors: ")

    def test_flipped_bit_in_the_header_length(self):
        model_files.flip_bits(self.weights, 7, 0x40)
        self.training_fails("model.safetensors: ", "header")

    def test_flipped_bit_in_the_header(self):
        for offset in (8, 60, 61, 62, 63):
            with self.subTest(offset):
                model_files.flip_bits(self.weights, offset, 0x80)  # no longer ASCII
                self.training_fails("model.safetensors: ")
                model_files.flip_bits(self.weights, offset, 0x80)

    def test_flipped_bits_in_a_weight(self):
        tensors, _ = model_files.read_safetensors(self.weights)
        name = "bert.pooler.dense.weight"
        offset = model_files.payload_start(self.weights) + tensors[name]["data_offsets"][0]
        data = bytearray(self.weights.read_bytes())
        data[offset:offset + 4] = struct.pack("<f", float("nan"))
        self.weights.write_bytes(bytes(data))
        self.training_fails(f"model.safetensors: tensor {name}: 1 of 1024 values are not finite")

    def test_missing_tensor(self):
        tensors, payload = model_files.read_safetensors(self.weights)
        del tensors["bert.encoder.layer.1.output.dense.bias"]
        model_files.write_safetensors(self.weights, tensors, payload)
        self.training_fails("model.safetensors: 1 of 37 tensors of the encoder are missing",
                            "bert.encoder.layer.1.output.dense.bias")

    def test_no_weights(self):
        self.weights.unlink()
        self.training_fails("expected model.safetensors or model.safetensors.index.json",
                            "found neither")

    def test_pickle_only_prints_the_conversion(self):
        self.weights.rename(self.model / "pytorch_model.bin")
        self.training_fails("there is no model.safetensors, only pytorch_model.bin, a pickle",
                            "convert it with: python3 -c ", "save_file(", f"'{self.model}'")


class BadVocabulary(ProgramTest):
    def test_vocabulary_larger_than_the_embedding(self):
        extra = [f"word{number}" for number in range(20)]
        model_files.write_vocabulary(self.model, model_files.VOCABULARY + extra)
        size = len(model_files.VOCABULARY) + len(extra)
        self.fails(MODEL, [f"the vocabulary has {size} entries, the model's embedding has only 60 "
                           "rows", "the tokenizer belongs to another model"],
                   *self.train_arguments())

    def test_missing_vocabulary(self):
        (self.model / "vocab.txt").unlink()
        expected = [f"{self.model}: has neither a tokenizer.json nor a vocab.txt"]
        self.fails(MODEL, expected, *self.train_arguments())
        self.fails(MODEL, expected, "tokenize", "--model", self.model)

    def test_vocabulary_without_a_special_token(self):
        model_files.write_vocabulary(self.model, [word for word in model_files.VOCABULARY
                                                  if word != "[SEP]"])
        self.fails(MODEL, ["vocab.txt: the token [SEP] is missing"], *self.train_arguments())

    def test_tokenizer_that_is_not_json(self):
        (self.model / "tokenizer.json").write_text("[")
        self.fails(MODEL, [f"{self.model}/tokenizer.json"], *self.train_arguments())


class Heads(ProgramTest):
    def two_label_arguments(self, *more) -> list:
        rows = self.rows_file("two.tsv", [row for row in ROWS if row[1] != "so-so"])
        return self.train_arguments("--max-steps", 1, *more, train_file=rows)

    def test_head_with_another_number_of_labels(self):
        self.fails(MODEL, ["tensor classifier.", "this task's labels need [2",
                           "--ignore-mismatched-sizes"], *self.two_label_arguments())

    def test_ignored_mismatch_makes_a_new_head(self):
        log = self.succeeds(*self.two_label_arguments("--ignore-mismatched-sizes")).err
        self.assertIn("classification head: new, with 2 outputs", log)
        config = json.loads((self.output / "config.json").read_text())
        self.assertEqual(config["id2label"], {"0": "bad", "1": "good"})

    def test_questions_to_a_model_without_a_head(self):
        headless = model_files.make_headless_model(self.directory / "headless")
        for command in ("evaluate", "predict"):
            self.fails(MODEL, ["config.json: has no labels", "`tandem train`"], command, "--model",
                       headless, "--data", self.rows_file())

    def test_labels_without_a_head(self):
        headless = model_files.make_headless_model(self.directory / "headless")
        model_files.change_config(headless, architectures=["BertForSequenceClassification"],
                                  id2label={"0": "bad", "1": "good"})
        self.fails(MODEL, ["the model has no classification head", "`tandem train`"], "predict",
                   "--model", headless, "--data", self.rows_file())

    def test_training_gives_a_headless_model_a_head(self):
        model_files.make_headless_model(self.directory / "tiny")
        arguments = ["train", "--model", self.directory / "tiny", "--train-file", self.rows_file(),
                     "--output-dir", self.output, "--max-steps", 1]
        self.assertIn("classification head: new (expected", self.succeeds(*arguments).err)


if __name__ == "__main__":
    unittest.main()
