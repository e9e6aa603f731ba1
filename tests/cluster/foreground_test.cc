#include "cluster/foreground.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

int run_script(const std::string& script) { return run_in_foreground({"sh", "-c", script}); }

TEST(Foreground, ReturnsTheExitCode) {
  EXPECT_EQ(run_script("exit 0"), 0);
  EXPECT_EQ(run_script("exit 75"), 75);
  EXPECT_EQ(run_script("kill -9 $$"), 137);
}

TEST(Foreground, PassesOnASignalSentToThisProcess) {
  EXPECT_EQ(run_script("trap 'exit 41' TERM; kill -TERM $PPID; while :; do sleep 0.05; done"), 41);
  EXPECT_EQ(run_script("trap 'exit 42' INT; kill -INT $PPID; while :; do sleep 0.05; done"), 42);
  EXPECT_EQ(run_script("trap 'exit 43' USR1; kill -USR1 $PPID; while :; do sleep 0.05; done"), 43);
}

TEST(Foreground, TheThirdSignalToEndKills) {
  EXPECT_EQ(run_script("trap '' TERM; trap 'n=$((n+1))' INT; "
                       "for i in 1 2 3; do kill -TERM $PPID; sleep 0.2; done; sleep 600"),
            137);
}

TEST(Foreground, SaysWhatCannotBeStarted) {
  const auto failed = failure_of([] { run_in_foreground({"no-such-program-anywhere"}); });
  EXPECT_EQ(failed.code, ExitCode::kMachine);
  EXPECT_EQ(failed.message,
            "no-such-program-anywhere cannot be started: no such file or directory");
}

TEST(TemporaryFile, IsThereAsLongAsItsObject) {
  std::filesystem::path path;
  {
    const TemporaryFile file("h1 slots=1\n");
    path = file.path();
    EXPECT_EQ(read_file(path, ExitCode::kData, 100), "h1 slots=1\n");
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tandem
