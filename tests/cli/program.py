"""Runs the program as a user does, and looks at what it leaves behind."""
import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
from typing import NamedTuple

from model_files import make_model

BINARY = os.environ["TANDEM_BINARY"]
USAGE, DATA, MODEL, MACHINE, WALL, INTERRUPTED = 2, 3, 4, 5, 7, 75
LAUNCHER_VARIABLES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS",
                      "WORLD_SIZE")

ROWS = [("the film was good", "good"), ("the food was awful", "bad"), ("a great book", "good"),
        ("this tea is poor", "bad"), ("that book was fine", "good"), ("a bad film", "bad"),
        ("very good tea", "good"), ("dull and bad", "bad"), ("the tea is not bad", "so-so"),
        ("quite fine", "so-so")]


class Result(NamedTuple):
    code: int
    out: str
    err: str


def environment(**variables: str) -> dict[str, str]:
    """That of the tests, without what would change a command's answers: a launcher's variables, a
    proxy's, the hub's and its cache."""
    inherited = {name: value for name, value in os.environ.items()
                 if name not in LAUNCHER_VARIABLES and not name.lower().endswith("_proxy")
                 and not name.startswith(("HF_", "HUGGING", "TRANSFORMERS_"))}
    return inherited | {"HF_HOME": "/nonexistent"} | variables


def run(*arguments, stdin: bytes | str = b"", env: dict[str, str] | None = None,
        **options) -> Result:
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run([BINARY, *map(str, arguments)], input=stdin, env=env or environment(),
                          stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                          timeout=200, check=False, **options)
    return Result(done.returncode, (done.stdout or b"").decode(), done.stderr.decode())


def table(rows, separator: str = "\t", header=("text", "label")) -> str:
    return "".join(separator.join(row) + "\n" for row in [header, *rows])


def contents(directory: pathlib.Path) -> dict[str, bytes | None]:
    """Every file below a directory with its bytes, and every directory."""
    return {str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
            for path in sorted(directory.rglob("*"))}


@functools.cache
def trained_model() -> pathlib.Path:
    """A model with the labels of ROWS, trained once for all tests, which only read it."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix="tandem-cli-"))
    atexit.register(shutil.rmtree, directory)
    rows = directory / "train.tsv"
    rows.write_text(table(ROWS))
    result = run("train", "--model", make_model(directory / "base"), "--train-file", rows,
                 "--output-dir", directory / "model", "--max-steps", 4, "--threads", 1,
                 "--precision", "fp32")
    assert result.code == 0, result.err
    return directory / "model"


class ProgramTest(unittest.TestCase):
    """Each test has a directory of its own."""

    def setUp(self) -> None:
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="tandem-cli-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.output = self.directory / "out"

    @functools.cached_property
    def model(self) -> pathlib.Path:
        return make_model(self.directory / "tiny")

    def write(self, name: str, content: bytes | str) -> pathlib.Path:
        path = self.directory / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def rows_file(self, name: str = "train.tsv", rows=None) -> pathlib.Path:
        return self.write(name, table(ROWS if rows is None else rows))

    def sst2_folder(self) -> pathlib.Path:
        """ROWS as GLUE's SST-2, to train and to evaluate on."""
        folder = self.directory / "data" / "SST-2"
        folder.mkdir(parents=True)
        rows = [(text, str(int(label == "good"))) for text, label in ROWS]
        for name in ("train.tsv", "dev.tsv"):
            (folder / name).write_text(table(rows, header=("sentence", "label")))
        return folder

    def train_arguments(self, *more, train_file: pathlib.Path | None = None) -> list:
        """Two threads and fp32, unless `more` says otherwise: so each CPU makes the same model."""
        usual = [part for option in (("--threads", 2), ("--precision", "fp32"))
                 if option[0] not in more for part in option]
        return ["train", "--model", self.model, "--output-dir", self.output, *usual,
                "--train-file", train_file or self.rows_file(), *more]

    def succeeds(self, *arguments, **options) -> Result:
        result = run(*arguments, **options)
        self.assertEqual(result.code, 0, result.err)
        self.assert_no_crash(result)
        return result

    def fails(self, code: int, texts: list[str], *arguments, **options) -> Result:
        """Runs what must fail with this exit code and a message with all of these texts, leave
        everything as it was, and leave nothing behind."""
        before = contents(self.directory)
        result = run(*arguments, **options)
        self.assertEqual(result.code, code, result.err)
        self.assert_no_crash(result)
        self.assertEqual(result.out, "")
        messages = [line for line in result.err.splitlines() if line.startswith("tandem: ")]
        self.assertEqual(len(messages), 1, result.err)
        self.assertEqual(result.err.splitlines()[-1], messages[0], "the error is the last line")
        for text in texts:
            self.assertIn(text, messages[0])
        after = contents(self.directory)
        self.assertEqual(sorted(after), sorted(before), "files appeared or are gone")
        self.assertEqual([name for name in before if after[name] != before[name]], [], "damaged")
        return result

    def assert_no_crash(self, result: Result) -> None:
        for sign in ("Sanitizer", "runtime error", "terminate called", "check failed",
                     "unexpected: "):
            self.assertNotIn(sign, result.err)

    def assert_no_temporary_files(self) -> None:
        self.assertEqual([name for name in contents(self.directory) if ".tmp-" in name], [])
