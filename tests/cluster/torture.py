"""Kills jobs on two hosts of the lab again and again: ranks, mpirun and the launcher itself, at random
moments. In the end each model must have the bits of a job that nobody disturbed.

    torture.py [--kills 100] [--seed 1] [--mpi openmpi]
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from lab import Lab
from model_files import make_model
from program import BINARY, ROWS, table

JOB = pathlib.Path("/root/job")
# Some ten seconds, most of which go into writing checkpoints.
STEPS, SAVE_STEPS = 12_000, 60
# Of the processes of that name those whose first argument is this.
KILL = """for id in $(pgrep -x '{name}'); do
  tr '\\0' '\\n' </proc/$id/cmdline | sed -n 2p | grep -q -e '{argument}' && kill -KILL $id
done"""
VICTIMS = {"rank of host1": ("host1", "tandem", "^train$"),
           "rank of host2": ("host2", "tandem", "^train$"),
           "mpirun": ("host1", "mpirun.*", "."),
           "launcher": ("host1", "tandem", "^launch$")}


class Torture:
    def __init__(self, lab: Lab, mpi: str, seed: int, say=print) -> None:
        self.lab, self.mpi, self.say = lab, mpi, say
        self.random = random.Random(seed)
        with tempfile.TemporaryDirectory() as inputs:
            make_model(pathlib.Path(inputs) / "tiny")
            (pathlib.Path(inputs) / "rows.tsv").write_text(table(ROWS))
            self.runs("cp", "-r", inputs, JOB)

    def runs(self, *command) -> str:
        result = self.lab.exec("host1", *command)
        if result.code != 0:
            raise AssertionError(result.err)
        return result.out

    def command(self, output: str) -> list:
        return [BINARY, "launch", "--mpi", self.mpi, "--hostfile", self.lab.hostfile,
                "--max-restarts", 1000, "--min-hosts", 2, "--", "train", "--model", JOB / "tiny",
                "--train-file", JOB / "rows.tsv", "--output-dir", JOB / output, "--threads", 1,
                "--precision", "fp32", "--max-steps", STEPS, "--save-steps", SAVE_STEPS,
                "--save-total-limit", 2, "--batch-size", 4]

    def weights(self, output: str) -> str:
        return self.runs("sha256sum", JOB / output / "model.safetensors").split()[0]

    def start(self, output: str) -> subprocess.Popen:
        return self.lab.start("host1", *self.command(output), stdout=self.log,
                              stderr=subprocess.STDOUT)

    def ended_before(self, job: subprocess.Popen, seconds: float) -> bool:
        try:
            job.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self, victim: str) -> None:
        host, name, argument = VICTIMS[victim]
        self.lab.exec(host, "sh", "-c", KILL.format(name=name, argument=argument))

    def disturb(self, output: str, kills: int) -> int:
        """Runs one job to its end, killing at most so often; how often."""
        killed = 0
        with tempfile.TemporaryFile("w+") as self.log:
            job = self.start(output)
            while killed < kills and not self.ended_before(job, self.random.uniform(2, 7)):
                victim = self.random.choice(list(VICTIMS))
                self.kill(victim)
                killed += 1
                self.say(f"{output}: killed {victim}")
                if victim == "launcher":
                    job.wait(timeout=60)
                    job = self.start(output)
            if job.wait(timeout=600) != 0:
                self.log.seek(0)
                raise AssertionError(f"exit code {job.returncode}: {self.log.read()[-3000:]}")
        return killed

    def run(self, kills: int) -> None:
        """Jobs until there were so many kills, each of which ends with the same model."""
        self.runs(*self.command("undisturbed"))
        expected = self.weights("undisturbed")
        killed = job = 0
        while killed < kills:
            job += 1
            killed += self.disturb(f"job-{job}", kills - killed)
            if self.weights(f"job-{job}") != expected:
                raise AssertionError(f"job-{job}: its model isn't that of an undisturbed run")
            self.runs("rm", "-r", JOB / f"job-{job}")
        self.say(f"{killed} kills of {job} jobs: all models have an undisturbed run's bits")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    flags = parser.parse_args()
    with Lab(hosts=2) as lab:
        Torture(lab, flags.mpi, flags.seed).run(flags.kills)


if __name__ == "__main__":
    main()
