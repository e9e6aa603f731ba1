#pragma once
// HTTP as the hub is asked: GET, with redirects followed one by one so that each may be judged.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "hub/settings.h"

namespace tandem {

// What comes before a body.
struct HttpHead {
  long status = 0;
  std::string url;  // that answered, after redirects
  // By lower-case names. What redirects said in headers of the hub's own ("x-...") is there too:
  // the hub describes a file and then sends on to where it is stored.
  std::map<std::string, std::string> headers;

  // Empty when it isn't there.
  std::string header(const std::string& name) const;
};

// An exchange that may go better the next time: the message says what was seen.
class BrokenTransfer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HttpRequest {
  std::string url;
  std::string token = {};           // for the origin of `url` and no other; empty: none
  std::int64_t from = 0;            // the first byte that is wanted
  std::string unless_changed = {};  // an ETag: all of the content when it is another by now
};

// Where the body of an answer with status 200 or 206 goes.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;
  virtual void begin(const HttpHead& head) = 0;
  virtual void receive(std::span<const std::byte> bytes) = 0;
};

class HttpClient {
 public:
  static constexpr int kMaxRedirects = 10;

  // Certificates and timeouts as in `settings`; proxies as the usual variables have it. An answer
  // is given up that brings less than 1000 bytes a second for as long as settings.stall_timeout.
  explicit HttpClient(const HubSettings& settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Asks, and follows redirects to http and https, but not from https to http. Connections are kept
  // for the next request. Throws BrokenTransfer, MachineError when it can't be right (certificates,
  // redirects without end), Error with exit code 75 when interrupted, and what `receiver` throws.
  HttpHead get(const HttpRequest& request, HttpReceiver& receiver);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tandem
