"""tandem launch: what it refuses, what it says of each host, and the line it starts."""
import json
import os
import shlex
import signal
import subprocess
import time
import unittest

from launch_hosts import TANDEM, LaunchTest
from program import BINARY, INTERRUPTED, MACHINE, USAGE

PROGRAM = os.path.realpath(BINARY)  # as launch finds it


class WrongUsage(LaunchTest):
    def test_hostfile(self):
        bad = self.write("bad", "h1 slots=2\nh2 slot=2\n")
        self.refused(USAGE, [f"{bad}:2:4: expected slots=N, max_slots=N or the end of the line"],
                     hostfile=bad)
        self.refused(USAGE, ["there is no host in it"], hostfile=self.write("empty", "# none\n"))
        self.refused(USAGE, ["none: cannot be read: no such file"],
                     hostfile=self.directory / "none")
        self.fails_but_for_log(USAGE, ["--hostfile is required"], "launch", "--", "train")

    def test_a_host_name_is_never_an_option(self):
        self.refused(USAGE, [":1:1: expected a host name"],
                     hostfile=self.write("evil", "-oProxyCommand=touch${IFS}x\n"))

    def test_the_command(self):
        for command, text in (((), "nothing: expected `train`"),
                              (("--",), "nothing: expected `train`"),
                              (("--", "evaluate"), "evaluate: expected `train`"),
                              (("--", "--lr", "1"), "--lr: expected `train`")):
            with self.subTest(command):
                self.fails_but_for_log(USAGE, [text], "launch", "--hostfile", self.hosts, *command)
        self.fails_but_for_log(USAGE, ["--model: there is no such option", "after --"], "launch",
                               "--hostfile", self.hosts, "train", "--model", "m")

    def test_options_of_the_job_are_read_before_it_starts(self):
        train = ("--model", "m", "--train-file", "t", "--output-dir", "o")
        self.refused(USAGE, ["--learning-rat: there is no such option; did you mean --learning-rate"],
                     train=(*train, "--learning-rat", "1"))
        self.refused(USAGE, ["--output-dir DIR is needed"], train=train[:4])
        self.refused(USAGE, ["`tandem train --help`"], train=("--help",))

    def test_numbers(self):
        self.refused(USAGE, ["--ppn: Value 0 not in range 1"], "--ppn", 0)
        self.refused(USAGE, ["--nodes: Value 0 not in range 1"], "--nodes", 0)
        self.refused(USAGE, ["--nodes 3: ", " has only 2 hosts"], "--nodes", 3)
        self.refused(USAGE, ["--mpi: lam not in {auto,openmpi,mpich,intel}"], "--mpi", "lam")
        self.refused(USAGE, ["--env OMP: expected NAME=VALUE"], "--env", "OMP")

    def test_more_processes_than_slots(self):
        self.refused(USAGE, [f"{self.hosts}:1: h1 has 2 slots, but --ppn 3", "--oversubscribe"],
                     "--ppn", 3)
        limited = self.write("limited", "h1 slots=1 max_slots=2\n")
        self.refused(USAGE, [":1: h1 has max_slots=2, but --ppn 3"], "--ppn", 3, "--oversubscribe",
                     hostfile=limited)
        self.succeeds_launch("--ppn", 2, "--oversubscribe", "--dry-run", hostfile=limited)

    def test_more_threads_than_cores(self):
        self.ssh_answers("h2", "export CORES=2; set -- \"$1\" \"$2\" \"$3\"")
        hosts = self.write("many", "h2\nh3\n")
        self.use_fake_program()
        self.refused(USAGE, ["--ppn 3: h2 has 2 usable cores"], "--ppn", 3, hostfile=hosts, asks=True)
        self.refused(USAGE, ["--ppn 2 with --threads 2 needs 4 cores, h2 has 2"], "--ppn", 2,
                     hostfile=hosts, asks=True,
                     train=("--model", "m", "--train-file", "t", "--output-dir", "o", "--threads", 2))

    def arguments(self, *options, asks=False, **more):
        del asks
        return super().arguments(*options, **more)

    def use_fake_program(self) -> None:
        """The other hosts' program, at another path than this one's."""
        self.install("tandem", TANDEM)
        for host in ("h2", "h3"):
            script = self.logged(f"{host}.ssh")
            self.ssh_answers(host, script + f"\nset -- \"$1\" \"$2\" \"$(printf %s \"$3\" | "
                                            f"sed 's|{PROGRAM}|/nowhere/tandem|')\"\n")


