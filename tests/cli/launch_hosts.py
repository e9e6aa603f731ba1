"""Hosts for the tests of tandem launch, without a network.

ssh, ip, getent and the MPI launchers are scripts, earlier on PATH than the machine's own: a host is
a directory of this machine.
"""
import os
import subprocess

from program import BINARY, USAGE, ProgramTest, environment

# Answers for the host whose file names it, or else runs the command here as that host.
SSH = """#!/bin/sh
echo "$@" >> "$LAB/ssh.log"
while [ "$1" = -o ]; do shift 2; done
host=$1
[ "$2" = -- ] || exit 99
if [ -e "$LAB/$host.ssh" ]; then . "$LAB/$host.ssh"; fi
HOST=$host exec sh -c "$3"
"""

IP = """#!/bin/sh
n=${HOST#h}
: "${n:=1}"
[ -e "$LAB/no-ip.h$n" ] && exit 127
case "$*" in
  "-json address")
    printf '[{"ifname":"docker0","addr_info":[{"local":"172.17.0.1","prefixlen":16}]},'
    printf '{"ifname":"eth0","addr_info":[{"local":"10.77.0.%s","prefixlen":24}]}]\\n' "$n";;
  "-json route get "*)
    [ -e "$LAB/no-route.h$n" ] && exit 2
    printf '[{"dst":"%s","dev":"eth0","prefsrc":"10.77.0.%s"}]\\n' "$4" "$n";;
esac
"""

GETENT = """#!/bin/sh
case $2 in
  h[1-9]) echo "10.77.0.${2#h}       STREAM $2";;
  here) echo "127.0.1.1       STREAM here";;
  *) exit 2;;
esac
"""

OPEN_MPI = """#!/bin/sh
if [ "$1" = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; exit; fi
printf '%s\\n' "$@" > "$LAB/mpirun.log"
cat "$2" > "$LAB/hostfile.log"
[ -e "$LAB/job" ] && . "$LAB/job"
exit 0
"""

MPICH = """#!/bin/sh
if [ "$1" = --version ]; then
  echo 'HYDRA build details:'
  echo '    Version:                                 4.0.2'
  exit
fi
[ -e "$LAB/job" ] && . "$LAB/job"
"""

# Every other host has its own, with $VERSION and $CORES where a test sets them.
TANDEM = """#!/bin/sh
case $1 in
  --version) echo "${VERSION:-0.1.0}";;
  bench) echo "${CORES:-2}";;
esac
"""


class LaunchTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.bin = self.directory / "bin"
        self.bin.mkdir()
        for name, script in (("ssh", SSH), ("ip", IP), ("getent", GETENT), ("mpirun", OPEN_MPI),
                             ("orted", ""), ("mpirun.mpich", MPICH), ("hydra_pmi_proxy", "")):
            self.install(name, script)
        self.hosts = self.write("hosts", "h1 slots=2\nh2 slots=2\n")
        self.temporary = self.directory / "tmp"
        self.temporary.mkdir()
        self.environment = environment(PATH=f"{self.bin}:{os.environ['PATH']}",
                                       LAB=str(self.directory), TMPDIR=str(self.temporary))
        self.environment.pop("HOST", None)

    def install(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(script or "#!/bin/sh\n")
        path.chmod(0o755)

    def ssh_answers(self, host: str, script: str) -> None:
        self.write(f"{host}.ssh", script)

    def arguments(self, *options, hostfile=None, train=("--model", "m", "--train-file", "t.tsv",
                                                        "--output-dir", "o")) -> list:
        return ["launch", "--hostfile", hostfile or self.hosts, *options, "--", "train", *train]

    def refused(self, code: int, texts: list[str], *options, **more):
        (self.directory / "ssh.log").touch()  # the only file that a check may write
        before = self.logged("ssh.log")
        result = self.fails_but_for_log(code, texts, *self.arguments(*options, **more))
        if code == USAGE and not more.get("asks"):
            self.assertEqual(self.logged("ssh.log"), before, "nothing is asked of the hosts")
        return result

    def fails_but_for_log(self, code: int, texts: list[str], *arguments):
        result = self.run_launch(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        messages = [line for line in result.stderr.splitlines() if line.startswith("tandem: ")]
        self.assertEqual(len(messages), 1, result.stderr)
        self.assertEqual(result.stderr.splitlines()[-1], messages[0])
        for text in texts:
            self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertFalse((self.directory / "mpirun.log").exists(), "nothing is started")
        self.assertEqual(list(self.temporary.iterdir()), [])
        return result

    def run_launch(self, *arguments, **options):
        return subprocess.run([BINARY, *map(str, arguments)], env=self.environment, text=True,
                              capture_output=True, timeout=100, check=False, **options)

    def succeeds_launch(self, *options, **more):
        result = self.run_launch(*self.arguments(*options, **more))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def logged(self, name: str) -> str:
        path = self.directory / name
        return path.read_text() if path.exists() else ""
