#include "cluster/route.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

using testing::failure_of;

// iproute2 6.1 on a host with a second interface that is down.
constexpr const char* kAddresses =
    R"([{"ifindex":1,"ifname":"lo","flags":["LOOPBACK","UP","LOWER_UP"],"mtu":65536,)"
    R"("operstate":"UNKNOWN","addr_info":[{"family":"inet","local":"127.0.0.1","prefixlen":8,)"
    R"("scope":"host","label":"lo","valid_life_time":4294967295},{"family":"inet6","local":"::1",)"
    R"("prefixlen":128,"scope":"host"}]},{"ifindex":2,"ifname":"ifb0","flags":["BROADCAST",)"
    R"("NOARP"],"operstate":"DOWN","addr_info":[]},{},{"ifindex":4,"link":"if9","ifname":"eth0",)"
    R"("flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":1400,"operstate":"UP",)"
    R"("addr_info":[{"family":"inet","local":"192.0.2.77","prefixlen":26,"broadcast":)"
    R"("192.0.2.127","scope":"global","label":"eth0"},{"family":"inet6","local":"fd00::2",)"
    R"("prefixlen":64,"scope":"global","nodad":true}]}])";

TEST(Route, ReadsTheAddressesOfAllInterfaces) {
  EXPECT_EQ(parse_addresses(kAddresses, "h1"),
            (std::vector<InterfaceAddress>{{"lo", "127.0.0.1", 8},
                                           {"lo", "::1", 128},
                                           {"eth0", "192.0.2.77", 26},
                                           {"eth0", "fd00::2", 64}}));
  EXPECT_TRUE(parse_addresses("[]", "h1").empty());
}

TEST(Route, ReadsTheWayToAnAddress) {
  EXPECT_EQ(parse_route(R"([{"dst":"8.8.8.8","gateway":"192.0.2.1","dev":"eth0","prefsrc":)"
                        R"("192.0.2.2","flags":[],"uid":0,"cache":[]}])",
                        "h1"),
            (Route{"eth0", "192.0.2.2"}));
  EXPECT_EQ(parse_route(R"([{"type":"local","dst":"10.0.0.1","dev":"lo","flags":[]}])", "h1"),
            (Route{"lo", ""}));
}

TEST(Route, NamesTheSourceOfAnAnswerThatIsSomethingElse) {
  const std::string source = "h2: `ip -json address`";
  for (const char* text : {"", "sh: 1: ip: not found", "{}", "[1]", R"([{"ifname":3}])",
                           R"([{"ifname":"a","addr_info":[{"local":"10.0.0.1"}]}])",
                           R"([{"ifname":"a","addr_info":[{"local":"::1","prefixlen":129}]}])"}) {
    const auto failed = failure_of([&] { parse_addresses(text, source); });
    EXPECT_EQ(failed.code, ExitCode::kMachine) << text;
    EXPECT_TRUE(failed.message.starts_with(source)) << failed.message;
  }
  for (const char* text : {"RTNETLINK answers: Network is unreachable", "[]", "[{}]"}) {
    EXPECT_EQ(failure_of([&] { parse_route(text, source); }).code, ExitCode::kMachine) << text;
  }
}

TEST(Route, FindsTheNetworkOfAnAddress) {
  EXPECT_EQ(network_of({"a", "192.0.2.77", 26}), "192.0.2.64/26");
  EXPECT_EQ(network_of({"a", "10.1.2.3", 8}), "10.0.0.0/8");
  EXPECT_EQ(network_of({"a", "10.1.2.3", 32}), "10.1.2.3/32");
  EXPECT_EQ(network_of({"a", "10.1.2.3", 0}), "0.0.0.0/0");
  EXPECT_EQ(network_of({"a", "fd00::1:2:3:4", 64}), "fd00::/64");
}

TEST(Route, TellsLoopbackAndNames) {
  for (const char* address : {"127.0.0.1", "127.0.1.1", "::1"}) EXPECT_TRUE(is_loopback(address));
  for (const char* address : {"10.0.0.127", "::2", "localhost"}) EXPECT_FALSE(is_loopback(address));
  EXPECT_TRUE(is_address("10.0.0.1"));
  EXPECT_TRUE(is_address("fe80::1"));
  for (const char* name : {"h1", "10.0.0", "10.0.0.256", "", "a:b"}) EXPECT_FALSE(is_address(name));
}

TEST(Route, PrefersIpv4OfSeveralAddresses) {
  EXPECT_EQ(address_of_ahosts("fd00::2         STREAM h2\nfd00::2         DGRAM\n"
                              "10.0.0.2        STREAM\n10.0.0.3        STREAM\n"),
            "10.0.0.2");
  EXPECT_EQ(address_of_ahosts("fd00::2 STREAM h2\nfd00::3 STREAM\n"), "fd00::2");
  EXPECT_EQ(address_of_ahosts(""), std::nullopt);
  EXPECT_EQ(address_of_ahosts("what?\n"), std::nullopt);
}

TEST(Route, FindsTheLineThatGivesAName) {
  const char* const hosts =
      "127.0.0.1\tlocalhost\n# 127.0.1.1 h1\n10.0.0.1 h1\n127.0.1.1 h1.example h1 # h9\n";
  EXPECT_EQ(line_of_name(hosts, "h1", "127.0.1.1"), 4);
  EXPECT_EQ(line_of_name(hosts, "h1", "10.0.0.1"), 3);
  EXPECT_EQ(line_of_name(hosts, "h9", "127.0.1.1"), std::nullopt);
  EXPECT_EQ(line_of_name(hosts, "h1", "10.0.0.9"), std::nullopt);
}

}  // namespace
}  // namespace tandem
