"""Wrong usage ends with exit code 2 and says what is right; --help says the rest."""
import pathlib
import unittest

from program import (BINARY, LAUNCHER_VARIABLES, MACHINE, USAGE, ProgramTest, contents, environment,
                     run)

COMMANDS = {"train": "--learning-rate, --lr X", "evaluate": "--data FILE",
            "predict": "--format TEXT", "tokenize": "--json", "fetch": "--revision, --model-revision TEXT", "init": "--preset TEXT",
            "bench": "gemm", "launch": "--hostfile, --machinefile FILE"}


class WrongUsage(ProgramTest):
    def test_no_command(self):
        self.fails(USAGE, ["a command is needed: train, evaluate, predict", "`tandem --help`"])

    def test_unknown_command_suggests_the_nearest(self):
        self.fails(USAGE, ["trian: there is no such command; did you mean train?"], "trian")

    def test_unknown_option_suggests_the_nearest(self):
        for option in ("--learning-rat", "--learning_rat", "--learning-rat=1e-5"):
            self.fails(USAGE, ["there is no such option; did you mean --learning-rate?"],
                       *self.train_arguments(option))

    def test_unknown_option_like_no_other(self):
        self.fails(USAGE, ["--zzz: there is no such option; `tandem predict --help` lists them"],
                   "predict", "--model", self.model, "--data", self.rows_file(), "--zzz")

    def test_stray_argument(self):
        self.fails(USAGE, ["rows.tsv and --train-file both name what to learn from"],
                   *self.train_arguments("rows.tsv"))
        self.fails(USAGE, ["more.tsv: not expected here"],
                   *self.train_arguments("rows.tsv", "more.tsv"))

    def test_missing_model(self):
        self.fails(USAGE, ["--model-name-or-path is required", "`tandem train --help`"], "train",
                   "--train-file", self.rows_file(), "--output-dir", self.output)

    def test_missing_output_directory(self):
        self.fails(USAGE, ["--output-dir DIR is needed"], "train", "--model", self.model,
                   "--train-file", self.rows_file())

    def test_missing_train_file(self):
        self.fails(USAGE, ["--train-file FILE is needed (or --task-name with --data-dir)"], "train",
                   "--model", self.model, "--output-dir", self.output)

    def test_missing_validation_file(self):
        self.fails(USAGE, ["--validation-file FILE is needed"], *self.train_arguments("--do-eval"))

    def test_missing_data(self):
        self.fails(USAGE, ["--data is required"], "predict", "--model", self.model)

    def test_missing_data_directory(self):
        self.fails(USAGE, ["--task-name mrpc needs --data-dir"], "train", "--model", self.model,
                   "--output-dir", self.output, "--task-name", "mrpc")

    def test_unknown_task_suggests_the_nearest(self):
        self.fails(USAGE, ['there is no task "mrcp"', 'did you mean "mrpc"?'], "train", "--model",
                   self.model, "--output-dir", self.output, "--task-name", "mrcp",
                   "--data-dir", ".")

    def test_values_out_of_range(self):
        for option, value, text in [
                ("--max-seq-length", 2, "--max-seq-length: Value 2 not in range 4 to 1048576"),
                ("--batch-size", 0, "--per-device-train-batch-size: Value 0 not in range 1"),
                ("--threads", -1, "--threads: Value -1 not in range 0"),
                ("--epochs", 0, "--num-train-epochs: 0: expected a number above 0"),
                ("--learning-rate", -1, "--learning-rate: -1: expected a number, 0 or above"),
                ("--learning-rate", "nan", "--learning-rate: nan: expected a number, 0 or above"),
                ("--warmup-ratio", 2, "--warmup-ratio: Value 2 not in range 0"),
                ("--comm", "gloo", "--comm: gloo not in {auto,none,openmpi,mpich,impi,oneccl}"),
                ("--max-steps", 0, "--max-steps 0 trains nothing"),
                ("--max-steps", "many", "--max-steps = many: expected a number"),
                ("--eval-strategy", "often", "--eval-strategy: often not in {no,steps,epoch}")]:
            with self.subTest(option=option, value=value):
                self.fails(USAGE, [text], *self.train_arguments(option, value))

    def test_contradictions(self):
        self.fails(USAGE, ["--task-name and --train-file exclude each other"],
                   *self.train_arguments("--task-name", "mrpc", "--data-dir", self.directory))
        self.fails(USAGE, ["one of --preset NAME and --config FILE is needed"], "init", "--output",
                   self.output, "--preset", "minilm-l6", "--config", self.model / "config.json")

    def test_unknown_kernels(self):
        self.fails(USAGE, ["--kernels=avx9: there is no such kernel set; usable here:",
                           "reference"],
                   *self.train_arguments("--kernels", "avx9"))

    def test_unknown_preset(self):
        self.fails(USAGE, ["--preset bert-huge: unknown; there are bert-base-cased"], "init",
                   "--preset", "bert-huge", "--output", self.output)


