"""The lab is a cluster: hosts that reach each other by name and share nothing but the network."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from lab import HOST_IS_DOWN, SCRIPT, USAGE, Lab


def cgroups_of(lab: Lab) -> list[pathlib.Path]:
    return [pathlib.Path(line) for line in (lab.directory / "cgroups").read_text().split()]


def processes_of(lab: Lab) -> set[int]:
    return {int(pid) for cgroup in cgroups_of(lab) for file in cgroup.rglob("cgroup.procs")
            for pid in file.read_text().split()}


def runs(pid: int) -> bool:
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # the machine's process 1 may take its time to collect the dead


def machine() -> dict:
    """What of the machine a lab could change and must not."""
    return {"mounts": pathlib.Path("/proc/self/mountinfo").read_text(),
            "links": sorted(os.listdir("/sys/class/net")),
            "named namespaces": os.path.isdir("/run/netns") and sorted(os.listdir("/run/netns")),
            "host name": socket.gethostname(),
            "hosts file": pathlib.Path("/etc/hosts").read_text(),
            "keys": os.path.isdir("/root/.ssh") and sorted(os.listdir("/root/.ssh"))}


class LabTest(unittest.TestCase):
    OPTIONS: dict = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.lab = Lab(**cls.OPTIONS)
        cls.lab.up()
        cls.addClassCleanup(cls.lab.down)

    def runs_on(self, host: str, *command, **options) -> str:
        result = self.lab.exec(host, *command, **options)
        self.assertEqual(result.code, 0, result.err)
        return result.out


class Cluster(LabTest):
    OPTIONS = {"hosts": 4}

    def names_by(self, *command) -> None:
        if not shutil.which(command[0]):
            self.skipTest(f"there is no {command[0]}")
        names = self.runs_on("host1", *command, timeout=120).split()
        self.assertEqual(sorted(names), self.lab.hosts)

    def test_open_mpi(self):
        self.names_by("mpirun.openmpi", "--allow-run-as-root", "--hostfile", self.lab.hostfile,
                      "-np", 4, "--map-by", "ppr:1:node", "hostname")

    def test_mpich(self):
        self.names_by("mpirun.mpich", "-f", self.lab.hostfile, "-np", 4, "-ppn", 1, "hostname")

    def test_ssh_from_each_host_to_each(self):
        script = f"for host in {' '.join(self.lab.hosts)}; do ssh $host hostname; done"
        for host in self.lab.hosts:
            self.assertEqual(self.runs_on(host, "bash", "-c", script).split(), self.lab.hosts)

    def test_ssh_by_address_and_by_the_file_in_the_directory(self):
        config = self.lab.directory / "ssh_config"
        self.assertEqual(self.runs_on("host2", "ssh", "-F", config, "10.77.0.4", "hostname"),
                         "host4\n")

    def test_ssh_refuses_a_host_with_another_key(self):
        self.runs_on("host4", "sed", "-i", "/^host3,/s/^host3,/host2,/;t;/^host2,/d",
                     "/root/.ssh/known_hosts")
        result = self.lab.exec("host4", "ssh", "host2", "hostname")
        self.assertEqual((result.code, result.out), (255, ""))
        self.assertIn("Host key verification failed", result.err)

    def test_nothing_written_on_a_host_is_seen_elsewhere(self):
        paths = ["/lab-test", "/tmp/lab-test", "/dev/shm/lab-test",
                 str(SCRIPT.parent / "lab-test"), str(self.lab.directory / "lab-test")]
        self.runs_on("host1", "touch", *paths)
        self.runs_on("host1", "ls", *paths)
        for path in paths:
            self.assertFalse(os.path.exists(path), path)
            self.assertNotEqual(self.lab.exec("host2", "ls", path).code, 0, path)

    def test_files_of_the_machine_are_there(self):
        self.assertEqual(self.runs_on("host3", "cat", SCRIPT), SCRIPT.read_text())

    def test_a_host_sees_its_own_processes_only(self):
        pids = self.runs_on("host2", "bash", "-c", "cd /proc && echo [0-9]*").split()
        self.assertIn("1", pids)
        self.assertLess(len(pids), 40)

    def test_exec_passes_input_and_exit_code(self):
        self.assertEqual(self.runs_on("host1", "cat", stdin="some text\n"), "some text\n")
        self.assertEqual(self.lab.exec("host1", "sh", "-c", "exit 7").code, 7)
        self.assertEqual(self.lab.exec("host1", "sh", "-c", "kill -KILL $$").code, 128 + 9)

    def test_exec_passes_signals(self):
        script = 'trap "echo stopped; exit 7" INT; echo ready; while :; do sleep 0.1; done'
        process = self.lab.start("host1", "bash", "-c", script, stdout=subprocess.PIPE)
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=60)[0], "stopped\n")
        self.assertEqual(process.returncode, 7)

    def test_pulled_cable(self):
        ssh = ["ssh", "-o", "ConnectTimeout=2", "host3", "hostname"]
        self.lab.link("host3", "down")
        self.assertEqual(self.lab.exec("host1", *ssh).code, 255)
        self.assertEqual(self.runs_on("host3", "hostname"), "host3\n")
        self.lab.link("host3", "up")
        ssh[2] = "ConnectTimeout=20"
        self.assertEqual(self.runs_on("host1", *ssh), "host3\n")

    def test_wrong_usage(self):
        for arguments in (["exec", "host9", "hostname"], ["rate", "host1", "fast"],
                          ["link", "host1", "sideways"], ["exec", "host1"]):
            self.assertEqual(self.lab.command(*arguments).code, USAGE, arguments)
        again = self.lab.command("up")
        self.assertEqual(again.code, 1)
        self.assertIn("there is a lab in", again.err)
        self.assertEqual(self.runs_on("host1", "hostname"), "host1\n")


class Limits(LabTest):
    OPTIONS = {"hosts": 2, "cores": 0.5, "memory": "256M"}

    def test_half_a_core(self):
        used = self.lab.exec("host1", "bash", "-c",
                             "TIMEFORMAT='%U %S'; time timeout 4 bash -c 'while :; do :; done'")
        seconds = sum(map(float, used.err.split()))
        self.assertLess(seconds, 4 * 0.5 * 1.1)  # a tenth: periods begun, and start-up
        self.assertGreater(seconds, 4 * 0.5 * 0.5)  # other programs may want the cores

    def test_memory(self):
        allocate = "import sys; len(bytearray(int(sys.argv[1]) << 20))"
        self.runs_on("host1", "python3", "-c", allocate, 100)
        self.assertEqual(self.lab.exec("host1", "python3", "-c", allocate, 400).code, 128 + 9)
        self.assertEqual(self.runs_on("host1", "hostname"), "host1\n")

    def test_a_program_finds_its_limits(self):
        self.assertIn(str(256 << 20), self.runs_on("host1", "sh", "-c", (
            "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes || true")))

    @unittest.skipUnless(shutil.which("iperf3"), "there is no iperf3")
    def test_rate_both_ways(self):
        self.runs_on("host2", "iperf3", "--server", "--daemon")
        for host in self.lab.hosts:
            self.lab.rate(host, "100mbit")
            for direction in ([], ["--reverse"]):
                # 1448 bytes of each frame of 1514 are payload; the rest is start-up and waiting
                # for a processor.
                self.assertTrue(75e6 < self.throughput(*direction) < 97e6, (host, direction))
            self.lab.rate(host, "none")
        self.assertGreater(self.throughput(), 200e6)

    def throughput(self, *arguments) -> float:
        report = self.runs_on("host1", "iperf3", "--client", "host2", "--time", 2, "--json",
                              *arguments)
        return json.loads(report)["end"]["sum_received"]["bits_per_second"]


class Power(LabTest):
    OPTIONS = {"hosts": 2}

    def test_a_host_without_power_ends_and_says_nothing(self):
        listen = ("import socket; s = socket.create_server(('', 7000)); print('ready', flush=True);"
                  "c = s.accept()[0]; c.send(b'hello'); c.recv(1)")
        connect = ("import socket; s = socket.create_connection(('host2', 7000)); s.settimeout(4);"
                   "print(s.recv(9), flush=True); print(s.recv(9))")
        server = self.lab.start("host2", "python3", "-c", listen, stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.assertEqual(server.stdout.readline(), "ready\n")
        client = self.lab.start("host1", "python3", "-c", connect, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.assertEqual(client.stdout.readline(), "b'hello'\n")
        self.lab.kill("host2")
        self.assertEqual(server.wait(timeout=60), 128 + 9)
        out, err = client.communicate(timeout=60)
        self.assertEqual(out, "", "a connection must not end when the other side loses power")
        self.assertIn("TimeoutError", err)

        self.assertEqual(self.lab.exec("host2", "hostname").code, HOST_IS_DOWN)
        self.assertEqual(self.lab.command("kill", "host2").code, 0)
        self.assertRegex(self.lab.succeeds("status"), r"host1 .* up .*\n.*host2 .* down")
        self.assertEqual(self.runs_on("host1", "ssh", "host1", "hostname"), "host1\n")


class NothingIsLeft(unittest.TestCase):
    def assert_gone(self, lab: Lab, cgroups: list[pathlib.Path], processes: set[int]) -> None:
        deadline = time.monotonic() + 10
        while left := {pid for pid in processes if runs(pid)}:
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.05)
        self.assertEqual([cgroup for cgroup in cgroups if cgroup.exists()], [])
        self.assertFalse(lab.directory.exists())

    def test_down(self):
        before = machine()
        with Lab(hosts=2) as lab:
            stray = lab.start("host1", "setsid", "--fork", "sleep", 1000)
            self.assertEqual(stray.wait(timeout=60), 0)
            cgroups, processes = cgroups_of(lab), processes_of(lab)
            self.assertGreater(len(processes), 6)
            self.assertEqual(machine(), before)
        self.assert_gone(lab, cgroups, processes)
        self.assertEqual(machine(), before)
        lab.succeeds("down")

    def test_down_after_half_an_up(self):
        before = machine()
        for file in ("id_ed25519", "cgroups", "switch.pid", "hosts/host2/pid"):
            lab = Lab(hosts=2)
            process = subprocess.Popen(lab.arguments("up", *lab.options), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            while not (lab.directory / file).exists() and process.poll() is None:
                time.sleep(0.005)
            process.kill()
            if process.wait() == 5:
                lab.down()
                self.skipTest(process.stderr.read().strip())
            named = (lab.directory / "cgroups").exists()
            cgroups, processes = (cgroups_of(lab), processes_of(lab)) if named else ([], set())
            lab.down()
            self.assert_gone(lab, cgroups, processes)
        self.assertEqual(machine(), before)

    def test_interrupted_up_cleans_up_itself(self):
        lab = Lab(hosts=2)
        process = subprocess.Popen(lab.arguments("up", *lab.options), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        while not (lab.directory / "switch.pid").exists() and process.poll() is None:
            time.sleep(0.005)
        process.terminate()
        error = process.communicate(timeout=60)[1]
        if process.returncode == 5:
            lab.down()
            self.skipTest(error.strip())
        self.assertIn("lab: up failed", error)
        self.assertFalse(lab.directory.exists())


class WhereItCannotRun(unittest.TestCase):
    def test_without_root(self):
        directory = pathlib.Path(tempfile.gettempdir()) / f"tandem-lab-nobody-{os.getpid()}"
        options = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        try:
            done = subprocess.run([SCRIPT, "up", "--directory", directory], capture_output=True,
                                  text=True, check=False, **options)
        except PermissionError:
            self.skipTest("others may not read the repository")
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertEqual(done.stderr, "lab: cannot run here: needs root\n")
        self.assertFalse(directory.exists())


if __name__ == "__main__":
    unittest.main()
