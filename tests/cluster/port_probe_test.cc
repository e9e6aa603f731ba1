#include "cluster/port_probe.h"

#include <gtest/gtest.h>

#include "cluster/port_server.h"
#include "support/error_message.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

// Long enough for a busy machine.
constexpr milliseconds kPlenty{60000};

TEST(PortProbe, ExchangesAByteWithEachServer) {
  const PortServer first("127.0.0.1"), second("127.0.0.2"), third("::1");
  EXPECT_NE(first.port(), 0);
  const std::vector<Endpoint> endpoints = {{"127.0.0.1", first.port()},
                                           {"127.0.0.2", second.port()},
                                           {"::1", third.port()},
                                           {"127.0.0.1", first.port()}};
  for (const PortReach& reach : reach_ports(endpoints, kPlenty)) {
    EXPECT_EQ(reach.answer, PortAnswer::kExchanged) << reach.error;
  }
}

TEST(PortProbe, TellsThatNothingListens) {
  int closed = 0;
  {
    const PortServer gone("127.0.0.1");
    closed = gone.port();
  }
  const std::vector<Endpoint> endpoints = {{"127.0.0.1", closed}};
  EXPECT_EQ(reach_ports(endpoints, kPlenty).front().answer, PortAnswer::kRefused);
}

TEST(PortProbe, NothingToReachIsAnsweredAtOnce) { EXPECT_TRUE(reach_ports({}, kPlenty).empty()); }

TEST(PortProbe, MeasuresTheLoopback) {
  const PortServer server("127.0.0.1");
  const auto rate = measure_link({"127.0.0.1", server.port()}, kPlenty);
  ASSERT_TRUE(rate.has_value());
  EXPECT_GT(rate->bits_per_second, 1e6);
  EXPECT_GT(rate->round_trip_seconds, 0);
  EXPECT_LT(rate->round_trip_seconds, 60);
}

TEST(PortProbe, ServesSeveralAtOnce) {
  const PortServer server("127.0.0.1");
  const std::vector<Endpoint> endpoints(100, Endpoint{"127.0.0.1", server.port()});
  for (const PortReach& reach : reach_ports(endpoints, kPlenty)) {
    EXPECT_EQ(reach.answer, PortAnswer::kExchanged) << reach.error;
  }
}

TEST(PortProbe, AnAddressOfAnotherHostCannotBeListenedOn) {
  const testing::Failure failure =
      testing::failure_of([] { const PortServer server("192.0.2.1"); });
  EXPECT_EQ(failure.code, ExitCode::kMachine);
  EXPECT_TRUE(failure.message.starts_with("192.0.2.1: cannot be listened on")) << failure.message;
}

}  // namespace
}  // namespace tandem
