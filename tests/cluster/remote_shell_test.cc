#include "cluster/remote_shell.h"

#include <cerrno>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using End = ProcessResult::End;

TEST(RemoteShell, QuotesWhatAShellWouldTakeForSomethingElse) {
  EXPECT_EQ(quoted_for_shell("/usr/bin/a-b_c.d"), "/usr/bin/a-b_c.d");
  EXPECT_EQ(quoted_for_shell("--lr=5e-05"), "--lr=5e-05");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(quoted_for_shell("=ls"), "'=ls'");
  EXPECT_EQ(quoted_for_shell("a b"), "'a b'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell("'"), "''\\'''");
  for (const char* word :
       {"$HOME", "`id`", "a;b", "a|b", "~",  "*",  "?",    "[a]", "{a,b}", "!x",      "#x",
        "a&",    "(a)",  "<a",  ">a",  "\"", "\\", "a\nb", "\t",  "^a",    "\xC3\xA4"}) {
    EXPECT_EQ(quoted_for_shell(word), fmt::format("'{}'", word));
  }
}

TEST(RemoteShell, AShellReadsBackWhatWasQuoted) {
  const std::vector<std::string> words = {
      "printf", "%s|", "it's", "$HOME `id` \\ \"x\"", "", "a\nb", "*", "-- x#", "\xC3\xA4"};
  const ProcessResult result =
      run_one({.words = {"sh", "-c", shell_line(words)}}, std::chrono::minutes(1));
  EXPECT_EQ(result.out, "it's|$HOME `id` \\ \"x\"||a\nb|*|-- x#|\xC3\xA4|");
}

TEST(RemoteShell, SshNeverAsksAndTheCommandIsOneWord) {
  EXPECT_EQ(ssh_words("h2", 8, std::vector<std::string>{"sh", "-c", "echo 'x'"}),
            (std::vector<std::string>{"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "h2",
                                      "--", "sh -c 'echo '\\''x'\\'''"}));
}

std::string failure(int code, const std::string& err) {
  return ssh_failure("h2", {.end = End::kExited, .code = code, .out = "", .err = err});
}

TEST(RemoteShell, TellsSshsFailuresApart) {
  const std::pair<const char*, const char*> cases[] = {
      {"Host key verification failed.\r\n",
       "h2: ssh: its host key is not known here; `ssh h2 true` shows its fingerprint to compare, "
       "and "
       "keeps it (ssh says: Host key verification failed.)"},
      {"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nOffending ECDSA key in x:1\r\n"
       "Host key verification failed.\r\n",
       "h2: ssh: its host key is another than before, so another machine may be in its place; if "
       "you "
       "know why, `ssh-keygen -R h2`, then `ssh h2 true` and compare the fingerprint (ssh says: "
       "Host "
       "key verification failed.)"},
      {"ssh: connect to host h2 port 22: Connection refused\r\n",
       "h2: ssh: nothing answers at its ssh port; `sudo systemctl start ssh` on h2 starts the "
       "server "
       "(ssh says: ssh: connect to host h2 port 22: Connection refused)"},
      {"ssh: connect to host h2 port 22: Connection timed out\r\n",
       "h2: ssh: it doesn't answer; check that it is up and no firewall drops ssh: `ssh -v h2` "
       "(ssh "
       "says: ssh: connect to host h2 port 22: Connection timed out)"},
      {"ann@h2: Permission denied (publickey).\r\n",
       "h2: ssh: no key of yours is accepted there; `ssh-copy-id h2` installs one (ssh says: "
       "ann@h2: "
       "Permission denied (publickey).)"},
      {"ssh: connect to host h2 port 22: No route to host\r\n",
       "h2: ssh: no way leads to it; check that it is up and its address: `ping h2` (ssh says: "
       "ssh: "
       "connect to host h2 port 22: No route to host)"},
      {"ssh: Could not resolve hostname h2: Name or service not known\r\n",
       "h2: ssh: ssh doesn't know the name; add it to /etc/hosts: `getent hosts h2` must show it "
       "(ssh "
       "says: ssh: Could not resolve hostname h2: Name or service not known)"},
      {"Bad owner or permissions on /root/.ssh/config\n",
       "h2: ssh: Bad owner or permissions on /root/.ssh/config; `ssh -v h2 true` says more"},
      {"", "h2: ssh: failed without a word; `ssh -v h2 true` says more"}};
  for (const auto& [err, message] : cases) EXPECT_EQ(failure(255, err), message);
}

TEST(RemoteShell, TellsWhatIsNotSshsFault) {
  EXPECT_EQ(
      failure(127, "bash: sh: command not found\n"),
      "h2: its shell fails with exit code 127: bash: sh: command not found; `ssh h2 true` must "
      "end with 0");
  EXPECT_EQ(ssh_failure("h2", {.end = End::kTimedOut, .code = 0, .out = "", .err = ""}),
            "h2: ssh: no answer in time; `ssh -v h2 true` shows where it stands still");
  EXPECT_EQ(ssh_failure("h2", {.end = End::kNotStarted, .code = ENOENT, .out = "", .err = ""}),
            "h2: ssh cannot be started here: no such file or directory; `sudo apt install "
            "openssh-client`");
  EXPECT_NE(failure(255, "\x1B[2Jx\n").find("\\x1b[2Jx"), std::string::npos);
}

}  // namespace
}  // namespace tandem
