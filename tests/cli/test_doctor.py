"""tandem doctor of this machine. tests/cluster/test_doctor.py has hosts."""
import json
import unittest

from program import USAGE, ProgramTest


class Doctor(ProgramTest):
    def test_this_machine(self):
        out = self.succeeds("doctor").out
        for text in ("\ncpu: ", "\ncores: ", "\nmemory: ", "GFLOP/s", "\nmpi: "):
            self.assertIn(text, out)
        self.assertTrue(out.endswith("fit for the job\n"), out)

    def test_as_json(self):
        answer = json.loads(self.succeeds("doctor", "--json", "--output-dir",
                                          self.directory / "new" / "out").out)
        self.assertTrue(answer["fit"])
        self.assertGreater(answer["machine"]["gflops"], 0)
        self.assertEqual(answer["machine"]["kernels"][-1], "reference")
        self.assertEqual(answer["machine"]["output"]["path"], str(self.directory))
        self.assertTrue(answer["machine"]["output"]["has_token"])
        self.assertEqual(list(self.directory.iterdir()), [], "nothing is left")

    def test_the_hostfile_is_read_as_launch_reads_it(self):
        self.fails(USAGE, ["bad:1:4: expected"], "doctor", "--hostfile",
                   self.write("bad", "h1 slot=2\n"))


if __name__ == "__main__":
    unittest.main()
