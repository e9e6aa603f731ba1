"""Ctrl-C: the first leaves a checkpoint to go on from, the second ends at once; exit code 75."""
import shutil
import signal
import subprocess
import time
import unittest

from program import (BINARY, INTERRUPTED, ProgramTest, contents, environment, trained_model)

# So many updates that the run ends by the signal alone.
ENDLESS = ("--max-steps", 20_000, "--batch-size", 4)


class Interrupted(ProgramTest):
    def start(self, *arguments, **options) -> subprocess.Popen:
        process = subprocess.Popen([BINARY, *map(str, arguments)], env=environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def read_until(self, process: subprocess.Popen, text: str) -> None:
        for line in process.stderr:
            if text in line:
                return
        self.fail(f"the program ended without saying {text!r}")

    def train_endlessly(self, *more) -> subprocess.Popen:
        """Starts training with an evaluation after every fifth update, and waits for the first."""
        process = self.start(*self.train_arguments(
            *ENDLESS, "--eval-strategy", "steps", "--eval-steps", 5, "--validation-file",
            self.rows_file("validation.tsv"), *more))
        self.read_until(process, "     5 ")
        return process

    def checkpoint(self):
        return next(self.output.glob("checkpoint-*"))

    def end(self, process: subprocess.Popen) -> tuple[str, str]:
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, INTERRUPTED, err)
        self.assertNotIn("Sanitizer", err)
        self.assert_no_temporary_files()
        return out, err

    def test_leaves_a_checkpoint(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            with self.subTest(number.name):
                process = self.train_endlessly("--overwrite-output-dir")
                process.send_signal(number)
                out, err = self.end(process)
                self.assertIn("interrupted: ending in good order; once more ends at once", err)
                self.assertRegex(err, r"tandem: interrupted after (\d+) of 20000 steps; "
                                      rf"{self.output}/checkpoint-\1 is saved: the same command "
                                      "goes on from there\n$")
                self.assertEqual(out, "")
                self.assertEqual([path.name for path in self.output.iterdir()],
                                 [self.checkpoint().name])
                self.succeeds("predict", "--model", self.checkpoint(), "--data", self.rows_file())
                shutil.rmtree(self.output)

    def test_interrupted_evaluation_leaves_one_as_well(self):
        validation = self.write("many.tsv", "text\tlabel\n" + "a good film\tgood\n" * 50_000)
        for seconds in (0.5, 2, 10):  # until the first update, a small one, is over by then
            process = self.start(*self.train_arguments(
                *ENDLESS, "--eval-strategy", "steps", "--eval-steps", 1, "--validation-file",
                validation))
            self.read_until(process, "training: 20000 updates")
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            err = self.end(process)[1]
            if "interrupted before the first step" not in err:
                break
        self.assertIn("tandem: interrupted after ", err)
        self.succeeds("predict", "--model", self.checkpoint(), "--data", self.rows_file())

    def test_before_training_nothing_is_written(self):
        for rows in (100_000, 1_000_000, 4_000_000):  # until reading takes longer than the signal
            path = self.write("many.tsv", "text\tlabel\n" + "a good film\tgood\nbad\tbad\n" * rows)
            arguments = self.train_arguments(*ENDLESS, "--ignore-mismatched-sizes", train_file=path)
            before = contents(self.directory)
            process = self.start(*arguments)
            self.read_until(process, "machine: ")
            process.send_signal(signal.SIGINT)
            err = self.end(process)[1]
            if "interrupted while reading; nothing was written" in err:
                self.assertEqual(set(contents(self.directory)), set(before))
                return
            shutil.rmtree(self.output)
        self.fail(err)

    def test_second_signal_ends_at_once(self):
        # One update of 40,000 examples, so that the second signal comes before it is done.
        path = self.write("rows.tsv", "text\tlabel\n" + (
            "good film " * 20 + "\tgood\nbad\tbad\n") * 20_000)
        process = self.start(*self.train_arguments(
            "--ignore-mismatched-sizes", "--batch-size", 100, "--gradient-accumulation-steps", 400,
            train_file=path))
        self.read_until(process, "training: 3 updates of 40000 examples")
        process.send_signal(signal.SIGINT)
        self.read_until(process, "ending in good order")
        process.send_signal(signal.SIGINT)
        self.assertIn("interrupted again: ending at once", self.end(process)[1])
        self.assertFalse(list(self.output.iterdir()))

    def test_commands_with_nothing_to_save_end_at_once(self):
        for command in (["predict", "--data", "-"], ["tokenize"]):
            with self.subTest(command[0]):
                process = self.start(*command, "--model", trained_model(), stdin=subprocess.PIPE)
                if command[0] == "predict":
                    self.read_until(process, "model ")
                else:
                    process.stdin.write("good\n")
                    process.stdin.flush()
                    self.assertEqual(process.stdout.readline(), "2 5 3\n")
                process.send_signal(signal.SIGINT)
                self.assertIn("\ninterrupted\n", self.end(process)[1])


if __name__ == "__main__":
    unittest.main()
