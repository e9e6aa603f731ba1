#include "base/cgroup.h"

#include <string>

#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace tandem {
namespace {

class Cgroup : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) {
    directory_.write(name, content);
  }
  // The files of a group of version 1 or 2 with a memory limit.
  void write_memory_1(const std::string& group, const std::string& limit, const std::string& usage,
                      const std::string& statistics) {
    write("root/memory/" + group + "memory.limit_in_bytes", limit + "\n");
    write("root/memory/" + group + "memory.usage_in_bytes", usage + "\n");
    write("root/memory/" + group + "memory.stat", statistics);
  }
  void write_memory_2(const std::string& group, const std::string& limit, const std::string& usage,
                      const std::string& statistics) {
    write("root/" + group + "memory.max", limit + "\n");
    write("root/" + group + "memory.current", usage + "\n");
    write("root/" + group + "memory.stat", statistics);
  }
  void write_quota_1(const std::string& group, const std::string& quota) {
    write("root/cpu/" + group + "cpu.cfs_quota_us", quota + "\n");
    write("root/cpu/" + group + "cpu.cfs_period_us", "100000\n");
  }
  CgroupPlaces places() const {
    return {.process = directory_.path() / "process", .root = directory_.path() / "root"};
  }
  std::optional<double> quota() const { return cgroup_cpu_quota(places()); }
  std::optional<std::int64_t> memory() const { return cgroup_memory_left(places()); }

 private:
  testing::TemporaryDirectory directory_;
};

constexpr const char* kNestedProcess2 = "0::/slice/job\n";
constexpr const char* kNestedProcess1 =
    "9:name=systemd:/other\n"
    "4:memory:/slice/job\n"
    "3:cpuset:/other\n"
    "2:cpu,cpuacct:/slice/job\n"
    "0::/other\n";

TEST_F(Cgroup, LimitsNothingWhereNothingIsWritten) {
  EXPECT_EQ(quota(), std::nullopt);
  EXPECT_EQ(memory(), std::nullopt);
  write("process", kNestedProcess1);
  EXPECT_EQ(quota(), std::nullopt);
  EXPECT_EQ(memory(), std::nullopt);
}

TEST_F(Cgroup, Version2TakesTheSmallestQuotaOfTheProcesssGroups) {
  write("process", kNestedProcess2);
  write("root/other/cpu.max", "100000 100000\n");
  write("root/slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  write("root/slice/cpu.max", "600000 100000\n");
  EXPECT_EQ(quota(), 6.0);
  write("root/slice/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota(), 2.5);
  write("root/cpu.max", "200000 100000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(Cgroup, Version1TakesTheSmallestQuotaOfTheProcesssGroups) {
  write("process", kNestedProcess1);
  write_quota_1("other/", "100000");
  write_quota_1("slice/job/", "-1");
  EXPECT_EQ(quota(), std::nullopt);
  write_quota_1("slice/", "400000");
  EXPECT_EQ(quota(), 4.0);
  write_quota_1("slice/job/", "150000");
  EXPECT_EQ(quota(), 1.5);
  write_quota_1("", "50000");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(Cgroup, Version2TakesTheLeastMemoryLeft) {
  write("process", kNestedProcess2);
  write_memory_2("other/", "10", "5", "");
  write_memory_2("slice/job/", "max", "700", "inactive_file 100\n");
  EXPECT_EQ(memory(), std::nullopt);
  write_memory_2("slice/", "5000", "3000", "anon 1\ninactive_file 100\nactive_file 20\n");
  EXPECT_EQ(memory(), 2120);
  // A smaller limit of which more is left is not what the process will meet first.
  write_memory_2("slice/job/", "4000", "700", "");
  EXPECT_EQ(memory(), 2120);
  write_memory_2("slice/job/", "700", "900", "");
  EXPECT_EQ(memory(), 0);
}

TEST_F(Cgroup, Version1TakesTheLeastMemoryLeft) {
  write("process", kNestedProcess1);
  write_memory_1("other/", "10", "5", "");
  write_memory_1("", "9223372036854771712", "8000", "");
  write_memory_1("slice/", "5000", "3000",
                 "inactive_file 1\nactive_file 2\ntotal_inactive_file 100\ntotal_active_file 20\n");
  EXPECT_EQ(memory(), 2120);
  write_memory_1("slice/job/", "1000", "700", "total_inactive_file 50\n");
  EXPECT_EQ(memory(), 350);
}

TEST_F(Cgroup, ReadsTheRootWhereTheProcesssGroupIsNotToBeSeen) {
  write_quota_1("", "300000");
  write_memory_2("", "1000", "400", "");
  for (const char* process :
       {"", "2:cpu:/docker/1234\n0::/docker/1234\n", "2:cpu:/../..\n0::/../../job\n"}) {
    write("process", process);
    EXPECT_EQ(quota(), 3.0) << process;
    EXPECT_EQ(memory(), 600) << process;
  }
}

TEST_F(Cgroup, TakesTheSmallestOfBothVersions) {
  write("process", kNestedProcess1);
  write("root/other/cpu.max", "200000 100000\n");
  write_quota_1("slice/", "300000");
  EXPECT_EQ(quota(), 2.0);
  write_quota_1("slice/", "100000");
  EXPECT_EQ(quota(), 1.0);
}

}  // namespace
}  // namespace tandem
