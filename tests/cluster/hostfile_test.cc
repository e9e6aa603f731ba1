#include "cluster/hostfile.h"

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;

std::vector<Host> parse(std::string_view text) { return parse_hostfile(text, "hosts"); }

std::string failure(std::string_view text) {
  const auto failed = failure_of([&] { parse(text); });
  EXPECT_EQ(failed.code, ExitCode::kUsage) << text;
  return failed.message;
}

TEST(Hostfile, ReadsBothDialectsAndPlainNames) {
  const auto hosts = parse(
      "# the cluster\n\n"
      "h1 slots=2 max_slots=4\n"
      "\th2:3  # two words\r\n"
      "node-3.example.org\n"
      "10.0.0.4 slots = 1 max-slots = 1\n"
      "fd00::5");
  EXPECT_EQ(hosts, (std::vector<Host>{{.name = "h1", .slots = 2, .max_slots = 4, .line = 3},
                                      {.name = "h2", .slots = 3, .max_slots = {}, .line = 4},
                                      {"node-3.example.org", {}, {}, 5},
                                      {.name = "10.0.0.4", .slots = 1, .max_slots = 1, .line = 6},
                                      {"fd00::5", {}, {}, 7}}));
}

TEST(Hostfile, AHostThatComesAgainAddsItsSlots) {
  const auto hosts = parse("a\nb slots=2\na\nb\nb:3 max_slots=9\n");
  EXPECT_EQ(hosts, (std::vector<Host>{{.name = "a", .slots = 2, .max_slots = {}, .line = 1},
                                      {.name = "b", .slots = 6, .max_slots = 9, .line = 2}}));
}

TEST(Hostfile, SaysLineAndColumnOfWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"h1\nh2 slot=2",
       "hosts:2:4: expected slots=N, max_slots=N or the end of the line, found "
       "\"slot=2\""},
      {"h1 h2", "hosts:1:4: expected slots=N, max_slots=N or the end of the line, found \"h2\""},
      {"h1 slots", "hosts:1:9: expected = and a number, found nothing"},
      {"h1 slots 2", "hosts:1:10: expected = and a number, found \"2\""},
      {"h1 slots=", "hosts:1:10: expected a number of slots from 1 to 65536, found nothing"},
      {"h1 slots=two", "hosts:1:10: expected a number of slots from 1 to 65536, found \"two\""},
      {"h1 slots=0", "hosts:1:10: expected a number of slots from 1 to 65536, found \"0\""},
      {"h1 slots=-1", "hosts:1:10: expected a number of slots from 1 to 65536, found \"-1\""},
      {"h1 slots=2.5", "hosts:1:10: expected a number of slots from 1 to 65536, found \"2.5\""},
      {"h1 slots=99999999999",
       "hosts:1:10: expected a number of slots from 1 to 65536, found "
       "\"99999999999\""},
      {"h1 slots==2", "hosts:1:10: expected a number of slots from 1 to 65536, found \"=2\""},
      {"h1:", "hosts:1:4: expected a number of slots from 1 to 65536, found nothing"},
      {"h1:x", "hosts:1:4: expected a number of slots from 1 to 65536, found \"x\""},
      {"h1:2 slots=2", "hosts:1:6: expected each number once, found \"slots=2\""},
      {"h1 slots=3 max_slots=2", "hosts:1:22: expected no more slots than max_slots, found \"2\""},
      {":2", "hosts:1:1: expected a host name, found \":2\""},
      {"=2", "hosts:1:1: expected a host name, found \"=2\""},
      {"\n  \n  # x\n h1,h2",
       "hosts:4:4: expected a host name of letters, digits and ._-:, found "
       "\",h2\""},
      {"[fe80::1]:2",
       "hosts:1:1: expected a host name of letters, digits and ._-:, found "
       "\"[fe80::1]:2\""},
      {"ann@h1",
       "hosts:1:4: expected a host name alone (a user's name belongs in ~/.ssh/config), "
       "found \"@h1\""}};
  for (const auto& [text, message] : cases) EXPECT_EQ(failure(text), message);
}

TEST(Hostfile, RefusesNamesThatSshOrAShellWouldTakeForSomethingElse) {
  for (const char* name : {"-oProxyCommand=x",
                           "-l",
                           "--",
                           "a;b",
                           "a$(b)",
                           "a`b`",
                           "a'b",
                           "a\"b",
                           "a\\b",
                           "a|b",
                           "a&b",
                           "a>b",
                           "a*",
                           "~",
                           "a/b",
                           "a%b",
                           "a!b",
                           "\xC3\xA4",
                           "a\x01",
                           "a\x1B[2J"}) {
    const std::string message = failure(name);
    EXPECT_TRUE(message.starts_with("hosts:1:")) << message;
    EXPECT_NE(message.find("expected a host name"), std::string::npos) << message;
    for (const char c : message) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << message;
  }
  EXPECT_TRUE(failure(std::string_view("a\0b", 3)).starts_with("hosts:1:2: "));
}

TEST(Hostfile, RefusesNoHostAndTooMany) {
  for (const char* text : {"", "\n", "# h1\n  # h2"}) {
    EXPECT_EQ(failure(text),
              "hosts: there is no host in it; write a line for each, as `h1 slots=1`");
  }
  std::string many;
  for (int i = 1; i <= 401; ++i) many += fmt::format("h{}\n", i);
  EXPECT_EQ(failure(many), "hosts:401: expected at most 400 hosts, found another");
}

TEST(Hostfile, NamesThePathOfAFile) {
  const testing::TemporaryDirectory directory;
  const auto path = directory.write("hosts", "h1\nh2 slots=x\n");
  const auto failed = failure_of([&] { read_hostfile(path); });
  EXPECT_EQ(failed.code, ExitCode::kUsage);
  EXPECT_TRUE(failed.message.starts_with(path.string() + ":2:10: ")) << failed.message;
  const auto large = directory.write("large", std::string((1 << 20) + 1, '\n'));
  EXPECT_NE(failure_of([&] { read_hostfile(large); }).message.find("at most 1048576"),
            std::string::npos);
  EXPECT_NE(failure_of([&] { read_hostfile(directory.path() / "none"); }).message.find("no such"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
