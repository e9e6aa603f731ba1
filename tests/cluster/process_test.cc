#include "cluster/process.h"

#include <cerrno>
#include <csignal>

#include <gtest/gtest.h>

namespace tandem {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using End = ProcessResult::End;

// Long enough for a busy machine; what a test waits for ends of itself well before.
constexpr milliseconds kPlenty{60000};

ProcessSpec shell(const std::string& script) { return {.words = {"sh", "-c", script}}; }

TEST(Process, GivesBothStreamsAndTheExitCode) {
  const ProcessResult result = run_one(shell("echo out; echo err >&2; exit 7"), kPlenty);
  EXPECT_EQ(result.end, End::kExited);
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(run_one({.words = {"true"}}, kPlenty).succeeded());
}

TEST(Process, PassesArgumentsAsTheyAre) {
  const ProcessResult result =
      run_one({.words = {"printf", "%s|", "a b", "$(id)", "", "*", "'\"\\", "-n"}}, kPlenty);
  EXPECT_EQ(result.out, "a b|$(id)||*|'\"\\|-n|");
}

TEST(Process, TellsASignalAndAProgramThatIsNotThere) {
  const ProcessResult killed = run_one(shell("kill -9 $$"), kPlenty);
  EXPECT_EQ(killed.end, End::kSignalled);
  EXPECT_EQ(killed.code, SIGKILL);
  const ProcessResult missing = run_one({.words = {"no-such-program-anywhere"}}, kPlenty);
  EXPECT_EQ(missing.end, End::kNotStarted);
  EXPECT_EQ(missing.code, ENOENT);
}

TEST(Process, ReadsFromEmptyInput) { EXPECT_EQ(run_one({.words = {"cat"}}, kPlenty).out, ""); }

TEST(Process, DropsWhatIsTooLongWithoutStandingStill) {
  ProcessSpec spec = shell("head -c 3000000 /dev/zero; head -c 5 /dev/zero >&2");
  spec.max_output_bytes = 1000;
  const ProcessResult result = run_one(spec, kPlenty);
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out.size(), 1000u);
  EXPECT_EQ(result.err.size(), 5u);
}

TEST(Process, EndsTheWholeGroupAtTheDeadline) {
  const auto start = Clock::now();
  const ProcessResult result =
      run_one(shell("echo first; sleep 1000 & echo $!; wait"), milliseconds(300));
  EXPECT_LT(Clock::now() - start, milliseconds(20000));
  EXPECT_EQ(result.end, End::kTimedOut);
  ASSERT_TRUE(result.out.starts_with("first\n")) << result.out;
  // The grandchild has been sent the signal; whoever inherited it may still have to collect it.
  const std::string sleeper = result.out.substr(6, result.out.find('\n', 6) - 6);
  const std::string gone = "for i in $(seq 100); do grep -q '^State:.[SR]' /proc/" + sleeper +
                           "/status 2>/dev/null || exit 0; sleep 0.1; done; exit 1";
  EXPECT_TRUE(run_one(shell(gone), kPlenty).succeeded());
}

TEST(Process, DoesNotWaitForOthersThatHoldTheOutputOpen) {
  const auto start = Clock::now();
  const ProcessResult result = run_one(shell("sleep 30 & echo done"), kPlenty);
  EXPECT_LT(Clock::now() - start, milliseconds(20000));
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.out, "done\n");
}

TEST(Process, RunsSeveralAtOnceAndKeepsTheirOrder) {
  std::vector<ProcessSpec> specs;
  for (int i = 0; i < 20; ++i) specs.push_back(shell("sleep 1; echo " + std::to_string(i)));
  specs.push_back(shell("sleep 1000"));
  const auto start = Clock::now();
  const std::vector<ProcessResult> results = run_all(specs, milliseconds(8000));
  // One after the other they would need 20 s.
  EXPECT_LT(Clock::now() - start, milliseconds(15000));
  ASSERT_EQ(results.size(), 21u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(results[i].out, std::to_string(i) + "\n");
  EXPECT_EQ(results[20].end, End::kTimedOut);
}

TEST(Conversations, LinesGoBothWays) {
  const ProcessSpec echo =
      shell("echo hello; echo '>ready'; while read -r line; do echo \">$line\"; done");
  Conversations conversations({echo, echo, shell("echo no")});
  auto lines = conversations.hear({0, 1, 2}, ">", kPlenty);
  ASSERT_TRUE(lines[0] && lines[1]);
  EXPECT_EQ(lines[0]->text, "ready");
  EXPECT_FALSE(lines[2]) << "it has ended";
  EXPECT_EQ(conversations.result(2).end, End::kExited);
  conversations.say(2, "nobody is there");
  conversations.say(1, "one");
  conversations.say(1, "two");
  EXPECT_EQ(conversations.hear({1}, ">", kPlenty)[0]->text, "one");
  EXPECT_EQ(conversations.hear({1}, ">", kPlenty)[0]->text, "two");
  EXPECT_FALSE(conversations.hear({0}, ">", milliseconds(30))[0]) << "it wasn't asked";
  EXPECT_EQ(conversations.result(0).end, End::kTimedOut);
}

}  // namespace
}  // namespace tandem
