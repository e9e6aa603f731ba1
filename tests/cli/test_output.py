"""The files of an output directory, and what becomes of them when the run hits a wall."""
import contextlib
import fcntl
import json
import os
import pathlib
import resource
import subprocess
import unittest

import model_files
from program import BINARY, WALL, ProgramTest, contents, environment, run, trained_model

FULL = "standard output cannot be written: no space left on device"


class OutputFiles(ProgramTest):
    def test_what_a_run_writes(self):
        rows = self.rows_file()
        self.succeeds(*self.train_arguments("--do-train", "--do-eval", "--do-predict",
                                            "--validation-file", rows, "--test-file", rows))
        self.assertEqual(sorted(contents(self.output)), [
            "README.md", "all_results.json", "config.json", "eval_results.json",
            "model.safetensors", "predict_results.txt", "report.html", "special_tokens_map.json",
            "tokenizer.json", "tokenizer_config.json", "train_results.json", "trainer_state.json",
            "training_args.json", "vocab.txt"])
        self.check_model_files()
        self.check_results()

    def read(self, name: str) -> dict:
        return json.loads((self.output / name).read_text())

    def check_model_files(self) -> None:
        config = self.read("config.json")
        self.assertEqual(config["architectures"], ["BertForSequenceClassification"])
        self.assertEqual(config["id2label"], {"0": "bad", "1": "good", "2": "so-so"})
        self.assertEqual(config["label2id"], {"bad": 0, "good": 1, "so-so": 2})
        self.assertEqual(config["problem_type"], "single_label_classification")
        tensors, _ = model_files.read_safetensors(self.output / "model.safetensors")
        original, _ = model_files.read_safetensors(self.model / "model.safetensors")
        self.assertEqual({name: info["shape"] for name, info in tensors.items()},
                         {name: info["shape"] for name, info in original.items()})
        vocabulary = self.read("tokenizer.json")["model"]["vocab"]
        self.assertEqual(sorted(vocabulary, key=vocabulary.get), model_files.VOCABULARY)
        self.assertEqual((self.output / "vocab.txt").read_text().splitlines(),
                         model_files.VOCABULARY)
        self.assertEqual(self.read("tokenizer_config.json")["tokenizer_class"], "BertTokenizer")

    def check_results(self) -> None:
        state = self.read("trainer_state.json")
        self.assertEqual((state["global_step"], state["max_steps"], state["epoch"],
                          state["num_train_epochs"], state["train_batch_size"]), (6, 6, 3.0, 3, 8))
        self.assertIn("log_history", state)
        train, evaluation = self.read("train_results.json"), self.read("eval_results.json")
        self.assertEqual(set(train), {"epoch", "total_flos", "train_loss", "train_runtime",
                                      "train_samples", "train_samples_per_second",
                                      "train_steps_per_second"})
        self.assertEqual(set(evaluation), {"epoch", "eval_accuracy", "eval_loss", "eval_runtime",
                                           "eval_samples", "eval_samples_per_second",
                                           "eval_steps_per_second"})
        self.assertEqual(self.read("all_results.json"), train | evaluation)

    def test_saved_model_is_loaded_and_saved_unchanged(self):
        self.succeeds("train", "--model", trained_model(), "--train-file", self.rows_file(),
                      "--output-dir", self.output, "--max-steps", 1, "--lr", 0)
        for name in ("model.safetensors", "config.json", "tokenizer.json", "vocab.txt"):
            self.assertEqual((self.output / name).read_bytes(),
                             (trained_model() / name).read_bytes(), name)


@contextlib.contextmanager
def small_volume(directory: pathlib.Path, size: str):
    """A file system of this size; the test is skipped where none may be mounted."""
    directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", directory],
                             capture_output=True, check=False)
    if mounted.returncode != 0:
        raise unittest.SkipTest("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", directory], check=True)


