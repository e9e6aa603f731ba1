"""tandem doctor on the lab: hosts that are well, and each thing that can be wrong with them."""
import json
import os
import pathlib
import re
import time
import unittest

from lab import Lab

TANDEM = os.environ["TANDEM_BINARY"]
MACHINE = 5
LIMIT_SECONDS = 15
# Answers of every port but ssh's are dropped on their way out; ssh to others works.
SILENT = ("ip", "rule", "add", "pref", "0", "ipproto", "tcp", "sport", "1024-65534", "dport",
          "1024-65534", "blackhole")


class DoctorTest(unittest.TestCase):
    def lab(self, hosts: int = 3) -> Lab:
        lab = Lab(hosts=hosts)
        self.addCleanup(lab.down)
        lab.up()
        self.write(lab, "host1", "/root/hosts", "".join(f"{host}\n" for host in lab.hosts))
        return lab

    def write(self, lab: Lab, host: str, path: str, text: str) -> None:
        result = lab.exec(host, "sh", "-c", f"cat > {path}", stdin=text)
        self.assertEqual(result.code, 0, result.err)

    def does(self, lab: Lab, host: str, *command: str) -> None:
        result = lab.exec(host, *command)
        self.assertEqual(result.code, 0, result.err)

    def examine(self, lab: Lab, *options: str):
        start = time.monotonic()
        result = lab.exec("host1", TANDEM, "doctor", "--hostfile", "/root/hosts", *options)
        seconds = time.monotonic() - start
        print(f"{self.id().split('.')[-1]}: exit code {result.code} in {seconds:.1f} s", flush=True)
        self.assertLess(seconds, LIMIT_SECONDS, result.out)
        return result

    def finds(self, lab: Lab, *patterns: str):
        """An error that says each pattern."""
        result = self.examine(lab)
        self.assertEqual(result.code, MACHINE, result.out + result.err)
        for pattern in patterns:
            self.assertRegex(result.out, re.compile("^error: " + pattern, re.MULTILINE))
        self.assertRegex(result.out, r"\n\d+ errors?\n$")
        return result

    def test_healthy_hosts(self):
        lab = self.lab(hosts=4)
        result = self.examine(lab, "--output-dir", "/root/out")
        self.assertEqual(result.code, 0, result.out + result.err)
        self.assertTrue(result.out.endswith("fit for the job\n"), result.out)
        lines = result.out.splitlines()
        self.assertEqual(lines[0].split(), ["host", "address", "interface", "cores", "memory",
                                            "kernels", "GFLOP/s", "Mbit/s", "ms"])
        for number in range(1, 5):
            self.assertRegex(lines[number],
                             rf"^host{number} +10\.77\.0\.{number} +eth0 +\d+ +\d+\.\d GiB +\w+"
                             r" +\d+ +\d+ +\d+\.\d\d$")
        self.assertIn("network: 10.77.0.0/24", result.out)
        self.assertIn("not shared: host2, host3, host4 see", result.out)
        self.assertNotIn("tandem", lab.exec("host1", "ls", "-A", "/root").out, "nothing is left")
        for host in lab.hosts:
            self.assertEqual(lab.exec(host, "pgrep", "-f", "doctor --listen").out, "")

    def test_as_json(self):
        lab = self.lab(hosts=2)
        answer = json.loads(self.examine(lab, "--json").out)
        self.assertTrue(answer["fit"])
        self.assertEqual([host["host"] for host in answer["hosts"]], ["host1", "host2"])
        self.assertGreater(answer["hosts"][1]["machine"]["gflops"], 0)
        self.assertGreater(answer["hosts"][1]["mbits"], 0)

    def test_the_launching_host_may_take_no_part(self):
        lab = self.lab()
        self.write(lab, "host1", "/root/hosts", "host2\nhost3\n")
        result = self.examine(lab)
        self.assertEqual(result.code, 0, result.out + result.err)
        # Its ports must be open to the others all the same: their daemons report to it.
        self.does(lab, "host1", *SILENT)
        self.finds(lab, r"this host: host2, host3 cannot reach this host:\d+ \(no answer")

    def test_a_host_that_is_down(self):
        lab = self.lab()
        lab.kill("host3")
        self.finds(lab, "host3: ssh: (no way leads to it|it doesn't answer)")

    def test_a_link_that_is_down(self):
        lab = self.lab()
        lab.link("host2", "down")
        self.finds(lab, "host2: ssh: (no way leads to it|it doesn't answer)")

    def test_ssh_refused(self):
        lab = self.lab()
        self.does(lab, "host2", "pkill", "-x", "sshd")
        self.finds(lab, "host2: ssh: nothing answers at its ssh port")

    def test_an_unknown_host_key(self):
        lab = self.lab()
        self.does(lab, "host1", "sed", "-i", "/^host3,/d", "/root/.ssh/known_hosts")
        self.finds(lab, "host3: ssh: its host key is not known here; `ssh host3 true`")

    def test_an_unknown_host_key_elsewhere_is_a_warning(self):
        lab = self.lab()
        self.does(lab, "host2", "sed", "-i", "/^host3,/d", "/root/.ssh/known_hosts")
        result = self.examine(lab)
        self.assertEqual(result.code, 0, result.out)
        self.assertRegex(result.out, "warning: host2: .*host3: ssh: its host key is not known")

    def test_ports_that_are_silent_one_way(self):
        lab = self.lab()
        self.does(lab, "host3", *SILENT)
        self.finds(lab, r"host3: host1, host2 cannot reach host3:\d+ "
                        r"\(no answer in \d s: filtered\)")

    def test_launch_tries_the_ports_before_it_starts(self):
        lab = self.lab()
        self.does(lab, "host3", *SILENT)
        start = time.monotonic()
        result = lab.exec("host1", TANDEM, "launch", "--hostfile", "/root/hosts", "--", "train",
                          "--model", "m", "--train-file", "t.tsv", "--output-dir", "o")
        seconds = time.monotonic() - start
        self.assertEqual(result.code, MACHINE, result.err)
        self.assertRegex(result.err, r"host3: host1, host2 cannot reach host3:\d+ "
                                     r"\(no answer in 3 s: filtered\)")
        self.assertNotIn("starting:", result.err)
        self.assertLess(seconds, LIMIT_SECONDS)

    def test_the_own_name_on_the_loopback(self):
        lab = self.lab()
        self.does(lab, "host2", "sed", "-i", "s/^10.77.0.2 /127.0.1.1 /", "/etc/hosts")
        self.finds(lab, "host2: its own name host2 leads to 127.0.1.1")

    def test_the_launching_hosts_name_on_the_loopback(self):
        lab = self.lab()
        self.does(lab, "host1", "sed", "-i", "s/^10.77.0.1 /127.0.1.1 /", "/etc/hosts")
        self.finds(lab, "host1: leads to 127.0.1.1, where every host finds itself; .*"
                        "line 3 of /etc/hosts")

    def test_a_second_interface_that_leads_nowhere(self):
        lab = self.lab()
        for number in (1, 2, 3):
            self.does(lab, f"host{number}", "ip", "link", "add", "docker0", "type", "veth", "peer",
                      "name", "nowhere")
            self.does(lab, f"host{number}", "ip", "link", "set", "nowhere", "up")
            self.does(lab, f"host{number}", "ip", "address", "add", f"10.88.0.{number}/24", "dev",
                      "docker0")
            self.does(lab, f"host{number}", "ip", "link", "set", "docker0", "up")
        # It's left alone while names lead elsewhere.
        result = self.examine(lab)
        self.assertEqual(result.code, 0, result.out)
        self.assertIn("not docker0 10.88.0.1 on host1", result.out)
        self.does(lab, "host1", "sed", "-i", "s/^10.77.0.3 /10.88.0.3 /", "/etc/hosts")
        self.finds(lab, "host3: ssh: (no way leads to it|it doesn't answer)")

    def test_another_version(self):
        lab = self.lab()
        path = pathlib.Path(TANDEM)
        self.write(lab, "host2", f"{path}.new", "#!/bin/sh\necho 0.0.9\n")
        self.does(lab, "host2", "chmod", "+x", f"{path}.new")
        self.does(lab, "host2", "mv", f"{path}.new", str(path))
        self.finds(lab, f'host2: {path} is of version "0.0.9" there, .* here; `scp {path} ')


if __name__ == "__main__":
    unittest.main()
