#include "cluster/network_choice.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

HostReport report(std::vector<InterfaceAddress> addresses,
                  std::vector<std::pair<std::string, Route>> routes) {
  HostReport result;
  result.addresses = std::move(addresses);
  result.routes = std::move(routes);
  return result;
}

TEST(NetworkChoice, IsTheOneByWhichHostsReachEachOther) {
  const HostReport first =
      report({{"lo", "127.0.0.1", 8}, {"docker0", "172.17.0.1", 16}, {"eth0", "10.0.0.1", 24}},
             {{"10.0.0.2", {"eth0", "10.0.0.1"}}});
  const HostReport second = report({{"eth0", "10.0.0.2", 24}, {"docker0", "172.17.0.1", 16}},
                                   {{"10.0.0.1", {"eth0", "10.0.0.2"}}});
  const std::vector<NetworkHost> hosts = {{"h1", "10.0.0.1", &first}, {"h2", "10.0.0.2", &second}};
  const NetworkChoice choice = choose_network(hosts);
  EXPECT_EQ(choice.interface, "eth0");
  EXPECT_EQ(choice.networks, "10.0.0.0/24");
  EXPECT_EQ(choice.interfaces, (std::vector<std::string>{"eth0 10.0.0.1", "eth0 10.0.0.2"}));
  EXPECT_TRUE(choice.warnings.empty());
  EXPECT_TRUE(choice.problems.empty());
}

TEST(NetworkChoice, NamesEachNetworkWhereHostsDiffer) {
  const HostReport first = report({{"eth0", "10.0.0.1", 24}}, {{"10.0.1.2", {"eth0", "10.0.0.1"}}});
  const HostReport second = report({{"ens5", "10.0.1.2", 24}}, {{"10.0.0.1", {"ens5", ""}}});
  const std::vector<NetworkHost> hosts = {{"h1", "10.0.0.1", &first}, {"h2", "10.0.1.2", &second}};
  const NetworkChoice choice = choose_network(hosts);
  EXPECT_EQ(choice.interface, "");
  EXPECT_EQ(choice.networks, "10.0.0.0/24,10.0.1.0/24");
}

TEST(NetworkChoice, WarnsOfSeveralInterfaces) {
  const HostReport first =
      report({{"eth0", "10.0.0.1", 24}, {"eth1", "10.1.0.1", 24}},
             {{"10.0.0.2", {"eth0", "10.0.0.1"}}, {"10.1.0.3", {"eth1", "10.1.0.1"}}});
  const HostReport second =
      report({{"eth0", "10.0.0.2", 24}},
             {{"10.0.0.1", {"eth0", "10.0.0.2"}}, {"10.1.0.3", {"eth0", "10.0.0.2"}}});
  const HostReport third = report({{"eth1", "10.1.0.3", 24}}, {{"10.0.0.1", {"eth1", "10.1.0.3"}},
                                                               {"10.0.0.2", {"eth1", "10.1.0.3"}}});
  const std::vector<NetworkHost> hosts = {
      {"h1", "10.0.0.1", &first}, {"h2", "10.0.0.2", &second}, {"h3", "10.1.0.3", &third}};
  const NetworkChoice choice = choose_network(hosts);
  EXPECT_EQ(choice.interface, "");
  EXPECT_EQ(choice.networks, "10.0.0.0/24,10.1.0.0/24");
  EXPECT_EQ(choice.warnings,
            (std::vector<std::string>{
                "h1 reaches its peers by several interfaces: h2 by eth0; h3 by eth1"}));
}

TEST(NetworkChoice, FindsAHostWithoutAWayToAnother) {
  const HostReport first = report({{"eth0", "10.0.0.1", 24}}, {});
  const HostReport second =
      report({{"eth0", "10.0.0.2", 24}}, {{"10.0.0.1", {"eth0", "10.0.0.2"}}});
  const std::vector<NetworkHost> hosts = {{"h1", "10.0.0.1", &first}, {"h2", "10.0.0.2", &second}};
  EXPECT_EQ(choose_network(hosts).problems,
            (std::vector<std::string>{
                "h1: has no way to h2 (10.0.0.2); `ip route get 10.0.0.2` must show one there"}));
}

TEST(NetworkChoice, LeavesItToMpiWhereAHostCannotTell) {
  const HostReport first = report({{"eth0", "10.0.0.1", 24}}, {{"10.0.0.2", {"eth0", "10.0.0.1"}}});
  const HostReport silent;
  const std::vector<NetworkHost> hosts = {{"h1", "10.0.0.1", &first}, {"h2", "10.0.0.2", &silent}};
  const NetworkChoice choice = choose_network(hosts);
  EXPECT_EQ(choice.networks, "");
  ASSERT_EQ(choice.warnings.size(), 1u);
  EXPECT_TRUE(choice.warnings[0].starts_with("h2: there is no `ip`")) << choice.warnings[0];
  EXPECT_EQ(choose_network(std::span(hosts).first(1)).networks, "");
}

TEST(NetworkChoice, AddsTheWayFromALaunchingHostThatTakesNoPart) {
  const HostReport first = report({{"eth0", "10.0.0.1", 24}}, {});
  const HostReport head = report({{"eth0", "10.0.9.1", 24}}, {{"10.0.0.1", {"eth0", "10.0.9.1"}}});
  const std::vector<NetworkHost> hosts = {{"h1", "10.0.0.1", &first}};
  const NetworkChoice choice = choose_network(hosts, &head);
  EXPECT_EQ(choice.interface, "eth0");
  EXPECT_EQ(choice.networks, "");
  EXPECT_EQ(choice.launch_networks, "10.0.9.0/24");
}

}  // namespace
}  // namespace tandem
