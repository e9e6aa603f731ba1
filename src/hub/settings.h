#pragma once
// Where models come from and where they are kept: the settings of huggingface_hub, by the names of
// its environment variables (huggingface_hub 2.4, constants.py).

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tandem {

// The hub that is asked when HF_ENDPOINT names no other.
inline constexpr const char* kDefaultEndpoint = "https://huggingface.co";

struct HubSettings {
  std::string endpoint = kDefaultEndpoint;  // without a slash at the end
  std::string token;                        // empty: none
  std::filesystem::path cache;
  bool offline = false;
  bool symlinks = true;  // in the cache; copies otherwise
  bool progress = true;
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds stall_timeout{10};  // of an answer that comes too slowly
  int retries = 5;                         // in a row, without anything gained
  std::string certificates;                // a file of authorities; empty: the system's
  std::string user_agent = "tandem";
};

// The value of an environment variable, if it has one.
using Variables = std::function<std::optional<std::string>(const char* name)>;

// What the environment says: HF_HOME, HF_HUB_CACHE, HF_ENDPOINT, HF_TOKEN or the file
// HF_TOKEN_PATH, HF_HUB_OFFLINE or TRANSFORMERS_OFFLINE, HF_HUB_ETAG_TIMEOUT,
// HF_HUB_DOWNLOAD_TIMEOUT, HF_HUB_DISABLE_PROGRESS_BARS, HF_HUB_DISABLE_SYMLINKS,
// HF_HUB_DISABLE_IMPLICIT_TOKEN; the older HUGGINGFACE_HUB_CACHE and HUGGING_FACE_HUB_TOKEN;
// SSL_CERT_FILE, REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE. An empty variable is as good as none. Throws
// UsageError for values that mean nothing.
HubSettings hub_settings(const Variables& variables);

// Throws UsageError when a token has characters that no token has: they would end up in a header.
std::string checked_token(const std::string& token, const std::string& source);

}  // namespace tandem
