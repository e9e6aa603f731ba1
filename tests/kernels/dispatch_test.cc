#include "kernels/dispatch.h"

#include <gtest/gtest.h>

#include "support/error_message.h"

namespace tandem {
namespace {

TEST(Dispatch, AutoIsTheBestUsableAndReferenceTheLast) {
  const auto usable = kernels::usable_tables();
  ASSERT_FALSE(usable.empty());
  EXPECT_STREQ(usable.back()->name, "reference");
  EXPECT_EQ(&kernels::choose_table("auto"), usable.front());
  for (const kernels::Table* table : usable) {
    EXPECT_EQ(&kernels::choose_table(table->name), table);
  }
}

TEST(Dispatch, AnUnknownNameSaysWhatIsUsable) {
  const auto failure = testing::failure_of([] { kernels::choose_table("sse9"); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  EXPECT_NE(failure.message.find("--kernels=sse9: there is no such kernel set; usable here: auto"),
            std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("reference"), std::string::npos);
}

}  // namespace
}  // namespace tandem