class OutputDirectory(ProgramTest):
    def test_not_empty(self):
        self.output.mkdir()
        (self.output / "notes.txt").write_text("mine")
        self.fails(USAGE, [f"--output-dir {self.output}: is not empty", "--overwrite-output-dir"],
                   *self.train_arguments())

    def test_overwritten_when_asked_to(self):
        self.output.mkdir()
        (self.output / "notes.txt").write_text("mine")
        (self.output / "config.json").write_text("old")
        self.succeeds(*self.train_arguments("--overwrite_output_dir", "--max-steps", 1))
        self.assertEqual((self.output / "notes.txt").read_text(), "mine")
        self.assertNotEqual((self.output / "config.json").read_text(), "old")

    def test_file_in_its_place(self):
        self.output.write_text("mine")
        self.fails(USAGE, ["expected a directory, found a file"], *self.train_arguments())

    def test_directories_that_are_missing_are_made(self):
        self.output = self.directory / "a" / "b"
        self.succeeds(*self.train_arguments("--max-steps", 1))
        self.assertIn("a/b/model.safetensors", contents(self.directory))


class OneOfSeveralProcesses(ProgramTest):
    def test_commands_that_work_alone_are_refused_under_every_launcher(self):
        for variable in LAUNCHER_VARIABLES:
            with self.subTest(variable):
                self.fails(USAGE, ["started as one of 4 processes by ", f"({variable}=4)",
                                   "only `tandem train` works as several"],
                           "tokenize", "--model", self.model, env=environment(**{variable: "4"}))

    def test_training_is_refused_where_processes_have_no_mpi(self):
        for variable in ("SLURM_STEP_NUM_TASKS", "WORLD_SIZE"):
            with self.subTest(variable):
                self.fails(USAGE, [f"({variable}=4), without an MPI"],
                           *self.train_arguments(), env=environment(**{variable: "4"}))

    def test_training_is_refused_without_the_mpi_of_its_launcher(self):
        self.fails(USAGE, ["--comm none, but MPICH's mpirun started 4 processes"],
                   *self.train_arguments("--comm", "none"), env=environment(PMI_SIZE="4"))

    def test_training_over_oneccl_says_what_it_needs(self):
        plugin = pathlib.Path(BINARY).resolve().parent / "plugins" / "tandem_oneccl.so"
        if plugin.exists():
            self.skipTest("built with the plugin for oneCCL")
        self.fails(MACHINE, [f"{plugin}: there is no such plugin, which oneCCL needs: install "
                             "intel-oneapi-ccl-devel and build Tandem again"],
                   *self.train_arguments("--comm", "oneccl"), env=environment(PMI_SIZE="2"))

    def test_alone_under_a_launcher(self):
        alone = environment(**{variable: "1" for variable in LAUNCHER_VARIABLES})
        self.succeeds(*self.train_arguments("--max-steps", 1), env=alone)


class Help(unittest.TestCase):
    def test_every_command_explains_itself(self):
        for command, text in COMMANDS.items():
            with self.subTest(command):
                result = run(command, "--help")
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertIn(text, result.out)
                self.assertIn("Exit codes: 0 done, 2 wrong usage", result.out)
                self.assertLessEqual(max(map(len, result.out.splitlines())), 100)

    def test_the_program_lists_its_commands(self):
        result = run("--help")
        self.assertEqual(result.code, 0)
        for command in COMMANDS:
            self.assertRegex(result.out, rf"(?m)^  {command} +[A-Z]")

    def test_train_shows_groups_and_defaults(self):
        text = run("train", "--help").out
        for group in ("Model and output:", "Data:", "Training:", "Evaluation and logging:",
                      "Checkpoints and the best model:", "Several trainings:", "Machine:"):
            self.assertIn("\n\n" + group + "\n", text)
        for default in ("[5e-05]", "[128]", "[3]", "[42]", "[no]", "[auto]"):
            self.assertIn(default, text)
        self.assertIn("`tandem fetch`) (required)", text)

    def test_version(self):
        self.assertRegex(run("--version").out, r"^\d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
