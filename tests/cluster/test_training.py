"""Training on a cluster: what MPI starts over ssh on hosts that share nothing but the network."""
import functools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
# pylint: disable=wrong-import-position
from lab import Lab, Result
from model_files import flip_bits, make_model, payload_start
from program import BINARY, MACHINE, ROWS, table

JOB = pathlib.Path("/root/job")  # on host1 alone, in its own root's home
TINY = JOB / "tiny"
SECONDS_TO_FAIL = 30
LAUNCHERS = [mpi for mpi in ("openmpi", "mpich") if shutil.which(f"mpirun.{mpi}")]


class ClusterTest(unittest.TestCase):
    """A lab with the inputs of a job on host1."""
    HOSTS = 4

    def start_lab(self, hosts: int) -> None:
        self.lab = Lab(hosts=hosts)
        self.lab.up()
        self.addCleanup(self.lab.down)
        inputs = pathlib.Path(tempfile.mkdtemp(prefix="tandem-inputs-"))
        self.addCleanup(shutil.rmtree, inputs)
        make_model(inputs / "tiny")
        (inputs / "rows.tsv").write_text(table(ROWS))
        self.runs_on("host1", "cp", "-r", inputs, JOB)

    def setUp(self) -> None:
        if not LAUNCHERS:
            self.skipTest("there is no MPI launcher")
        self.start_lab(self.HOSTS)

    def runs_on(self, host: str, *command, **options) -> str:
        result = self.lab.exec(host, *command, **options)
        self.assertEqual(result.code, 0, result.err)
        return result.out

    def train(self, *more, output: str = "out") -> list:
        """One thread a process and fp32, unless `more` says otherwise."""
        usual = [("--threads", 1), ("--precision", "fp32"), ("--model", TINY),
                 ("--train-file", JOB / "rows.tsv"), ("--max-steps", 6)]
        if "--task-name" in more:
            usual.remove(("--train-file", JOB / "rows.tsv"))
        return [BINARY, "train", "--output-dir", JOB / output,
                *(part for option in usual if option[0] not in more for part in option), *more]

    def mpirun(self, mpi: str, hosts: int) -> list:
        """The plain launcher, on the first hosts."""
        hostfile = JOB / f"hosts-{hosts}"
        self.runs_on("host1", "sh", "-c", f"head -n {hosts} {self.lab.hostfile} > {hostfile}")
        if mpi == "openmpi":
            return ["mpirun.openmpi", "--allow-run-as-root", "--hostfile", hostfile, "-np", hosts,
                    "--map-by", "ppr:1:node"]
        return ["mpirun.mpich", "-f", hostfile, "-np", hosts, "-ppn", 1]

    def launch(self, mpi: str, *train) -> list:
        return [BINARY, "launch", "--mpi", mpi, "--hostfile", self.lab.hostfile, "--", *train[1:]]

    def read(self, path: pathlib.Path) -> str:
        return self.runs_on("host1", "cat", path)

    def fails(self, texts: list[str], *command, code: int | None = None) -> Result:
        """Ends in time, not with 0 (or with this code), and says all of these."""
        start = time.monotonic()
        result = self.lab.exec("host1", *command, timeout=100)
        self.assertLess(time.monotonic() - start, SECONDS_TO_FAIL, result.err)
        self.assertNotEqual(result.code, 0)
        if code is not None:
            self.assertEqual(result.code, code, result.err)
        for text in texts:
            self.assertIn(text, result.out + result.err)
        self.assertNotIn("unexpected: ", result.err)
        self.assert_nothing_runs()
        return result

    def assert_nothing_runs(self) -> None:
        deadline = time.monotonic() + 10
        for host in self.lab.hosts:
            while names := self.lab.exec(host, "pgrep", "-l", "tandem|orted|hydra|mpirun").out:
                self.assertLess(time.monotonic(), deadline, f"{host}: {names}")
                time.sleep(0.2)


