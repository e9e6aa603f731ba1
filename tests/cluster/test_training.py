"""Training on a cluster: what MPI starts over ssh on hosts that share nothing but the network."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from lab import Lab, Result
from model_files import flip_bits, make_model, payload_start
from program import BINARY, MACHINE, ROWS, table

JOB = pathlib.Path("/root/job")  # on host1 alone, in its own root's home
TINY = JOB / "tiny"
SECONDS_TO_FAIL = 30
KILLER = "until pgrep -f '[t]andem train'; do sleep 0.1; done; sleep 3; pkill -KILL -x tandem"
MODEL = pathlib.Path(os.environ.get("TANDEM_QUICKSTART_DIR", "/nowhere")) / "minilm-l6"
MRPC = pathlib.Path(os.environ.get("TANDEM_GLUE_DIR", "/nowhere")) / "mrpc"
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

    def disagree(self, *texts: str) -> None:
        """All ranks find it; the root alone says it."""
        result = self.mpirun_fails("tandem: [rank 0 on host1] the processes of this job differ:\n",
                                   *texts)
        self.assertEqual(result.err.count("the processes of this job differ"), 1, result.err)

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
        self.disagree("  model: ", " on host3",
                      "rank 0's is used: remove or replace the others")

    def test_other_arguments(self):
        self.put_wrapper("host3", "--learning-rate 1")
        self.disagree("  --learning-rate: ", "1 on host3",
                      "start every process with the same arguments")

    def test_other_kernels(self):
        self.put_wrapper("host3", "--kernels reference")
        self.disagree("  kernels: ", "reference on host3", "name a set that every host has")

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
                killer = self.lab.start("host3", "sh", "-c", KILLER, stdout=subprocess.DEVNULL)
                self.fails(["host3", "9"], *self.launch(mpi, *train))
                self.assertEqual(killer.wait(timeout=10), 0)


def needs(config: dict, weights: int, ranks: int, words: int, size: int) -> float:
    """Bytes that all ranks together must send in a step. Each sum has an owner: every other rank
    sends it its part of all floats but the word embedding's, and gets the sum. Of the embedding
    that is done for the rows whose words some rank has: of each at least one part, which is the
    owner's own once in `ranks` times."""
    embedding = config["vocab_size"] * config["hidden_size"]
    dense = 2 * (ranks - 1) * (weights - embedding)
    rows = words * config["hidden_size"] * ((ranks - 1) / ranks + (ranks - 1))
    return size * (dense + rows)


@unittest.skipUnless(MODEL.is_dir() and MRPC.is_dir(), "needs MiniLM and MRPC")
class RealWeights(ClusterTest):
    """MiniLM on MRPC, with dropout."""

    def job(self, *more, output: str) -> list:
        given = [part for option in (("--max-steps", 60), ("--global-batch-size", 8),
                                     ("--per-device-train-batch-size", 8),
                                     ("--wire-dtype", "fp32"), ("--model", JOB / "minilm"))
                 if option[0] not in more for part in option]
        return self.train("--task-name", "mrpc", "--data-dir", JOB / "mrpc", "--max-seq-length", 64,
                          "--logging-steps", 1, *given, *more, output=output)

    def setUp(self) -> None:
        super().setUp()
        self.runs_on("host1", "cp", "-r", MODEL, JOB / "minilm")
        self.runs_on("host1", "cp", "-r", MRPC, JOB / "mrpc")

    def losses(self, *command, output: str) -> list[float]:
        self.runs_on("host1", *command, timeout=300)
        state = json.loads(self.read(JOB / output / "trainer_state.json"))
        return [entry["loss"] for entry in state["log_history"] if "loss" in entry]

    def test_learn_the_same_however_many(self):
        alone = self.losses(*self.job("--do-train", output="1"), output="1")
        other = self.losses(*self.job("--do-train", "--gradient-accumulation-steps", 2,
                                      "--per-device-train-batch-size", 4, output="order"),
                            output="order")
        self.assertEqual(len(alone), 60)
        apart = max(abs(a - b) for a, b in zip(alone, other))
        print(f"another order of summing: {apart:.2e}", file=sys.stderr)
        for ranks in (2, 3, 4):
            name = str(ranks)
            found = self.losses(*self.mpirun(LAUNCHERS[0], ranks),
                                *self.job("--do-train", output=name), output=name)
            differences = [abs(a - b) for a, b in zip(alone, found)]
            print(f"{ranks} ranks: first 10 steps {max(differences[:10]):.2e}, "
                  f"60 {max(differences):.2e}", file=sys.stderr)
            self.assertLess(max(differences[:10]), 1e-5, ranks)
            self.assertLessEqual(max(differences), 3 * apart, ranks)
        self.evaluates_the_same(JOB / "1")

    def evaluates_the_same(self, model: pathlib.Path) -> None:
        results = []
        for ranks in range(1, self.HOSTS + 1):
            output = f"eval{ranks}"
            command = self.job("--model", model, "--do-eval", output=output)
            launcher = self.mpirun(LAUNCHERS[0], ranks) if ranks > 1 else []
            self.runs_on("host1", *launcher, *command, timeout=100)
            found = json.loads(self.read(JOB / output / "eval_results.json"))
            results.append({name: value for name, value in found.items()
                            if name in ("eval_accuracy", "eval_f1", "eval_loss", "eval_samples")})
        self.assertEqual(len(results[0]), 4, results[0])
        self.assertEqual(results, [results[0]] * self.HOSTS)

    def sent_bytes(self) -> int:
        return sum(int(self.runs_on(host, "cat", "/sys/class/net/eth0/statistics/tx_bytes"))
                   for host in self.lab.hosts)

    def bytes_of_a_step(self, launcher: list, *more) -> float:
        sent = []
        for steps in (2, 6):
            before = self.sent_bytes()
            self.runs_on("host1", *launcher,
                         *self.job("--do-train", "--max-steps", steps, "--max-train-samples", 8, *more,
                                   "--overwrite-output-dir", output="bytes"), timeout=200)
            sent.append(self.sent_bytes() - before)
        return (sent[1] - sent[0]) / 4

    def words(self) -> int:
        """Of the eight rows that every step learns from."""
        rows = [line.split("\t")[3:5] for line in
                (MRPC / "train.tsv").read_text(encoding="utf-8-sig").splitlines()[1:9]]
        text = "".join(text + "\n" for row in rows for text in row)
        out = self.runs_on("host1", BINARY, "tokenize", "--model", MODEL, stdin=text)
        return len(set(re.findall(r"\d+", out)))

    def test_bytes_on_the_wire(self):
        config = json.loads((MODEL / "config.json").read_text())
        weights = (MODEL / "model.safetensors").stat().st_size // 4
        for mpi in LAUNCHERS:
            for wire, size in (("fp32", 4), ("bf16", 2)):
                with self.subTest(mpi=mpi, wire=wire):
                    sent = self.bytes_of_a_step(self.mpirun(mpi, self.HOSTS), "--wire-dtype", wire)
                    needed = needs(config, weights, self.HOSTS, self.words(), size)
                    whole = 2 * (self.HOSTS - 1) * weights * 4
                    print(f"{mpi}, {wire}: {sent / 1e6:.1f} MB a step, needed {needed / 1e6:.1f}: "
                          f"{sent / needed:.3f}; of a dense fp32 all-reduce {sent / whole:.3f}",
                          file=sys.stderr)
                    self.assertLess(sent, 1.15 * needed)
                    if wire == "bf16":
                        self.assertLess(sent, 0.45 * whole)


if __name__ == "__main__":
    unittest.main()
