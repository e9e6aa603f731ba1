#include "hub/settings.h"

#include <map>

#include <gtest/gtest.h>

#include "support/error_message.h"
#include "support/temporary_directory.h"

namespace tandem {
namespace {

using testing::failure_of;
using testing::TemporaryDirectory;

HubSettings settings_of(std::map<std::string, std::string> variables) {
  return hub_settings([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

std::string usage_failure(const std::map<std::string, std::string>& variables) {
  const auto failure = failure_of([&] { settings_of(variables); });
  EXPECT_EQ(failure.code, ExitCode::kUsage);
  return failure.message;
}

TEST(HubSettings, AreThoseOfHuggingfaceHubWhenNothingIsSet) {
  const HubSettings settings = settings_of({{"HOME", "/home/me"}});
  EXPECT_EQ(settings.cache, "/home/me/.cache/huggingface/hub");
  EXPECT_EQ(settings.endpoint, kDefaultEndpoint);
  EXPECT_EQ(settings.token, "");
  EXPECT_FALSE(settings.offline);
  EXPECT_TRUE(settings.symlinks);
  EXPECT_EQ(settings.connect_timeout, std::chrono::seconds(10));
  EXPECT_EQ(settings.stall_timeout, std::chrono::seconds(10));
}

TEST(HubSettings, TheNearestVariableNamesTheCache) {
  const auto cache = [](std::map<std::string, std::string> variables) {
    variables.emplace("HOME", "/home/me");
    return settings_of(variables).cache;
  };
  EXPECT_EQ(cache({{"XDG_CACHE_HOME", "/x"}}), "/x/huggingface/hub");
  EXPECT_EQ(cache({{"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "/h"}}), "/h/hub");
  EXPECT_EQ(cache({{"HF_HOME", "/h"}, {"HUGGINGFACE_HUB_CACHE", "/old"}}), "/old");
  EXPECT_EQ(cache({{"HUGGINGFACE_HUB_CACHE", "/old"}, {"HF_HUB_CACHE", "/new"}}), "/new");
  EXPECT_EQ(cache({{"HF_HUB_CACHE", ""}}), "/home/me/.cache/huggingface/hub");
}

TEST(HubSettings, PathsAreExpandedAsPythonDoes) {
  const auto cache = [](const std::string& value) {
    return settings_of({{"HOME", "/home/me"}, {"DISK", "/d"}, {"HF_HUB_CACHE", value}}).cache;
  };
  EXPECT_EQ(cache("~/hub"), "/home/me/hub");
  EXPECT_EQ(cache("$DISK/hub"), "/d/hub");
  EXPECT_EQ(cache("${DISK}2/hub"), "/d2/hub");
  EXPECT_EQ(cache("/a/$NONE/$"), "/a/$NONE/$");
  EXPECT_EQ(cache("/a/${DISK"), "/a/${DISK");
}

TEST(HubSettings, TheTokenComesFromAVariableOrAFile) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("token", "  hf_file\r\n").string();
  EXPECT_EQ(settings_of({{"HF_HOME", directory.path().string()}}).token, "hf_file");
  EXPECT_EQ(settings_of({{"HF_TOKEN_PATH", file}}).token, "hf_file");
  EXPECT_EQ(settings_of({{"HF_TOKEN_PATH", file}, {"HF_TOKEN", "hf_new"}}).token, "hf_new");
  EXPECT_EQ(settings_of({{"HUGGING_FACE_HUB_TOKEN", "hf_old"}}).token, "hf_old");
  EXPECT_EQ(settings_of({{"HF_TOKEN", "hf"}, {"HF_HUB_DISABLE_IMPLICIT_TOKEN", "1"}}).token, "");
}

TEST(HubSettings, ATokenThatWouldBecomeTwoHeadersIsRefused) {
  EXPECT_EQ(usage_failure({{"HF_TOKEN", "hf_a\tb"}}),
            "HF_TOKEN: a token has letters, digits and signs alone, no blanks");
}

TEST(HubSettings, OnlyFourWordsMeanYes) {
  for (const char* word : {"1", "on", "Yes", "TRUE"}) {
    EXPECT_TRUE(settings_of({{"HF_HUB_OFFLINE", word}}).offline) << word;
  }
  EXPECT_TRUE(settings_of({{"TRANSFORMERS_OFFLINE", "1"}}).offline);
  for (const char* word : {"0", "no", "2", "y"}) {
    EXPECT_FALSE(settings_of({{"HF_HUB_OFFLINE", word}}).offline) << word;
  }
}

TEST(HubSettings, EndpointsAreHttpAddresses) {
  EXPECT_EQ(settings_of({{"HF_ENDPOINT", "https://mirror.example:8443/hub//"}}).endpoint,
            "https://mirror.example:8443/hub");
  for (const char* endpoint : {"mirror.example", "file:///etc", "ftp://a.example", "http://",
                               "https://name:password@a.example"}) {
    EXPECT_EQ(usage_failure({{"HF_ENDPOINT", endpoint}}),
              std::string("HF_ENDPOINT=") + endpoint +
                  ": expected an address that begins with http:// or https://");
  }
}

TEST(HubSettings, TimeoutsAreSeconds) {
  EXPECT_EQ(settings_of({{"HF_HUB_DOWNLOAD_TIMEOUT", "30"}}).stall_timeout,
            std::chrono::seconds(30));
  EXPECT_EQ(settings_of({{"HF_HUB_ETAG_TIMEOUT", "3"}}).connect_timeout, std::chrono::seconds(3));
  for (const char* value : {"0", "-1", "ten", "1.5", "99999999999"}) {
    EXPECT_EQ(usage_failure({{"HF_HUB_ETAG_TIMEOUT", value}}),
              std::string("HF_HUB_ETAG_TIMEOUT=") + value +
                  ": expected a whole number of seconds, 1 to 86400");
  }
}

}  // namespace
}  // namespace tandem
