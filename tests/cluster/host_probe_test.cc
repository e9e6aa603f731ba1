#include "cluster/host_probe.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "cluster/host_names.h"
#include "cluster/process.h"
#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;

TEST(HostProbe, ReadsAReportWithOtherLinesBetween) {
  const HostReport report = parse_report(
      "Welcome to h2!\n"
      "tandem-probe program /usr/bin/tandem\n"
      "tandem-probe version 0.1.0\n"
      "tandem-probe cores 16\n"
      "tandem-probe daemon /usr/bin/orted\n"
      "tandem-probe addresses [{\"ifname\":\"eth0\",\"addr_info\":[{\"local\":\"10.0.0.2\","
      "\"prefixlen\":24}]}]\n"
      "tandem-probe route:10.0.0.1 "
      "[{\"dst\":\"10.0.0.1\",\"dev\":\"eth0\",\"prefsrc\":\"10.0.0.2\"}]\n"
      "tandem-probe route:10.9.9.9 \n"
      "tandem-probe something-new 1\n",
      "h2");
  EXPECT_EQ(report.program, "/usr/bin/tandem");
  EXPECT_EQ(report.version, "0.1.0");
  EXPECT_EQ(report.cores, 16);
  EXPECT_TRUE(report.has_daemon);
  EXPECT_EQ(report.addresses, (std::vector<InterfaceAddress>{{"eth0", "10.0.0.2", 24}}));
  ASSERT_EQ(report.routes.size(), 1u);
  EXPECT_EQ(report.routes[0].first, "10.0.0.1");
  EXPECT_EQ(report.routes[0].second, (Route{"eth0", "10.0.0.2"}));
}

TEST(HostProbe, AnEmptyReportSaysNothing) {
  const HostReport report = parse_report("tandem-probe program \ntandem-probe addresses \n", "h2");
  EXPECT_EQ(report.program, "");
  EXPECT_EQ(report.cores, 0);
  EXPECT_FALSE(report.has_daemon);
  EXPECT_TRUE(report.addresses.empty());
}

TEST(HostProbe, NamesTheHostOfAReportThatIsBroken) {
  const auto failed = failure_of([] { parse_report("tandem-probe addresses [{\n", "h2"); });
  EXPECT_EQ(failed.code, ExitCode::kMachine);
  EXPECT_TRUE(failed.message.starts_with("h2: `ip -json address`")) << failed.message;
}

TEST(HostProbe, TheCommandReportsOnTheHostWhereItRuns) {
  const testing::TemporaryDirectory directory;
  const auto program = directory.write(
      "my tandem", "#!/bin/sh\ncase $1 in --version) echo 9.8.7;; bench) echo 3;; esac\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const ProbeQuestion question{
      .program = program.string(), .daemon = "/bin/sh", .peers = {"127.0.0.1"}};
  const ProcessResult result = run_one({.words = probe_words(question)}, std::chrono::minutes(1));
  ASSERT_TRUE(result.succeeded()) << result.err;
  const HostReport report = parse_report(result.out, "here");
  EXPECT_EQ(report.program, program.string());
  EXPECT_EQ(report.version, "9.8.7");
  EXPECT_EQ(report.cores, 3);
  EXPECT_TRUE(report.has_daemon);
}

TEST(HostNames, TakesAddressesAsTheyAre) {
  const std::vector<std::string> names = {"10.1.2.3", "fd00::1"};
  const auto resolved = resolve_names(names, std::chrono::minutes(1));
  EXPECT_EQ(resolved[0].address, "10.1.2.3");
  EXPECT_EQ(resolved[1].address, "fd00::1");
}

TEST(HostNames, SaysWhichLineLeadsToTheLoopback) {
  const std::vector<NamedAddress> names = {
      {"h1", "127.0.1.1", ""}, {"h2", "10.0.0.2", ""}, {"h3", "127.0.0.1", ""}};
  EXPECT_EQ(loopback_problems(names, "127.0.0.1 localhost\n127.0.1.1 h1\n10.0.0.2 h2\n"),
            (std::vector<std::string>{
                "h1: leads to 127.0.1.1, where every host finds itself; write its address in the "
                "network in line 2 of /etc/hosts",
                "h3: leads to 127.0.0.1, where every host finds itself; write its address in the "
                "network in the hostfile or the name server"}));
}

TEST(HostNames, FindsTwoNamesOfOneHost) {
  const std::vector<NamedAddress> names = {
      {"h1", "10.0.0.1", ""}, {"h2", "10.0.0.2", ""}, {"h1.example", "10.0.0.1", ""}};
  EXPECT_EQ(
      same_address_problems(names),
      (std::vector<std::string>{
          "h1.example: is the same host as h1 (10.0.0.1); leave one name in the hostfile, and "
          "use --ppn for several processes on a host"}));
}

}  // namespace
}  // namespace tandem
