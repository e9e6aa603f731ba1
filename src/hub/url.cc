#include "hub/url.h"

#include <memory>
#include <new>

#include <curl/curl.h>

#include "base/printable.h"

namespace tandem {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

std::optional<std::string> part_of(const Url& url, CURLUPart part, unsigned int flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK) return std::nullopt;
  std::string result = text;
  curl_free(text);
  return result;
}

Url parsed(const std::string& text) {
  Url url(curl_url());
  if (!url) throw std::bad_alloc();
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return nullptr;
  return url;
}

}  // namespace

std::optional<Origin> origin_of(const std::string& text) {
  const Url url = parsed(text);
  if (!url || part_of(url, CURLUPART_USER) || part_of(url, CURLUPART_PASSWORD)) return std::nullopt;
  const auto scheme = part_of(url, CURLUPART_SCHEME);
  const auto host = part_of(url, CURLUPART_HOST);
  const auto port = part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (!scheme || !host || !port || (*scheme != "http" && *scheme != "https")) return std::nullopt;
  std::string lower = *host;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return Origin{*scheme, lower, *port};
}

std::optional<std::string> resolved_location(const std::string& page, const std::string& location) {
  const Url url = parsed(page);
  if (!url || curl_url_set(url.get(), CURLUPART_URL, location.c_str(), 0) != CURLUE_OK) {
    return std::nullopt;
  }
  return part_of(url, CURLUPART_URL);
}

std::string percent_encoded(std::string_view text) {
  if (text.empty()) return "";  // a length of 0 would mean "until the zero"
  char* const encoded = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  if (encoded == nullptr) throw std::bad_alloc();
  std::string result = encoded;
  curl_free(encoded);
  return result;
}

std::string without_query(const std::string& url) {
  return printable(url.substr(0, url.find_first_of("?#")), 200);
}

}  // namespace tandem
