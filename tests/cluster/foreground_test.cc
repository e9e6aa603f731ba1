#include "cluster/foreground.h"

#include <csignal>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

ForegroundEnd run_script(const std::string& script, int first_signal = 0) {
  return run_in_foreground({"sh", "-c", script}, first_signal);
}

TEST(Foreground, ReturnsTheExitCode) {
  EXPECT_EQ(run_script("exit 0").code, 0);
  EXPECT_EQ(run_script("exit 75").code, 75);
  EXPECT_EQ(run_script("kill -9 $$").code, 137);
  EXPECT_FALSE(run_script("exit 75").asked_to_end);
}

TEST(Foreground, PassesOnASignalSentToThisProcess) {
  for (const char* name : {"TERM", "INT", "HUP", "USR1"}) {
    const ForegroundEnd end = run_script(
        fmt::format("trap 'exit 41' {0}; kill -{0} $PPID; while :; do sleep 0.05; done", name));
    EXPECT_EQ(end.code, 41) << name;
    EXPECT_EQ(end.asked_to_end, std::string(name) != "USR1") << name;
  }
}

TEST(Foreground, TheFirstSignalToEndIsTheOneWanted) {
  const ForegroundEnd end =
      run_script("trap 'exit 41' USR1; kill -INT $PPID; while :; do sleep 0.05; done", SIGUSR1);
  EXPECT_EQ(end.code, 41);
  EXPECT_TRUE(end.asked_to_end);
}

TEST(Foreground, TheSecondIsAnOrderAndTheThirdKills) {
  EXPECT_EQ(run_script("trap : USR1; trap 'exit 42' TERM; kill -INT $PPID; sleep 0.2; "
                       "kill -INT $PPID; while :; do sleep 0.05; done",
                       SIGUSR1)
                .code,
            42);
  EXPECT_EQ(
      run_script("trap '' TERM; for i in 1 2 3; do kill -TERM $PPID; sleep 0.2; done; sleep 9")
          .code,
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
