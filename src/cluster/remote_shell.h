#pragma once
// Commands on other hosts by ssh, never asking anything and never with its host-key checks off.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/process.h"

namespace tandem {

// `word` such that a POSIX shell takes it as one word, meaning itself.
std::string quoted_for_shell(std::string_view word);

// All of them, with spaces between: to be pasted into a shell, or given to a remote one.
std::string shell_line(std::span<const std::string> words);

// ssh's argument vector that runs `command` on `host`, and gives up the connection after
// `connect_seconds`. `host` has been read by parse_hostfile, so that it is no option.
std::vector<std::string> ssh_words(const std::string& host, int connect_seconds,
                                   std::span<const std::string> command);

// What was wrong when such a process didn't succeed, and what mends it: "h2: ssh: ...". ssh itself
// failing is exit code 255 and its last line of standard error (OpenSSH's wording); another exit
// code is the command's.
std::string ssh_failure(const std::string& host, const ProcessResult& result);

}  // namespace tandem
