"""The two command lines that were published for this job run as they were printed, once `python
run_glue.py` has become `tandem train`: on one machine, and under mpirun with its hostfile."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from hub_server import Hub
from model_files import make_distilbert, make_headless_model, make_model
from program import BINARY, MODEL, ProgramTest, environment

SAMPLES = pathlib.Path(__file__).parent / "glue_mrpc"
MPIRUN = shutil.which("mpirun.mpich")

ONE_MACHINE = """tandem train \\
--model_name_or_path bert-base-cased --task_name mrpc \\
--do_train --do_eval --max_seq_length 128 --per_device_train_batch_size 32 \\
--learning_rate 2e-5 --num_train_epochs 3 --output_dir /tmp/mrpc/ \\
--overwrite_output_dir True"""
SEVERAL = """mpirun -f hostfile -np 2 -ppn 1 -genv I_MPI_PIN_DOMAIN=[0xfffffff0] \\
-genv OMP_NUM_THREADS=28 tandem train \\
--model_name_or_path distilbert-base-uncased --task_name mrpc \\
--do_train --do_eval --max_seq_length 128 --per_device_train_batch_size 32 \\
--learning_rate 2e-5 --num_train_epochs 3 --output_dir /tmp/mrpc/ \\
--overwrite_output_dir True --xpu_backend ccl --no_cuda True"""


class PublishedLines(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.home = self.directory / "home"
        programs = self.directory / "bin"
        programs.mkdir()
        (programs / "tandem").symlink_to(BINARY)
        if MPIRUN:
            # Not a link: it looks for its helpers beside itself.
            (programs / "mpirun").write_text(f'#!/bin/sh\nexec {MPIRUN} "$@"\n')
            (programs / "mpirun").chmod(0o755)
        # Both hosts are this one; processes are started without ssh.
        (self.directory / "hostfile").write_text("localhost\n127.0.0.1\n")
        self.variables = environment(HF_HOME=str(self.home), HYDRA_LAUNCHER="fork",
                                     PATH=f"{programs}:{os.environ['PATH']}")

    def fetch(self, name: str, content: dict[str, bytes], kind: str, called: str) -> None:
        hub = Hub(name, content, kind)
        self.addCleanup(hub.close)
        self.succeeds("fetch", called, env=self.variables | {"HF_ENDPOINT": hub.address})

    def fetch_model(self, name: str, make) -> None:
        with tempfile.TemporaryDirectory() as directory:
            model = make_headless_model(pathlib.Path(directory) / "model", make)
            content = {path.name: path.read_bytes() for path in model.iterdir()}
        self.fetch(name, content, "models", name)

    def fetch_task(self) -> None:
        self.fetch("nyu-mll/glue", {
            f"mrpc/{split}-00000-of-00001.parquet": (SAMPLES / f"{split}.parquet").read_bytes()
            for split in ("train", "validation", "test")}, "datasets", "glue/mrpc")

    def run_line(self, line: str) -> subprocess.CompletedProcess:
        """In a shell, with a directory of this test in the place of /tmp."""
        return subprocess.run(line.replace("/tmp/", f"{self.directory}/"), shell=True, text=True,
                              cwd=self.directory, env=self.variables, capture_output=True,
                              timeout=120, check=False)

    def check(self, line: str) -> str:
        done = self.run_line(line)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads((self.directory / "mrpc" / "all_results.json").read_text())
        self.assertEqual(results["epoch"], 3.0)
        self.assertIn("eval_combined_score", results)
        return done.stderr

    def test_on_one_machine(self):
        self.fetch_model("bert-base-cased", make_model)
        self.fetch_task()
        self.check(ONE_MACHINE)

    @unittest.skipUnless(MPIRUN, "there is no mpirun that knows -ppn")
    def test_on_several(self):
        self.fetch_model("distilbert-base-uncased", make_distilbert)
        self.fetch_task()
        log = self.check(SEVERAL)
        self.assertIn("job: 2 processes on ", log)
        self.assertIn("--no-cuda: ", log)

    def test_what_is_missing_is_said_with_the_line_that_brings_it(self):
        done = self.run_line(ONE_MACHINE)
        self.assertEqual(done.returncode, MODEL, done.stderr)
        self.assertIn("`tandem fetch bert-base-cased`", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main()
