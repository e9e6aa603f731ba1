#pragma once
// The hub's answers to two questions: what a repository has, and what is in one of its files.

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "hub/http_client.h"
#include "hub/listing.h"
#include "hub/partial_file.h"
#include "hub/repository.h"
#include "hub/settings.h"

namespace tandem {

// The hub gave no answer: what the cache has may do instead.
class HubUnreachable : public Error {
 public:
  explicit HubUnreachable(const std::string& message) : Error(ExitCode::kMachine, message) {}
};

class HubConnection {
 public:
  explicit HubConnection(const HubSettings& settings) : settings_(settings), client_(settings) {}

  // Throws HubUnreachable after the last try, UsageError when there is no such repository or
  // revision or the token doesn't open it, ModelError when the answer makes no sense.
  Listing listing(const Repository& repository);

  // Brings what is missing of a file, again and again where the connection breaks, until it is
  // whole; a part that turns out to belong to other content is thrown away. `report` is told the
  // bytes that are there. Nothing is said of the hash. Throws MachineError after the last try in a
  // row that brought nothing, UsageError when access is refused, ModelError when the server has
  // something else under that name.
  void download(const Repository& repository, const std::string& commit, const HubFile& file,
                PartialFile& partial, const std::function<void(std::int64_t)>& report);

 private:
  HttpHead ask(const std::string& url, HttpReceiver& receiver);

  HubSettings settings_;
  HttpClient client_;
};

}  // namespace tandem
