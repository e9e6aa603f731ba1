#include "base/cpu.h"

#include <string>

#include <gtest/gtest.h>
#include <sched.h>

#include "support/temporary_directory.h"

namespace tandem {
namespace {

TEST(Cpu, ListsCoresThatThisThreadMayUse) {
  const CpuLimits limits = cpu_limits();
  ASSERT_GE(limits.physical_cores(), 1);
  EXPECT_LE(limits.physical_cores(), limits.affinity_threads);
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  EXPECT_EQ(limits.affinity_threads, CPU_COUNT(&allowed));
  int cpus = 0;
  for (const CpuCore& core : limits.cores) {
    for (const int cpu : core.cpus) {
      EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) << cpu;
      ++cpus;
    }
  }
  EXPECT_EQ(cpus, limits.affinity_threads);
}

// Two packages of two cores of two hardware threads, numbered as many servers do: the packages in
// turn, then all second hardware threads.
class TwoPackages : public ::testing::Test {
 protected:
  TwoPackages() {
    for (int cpu = 0; cpu < 8; ++cpu) {
      const std::string topology = "cpu" + std::to_string(cpu) + "/topology/";
      const int first = cpu % 4;
      directory_.write(topology + "thread_siblings_list",
                       std::to_string(first) + "," + std::to_string(first + 4) + "\n");
      directory_.write(topology + "physical_package_id", std::to_string(cpu % 2) + "\n");
    }
  }
  std::vector<CpuCore> cores(const std::vector<int>& cpus) const {
    return cores_of(cpus, directory_.path());
  }

 private:
  testing::TemporaryDirectory directory_;
};

TEST_F(TwoPackages, GivesTheCpusOfEachCoreThePackagesOneAfterTheOther) {
  EXPECT_EQ(cores({0, 1, 2, 3, 4, 5, 6, 7}),
            (std::vector<CpuCore>{{{0, 4}, 0}, {{2, 6}, 0}, {{1, 5}, 1}, {{3, 7}, 1}}));
}

TEST_F(TwoPackages, LeavesOutTheCpusThatAreNotAllowed) {
  EXPECT_EQ(cores({1, 2, 4, 6, 7}),
            (std::vector<CpuCore>{{{2, 6}, 0}, {{4}, 0}, {{1}, 1}, {{7}, 1}}));
}

TEST_F(TwoPackages, TakesCpusThatAreNotDescribedAsCores) {
  EXPECT_EQ(cores({3, 100, 101}), (std::vector<CpuCore>{{{100}, 0}, {{101}, 0}, {{3}, 1}}));
}

using CpuLists = std::vector<std::vector<int>>;

// Two jobs on one machine may then share each core's hardware threads.
TEST(CpusToPin, AreThoseOfAllCoresOrNone) {
  const CpuLimits limits = {.affinity_threads = 7,
                            .cores = {{{0, 4}, 0}, {{2, 6}, 0}, {{1, 5}, 1}, {{3}, 1}}};
  EXPECT_EQ(limits.cpus_to_pin(4), (CpuLists{{0, 4}, {2, 6}, {1, 5}, {3}}));
  for (const int threads : {1, 2, 3, 5, 8}) EXPECT_TRUE(limits.cpus_to_pin(threads).empty());
}

TEST(CpusToPin, AreNoneWhereAQuotaIsBelowTheCores) {
  CpuLimits limits = {.affinity_threads = 4, .cores = {{{0, 2}, 0}, {{1, 3}, 0}}};
  for (const double quota : {0.5, 1.0, 1.5}) {
    limits.cgroup_cpus = quota;
    EXPECT_TRUE(limits.cpus_to_pin(1).empty()) << quota;
    EXPECT_TRUE(limits.cpus_to_pin(2).empty()) << quota;
  }
  for (const double quota : {0.0, 2.0, 3.0}) {
    limits.cgroup_cpus = quota;
    EXPECT_EQ(limits.cpus_to_pin(2), (CpuLists{{0, 2}, {1, 3}})) << quota;
  }
}

TEST(CpusToPin, AreNoneWhereNoCpuIsWorseThanAnother) {
  const std::vector<CpuCore> cores = {{{0}, 0}, {{1}, 0}};
  EXPECT_TRUE((CpuLimits{.affinity_threads = 2, .cores = cores}).cpus_to_pin(2).empty());
  EXPECT_FALSE((CpuLimits{.affinity_threads = 4, .cores = cores}).cpus_to_pin(2).empty());
  EXPECT_TRUE((CpuLimits{.affinity_threads = 1, .cores = {{{5}, 0}}}).cpus_to_pin(1).empty());
}

TEST(UsableCores, AreRoundedUpFromTheQuota) {
  const std::vector<CpuCore> four(4);
  EXPECT_EQ((CpuLimits{.cores = four}).usable_cores(), 4);
  EXPECT_EQ((CpuLimits{.cores = four, .cgroup_cpus = 1.5}).usable_cores(), 2);
  EXPECT_EQ((CpuLimits{.cores = four, .cgroup_cpus = 9}).usable_cores(), 4);
}

std::vector<CpuCore> cores(int first, int count) {
  std::vector<CpuCore> result;
  for (int cpu = first; cpu < first + count; ++cpu) result.push_back({{cpu}, 0});
  return result;
}

TEST(ShareOfCores, OfAMaskThatAllShareIsAPart) {
  const std::vector<CpuCore> all = cores(0, 8);
  EXPECT_EQ(share_of_cores(all, all, 0, 1).cores, all);
  EXPECT_EQ(share_of_cores(all, all, 0, 2).cores, cores(0, 4));
  EXPECT_EQ(share_of_cores(all, all, 1, 2).cores, cores(4, 4));
  EXPECT_EQ(share_of_cores(all, all, 2, 3).cores, cores(5, 3));
  EXPECT_FALSE(share_of_cores(all, all, 1, 2).widened);
}

TEST(ShareOfCores, OfAMaskOfItsOwnIsTheMask) {
  const CoreShare share = share_of_cores(cores(4, 4), cores(0, 8), 1, 2);
  EXPECT_EQ(share.cores, cores(4, 4));
  EXPECT_FALSE(share.widened);
}

TEST(ShareOfCores, OfAMaskThatALauncherMadeTooSmallIsAPartOfTheMachine) {
  const CoreShare alone = share_of_cores(cores(3, 1), cores(0, 8), 0, 1);
  EXPECT_EQ(alone.cores, cores(0, 8));
  EXPECT_TRUE(alone.widened);
  EXPECT_EQ(share_of_cores(cores(3, 1), cores(0, 8), 1, 2).cores, cores(4, 4));
}

TEST(ShareOfCores, OfMoreProcessesThanCoresIsAllOfThem) {
  EXPECT_EQ(share_of_cores(cores(0, 2), cores(0, 2), 2, 3).cores, cores(0, 2));
}

}  // namespace
}  // namespace tandem
