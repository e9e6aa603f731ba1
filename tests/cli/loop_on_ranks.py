"""Early stopping, the best model, several seeds and the search on two ranks of this machine."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import unittest

from program import BINARY, INTERRUPTED, ProgramTest, Result, environment

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


def rank_process(output: pathlib.Path, rank: int) -> int:
    """The process id of that rank of the job that writes into `output`."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            variables = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        ours = command[0] == BINARY.encode() and str(output).encode() in command
        if ours and any(variable in (f"OMPI_COMM_WORLD_RANK={rank}".encode(),
                                     f"PMI_RANK={rank}".encode()) for variable in variables):
            return int(process.name)
    raise LookupError(f"no rank {rank} of {output}")


@unittest.skipUnless(LAUNCHERS, "there is no MPI launcher")
class Resumed(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.rows = self.rows_file()
        self.validation = self.rows_file("validation.tsv")

    def command(self, *launcher: str) -> list:
        return [*launcher, BINARY, *map(str, self.train_arguments(
            "--threads", 1, "--global-batch-size", 3, "--max-steps", 200, "--eval-strategy",
            "steps", "--eval-steps", 1, "--lr", "1e-4", "--wire-dtype", "fp32",
            "--validation-file", self.validation, train_file=self.rows))]

    def run_whole(self, *launcher: str) -> str:
        done = subprocess.run(self.command(*launcher), env=environment(), capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def interrupt(self, rank: int, *launcher: str) -> None:
        """Starts the job and sends SIGTERM to one of its ranks after the 20th step."""
        with subprocess.Popen(self.command(*launcher), env=environment(), text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            said = []
            for line in process.stderr:
                said.append(line)
                if line.startswith("    20  "):
                    os.kill(rank_process(self.output, rank), signal.SIGTERM)
            process.wait(timeout=60)
        said = "".join(said)
        self.assertEqual(process.returncode, INTERRUPTED, said)
        self.assertRegex(said, r"interrupted after \d+ of 200 steps; .*checkpoint-\d+ is saved")

    def result(self) -> tuple[bytes, list]:
        state = json.loads((self.output / "trainer_state.json").read_text())
        history = [{name: value for name, value in entry.items()
                    if "runtime" not in name and "per_second" not in name}
                   for entry in state["log_history"]]
        return (self.output / "model.safetensors").read_bytes(), history

    def test_a_rank_that_hears_of_it_is_enough_and_the_bits_are_the_same(self):
        for mpi, launcher in LAUNCHERS.items():
            with self.subTest(mpi):
                self.output = self.directory / mpi
                self.run_whole(*launcher)
                expected = self.result()
                shutil.rmtree(self.output)
                self.interrupt(1, *launcher)
                self.assertIn("going on from ", self.run_whole(*launcher))
                self.assertEqual(self.result(), expected)

    def test_on_another_number_of_ranks(self):
        launcher = next(iter(LAUNCHERS.values()))
        self.run_whole(*launcher)
        expected = self.result()[1]
        shutil.rmtree(self.output)
        self.interrupt(0, *launcher)
        log = self.run_whole()
        self.assertIn("2 ranks, now by", log)
        found = self.result()[1]
        self.assertEqual([entry["step"] for entry in found], [entry["step"] for entry in expected])
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one.get("eval_loss", 0), other.get("eval_loss", 0), places=4)


if __name__ == "__main__":
    unittest.main()
