"""Five kills of a job on two hosts; scripts/torture has more."""
import shutil
import unittest

from lab import Lab
from torture import Torture

KILLS = 5


class Killed(unittest.TestCase):
    def test_jobs_end_with_the_model_of_an_undisturbed_one(self):
        for number, mpi in enumerate(("openmpi", "mpich")):
            if shutil.which(f"mpirun.{mpi}") is None:
                continue
            with self.subTest(mpi), Lab(hosts=2) as lab:
                Torture(lab, mpi, seed=number, say=lambda line: None).run(KILLS)


if __name__ == "__main__":
    unittest.main()
