#include "hub/url.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Origin, IsSchemeHostAndPort) {
  EXPECT_EQ(origin_of("https://Hub.example/a?b"), (Origin{"https", "hub.example", "443"}));
  EXPECT_EQ(origin_of("https://hub.example:443/"), origin_of("https://hub.example"));
  EXPECT_NE(origin_of("https://hub.example:8443"), origin_of("https://hub.example"));
  EXPECT_NE(origin_of("http://hub.example"), origin_of("https://hub.example"));
  EXPECT_NE(origin_of("https://hub.example.evil.example"), origin_of("https://hub.example"));
}

TEST(Origin, NothingButHttpHasOne) {
  for (const char* url : {"", "hub.example", "file:///etc/passwd", "ftp://hub.example", "https://",
                          "/relative", "https://hub.example@evil.example/"}) {
    EXPECT_FALSE(origin_of(url)) << url;
  }
}

TEST(Location, IsResolvedAgainstThePage) {
  const auto location = [](const std::string& text) {
    return resolved_location("https://hub.example/a/b?c", text).value_or("none");
  };
  EXPECT_EQ(location("/x"), "https://hub.example/x");
  EXPECT_EQ(location("x"), "https://hub.example/a/x");
  EXPECT_EQ(location("https://store.example/x?signature=1"), "https://store.example/x?signature=1");
  EXPECT_EQ(location("//store.example/x"), "https://store.example/x");
}

TEST(PercentEncoded, KeepsOnlyWhatMeansNothingInAnAddress) {
  EXPECT_EQ(percent_encoded("refs/pr/1"), "refs%2Fpr%2F1");
  EXPECT_EQ(percent_encoded("a-b_c.d~e 1%"), "a-b_c.d~e%201%25");
  EXPECT_EQ(percent_encoded(""), "");
}

TEST(WithoutQuery, HidesSignatures) {
  EXPECT_EQ(without_query("https://store.example/x?signature=1"), "https://store.example/x");
  EXPECT_EQ(without_query("https://store.example/x"), "https://store.example/x");
}

}  // namespace
}  // namespace tandem
