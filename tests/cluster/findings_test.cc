#include "cluster/findings.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "cluster/tournament.h"

namespace tandem {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

MachineFacts healthy() {
  MachineFacts facts;
  facts.host_name = "h1";
  facts.name_address = "10.0.0.1";
  facts.kernels = {"avx512", "avx2", "reference"};
  facts.hardware_threads = facts.affinity_threads = 8;
  facts.physical_cores = facts.cores = 4;
  facts.memory_bytes = 8LL << 30;
  facts.temporary_free_bytes = 1LL << 30;
  return facts;
}

ReachedPort port(const std::string& from, const std::string& to,
                 PortAnswer answer = PortAnswer::kExchanged, const std::string& said = "") {
  return {from, to, 40123, {answer, said}};
}

TEST(Findings, NothingIsWrongWithAHealthyMachine) {
  EXPECT_TRUE(machine_findings("h1", healthy()).empty());
  EXPECT_FALSE(own_name_finding("h1", healthy()).has_value());
}

TEST(Findings, LimitsOfTheMachine) {
  MachineFacts facts = healthy();
  facts.affinity_threads = 2;
  facts.cgroup_cpus = 0.5;
  facts.kernels = {"reference"};
  std::vector<Finding> findings = machine_findings("h1", facts);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_FALSE(any_error(findings));
  EXPECT_PRED2(says, findings[1].text, "h1: only 2 of its 8 hardware threads");
  EXPECT_PRED2(says, findings[2].text, "0.5 CPUs of its 4 cores");
  facts = healthy();
  facts.memory_bytes = 100 << 20;
  facts.temporary_free_bytes = 1 << 20;
  findings = machine_findings("h1", facts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(any_error(findings));
  EXPECT_PRED2(says, findings[0].text, "only 100 MiB of memory are free");
  EXPECT_PRED2(says, findings[1].text, "only 1 MiB are free for temporary files");
}

TEST(Findings, AProblemNamesItsHost) {
  const Finding finding = finding_of_problem("h2: ssh: no answer");
  EXPECT_EQ(finding.host, "h2");
  EXPECT_EQ(finding.severity, Severity::kError);
  EXPECT_EQ(finding.text, "h2: ssh: no answer");
}

TEST(Findings, Clock) {
  EXPECT_FALSE(clock_finding("h1", 4.9).has_value());
  EXPECT_FALSE(clock_finding("h1", -4.9).has_value());
  EXPECT_PRED2(says, clock_finding("h1", 61)->text, "h1: its clock is 61 s ahead");
  EXPECT_PRED2(says, clock_finding("h1", -7)->text, "7 s behind");
}

TEST(Findings, TheOwnNameOnTheLoopback) {
  MachineFacts facts = healthy();
  facts.name_address = "127.0.1.1";
  const auto finding = own_name_finding("h1", facts);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->severity, Severity::kError);
  EXPECT_PRED2(says, finding->text, "h1: its own name h1 leads to 127.0.1.1 there");
  facts.name_address = "";
  EXPECT_EQ(own_name_finding("h1", facts)->severity, Severity::kWarning);
}

TEST(Findings, NamesSeenOtherwise) {
  EXPECT_FALSE(name_finding("h1", {"h2", "10.0.0.2", ""}, "10.0.0.2").has_value());
  EXPECT_PRED2(says, name_finding("h1", {"h2", "10.9.0.2", ""}, "10.0.0.2")->text,
               "h1: the name h2 leads to 10.9.0.2 there, to 10.0.0.2 here");
  EXPECT_PRED2(says, name_finding("h1", {"h2", "", "none"}, "10.0.0.2")->text,
               "h1: doesn't know the name h2; `echo '10.0.0.2 h2'");
  EXPECT_EQ(name_finding("h1", {"h2", "127.0.0.1", ""}, "10.0.0.2")->severity, Severity::kError);
}

TEST(Findings, DifferentKernels) {
  const std::vector<HostKernels> same = {{"h1", {"avx2", "reference"}},
                                         {"h2", {"avx2", "reference"}}};
  EXPECT_FALSE(kernels_finding(same).has_value());
  const std::vector<HostKernels> other = {{"h1", {"avx512", "avx2", "reference"}},
                                          {"h2", {"avx2", "reference"}}};
  const auto finding = kernels_finding(other);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->severity, Severity::kWarning);
  EXPECT_PRED2(says, finding->text, "avx2 on h2; avx512 on h1");
  EXPECT_PRED2(says, finding->text, "`--kernels avx2`");
}

