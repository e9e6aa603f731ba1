#include "train/agreement.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"
#include "support/thread_ranks.h"

namespace tandem {
namespace {

const std::vector<std::string> kHosts = {"h1", "h2", "h3"};

// What each of three ranks throws when its facts have these values; empty: nothing.
std::vector<std::string> messages_for(const std::vector<std::vector<std::string>>& values) {
  std::vector<std::string> messages(values.size());
  run_ranks(static_cast<int>(values.size()), [&](Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    std::vector<Fact> facts;
    for (const std::string& value : values[rank]) {
      facts.push_back({fmt::format("fact {}", facts.size()), value, "make them alike"});
    }
    try {
      check_agreement(communicator, kHosts, facts);
    } catch (const MachineError& error) {
      messages[rank] = error.what();
    }
  });
  return messages;
}

TEST(Agreement, IsThereWhenAllRanksAreAlike) {
  EXPECT_EQ(messages_for({{"1", "x"}, {"1", "x"}, {"1", "x"}}), std::vector<std::string>(3));
}

TEST(Agreement, NamesTheHostsOfEachValueOnEveryRank) {
  const std::vector<std::string> messages = messages_for({{"1", "x"}, {"1", "y"}, {"1", "x"}});
  for (const std::string& message : messages) {
    EXPECT_EQ(message,
              "the processes of this job differ:\n"
              "  fact 1: x on h1, h3; y on h2: make them alike");
  }
}

TEST(Agreement, LeavesOutRanksThatHaveNothingToCompare) {
  EXPECT_EQ(messages_for({{"1"}, {""}, {"1"}}), std::vector<std::string>(3));
  EXPECT_NE(messages_for({{"1"}, {""}, {"2"}}), std::vector<std::string>(3));
}

TEST(Agreement, RefusesRanksThatCompareOtherThings) {
  for (const std::string& message : messages_for({{"1"}, {"1", "x"}, {"1"}})) {
    EXPECT_NE(message.find("put the same version of tandem on every host"), std::string::npos);
  }
}

TEST(HashOfFiles, IsOfTheContentsOfThoseThatAreThere) {
  const testing::TemporaryDirectory directory;
  directory.write("a", "content");
  directory.write("b", "content");
  directory.write("c", "contents");
  const auto path = [&](const char* name) { return directory.path() / name; };
  EXPECT_EQ(hash_of_files({path("a")}), hash_of_files({path("b")}));
  EXPECT_EQ(hash_of_files({path("a"), path("missing")}), hash_of_files({path("a")}));
  EXPECT_NE(hash_of_files({path("a")}), hash_of_files({path("c")}));
  EXPECT_EQ(hash_of_files({path("missing"), ""}), "");
  EXPECT_EQ(hash_of_files({directory.path()}), "");
}

}  // namespace
}  // namespace tandem
