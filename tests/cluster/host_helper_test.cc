#include "cluster/host_helper.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cluster/port_server.h"

namespace tandem {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPlenty{60000};

MachineFacts some_facts() {
  MachineFacts facts;
  facts.host_name = "h1";
  facts.cores = 3;
  return facts;
}

// What the helper says to these questions, without the mark.
std::vector<nlohmann::json> said_to(const std::string& address, const std::string& questions) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(questions);
  run_helper(address, some_facts, in, [&](std::string_view line) {
    lines.push_back(nlohmann::json::parse(line.substr(line.find('{'))));
  });
  return lines;
}

TEST(HostHelper, OpensWithFactsAndAPort) {
  const auto lines = said_to("127.0.0.1", "");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["facts"]["cores"], 3);
  EXPECT_GT(lines[0]["facts"]["unix_seconds"], 1e9);
  EXPECT_GT(lines[0]["port"], 0);
  EXPECT_EQ(lines[0]["problem"], "");
}

TEST(HostHelper, SaysThatTheAddressIsNotItsOwn) {
  const auto lines = said_to("192.0.2.1", "");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["port"], 0);
  EXPECT_NE(lines[0]["problem"].get<std::string>().find("192.0.2.1: cannot be listened on"),
            std::string::npos);
}

TEST(HostHelper, TriesPortsAndNames) {
  const PortServer server("127.0.0.1");
  const auto lines = said_to(
      "127.0.0.1",
      fmt::format("{{\"endpoints\":[{{\"address\":\"127.0.0.1\",\"port\":{}}}],\"names\":"
                  "[\"localhost\"],\"ssh\":[],\"milliseconds\":60000,\"ssh_milliseconds\":1}}\n",
                  server.port()));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1]["reaches"][0]["answer"], "exchanged");
  EXPECT_EQ(lines[1]["names"][0]["name"], "localhost");
}

TEST(HostHelpers, AskLocalHelpersAsOthers) {
  // Two hosts that can't be helpers: one says something else, one ends at once.
  HostHelpers helpers({{"h1", "127.0.0.1", true, {"sh", "-c", "echo no; exit 3"}},
                       {"h2", "127.0.0.1", true, {"false"}}},
                      1);
  const auto openings = helpers.open(kPlenty);
  ASSERT_EQ(openings.size(), 2U);
  for (const HelperOpening& opening : openings) {
    EXPECT_FALSE(opening.facts.has_value());
    EXPECT_FALSE(opening.problem.empty());
  }
  EXPECT_TRUE(openings[0].problem.starts_with("h1: ")) << openings[0].problem;
}

}  // namespace
}  // namespace tandem