TEST(Findings, AHostWhosePortsAreSilentToAll) {
  const std::vector<ReachedPort> ports = {port("h1", "h2", PortAnswer::kSilent),
                                          port("h1", "h3"),
                                          port("h2", "h1"),
                                          port("h2", "h3"),
                                          port("h3", "h1"),
                                          port("h3", "h2", PortAnswer::kSilent)};
  const std::vector<Finding> findings = reach_findings(ports, 3);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].host, "h2");
  EXPECT_PRED2(says, findings[0].text,
               "h2: h1, h3 cannot reach h2:40123 (no answer in 3 s: filtered)");
}

TEST(Findings, AHostThatReachesNobody) {
  const std::vector<ReachedPort> ports = {
      port("h1", "h2"),
      port("h1", "h3"),
      port("h2", "h1"),
      port("h2", "h3"),
      port("h3", "h1", PortAnswer::kFailed, "invalid argument"),
      port("h3", "h2", PortAnswer::kFailed, "invalid argument")};
  const std::vector<Finding> findings = reach_findings(ports, 3);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].host, "h3");
  EXPECT_PRED2(says, findings[0].text, "(invalid argument), nor any other host");
}

TEST(Findings, RefusedIsToldFromSilent) {
  const std::vector<ReachedPort> ports = {port("h1", "h2", PortAnswer::kRefused), port("h2", "h1")};
  const std::vector<Finding> findings = reach_findings(ports, 3);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_PRED2(says, findings[0].text, "h1 cannot reach h2:40123 (refused)");
  EXPECT_TRUE(reach_findings(std::vector{port("h1", "h2"), port("h2", "h1")}, 3).empty());
}

TEST(Findings, Rates) {
  const std::vector<MeasuredHost> hosts = {{"h1", "eth0", 940, 1000},
                                           {"h2", "eth0", 94, 0},
                                           {"h3", "eth1", 900, 10000},
                                           {"h4", "eth0", 0, 1000}};
  const std::vector<Finding> findings = rate_findings(hosts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_PRED2(says, findings[0].text, "h2: reaches the others with 94 Mbit/s");
  EXPECT_PRED2(says, findings[1].text, "h3: eth1 carries 900 Mbit/s of its nominal 10000");
  EXPECT_FALSE(any_error(findings));
}

TEST(Findings, PublicAddresses) {
  for (const char* address : {"10.1.2.3", "172.16.0.1", "172.31.0.1", "192.168.1.1", "127.0.1.1",
                              "100.64.0.1", "169.254.1.1", "fd00::1", "fe80::1", "::1", "name"}) {
    EXPECT_FALSE(is_public(address)) << address;
  }
  for (const char* address : {"8.8.8.8", "172.32.0.1", "100.128.0.1", "2001:db8::1"}) {
    EXPECT_TRUE(is_public(address)) << address;
  }
  EXPECT_PRED2(says, public_finding("h1", "8.8.8.8")->text, "h1: 8.8.8.8 is a public address");
}

TEST(Findings, OutputDirectory) {
  EXPECT_TRUE(output_findings("h1", {}).empty());
  const OutputPlace good = {.path = "/out", .free_bytes = 1LL << 40, .writable = true};
  EXPECT_TRUE(output_findings("h1", good).empty());
  const OutputPlace bad = {.path = "/out", .free_bytes = 5 << 20, .writable = false};
  const std::vector<Finding> findings = output_findings("h1", bad);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_PRED2(says, findings[0].text, "h1: /out can't be written to");
  EXPECT_PRED2(says, findings[1].text, "h1: only 5 MiB are free in /out");
}

TEST(Tournament, EveryoneMeetsEveryoneOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 7U, 8U}) {
    std::vector<std::pair<std::size_t, std::size_t>> met;
    for (const auto& round : tournament(count, 100)) {
      std::vector<std::size_t> busy;
      for (const auto& pair : round) {
        met.push_back(pair);
        busy.insert(busy.end(), {pair.first, pair.second});
      }
      std::ranges::sort(busy);
      EXPECT_EQ(std::ranges::adjacent_find(busy), busy.end()) << "twice in a round of " << count;
    }
    std::ranges::sort(met);
    EXPECT_EQ(std::ranges::adjacent_find(met), met.end());
    EXPECT_EQ(met.size(), count == 0 ? 0 : count * (count - 1) / 2);
  }
  EXPECT_EQ(tournament(8, 3).size(), 3U);
}

}  // namespace
}  // namespace tandem
