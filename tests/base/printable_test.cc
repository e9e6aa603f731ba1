#include "base/printable.h"

#include <vector>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Printable, HasNoControlCharactersAndIsShort) {
  EXPECT_EQ(printable("a\x1b[31m\n\xff \u00e9\u009b"), "a\\x1b[31m\\x0a\\xff \u00e9\\xc2\\x9b");
  EXPECT_EQ(printable(std::string(1000, 'x'), 5), "xxxxx...");
}

TEST(Printable, QuotesOneNameOrSeveral) {
  EXPECT_EQ(in_quotes("a\tb"), "\"a\\x09b\"");
  const std::vector<std::string> names = {"one", "two", "three"};
  EXPECT_EQ(list_in_quotes(names, 2), "\"one\", \"two\" and 1 more");
}

}  // namespace
}  // namespace tandem