class Machines(LaunchTest):
    def test_no_launcher(self):
        self.environment["PATH"] = str(self.bin)
        for name in ("mpirun", "mpirun.mpich"):
            (self.bin / name).unlink()
        self.refused(MACHINE, ["no MPI launcher is on PATH", "apt install openmpi-bin"])

    def test_the_launcher_asked_for_is_missing(self):
        self.refused(MACHINE, ["--mpi intel: not on PATH here, only Open MPI"], "--mpi", "intel")

    def test_unknown_name(self):
        self.refused(MACHINE, ["tandem: nohost: there is no host of this name", "/etc/hosts"],
                     hostfile=self.write("names", "h1\nnohost\n"))

    def test_a_name_that_leads_to_the_loopback(self):
        names = self.write("names", "here\nh2\n")
        self.refused(MACHINE, ["tandem: here: leads to 127.0.1.1, where every host finds itself"],
                     hostfile=names)
        self.succeeds_launch("--nodes", 1, "--dry-run", hostfile=names)

    def test_two_names_of_one_host(self):
        self.refused(MACHINE, ["10.77.0.2: is the same host as h2"],
                     hostfile=self.write("names", "h2\n10.77.0.2\n"))

    def test_each_failure_of_ssh(self):
        for script, text in (
                ("echo 'Host key verification failed.' >&2; exit 255",
                 "h2: ssh: its host key is not known here; `ssh h2 true` shows its fingerprint"),
                ("printf 'WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\\nHost key verification "
                 "failed.\\n' >&2; exit 255", "`ssh-keygen -R h2`"),
                ("echo 'ssh: connect to host h2 port 22: Connection refused' >&2; exit 255",
                 "h2: ssh: nothing answers at its ssh port"),
                ("echo 'ssh: connect to host h2 port 22: Connection timed out' >&2; exit 255",
                 "h2: ssh: it doesn't answer"),
                ("echo 'me@h2: Permission denied (publickey).' >&2; exit 255", "`ssh-copy-id h2`"),
                ("echo 'ssh: connect to host h2 port 22: No route to host' >&2; exit 255",
                 "h2: ssh: no way leads to it"),
                ("echo 'This account is not available.' >&2; exit 1",
                 "h2: its shell fails with exit code 1: This account is not available.")):
            with self.subTest(text):
                self.ssh_answers("h2", script)
                self.refused(MACHINE, ["tandem: h2: ", text])

    def test_a_host_that_never_answers_ends_in_time(self):
        self.ssh_answers("h2", "exec sleep 1000")
        start = time.monotonic()
        self.refused(MACHINE, ["tandem: h2: ssh: no answer in time"])
        self.assertLess(time.monotonic() - start, 25)

    def test_all_hosts_in_trouble_are_named(self):
        self.ssh_answers("h2", "echo 'x: Connection refused' >&2; exit 255")
        self.ssh_answers("h3", "echo 'x: Permission denied (publickey).' >&2; exit 255")
        self.refused(MACHINE, ["\nh3: ssh: no key of yours", "h2: ssh: nothing answers",
                               "tandem: the hosts are not ready for the job; the 2 lines above"],
                     hostfile=self.write("three", "h1\nh2\nh3\n"))

    def test_the_program_is_missing(self):
        self.ssh_answers("h2", f"set -- \"$1\" \"$2\" \"$(printf %s \"$3\" | "
                               f"sed 's|{PROGRAM}|/nowhere/tandem|')\"")
        self.refused(MACHINE, [f"tandem: h2: there is no {PROGRAM}; `scp {PROGRAM} h2:{PROGRAM}`"])

    def test_the_program_is_elsewhere(self):
        self.install("tandem", TANDEM)
        self.ssh_answers("h2", f"set -- \"$1\" \"$2\" \"$(printf %s \"$3\" | "
                               f"sed 's|{PROGRAM}|/nowhere/tandem|')\"")
        self.refused(MACHINE, [f"tandem: h2: tandem is {self.bin}/tandem there, {PROGRAM} elsewhere"])

    def test_the_program_is_of_another_version(self):
        self.install("other", "#!/bin/sh\necho 9.9.9\n")
        self.ssh_answers("h2", f"echo 'tandem-probe program {PROGRAM}'\n"
                               "echo 'tandem-probe version 9.9.9'\necho 'tandem-probe cores 2'\n"
                               "echo 'tandem-probe daemon x'; exit 0")
        self.refused(MACHINE, [f'tandem: h2: {PROGRAM} is of version "9.9.9" there, 0.1.0 here'])

    def test_the_mpi_is_missing(self):
        self.ssh_answers("h2", f"set -- \"$1\" \"$2\" \"$(printf %s \"$3\" | "
                               f"sed 's|{self.bin}/orted|/nowhere/orted|')\"")
        self.refused(MACHINE, ["h2: Open MPI isn't installed as it is here: there is no "
                               f"{self.bin}/orted; `sudo apt install openmpi-bin` on it"])

    def test_no_way_between_two_hosts(self):
        self.write("no-route.h2", "")
        self.refused(MACHINE, ["tandem: h2: has no way to h1 (10.77.0.1)"])


