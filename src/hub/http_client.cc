#include "hub/http_client.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/printable.h"
#include "hub/url.h"

namespace tandem {
namespace {

constexpr long kLeastBytesASecond = 1000;
constexpr std::size_t kMostHeaders = 200;

// One request and its answer, as libcurl's callbacks see them. Exceptions wait here until libcurl,
// which is C, has returned.
struct Exchange {
  HttpReceiver* receiver = nullptr;
  CURL* handle = nullptr;
  HttpHead head;            // of this request alone
  HttpHead* all = nullptr;  // with what redirects said before
  bool begun = false;
  std::exception_ptr failure;

  bool has_body() const { return head.status == 200 || head.status == 206; }

  void begin() {
    begun = true;
    HttpHead merged = head;
    for (const auto& header : all->headers) {
      if (header.first.starts_with("x-")) merged.headers.insert(header);
    }
    *all = std::move(merged);
    if (has_body()) receiver->begin(*all);
  }
};

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::size_t take_header(const char* data, std::size_t size, std::size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {  // of this answer, or of a proxy's before it
    exchange.head.headers.clear();
    return line.size();
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos || exchange.head.headers.size() >= kMostHeaders) return line.size();
  std::string name(line.substr(0, colon));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  exchange.head.headers[name] = trimmed(line.substr(colon + 1));
  return line.size();
}

std::size_t take_body(const char* data, std::size_t size, std::size_t count, void* user) {
  Exchange& exchange = *static_cast<Exchange*>(user);
  const std::size_t bytes = size * count;
  try {
    if (!exchange.begun) {
      curl_easy_getinfo(exchange.handle, CURLINFO_RESPONSE_CODE, &exchange.head.status);
      exchange.begin();
    }
    if (exchange.has_body()) {
      exchange.receiver->receive(std::as_bytes(std::span(data, bytes)));
    }
    return bytes;
  } catch (...) {
    exchange.failure = std::current_exception();
    return bytes + 1;  // ends the transfer
  }
}

int check_interrupt(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return interrupted() ? 1 : 0;
}

// The lines that a request adds to what libcurl sends by itself.
class HeaderLines {
 public:
  HeaderLines() = default;
  ~HeaderLines() { curl_slist_free_all(lines_); }
  HeaderLines(const HeaderLines&) = delete;
  HeaderLines& operator=(const HeaderLines&) = delete;

  void add(const std::string& line) {
    curl_slist* const longer = curl_slist_append(lines_, line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    lines_ = longer;
  }
  curl_slist* get() const { return lines_; }

 private:
  curl_slist* lines_ = nullptr;
};

[[noreturn]] void throw_transfer_error(CURLcode code, const char* details, const std::string& url) {
  const std::string where = without_query(url);
  const std::string why = *details != '\0' ? printable(details, 200) : curl_easy_strerror(code);
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      throw MachineError(
          "{}: its certificate isn't trusted here ({}); if a proxy on the way has an authority of "
          "its own, SSL_CERT_FILE=FILE names its certificate",
          where, why);
    case CURLE_OPERATION_TIMEDOUT:
      throw BrokenTransfer(fmt::format(
          "{}: too slow ({}); HF_HUB_ETAG_TIMEOUT and HF_HUB_DOWNLOAD_TIMEOUT are the limits",
          where, why));
    default:
      throw BrokenTransfer(fmt::format("{}: {}", where, why));
  }
}

// Where an answer sends on to, if it does.
std::optional<std::string> next_address(const HttpHead& head) {
  if (!is_redirect(head.status)) return std::nullopt;
  const std::string location = head.header("location");
  const std::optional<std::string> next =
      location.empty() ? std::nullopt : resolved_location(head.url, location);
  const std::optional<Origin> from = origin_of(head.url);
  const std::optional<Origin> to = next ? origin_of(*next) : std::nullopt;
  if (!to) {
    throw MachineError("{}: sends on to {}, which is no http or https address",
                       without_query(head.url), in_quotes(location));
  }
  if (from && from->scheme == "https" && to->scheme == "http") {
    throw MachineError("{}: sends on from https to {}, which isn't encrypted: not followed",
                       without_query(head.url), without_query(*next));
  }
  return next;
}

}  // namespace

std::string HttpHead::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

struct HttpClient::Connection {
  struct Deleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  HubSettings settings;
  std::unique_ptr<CURL, Deleter> handle;

  void exchange_once(const HttpRequest& request, const std::string& url, bool with_token,
                     Exchange& exchange);
};

HttpClient::HttpClient(const HubSettings& settings) : connection_(std::make_unique<Connection>()) {
  connection_->settings = settings;
  connection_->handle.reset(curl_easy_init());
  if (!connection_->handle) throw MachineError("libcurl cannot be used on this machine");
}

HttpClient::~HttpClient() = default;

void HttpClient::Connection::exchange_once(const HttpRequest& request, const std::string& url,
                                           bool with_token, Exchange& exchange) {
  CURL* const curl = handle.get();
  curl_easy_reset(curl);  // keeps connections
  char details[CURL_ERROR_SIZE] = "";
  HeaderLines lines;
  // The size and the hash are those of the content as it is.
  lines.add("Accept-Encoding: identity");
  if (with_token) lines.add("Authorization: Bearer " + request.token);
  if (request.from > 0) {
    lines.add(fmt::format("Range: bytes={}-", request.from));
    if (!request.unless_changed.empty()) lines.add("If-Range: " + request.unless_changed);
  }
  const auto seconds = [](std::chrono::seconds time) { return static_cast<long>(time.count()); };
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, details);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines.get());
  curl_easy_setopt(curl, CURLOPT_USERAGENT, settings.user_agent.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, seconds(settings.connect_timeout));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesASecond);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, seconds(settings.stall_timeout));
  if (!settings.certificates.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, settings.certificates.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_interrupt);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  const CURLcode code = curl_easy_perform(curl);
  if (exchange.failure) std::rethrow_exception(exchange.failure);
  throw_if_interrupted("fetching; run it again to go on");
  if (code != CURLE_OK) throw_transfer_error(code, details, url);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &exchange.head.status);
}

HttpHead HttpClient::get(const HttpRequest& request, HttpReceiver& receiver) {
  const std::optional<Origin> trusted = origin_of(request.url);
  HttpHead all;
  std::string url = request.url;
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    Exchange exchange;
    exchange.receiver = &receiver;
    exchange.handle = connection_->handle.get();
    exchange.head.url = url;
    exchange.all = &all;
    const bool with_token = !request.token.empty() && origin_of(url) == trusted;
    connection_->exchange_once(request, url, with_token, exchange);
    if (!exchange.begun) exchange.begin();
    const std::optional<std::string> next = next_address(exchange.head);
    if (!next) return all;
    url = *next;
  }
  throw MachineError("{}: sends on more than {} times, the last time to {}",
                     without_query(request.url), kMaxRedirects, without_query(url));
}

}  // namespace tandem
