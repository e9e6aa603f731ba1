"""A save that is cut off, or fails, at each of its file operations in turn: nothing is lost.

Operations are counted by failing_io.cc, which is loaded before the program.
"""
import concurrent.futures
import functools
import os
import pathlib
import shutil
import subprocess
import unittest

from program import BINARY, WALL, ProgramTest, environment

LIBRARY = os.environ["TANDEM_FAILING_IO"]


class Saving(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.arguments = self.train_arguments("--batch-size", 4, "--max-steps", 4, "--save-steps",
                                              2, "--save-total-limit", 1)
        self.operations, self.expected = self.whole_run()

    def command(self, output: pathlib.Path) -> list[str]:
        return [BINARY, *(str(output if part is self.output else part) for part in self.arguments)]

    def run_with(self, output: pathlib.Path, **variables: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(output), text=True, capture_output=True, timeout=60,
                              check=False, env=environment(
                                  LD_PRELOAD=LIBRARY, FAILING_IO_BELOW=str(output), **variables))

    def whole_run(self) -> tuple[int, bytes]:
        count, output = self.directory / "count", self.directory / "whole"
        done = self.run_with(output, FAILING_IO_COUNT=str(count))
        self.assertEqual(done.returncode, 0, done.stderr)
        operations = int(count.read_text())
        # Two checkpoints of 11 files: each is opened, written and synced, and gets its name.
        self.assertGreater(operations, 2 * 11 * 4)
        return operations, (output / "model.safetensors").read_bytes()

    def goes_on(self, how: str, codes: tuple[int, ...], number: int) -> bool:
        """Whether the run after the broken one goes on from a checkpoint."""
        output = self.directory / f"{how}-{number}"
        broken = self.run_with(output, FAILING_IO_AT=str(number), FAILING_IO_HOW=how)
        self.assertIn(broken.returncode, codes, broken.stderr)
        left = list(output.glob("checkpoint-*")) if output.exists() else []
        whole = subprocess.run(self.command(output), env=environment(), text=True, timeout=60,
                               capture_output=True, check=False)
        said = f"operation {number}, {left} left\n{broken.stderr}\n{whole.stderr}"
        self.assertEqual(whole.returncode, 0, said)
        goes_on = "going on from " in whole.stderr
        self.assertTrue(goes_on or not left, said)
        self.assertEqual((output / "model.safetensors").read_bytes(), self.expected, said)
        self.assertEqual(list(output.rglob("*.tmp-*")), [], said)
        shutil.rmtree(output)
        return goes_on

    def check_at_each_operation(self, how: str, codes: tuple[int, ...]) -> None:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            gone_on = sum(pool.map(functools.partial(self.goes_on, how, codes),
                                   range(1, self.operations + 1)))
        # Only the operations before the first checkpoint is complete leave nothing to go on from.
        self.assertGreater(gone_on, self.operations / 2)

    def test_killed(self):
        self.check_at_each_operation("kill", (-9,))

    def test_no_space(self):
        self.check_at_each_operation("ENOSPC", (WALL, 0))

    def test_input_and_output_errors(self):
        self.check_at_each_operation("EIO", (WALL, 0))


if __name__ == "__main__":
    unittest.main()