class Plans(LaunchTest):
    def line(self, result) -> list[str]:
        return shlex.split(result.stdout.splitlines()[-1])

    def test_dry_run_prints_the_map_and_commands_to_paste(self):
        result = self.succeeds_launch("--dry-run", "--mpi", "openmpi")
        self.assertFalse((self.directory / "mpirun.log").exists())
        self.assertIn("2 ranks on 2 hosts, started by Open MPI 4.1.4\n", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^  h1  rank 0 +\d+ threads? of \d+ cores?  eth0 "
                                        r"10\.77\.0\.1$")
        self.assertRegex(result.stdout, r"(?m)^  h2  rank 1 .*  eth0 10\.77\.0\.2$")
        self.assertIn("network: 10.77.0.0/24\n", result.stdout)
        self.assertIn("printf '%s\\n' 'h1 slots=1' 'h2 slots=1' > hosts-for-mpi\n", result.stdout)
        line = self.line(result)
        self.assertEqual(line[:5], [f"{self.bin}/mpirun", "--hostfile", "hosts-for-mpi", "-np", "2"])
        self.assertIn("btl_tcp_if_include 10.77.0.0/24", " ".join(line))
        self.assertEqual(line[line.index(PROGRAM):],
                         [PROGRAM, "train", "--model", "m", "--train-file", "t.tsv", "--output-dir",
                          "o"])

    def test_dry_run_as_json(self):
        plan = json.loads(self.succeeds_launch("--dry-run", "--mpi", "openmpi", "--json").stdout)
        self.assertEqual([host["host"] for host in plan["hosts"]], ["h1", "h2"])
        self.assertEqual(plan["networks"], "10.77.0.0/24")
        self.assertEqual(plan["hosts"][0]["interface"], "eth0 10.77.0.1")
        text = self.succeeds_launch("--dry-run", "--mpi", "openmpi").stdout
        self.assertEqual(plan["commands"], text.splitlines()[-2:])

    def test_mpich(self):
        result = self.succeeds_launch("--dry-run", "--mpi", "mpich")
        self.assertIn("started by MPICH 4.0.2\n", result.stdout)
        self.assertIn("'%s\\n' h1:1 h2:1 >", result.stdout)
        self.assertIn("-iface eth0", result.stdout)

    def test_processes_that_share_a_host_share_its_cores(self):
        result = self.succeeds_launch("--dry-run", "--ppn", 2, "--oversubscribe")
        line = self.line(result)
        self.assertEqual(line[-2], "--threads")
        self.assertGreaterEqual(int(line[-1]), 1)
        self.assertRegex(result.stdout, r"(?m)^  h2  ranks 2-3    \d+ threads? each of ")

    def test_nodes_takes_the_first_hosts(self):
        self.ssh_answers("h3", "exit 255")
        result = self.succeeds_launch("--dry-run", "--nodes", 2,
                                      hostfile=self.write("three", "h1\nh2\nh3\n"))
        self.assertIn("2 ranks on 2 hosts", result.stdout)

    def test_values_reach_the_line_quoted_and_environment_is_set(self):
        result = self.succeeds_launch("--dry-run", "--env", "A=1 2", "--env", "B=$x",
                                      train=("--model", "it's; a $model", "--train-file", "t",
                                             "--output-dir", "o"))
        line = self.line(result)
        self.assertIn("it's; a $model", line)
        self.assertIn("A=1 2", line)
        self.assertIn("B=$x", line)

    def test_ssh_never_asks_and_checks_host_keys(self):
        self.succeeds_launch("--dry-run")
        log = self.logged("ssh.log")
        self.assertRegex(log, r"^-o BatchMode=yes -o ConnectTimeout=\d+ h2 -- sh -c ")
        self.assertNotIn("StrictHostKeyChecking", log)
        self.assertNotRegex(log, r"(?m)^-o.* h1 -- ", "this host needs no ssh to itself")

    def test_a_host_without_ip_is_warned_of(self):
        self.write("no-ip.h2", "")
        result = self.succeeds_launch("--dry-run")
        self.assertIn("warning: h2: there is no `ip`", result.stderr)
        self.assertNotIn("btl_tcp_if_include", result.stdout)

    def test_one_host_needs_no_network(self):
        result = self.succeeds_launch("--dry-run", "--nodes", 1)
        self.assertIn("1 rank on 1 host", result.stdout)
        self.assertNotIn("if_include", result.stdout)
        self.assertEqual(self.logged("ssh.log"), "")


