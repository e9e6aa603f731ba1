#include "hub/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <initializer_list>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "hub/url.h"

namespace tandem {
namespace {

constexpr std::int64_t kMaxTokenFileBytes = 1 << 16;

// The environment, with what several settings have in common.
class Environment {
 public:
  explicit Environment(const Variables& variables) : variables_(variables) {}

  // The first of these that is set.
  std::optional<std::string> first(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      std::optional<std::string> value = variables_(name);
      if (value && !value->empty()) return value;
    }
    return std::nullopt;
  }

  // As huggingface_hub understands it: any other value is no.
  bool yes(std::initializer_list<const char*> names) const {
    std::string value = first(names).value_or("");
    std::ranges::transform(value, value.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    constexpr std::array<const char*, 4> kTrue{"1", "ON", "YES", "TRUE"};
    return std::ranges::find(kTrue, value) != kTrue.end();
  }

  std::chrono::seconds seconds(const char* name, std::chrono::seconds usual) const {
    const std::optional<std::string> value = first({name});
    if (!value) return usual;
    constexpr int kLongest = 24 * 3600;
    int number = 0;
    const char* const end = value->data() + value->size();
    const auto [stop, error] = std::from_chars(value->data(), end, number);
    if (error != std::errc() || stop != end || number < 1 || number > kLongest) {
      throw UsageError("{}={}: expected a whole number of seconds, 1 to {}", name,
                       printable(*value), kLongest);
    }
    return std::chrono::seconds(number);
  }

  std::optional<std::filesystem::path> path(std::initializer_list<const char*> names) const {
    const std::optional<std::string> value = first(names);
    if (!value) return std::nullopt;
    return expanded(*value);
  }

  std::filesystem::path home() const { return first({"HOME"}).value_or("."); }

 private:
  // A leading ~ and $NAME or ${NAME}, as Python's expanduser and expandvars; what has no value
  // stays as it is.
  std::filesystem::path expanded(std::string text) const {
    if (text == "~" || text.starts_with("~/")) text.replace(0, 1, home().string());
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t length = text[i] == '$' ? variable_length(text, i) : 0;
      const bool braced = length > 0 && text[i + 1] == '{';
      const std::string name =
          braced ? text.substr(i + 2, length - 3) : text.substr(i + 1, length > 0 ? length - 1 : 0);
      const std::optional<std::string> value =
          name.empty() ? std::nullopt : variables_(name.c_str());
      const std::size_t taken = std::max<std::size_t>(length, 1);
      result += value ? *value : text.substr(i, taken);
      i += taken;
    }
    return result;
  }

  // Of "$NAME" or "${NAME}" at `begin`; 0 when it is neither.
  static std::size_t variable_length(const std::string& text, std::size_t begin) {
    const bool braced = text.compare(begin, 2, "${") == 0;
    std::size_t end = begin + (braced ? 2 : 1);
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      ++end;
    }
    if (braced) return end < text.size() && text[end] == '}' ? end + 1 - begin : 0;
    return end - begin > 1 ? end - begin : 0;
  }

  const Variables& variables_;
};

std::string trimmed(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string token_of(const Environment& environment, const std::filesystem::path& hub_home) {
  if (environment.yes({"HF_HUB_DISABLE_IMPLICIT_TOKEN"})) return "";
  for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}) {
    const std::string token = trimmed(environment.first({name}).value_or(""));
    if (!token.empty()) return checked_token(token, name);
  }
  const std::filesystem::path file =
      environment.path({"HF_TOKEN_PATH"}).value_or(hub_home / "token");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return "";
  return checked_token(trimmed(read_file(file, ExitCode::kUsage, kMaxTokenFileBytes)),
                       file.string());
}

std::string endpoint_of(const Environment& environment) {
  const std::string stated = environment.first({"HF_ENDPOINT"}).value_or(kDefaultEndpoint);
  std::string endpoint = stated;
  while (endpoint.ends_with('/')) endpoint.pop_back();
  if (!origin_of(endpoint)) {
    throw UsageError("HF_ENDPOINT={}: expected an address that begins with http:// or https://",
                     printable(stated));
  }
  return endpoint;
}

}  // namespace

std::string checked_token(const std::string& token, const std::string& source) {
  const bool graphic = std::ranges::all_of(token, [](char c) { return c > 0x20 && c < 0x7F; });
  if (!graphic) {
    throw UsageError("{}: a token has letters, digits and signs alone, no blanks", source);
  }
  return token;
}

HubSettings hub_settings(const Variables& variables) {
  const Environment environment(variables);
  HubSettings settings;
  const std::filesystem::path caches =
      environment.path({"XDG_CACHE_HOME"}).value_or(environment.home() / ".cache");
  const std::filesystem::path hub_home =
      environment.path({"HF_HOME"}).value_or(caches / "huggingface");
  settings.cache =
      environment.path({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}).value_or(hub_home / "hub");
  settings.endpoint = endpoint_of(environment);
  settings.token = token_of(environment, hub_home);
  settings.offline = environment.yes({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"});
  settings.symlinks = !environment.yes({"HF_HUB_DISABLE_SYMLINKS"});
  settings.progress = !environment.yes({"HF_HUB_DISABLE_PROGRESS_BARS"});
  settings.connect_timeout = environment.seconds("HF_HUB_ETAG_TIMEOUT", settings.connect_timeout);
  settings.stall_timeout = environment.seconds("HF_HUB_DOWNLOAD_TIMEOUT", settings.stall_timeout);
  settings.certificates =
      environment.first({"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"}).value_or("");
  return settings;
}

}  // namespace tandem
