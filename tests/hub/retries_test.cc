#include "hub/retries.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using std::chrono::seconds;
using testing::failure_of;

HttpHead head_with(const std::string& name, const std::string& value) {
  HttpHead head;
  head.headers[name] = value;
  return head;
}

TEST(AskedPause, IsRetryAfterOrTheRateLimits) {
  EXPECT_EQ(asked_pause(head_with("retry-after", "7")), seconds(7));
  EXPECT_EQ(asked_pause(head_with("ratelimit", "\"api\";r=0;t=55")), seconds(55));
  EXPECT_EQ(asked_pause(head_with("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")), std::nullopt);
  EXPECT_EQ(asked_pause(head_with("retry-after", "-1")), std::nullopt);
  EXPECT_EQ(asked_pause(HttpHead()), std::nullopt);
}

TEST(Retries, EndAfterTheLastTry) {
  Retries retries(1);
  retries.pause("status 503", seconds(0));
  const auto failure = failure_of([&] { retries.pause("status 503", seconds(0)); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_EQ(failure.message, "status 503; given up after 2 tries; run it again to go on");
  retries.reset();
  retries.pause("status 503", seconds(0));
}

TEST(Retries, DoNotWaitForHours) {
  Retries retries(5);
  const auto failure = failure_of([&] { retries.pause("status 429", seconds(3600)); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_EQ(failure.message,
            "status 429, and asks for 3600 seconds of patience; run it again after that");
}

TEST(TransientStatus, MeansNotNow) {
  for (const long status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(is_transient(status));
  for (const long status : {200, 206, 302, 401, 403, 404, 416, 501}) {
    EXPECT_FALSE(is_transient(status));
  }
}

}  // namespace
}  // namespace tandem