class SeveralProcesses(ProgramTest):
    def test_one_waits_until_the_other_has_ended(self):
        self.output.mkdir()
        other = os.open(self.output, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(other, fcntl.LOCK_EX)
        with subprocess.Popen([BINARY, *map(str, self.train_arguments("--max-steps", 1))],
                              env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            for line in process.stderr:
                if line == f"waiting for another process that writes to {self.output}\n":
                    self.assertEqual(list(self.output.iterdir()), [])
                    os.close(other)
                    break
            else:
                self.fail("it didn't wait")
            process.stderr.read()
        self.assertEqual(process.returncode, 0)


class Walls(ProgramTest):
    def check_old_model(self) -> None:
        self.succeeds("predict", "--model", self.output, "--data", self.rows_file())
        self.assert_no_temporary_files()

    def test_volume_too_small_is_seen_before_training(self):
        with small_volume(self.directory / "small", "64k"):
            self.output = self.directory / "small" / "out"
            self.fails(WALL, [f"{self.output}: no space left: ", "bytes are needed", "are free",
                              "nothing was trained", "--output-dir"], *self.train_arguments())

    def test_volume_that_fills_up(self):
        # init doesn't ask beforehand: its weights (90 kB) meet the end of the volume.
        with small_volume(self.directory / "small", "64k"):
            self.fails(WALL, ["model.safetensors: no space left: ",
                              "nothing that existed was changed"], "init", "--config",
                       self.model / "config.json", "--output", self.directory / "small" / "out")

    def test_file_size_limit_keeps_the_model_that_was_there(self):
        self.succeeds(*self.train_arguments("--max-steps", 1))
        self.fails(WALL, ["model.safetensors: cannot be written: file too large",
                          "nothing that existed was changed"],
                   *self.train_arguments("--overwrite-output-dir", "--max-steps", 2),
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))
        self.check_old_model()

    def test_output_below_a_file(self):
        self.output = self.write("file", "mine") / "out"
        self.fails(WALL, ["the directory cannot be made: "], *self.train_arguments())

    def test_output_where_nothing_may_be_written(self):
        self.output = pathlib.Path("/proc/tandem")
        self.fails(WALL, ["/proc/tandem: the directory cannot be made: "], *self.train_arguments())

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_read_only_output_directory(self):
        self.output.mkdir(mode=0o555)
        self.fails(WALL, ["permission denied"], *self.train_arguments())

    def test_full_standard_output(self):
        rows = self.rows_file()
        for command in (["predict", "--data", rows], ["evaluate", "--data", rows],
                        ["predict", "--json", "--data", rows], ["tokenize", rows]):
            with self.subTest(command[0]), open("/dev/full", "wb") as full:
                self.fails(WALL, ["standard output cannot be written"], *command, "--model",
                           trained_model(), stdout=full)

    def test_full_standard_output_does_not_cost_the_model(self):
        with open("/dev/full", "wb") as full:
            result = run(*self.train_arguments("--max-steps", 1), stdout=full)
        self.assertEqual(result.code, WALL)
        self.assertIn(FULL, result.err)
        self.check_old_model()


class LossThatIsNotFinite(ProgramTest):
    def test_names_the_rows_and_writes_no_model(self):
        self.fails(WALL, ["step 2: loss nan and gradient norm nan: not finite",
                          "no model was written", "train.tsv lines ", "a smaller --learning-rate"],
                   *self.train_arguments("--learning-rate", "1e30"))

    def test_keeps_the_model_that_was_there(self):
        self.succeeds(*self.train_arguments("--max-steps", 1))
        self.fails(WALL, ["not finite"],
                   *self.train_arguments("--lr", "1e30", "--overwrite-output-dir"))

    def test_last_update_is_checked_as_well(self):
        self.fails(WALL, ["the last update made weights that are not finite; no model was written"],
                   *self.train_arguments("--lr", "1e39", "--max-steps", 1))


if __name__ == "__main__":
    unittest.main()
