#include "cli/launcher_check.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

// What is found when these alone are set, of those that launchers set.
LauncherEnvironment found_with(const Variables& variables) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
                           "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS", "WORLD_SIZE",
                           "I_MPI_HYDRA_UUID", "I_MPI_INFO_NP", "I_MPI_PIN_DOMAIN"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  return launcher_environment();
}

TEST(LauncherEnvironment, NoneIsOneProcess) {
  const LauncherEnvironment none = found_with({});
  EXPECT_EQ(none.launcher, "");
  EXPECT_EQ(none.processes, 1);
  EXPECT_EQ(none.transport, Transport::kNone);
}

TEST(LauncherEnvironment, OneProcessNeedsNoTransport) {
  const LauncherEnvironment one =
      found_with({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMI_SIZE", "x"}, {"SLURM_STEP_NUM_TASKS", "1"}});
  EXPECT_EQ(one.processes, 1);
  EXPECT_EQ(one.transport, Transport::kNone);
}

TEST(LauncherEnvironment, TellsLaunchersApart) {
  struct Case {
    Variables variables;
    const char* launcher;
    Transport transport;
  };
  const Case cases[] = {
      {{{"OMPI_COMM_WORLD_SIZE", "3"}}, "Open MPI's mpirun", Transport::kOpenMpi},
      {{{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}, "MPICH's mpirun", Transport::kMpich},
      {{{"MPI_LOCALNRANKS", "3"}}, "MPICH's mpirun", Transport::kMpich},
      {{{"PMI_SIZE", "3"}, {"I_MPI_HYDRA_UUID", "9"}}, "Intel MPI's mpirun", Transport::kIntelMpi},
      {{{"PMI_SIZE", "3"}, {"I_MPI_INFO_NP", "1"}}, "Intel MPI's mpirun", Transport::kIntelMpi},
      // A person's setting, from a command line that was written for Intel MPI.
      {{{"PMI_SIZE", "3"}, {"I_MPI_PIN_DOMAIN", "core"}}, "MPICH's mpirun", Transport::kMpich},
      {{{"SLURM_STEP_NUM_TASKS", "3"}, {"PMIX_RANK", "1"}}, "Slurm's srun", Transport::kOpenMpi},
      {{{"SLURM_STEP_NUM_TASKS", "3"}, {"PMI_RANK", "1"}}, "Slurm's srun", Transport::kMpich},
      {{{"SLURM_STEP_NUM_TASKS", "3"}, {"PMI_RANK", "1"}, {"I_MPI_PIN_DOMAIN", "core"}},
       "Slurm's srun",
       Transport::kIntelMpi},
      // mpirun within a step of Slurm's, whose tasks are mpirun's daemons.
      {{{"OMPI_COMM_WORLD_SIZE", "3"}, {"SLURM_STEP_NUM_TASKS", "2"}},
       "Open MPI's mpirun",
       Transport::kOpenMpi},
  };
  for (const Case& c : cases) {
    const LauncherEnvironment found = found_with(c.variables);
    EXPECT_EQ(found.launcher, c.launcher);
    EXPECT_EQ(found.processes, 3) << c.launcher;
    EXPECT_EQ(found.transport, c.transport) << c.launcher;
    EXPECT_EQ(transport_of(found), c.transport) << c.launcher;
  }
}

TEST(LauncherEnvironment, SaysHowToStartWhatCannotTalk) {
  const auto slurm = testing::failure_of([] {
    transport_of(found_with({{"SLURM_STEP_NUM_TASKS", "4"}}));
  });
  EXPECT_EQ(slurm.code, ExitCode::kUsage);
  EXPECT_EQ(slurm.message,
            "started as one of 4 processes by Slurm's srun (SLURM_STEP_NUM_TASKS=4), without an "
            "MPI for them to talk over: start them with `srun --mpi=pmix` or mpirun");
  const auto torchrun = testing::failure_of([] {
    transport_of(found_with({{"WORLD_SIZE", "2"}}));
  });
  EXPECT_EQ(torchrun.code, ExitCode::kUsage);
  EXPECT_EQ(torchrun.message,
            "started as one of 2 processes by torchrun (WORLD_SIZE=2), without an MPI for them to "
            "talk over: start them with mpirun");
}

}  // namespace
}  // namespace tandem
