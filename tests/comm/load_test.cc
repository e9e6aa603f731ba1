#include "comm/load.h"

#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;

TEST(Load, OneProcessNeedsNoPlugin) {
  const auto communicator = load_communicator(Transport::kSelf, "/nowhere");
  EXPECT_EQ(communicator->size(), 1);
  EXPECT_EQ(communicator->description(), "one process");
}

TEST(Load, PluginsAreBesideTheProgram) {
  EXPECT_EQ(usual_plugin_directory().filename(), "plugins");
}

TEST(Load, SaysWhichPackageThePluginNeeds) {
  const testing::TemporaryDirectory empty;
  for (const auto& [transport, plugin, package] :
       {std::tuple(Transport::kOpenMpi, "tandem_openmpi.so", "libopenmpi-dev"),
        std::tuple(Transport::kMpich, "tandem_mpich.so", "libmpich-dev"),
        std::tuple(Transport::kIntelMpi, "tandem_mpich.so", "libmpich-dev")}) {
    const auto failure = failure_of([&] { load_communicator(transport, empty.path()); });
    EXPECT_EQ(failure.code, ExitCode::kMachine);
    EXPECT_NE(failure.message.find((empty.path() / plugin).string() + ": there is no such plugin"),
              std::string::npos)
        << failure.message;
    EXPECT_NE(failure.message.find(std::string("install ") + package), std::string::npos)
        << failure.message;
  }
}

}  // namespace
}  // namespace tandem
