#include "comm/collectives.h"

#include <gtest/gtest.h>

#include "comm/operations_under_test.h"
#include "support/error_message.h"
#include "support/thread_ranks.h"

namespace tandem {
namespace {

using testing::failure_of;

void check_all(Communicator& communicator) { testing::check_everything(communicator, 100'000); }

TEST(Collectives, AmongThreads) {
  for (const int ranks : {1, 2, 3, 4}) EXPECT_NO_THROW(run_ranks(ranks, check_all)) << ranks;
}

class NeverDone : public PendingOperation {
 public:
  bool done() override { return false; }
};

TEST(WaitFor, SaysWhatAndHowLong) {
  NeverDone operation;
  const auto failure = failure_of([&] { wait_for(operation, "joining the job", Deadline(50)); });
  EXPECT_EQ(failure.code, ExitCode::kPeer);
  EXPECT_EQ(failure.message,
            "joining the job: the other processes didn't answer within 0.05 s: one has ended, "
            "stands still or can't be reached; see what each of them printed last");
}

TEST(ThreadRanks, ThrowTheFirstFailureAndEndTheOthers) {
  const auto failure = failure_of([] {
    run_ranks(3, [](Communicator& communicator) {
      barrier(communicator, "first");
      if (communicator.rank() == 1) throw DataError("rank 1 has a bad row");
      barrier(communicator, "second");
    });
  });
  EXPECT_EQ(failure.code, ExitCode::kData);
  EXPECT_EQ(failure.message, "rank 1 has a bad row");
}

TEST(ThreadRanks, TellWhoLeftEarly) {
  const auto failure = failure_of([] {
    run_ranks(2, [](Communicator& communicator) {
      if (communicator.rank() == 0) barrier(communicator, "the end");
    });
  });
  EXPECT_EQ(failure.code, ExitCode::kPeer);
  EXPECT_NE(failure.message.find("rank 1 has ended"), std::string::npos) << failure.message;
}

TEST(ThreadRanks, AbortThrows) {
  EXPECT_THROW(run_ranks(2, [](Communicator& communicator) { communicator.abort(7); }), JobAborted);
}

}  // namespace
}  // namespace tandem
