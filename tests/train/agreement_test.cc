#include "train/agreement.h"

#include <vector>

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"
#include "support/thread_ranks.h"

namespace tandem {
namespace {

const std::vector<std::string> kHosts = {"north", "south", "west"};

TEST(Agreement, SameWeightsPass) {
  run_ranks(3, [](Communicator& communicator) {
    check_same_weights(communicator, kHosts, std::vector<float>{1.0F, 2.0F});
  });
}

TEST(Agreement, OneBitOfOneWeightIsFoundOnEveryRank) {
  std::vector<std::string> messages(3);
  run_ranks(3, [&](Communicator& communicator) {
    const bool other = communicator.rank() == 1;
    const std::vector<float> weights = {1.0F, other ? 0x1.000002p1F : 2.0F};
    try {
      check_same_weights(communicator, kHosts, weights);
    } catch (const Disagreement& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kWall);
      messages[static_cast<std::size_t>(communicator.rank())] = error.what();
    }
  });
  for (const std::string& message : messages) {
    EXPECT_NE(message.find("on rank 0 (north), rank 2 (west)"), std::string::npos) << message;
    EXPECT_NE(message.find("on rank 1 (south)"), std::string::npos) << message;
    EXPECT_NE(message.find("no model was written"), std::string::npos) << message;
  }
}

TEST(Agreement, DifferentFactsAreATableByHost) {
  std::vector<std::string> messages(3);
  run_ranks(3, [&](Communicator& communicator) {
    const int rank = communicator.rank();
    const std::vector<Fact> facts = {{"kernels", rank == 2 ? "avx2" : "avx512", "name one"},
                                     {"model", rank == 0 ? "1234" : "", "remove it"}};
    try {
      check_agreement(communicator, kHosts, facts);
    } catch (const Disagreement& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kMachine);
      messages[static_cast<std::size_t>(rank)] = error.what();
    }
  });
  for (const std::string& message : messages) {
    EXPECT_EQ(message,
              "the processes of this job differ:\n"
              "  kernels: avx2 on west; avx512 on north, south: name one");
  }
}

TEST(Agreement, RanksThatCompareOtherThingsAreRefused) {
  run_ranks(2, [&](Communicator& communicator) {
    const std::vector<Fact> facts(communicator.rank() == 0 ? 1 : 2, Fact{"a", "1", "b"});
    const testing::Failure failure =
        testing::failure_of([&] { check_agreement(communicator, kHosts, facts); });
    EXPECT_EQ(failure.code, ExitCode::kMachine);
    EXPECT_NE(failure.message.find("put the same version of tandem on every host"),
              std::string::npos);
  });
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
