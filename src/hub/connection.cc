#include "hub/connection.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/printable.h"
#include "hub/retries.h"
#include "hub/url.h"

namespace tandem {
namespace {

constexpr std::size_t kMostListingBytes = std::size_t{16} << 20;

// A text of limited size.
class TextReceiver : public HttpReceiver {
 public:
  void begin(const HttpHead&) override { text_.clear(); }
  void receive(std::span<const std::byte> bytes) override {
    if (text_.size() + bytes.size() > kMostListingBytes) {
      throw ModelError("the hub's list of files has more than {} bytes: not read",
                       kMostListingBytes);
    }
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// An ETag as the cache names blobs by it.
std::string plain_etag(std::string etag) {
  if (etag.starts_with("W/")) etag.erase(0, 2);
  std::erase(etag, '"');
  return etag;
}

// The bytes of a file that are wanted, from where what is there ends.
class FileReceiver : public HttpReceiver {
 public:
  FileReceiver(const HubFile& file, PartialFile& partial,
               const std::function<void(std::int64_t)>& report)
      : file_(file), partial_(partial), report_(report) {}

  // An ETag of the server that has the content, under which the next piece is asked for.
  const std::string& etag() const { return etag_; }

  void begin(const HttpHead& head) override {
    const std::string stated = plain_etag(head.header("x-linked-etag"));
    if (!stated.empty() && stated != file_.etag) {
      throw ModelError("{}: the hub lists it as {} and sends {}: run it again", file_.path,
                       file_.etag, in_quotes(stated));
    }
    const std::string etag = head.header("etag");
    const bool another = !etag_.empty() && etag != etag_;
    const bool strong = etag.starts_with('"');
    etag_ = strong ? etag : "";
    if (head.status == 206) {
      check_range(head.header("content-range"), another);
    } else {
      check_length(head.header("content-length"));
      if (partial_.size() > 0) partial_.restart();
    }
  }

  void receive(std::span<const std::byte> bytes) override {
    partial_.append(bytes);
    report_(partial_.size());
  }

 private:
  void check_range(const std::string& range, bool another_etag) {
    const std::string begins = fmt::format("bytes {}-", partial_.size());
    const bool fits = range.starts_with(begins) &&
                      (range.ends_with(fmt::format("/{}", file_.bytes)) || range.ends_with("/*"));
    if (fits && !another_etag) return;
    partial_.restart();
    if (!fits) {
      throw BrokenTransfer(fmt::format("{}: asked for {}{}, the server sends {}", file_.path,
                                       begins, file_.bytes - 1, in_quotes(range)));
    }
    throw BrokenTransfer(fmt::format("{}: changed on the server between two pieces", file_.path));
  }

  void check_length(const std::string& length) const {
    if (!length.empty() && length != fmt::format("{}", file_.bytes)) {
      throw ModelError("{}: {} bytes long on the server, {} by the hub's list", file_.path,
                       printable(length), file_.bytes);
    }
  }

  const HubFile& file_;
  PartialFile& partial_;
  const std::function<void(std::int64_t)>& report_;
  std::string etag_;
};

std::string_view api_folder(RepositoryKind kind) {
  return kind == RepositoryKind::kModel ? "models" : "datasets";
}

std::string file_url(const HubSettings& settings, const Repository& repository,
                     const std::string& commit, const std::string& path) {
  std::string url = fmt::format("{}/{}{}/resolve/{}", settings.endpoint,
                                repository.kind == RepositoryKind::kModel ? "" : "datasets/",
                                repository.name, commit);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    url += '/';
    url += percent_encoded(std::string_view(path).substr(begin, end - begin));
    begin = end + 1;
  }
  return url;
}

// What the hub says of its refusal, for the end of a sentence.
std::string stated_reason(const HttpHead& head) {
  const std::string reason = head.header("x-error-message");
  return reason.empty() ? "" : fmt::format(" ({})", printable(reason, 200));
}

// An answer that no other try would change. The hub says 401 both for what is private and for what
// isn't there (huggingface_hub 2.4, utils/_http.py).
[[noreturn]] void throw_refusal(const HttpHead& head, const Repository& repository,
                                const HubSettings& settings) {
  const std::string& name = repository.name;
  const std::string code = head.header("x-error-code");
  const char* const how_to_log_in =
      settings.token.empty()
          ? "no token is given: HF_TOKEN=... or --token names one that may read it"
          : "the token that is given may not read it, or isn't valid any more";
  if (code == "RevisionNotFound") {
    throw UsageError("{}: there is no revision {}{}", name, in_quotes(repository.revision),
                     stated_reason(head));
  }
  if (code == "GatedRepo" || head.status == 403) {
    throw UsageError("{}: access is granted on request only{}: ask for it on {}/{}; {}", name,
                     stated_reason(head), settings.endpoint, name, how_to_log_in);
  }
  if (head.status == 401 || code == "RepoNotFound") {
    throw UsageError("{}: not on {}, or private{}; {}", name, settings.endpoint,
                     stated_reason(head), how_to_log_in);
  }
  if (head.status == 404) {
    throw UsageError("{}: {} isn't there{}", name, without_query(head.url), stated_reason(head));
  }
  throw MachineError("{}: {} answers with status {}{}", name, without_query(head.url), head.status,
                     stated_reason(head));
}

std::string says_not_now(const HttpHead& head) {
  return fmt::format("{}: status {}{}", without_query(head.url), head.status, stated_reason(head));
}

}  // namespace

Listing HubConnection::listing(const Repository& repository) {
  const std::string url = fmt::format("{}/api/{}/{}/revision/{}?blobs=true", settings_.endpoint,
                                      api_folder(repository.kind), repository.name,
                                      percent_encoded(repository.revision));
  TextReceiver receiver;
  const HttpHead head = ask(url, receiver);
  if (head.status != 200) throw_refusal(head, repository, settings_);
  return parse_listing(receiver.text(), without_query(url));
}

HttpHead HubConnection::ask(const std::string& url, HttpReceiver& receiver) {
  Retries retries(settings_.retries);
  const HttpRequest request{.url = url, .token = settings_.token};
  std::optional<std::chrono::seconds> pause;
  std::string reason;
  while (true) {
    try {
      const HttpHead head = client_.get(request, receiver);
      if (!is_transient(head.status)) return head;
      reason = says_not_now(head);
      pause = asked_pause(head);
    } catch (const BrokenTransfer& broken) {
      reason = broken.what();
      pause.reset();
    }
    try {
      retries.pause(reason, pause);
    } catch (const MachineError& given_up) {
      throw HubUnreachable(given_up.what());
    }
  }
}

void HubConnection::download(const Repository& repository, const std::string& commit,
                             const HubFile& file, PartialFile& partial,
                             const std::function<void(std::int64_t)>& report) {
  // A trickle is no progress: a server that sends a few bytes and breaks off is given up too.
  constexpr std::int64_t kWorthAnotherTry = std::int64_t{1} << 20;
  const std::string url = file_url(settings_, repository, commit, file.path);
  Retries retries(settings_.retries);
  FileReceiver receiver(file, partial, report);
  while (!partial.complete() || file.bytes == 0) {
    const std::int64_t before = partial.size();
    std::optional<std::chrono::seconds> pause;
    std::string reason;
    try {
      const HttpHead head = client_.get(
          {.url = url, .token = settings_.token, .from = before, .unless_changed = receiver.etag()},
          receiver);
      if (partial.complete()) return;
      reason = fmt::format("{}: ended after {} of {} bytes", file.path, partial.size(), file.bytes);
      if (head.status == 416) {  // nothing there to go on with
        partial.restart();
      } else if (is_transient(head.status)) {
        reason = says_not_now(head);
        pause = asked_pause(head);
      } else if (head.status != 200 && head.status != 206) {
        throw_refusal(head, repository, settings_);
      }
    } catch (const BrokenTransfer& broken) {
      reason = broken.what();
    }
    if (partial.size() - before >= kWorthAnotherTry) retries.reset();
    partial.note_break();
    retries.pause(reason, pause);
  }
}

}  // namespace tandem
