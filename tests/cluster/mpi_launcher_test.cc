#include "cluster/mpi_launcher.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace tandem {
namespace {

using Words = std::vector<std::string>;

const MpiJob kJob{.hosts = {"h1", "h2"},
                  .ranks_per_host = 2,
                  .program = {"/usr/bin/tandem", "train", "--model", "a b"},
                  .interface = "eth0",
                  .networks = "10.0.0.0/24",
                  .launch_networks = "10.0.0.0/24,10.0.9.0/24",
                  .environment = {{"A", "1 2"}},
                  .as_root = false};

TEST(MpiLauncher, WritesOpenMpisLine) {
  const MpiLauncher launcher{MpiKind::kOpenMpi, "/usr/bin/mpirun.openmpi", "4.1.4"};
  EXPECT_EQ(launcher_words(launcher, kJob, "/tmp/f"), (Words{"/usr/bin/mpirun.openmpi",
                                                             "--hostfile",
                                                             "/tmp/f",
                                                             "-np",
                                                             "4",
                                                             "--map-by",
                                                             "ppr:2:node",
                                                             "--bind-to",
                                                             "none",
                                                             "--mca",
                                                             "btl_tcp_if_include",
                                                             "10.0.0.0/24",
                                                             "--mca",
                                                             "oob_tcp_if_include",
                                                             "10.0.0.0/24,10.0.9.0/24",
                                                             "--mca",
                                                             "btl",
                                                             "tcp,self,vader",
                                                             "--mca",
                                                             "btl_tcp_links",
                                                             "4",
                                                             "-x",
                                                             "A=1 2",
                                                             "/usr/bin/tandem",
                                                             "train",
                                                             "--model",
                                                             "a b"}));
  EXPECT_EQ(hostfile_for(launcher.kind, kJob), "h1 slots=2\nh2 slots=2\n");
  EXPECT_EQ(daemon_of(launcher), "/usr/bin/orted");
}

TEST(MpiLauncher, LeavesOutWhatIsNotKnownAndLetsRootRun) {
  const MpiJob job{.hosts = {"h1"},
                   .program = {"tandem"},
                   .interface = "",
                   .networks = "",
                   .launch_networks = "",
                   .environment = {},
                   .as_root = true};
  EXPECT_EQ(launcher_words({MpiKind::kOpenMpi, "mpirun", ""}, job, "f"),
            (Words{"mpirun", "--hostfile", "f", "-np", "1", "--map-by", "ppr:1:node", "--bind-to",
                   "none", "--mca", "btl", "tcp,self,vader", "--mca", "btl_tcp_links", "4",
                   "--allow-run-as-root", "tandem"}));
  EXPECT_EQ(launcher_words({MpiKind::kMpich, "mpirun", ""}, job, "f"),
            (Words{"mpirun", "-f", "f", "-np", "1", "-ppn", "1", "-bind-to", "none", "tandem"}));
  EXPECT_EQ(
      launcher_words({MpiKind::kIntel, "mpirun", ""}, job, "f"),
      (Words{"mpirun", "-f", "f", "-n", "1", "-ppn", "1", "-genv", "I_MPI_PIN", "0", "tandem"}));
}

TEST(MpiLauncher, WritesMpichsLine) {
  const MpiLauncher launcher{MpiKind::kMpich, "/usr/bin/mpirun.mpich", "4.0.2"};
  EXPECT_EQ(launcher_words(launcher, kJob, "/tmp/f"), (Words{"/usr/bin/mpirun.mpich",
                                                             "-f",
                                                             "/tmp/f",
                                                             "-np",
                                                             "4",
                                                             "-ppn",
                                                             "2",
                                                             "-bind-to",
                                                             "none",
                                                             "-iface",
                                                             "eth0",
                                                             "-genv",
                                                             "UCX_NET_DEVICES",
                                                             "eth0",
                                                             "-genv",
                                                             "FI_TCP_IFACE",
                                                             "eth0",
                                                             "-genv",
                                                             "A",
                                                             "1 2",
                                                             "/usr/bin/tandem",
                                                             "train",
                                                             "--model",
                                                             "a b"}));
  EXPECT_EQ(hostfile_for(launcher.kind, kJob), "h1:2\nh2:2\n");
  EXPECT_EQ(daemon_of(launcher), "/usr/bin/hydra_pmi_proxy");
}

TEST(MpiLauncher, WritesIntelMpisLine) {
  const MpiLauncher launcher{MpiKind::kIntel, "/opt/mpi/bin/mpirun", "2021.15"};
  EXPECT_EQ(launcher_words(launcher, kJob, "/tmp/f"), (Words{"/opt/mpi/bin/mpirun",
                                                             "-f",
                                                             "/tmp/f",
                                                             "-n",
                                                             "4",
                                                             "-ppn",
                                                             "2",
                                                             "-genv",
                                                             "I_MPI_PIN",
                                                             "0",
                                                             "-iface",
                                                             "eth0",
                                                             "-genv",
                                                             "FI_TCP_IFACE",
                                                             "eth0",
                                                             "-genv",
                                                             "A",
                                                             "1 2",
                                                             "/usr/bin/tandem",
                                                             "train",
                                                             "--model",
                                                             "a b"}));
  EXPECT_EQ(hostfile_for(launcher.kind, kJob), "h1:2\nh2:2\n");
  EXPECT_EQ(daemon_of(launcher), "/opt/mpi/bin/hydra_bstrap_proxy");
}

TEST(MpiLauncher, TellsLaunchersByTheirVersionText) {
  const auto check = [](std::string_view text, MpiKind kind, std::string_view version) {
    const auto launcher = launcher_of_version("p", text);
    ASSERT_TRUE(launcher.has_value()) << text;
    EXPECT_EQ(name_of(launcher->kind), name_of(kind));
    EXPECT_EQ(launcher->version, version);
  };
  check("mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n",
        MpiKind::kOpenMpi, "4.1.4");
  check("mpirun.openmpi (OpenRTE) 4.1.4\n\nReport bugs to\n", MpiKind::kOpenMpi, "4.1.4");
  check(
      "HYDRA build details:\n    Version:                                 4.0.2\n    Release Date:",
      MpiKind::kMpich, "4.0.2");
  check("Intel(R) MPI Library for Linux* OS, Version 2021.15 Build 20250213 (id: d233448)\n",
        MpiKind::kIntel, "2021.15");
  EXPECT_FALSE(launcher_of_version("p", "prterun 3.0").has_value());
  EXPECT_FALSE(launcher_of_version("p", "").has_value());
}

TEST(MpiLauncher, FindsThoseOnThePathAndAsksThem) {
  const testing::TemporaryDirectory directory;
  const auto install = [&](const std::string& name, const std::string& says) {
    const auto path = directory.write(name, "#!/bin/sh\necho '" + says + "'\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  };
  const std::string hydra = install("mpirun.mpich", "HYDRA build details: Version: 4.0.2");
  const std::string chosen = install("mpirun", "mpirun (Open MPI) 4.1.4");
  install("mpiexec", "something else");
  directory.write("mpiexec.hydra", "not a program");
  const auto found = find_launchers("/nowhere::" + directory.path().string());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].program, chosen);
  EXPECT_EQ(found[1].program, hydra);
  EXPECT_TRUE(find_launchers("").empty());
}

}  // namespace
}  // namespace tandem
