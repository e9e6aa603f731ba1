"""Early stopping, the best model, several seeds and the search on two ranks of this machine."""
import json
import pathlib
import shutil
import subprocess
import unittest

from program import BINARY, ProgramTest, Result, environment

LAUNCHERS = {mpi: command for mpi, command in {
    "openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "2"],
    "mpich": ["mpirun.mpich", "-np", "2"]}.items() if shutil.which(command[0])}
# The loss falls; taken for better the higher it is, the first evaluation is the best.
FIRST_IS_BEST = ("--metric-for-best-model", "loss", "--greater-is-better", "True", "--lr", "1e-3")


@unittest.skipUnless(LAUNCHERS, "there is no MPI launcher")
class LoopOnRanks(ProgramTest):
    def ranks(self, mpi: str, *more) -> Result:
        """Trains 6 updates of 8 rows on two ranks, into a directory named after the launcher."""
        self.output = self.directory / mpi
        rows = self.rows_file("validation.tsv")
        arguments = self.train_arguments("--threads", 1, "--validation-file", rows, *more)
        done = subprocess.run([*LAUNCHERS[mpi], BINARY, *map(str, arguments)],
                              env=environment(), capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Result(done.returncode, done.stdout, done.stderr)

    def read(self, name: str) -> dict:
        return json.loads((self.output / name).read_text())

    def weights(self, directory: pathlib.Path) -> bytes:
        return (directory / "model.safetensors").read_bytes()

    def test_best_model_and_early_end(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                result = self.ranks(
                    mpi, "--global-batch-size", 8, "--eval-strategy", "epoch", "--save-strategy",
                    "best", *FIRST_IS_BEST, "--load-best-model-at-end",
                    "--early-stopping-patience", 1, "--do-train", "--do-eval")
                self.assertEqual(result.err.count("stopping early after step 4 of 6"), 1)
                state = self.read("trainer_state.json")
                self.assertEqual((state["global_step"], state["best_model_checkpoint"]),
                                 (4, "checkpoint-2"))
                self.assertEqual(self.weights(self.output),
                                 self.weights(self.output / "checkpoint-2"))
                # Evaluated by both ranks with what rank 0 read back.
                self.assertAlmostEqual(self.read("eval_results.json")["eval_loss"],
                                       state["best_metric"], places=6)

    def test_seeds(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                result = self.ranks(mpi, "--global-batch-size", 8, "--seeds", 2)
                self.assertEqual(len(self.read("seeds.json")["runs"]), 2)
                self.assertEqual(result.out.count("eval_accuracy  eval_loss"), 1)
                self.assertNotEqual(self.weights(self.output / "seed-42"),
                                    self.weights(self.output / "seed-43"))

    def test_autotune(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                self.ranks(mpi, "--autotune", "0.5s")
                found = self.read("autotune.json")
                self.assertGreaterEqual(len(found["trials"]), 1)
                self.assertIn(self.read("training_args.json")["global_batch_size"], (16, 32))
                self.assertEqual(list(self.output.glob("trial-*")), [])


if __name__ == "__main__":
    unittest.main()
