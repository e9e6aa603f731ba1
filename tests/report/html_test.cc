#include "report/html.h"

#include <cmath>

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Html, EscapesMarkupAndControlCharacters) {
  EXPECT_EQ(html_escaped("<b a=\"1\" b='2'>&\t\x01\x7f</b>"),
            "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;   &lt;/b&gt;");
}

TEST(Html, ShortensBetweenCharacters) {
  EXPECT_EQ(html_shortened("<ab>", 4), "&lt;ab&gt;");
  EXPECT_EQ(html_shortened("abcde", 4), "abcd…");
  // é and 漢 have two and three bytes.
  EXPECT_EQ(html_shortened("abcé", 4), "abc…");
  EXPECT_EQ(html_shortened("ab漢", 4), "ab…");
  EXPECT_EQ(html_shortened("a漢b", 4), "a漢…");
  // What isn't UTF-8 at all has no beginnings of characters.
  EXPECT_EQ(html_shortened("\x80\x80\x80", 2), "…");
}

TEST(Html, ATableMarksItsBestRow) {
  const HtmlTable table{
      .columns = {{"a"}, {"b", "text"}}, .rows = {{"1", "x"}, {"2", "y"}}, .best = 1};
  EXPECT_EQ(
      table.html(),
      "<div class=\"wide\"><table>\n<tr><th>a</th><th class=\"text\" dir=\"auto\">b</th></tr>\n"
      "<tr><td>1</td><td class=\"text\" dir=\"auto\">x</td></tr>\n"
      "<tr class=\"best\"><td>2</td><td class=\"text\" dir=\"auto\">y</td></tr>\n"
      "</table></div>\n");
}

TEST(Html, ATableWithoutHeadingsHasNoRowForThem) {
  const HtmlTable table{.columns = {{""}, {""}}, .rows = {{"1", "2"}}};
  EXPECT_EQ(table.html().find("<th"), std::string::npos);
}

TEST(Html, ANumberThatIsNoneIsADash) {
  EXPECT_EQ(html_number(0.84123), "0.8412");
  EXPECT_EQ(html_number(3, 0), "3");
  EXPECT_EQ(html_number(NAN), "–");
  EXPECT_EQ(html_number(-INFINITY), "–");
}

TEST(Html, APagesTitleIsPlainText) {
  const std::string page = html_page("<i>", "<p>x</p>");
  EXPECT_TRUE(page.starts_with("<!doctype html>\n"));
  EXPECT_NE(page.find("<title>&lt;i&gt;</title>"), page.npos);
  EXPECT_NE(page.find("<h1>&lt;i&gt;</h1>\n<p>x</p></body>"), page.npos);
}

}  // namespace
}  // namespace tandem
