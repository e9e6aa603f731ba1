#include "cluster/machine_facts.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MachineFacts, ReadsTheInstructionsThatMatter) {
  EXPECT_EQ(instructions_of("processor\t: 0\nflags\t\t: fpu sse2 avx2 fma avx512f amx_tile\n"
                            "vmx flags\t: x\nprocessor\t: 1\nflags\t\t: avx512_bf16\n"),
            (std::vector<std::string>{"avx2", "fma", "avx512f", "amx_tile"}));
  EXPECT_TRUE(instructions_of("processor\t: 0\nflags\t\t: xavx2 avx2x\n").empty());
  EXPECT_TRUE(instructions_of("").empty());
}

TEST(MachineFacts, ReadsTheWordInBrackets) {
  EXPECT_EQ(chosen_word("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen_word("always madvise never"), "");
  EXPECT_EQ(chosen_word("] never ["), "");
}

TEST(MachineFacts, AnswersComeBackAsTheyWereSent) {
  const testing::TemporaryDirectory directory;
  MachineFacts facts = gather_facts(directory.path() / "not" / "there", "token");
  facts.version = "0.1.0";
  facts.kernels = {"avx2", "reference"};
  facts.gflops = 12.5;
  facts.mpis = {{"Open MPI", "4.1.4", "/usr/bin/mpirun", true}};
  facts.link_mbits = {{"eth0", 1000}};
  facts.unix_seconds = 1.5e9;
  const nlohmann::json json = json_of(facts);
  EXPECT_EQ(json_of(facts_of(json, "h1")), json);
  EXPECT_GT(facts.memory_bytes, 0);
  EXPECT_GT(facts.cores, 0);
  EXPECT_EQ(facts.output.path, directory.path().string());
  EXPECT_TRUE(facts.output.writable);
  EXPECT_FALSE(facts.output.has_token);
}

TEST(MachineFacts, AnAnswerOfAnotherKindNamesItsHost) {
  EXPECT_PRED2(says, testing::failure_of([] { facts_of(nlohmann::json::object(), "h1"); }).message,
               "h1: ");
}

}  // namespace
}  // namespace tandem
