"""A lab of hosts for a test: scripts/lab, in a directory of its own."""
import pathlib
import subprocess
import tempfile
import unittest
from typing import NamedTuple

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lab"
USAGE, CANNOT_RUN, HOST_IS_DOWN = 2, 5, 255


class Result(NamedTuple):
    code: int
    out: str
    err: str


class Lab:
    """with Lab(hosts=2, rate="1gbit") as lab: lab.exec("host1", "hostname")

    Options are those of `scripts/lab up`. Where the machine can't have a lab, up skips the test."""

    def __init__(self, hosts: int = 4, shared: tuple = (), **options) -> None:
        self.hosts = [f"host{number}" for number in range(1, hosts + 1)]
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="tandem-lab-"))
        self.hostfile = self.directory / "hostfile"
        self.options = [f"--hosts={hosts}", *(f"--shared={path}" for path in shared),
                        *(f"--{name}={value}" for name, value in options.items())]

    def __enter__(self) -> "Lab":
        self.up()
        return self

    def __exit__(self, *_) -> None:
        self.down()

    def arguments(self, command: str, *arguments) -> list[str]:
        return [str(SCRIPT), command, f"--directory={self.directory}", *map(str, arguments)]

    def command(self, command: str, *arguments, stdin: str = "", timeout: float = 300) -> Result:
        done = subprocess.run(self.arguments(command, *arguments), input=stdin,
                              capture_output=True, text=True, timeout=timeout, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def succeeds(self, command: str, *arguments) -> str:
        result = self.command(command, *arguments)
        if result.code != 0:
            raise AssertionError(f"lab {command}: exit code {result.code}: {result.err}")
        return result.out

    def up(self) -> None:
        result = self.command("up", *self.options)
        if result.code == CANNOT_RUN:
            self.down()
            raise unittest.SkipTest(result.err.strip())
        if result.code != 0:
            raise AssertionError(f"lab up: exit code {result.code}: {result.err}")

    def down(self) -> None:
        self.succeeds("down")
        if self.directory.is_dir():  # up was never reached
            self.directory.rmdir()

    def exec(self, host: str, *command, **options) -> Result:
        """Runs a command on a host to its end: stdin (text), timeout (seconds)."""
        return self.command("exec", host, *command, **options)

    def start(self, host: str, *command, **options) -> subprocess.Popen:
        """Starts a command on a host. It gets the signals that the process gets."""
        return subprocess.Popen(self.arguments("exec", host, *command), text=True, **options)

    def link(self, host: str, state: str) -> None:
        self.succeeds("link", host, state)

    def rate(self, host: str, rate: str) -> None:
        self.succeeds("rate", host, rate)

    def kill(self, host: str) -> None:
        self.succeeds("kill", host)