class Runs(LaunchTest):
    def test_starts_the_launcher_and_gives_its_exit_code(self):
        for code in (0, 3, 75):
            with self.subTest(code):
                self.write("job", f"cat; echo to-err >&2; exit {code}")
                result = self.run_launch(*self.arguments(), input="to-out\n")
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(result.stdout, "to-out\n")
                self.assertIn("to-err\n", result.stderr)
                self.assertRegex(result.stderr, r"(?m)^  h1  rank 0 ")
                self.assertRegex(result.stderr, rf"(?m)^starting: {self.bin}/mpirun --hostfile ")
        self.assertEqual(self.logged("hostfile.log"), "h1 slots=1\nh2 slots=1\n")
        self.assertEqual(self.logged("mpirun.log").split("\n")[0], "--hostfile")
        self.assertEqual(list(self.temporary.iterdir()), [], "the hostfile is gone")

    def run_and_signal(self, number, *options) -> int:
        process = subprocess.Popen([BINARY, *map(str, self.arguments(*options))],
                                   env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(process.stdout.readline(), "up\n")
        process.send_signal(number)
        code = process.wait(timeout=60)
        process.stdout.close()
        self.assertEqual(list(self.temporary.iterdir()), [])
        return code

    def test_signals_reach_the_ranks(self):
        """Open MPI's mpirun passes on SIGUSR1 alone; a Hydra what it gets."""
        for trapped, mpi in (("USR1", "openmpi"), ("TERM", "mpich")):
            self.write("job", f"trap 'exit 44' {trapped}; echo up; while :; do sleep 0.1; done")
            for number in (signal.SIGTERM, signal.SIGINT):
                with self.subTest(mpi=mpi, number=number):
                    self.assertEqual(self.run_and_signal(number, "--mpi", mpi), 44)

    def test_a_job_that_was_asked_to_end_was_interrupted(self):
        self.write("job", "trap 'exit 0' USR1; echo up; while :; do sleep 0.1; done")
        self.assertEqual(self.run_and_signal(signal.SIGTERM), INTERRUPTED)

    def test_a_launcher_ended_by_a_signal(self):
        self.write("job", "kill -9 $$")
        self.assertEqual(self.run_launch(*self.arguments()).returncode, 128 + signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