class Starts(ClusterTest):
    """Only host1 has the model and the data, and only it gets the output."""

    def makes_a_model(self, output: str, *command) -> None:
        self.runs_on("host1", *command, timeout=60)
        evaluated = self.runs_on("host1", BINARY, "evaluate", "--model", JOB / output, "--data",
                                 JOB / "rows.tsv", "--json", "--threads", 1)
        self.assertIn("accuracy", evaluated)
        for host in self.lab.hosts[1:]:
            self.assertNotEqual(self.lab.exec(host, "ls", JOB).code, 0, host)

    def test_plain_mpirun(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                self.makes_a_model(mpi, *self.mpirun(mpi, self.HOSTS), *self.train(output=mpi))

    def test_launch(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                self.makes_a_model(mpi, *self.launch(mpi, *self.train(output=mpi)))

    def test_bf16_wire_and_arithmetic(self):
        """Training's end compares the weights of all ranks, bit by bit."""
        more = ("--wire-dtype", "bf16", "--precision", "bf16")
        self.makes_a_model("bf16", *self.launch(LAUNCHERS[0], *self.train(*more, output="bf16")))


class Failures(ClusterTest):
    """Each ends in time and names the host. Every test breaks a lab of its own."""
    HOSTS = 3

    def launch_fails(self, *texts: str) -> None:
        result = self.fails([*texts], *self.launch(LAUNCHERS[0], *self.train()), code=MACHINE)
        self.assertNotIn("starting: ", result.err)

    def mpirun_fails(self, *texts: str, code: int | None = MACHINE) -> Result:
        return self.fails([*texts], *self.mpirun(LAUNCHERS[0], self.HOSTS), *self.train(), code=code)

    def put_wrapper(self, host: str, arguments: str) -> None:
        """The program there adds these to its arguments."""
        self.runs_on(host, "mv", BINARY, f"{BINARY}.real")
        self.runs_on(host, "sh", "-c", f"cat > {BINARY} && chmod +x {BINARY}",
                     stdin=f'#!/bin/sh\nexec {BINARY}.real "$@" {arguments}\n')

    def test_host_is_down(self):
        self.lab.kill("host3")
        self.lab.hosts.remove("host3")
        self.launch_fails("host3: ssh: ")

    def test_ssh_is_refused(self):
        self.runs_on("host3", "pkill", "-x", "sshd")
        self.launch_fails("host3: ssh: nothing answers at its ssh port")

    def test_host_key_is_unknown(self):
        self.runs_on("host1", "sed", "-i", "/^host3,/d", "/root/.ssh/known_hosts")
        self.launch_fails("host3: ssh: its host key is not known here")

    def test_name_that_leads_to_the_loopback(self):
        self.runs_on("host1", "sed", "-i", "s/.* host3$/127.0.1.1 host3/", "/etc/hosts")
        self.launch_fails("host3: leads to 127.0.1.1")

    def test_other_version(self):
        version = self.runs_on("host1", BINARY, "--version").strip()
        other = version[:-1] + ("9" if version[-1] != "9" else "8")
        self.runs_on("host3", "sed", "-i", f"s/{re.escape(version)}/{other}/g", BINARY)
        self.launch_fails(f'host3: {BINARY} is of version "{other}" there, {version} here')

    def test_other_model_file(self):
        copy = pathlib.Path(tempfile.mkdtemp(prefix="tandem-other-"))
        self.addCleanup(shutil.rmtree, copy)
        make_model(copy / "tiny")
        file = copy / "tiny" / "model.safetensors"
        flip_bits(file, payload_start(file), 1)
        self.runs_on("host3", "cp", "-r", copy, JOB)
        self.mpirun_fails("the processes of this job differ", "  model: ", " on host3",
                          "rank 0's is used: remove or replace the others")

    def test_other_arguments(self):
        self.put_wrapper("host3", "--learning-rate 1")
        self.mpirun_fails("  --learning-rate: ", "1 on host3",
                          "start every process with the same arguments")

    def test_other_kernels(self):
        self.put_wrapper("host3", "--kernels reference")
        self.mpirun_fails("  kernels: ", "reference on host3", "name a set that every host has")

    def test_no_memory_left_on_a_host(self):
        """The plan has room for the pieces of gradients under way, more than 100 MB."""
        for line in (self.lab.directory / "cgroups").read_text().split():
            for name in ("memory.max", "memory.limit_in_bytes"):
                limit = pathlib.Path(line) / "host3" / name
                if limit.exists():
                    limit.write_text(str(100 << 20))
        self.mpirun_fails("on host3] ", " GB of memory are needed, ")

    def test_killed_rank(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi):
                train = self.train("--max-steps", 1000000, output=mpi)
                self.lab.start("host3", "sh", "-c",
                               "until pgrep -x tandem; do sleep 0.1; done; sleep 4; "
                               "pkill -KILL -x tandem", stdout=-3)
                self.fails(["host3", "9"], *self.launch(mpi, *train))


if __name__ == "__main__":
    unittest.main()
