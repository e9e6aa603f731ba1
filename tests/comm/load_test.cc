#include "comm/load.h"

#include <fstream>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;

TEST(Load, PluginsAreBesideTheProgram) {
  EXPECT_EQ(usual_plugin_directory().filename(), "plugins");
}

TEST(Load, SaysWhichPackageThePluginNeeds) {
  const testing::TemporaryDirectory empty;
  for (const auto& [transport, plugin, package] :
       {std::tuple(Transport::kOpenMpi, "tandem_openmpi.so", "libopenmpi-dev"),
        std::tuple(Transport::kMpich, "tandem_mpich.so", "libmpich-dev"),
        std::tuple(Transport::kIntelMpi, "tandem_mpich.so", "libmpich-dev"),
        std::tuple(Transport::kOneCcl, "tandem_oneccl.so", "intel-oneapi-ccl-devel")}) {
    const auto failure = failure_of([&] { load_communicator(transport, empty.path()); });
    EXPECT_EQ(failure.code, ExitCode::kMachine);
    EXPECT_NE(failure.message.find((empty.path() / plugin).string() + ": there is no such plugin"),
              std::string::npos)
        << failure.message;
    EXPECT_NE(failure.message.find(std::string("install ") + package), std::string::npos)
        << failure.message;
  }
}

TEST(Load, SaysWhichPackageHasTheLibrary) {
  // Not a plugin, for where the library is found.
  const testing::TemporaryDirectory plugins;
  std::ofstream(plugins.path() / "tandem_oneccl.so") << "no library";
  const auto failure = failure_of([&] { load_communicator(Transport::kOneCcl, plugins.path()); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_NE(failure.message.find("oneCCL can't be loaded: "), std::string::npos) << failure.message;
  if (failure.message.find("libccl.so") == std::string::npos) return;
  EXPECT_NE(failure.message.find("; install intel-oneapi-ccl and source its setvars.sh"),
            std::string::npos)
      << failure.message;
}

}  // namespace
}  // namespace tandem
