#include "train/agreement.h"

#include <fstream>
#include <map>

#include <fmt/ranges.h>

#include "base/content_hash.h"
#include "comm/collectives.h"

namespace tandem {
namespace {

constexpr char kSeparator = '\x1f';

std::string joined(const std::vector<Fact>& facts) {
  std::string text;
  for (const Fact& fact : facts) text += fact.value + kSeparator;
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(kSeparator); end != std::string::npos;
       end = text.find(kSeparator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// "value on host1, host2; other value on host3", or nothing when there is one value only.
std::string differences(const std::vector<std::string>& values,
                        const std::vector<std::string>& places) {
  std::map<std::string, std::vector<std::string>> places_of;
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    if (!values[rank].empty()) places_of[values[rank]].push_back(places[rank]);
  }
  if (places_of.size() < 2) return "";
  std::vector<std::string> parts;
  for (const auto& [value, where] : places_of) {
    parts.push_back(fmt::format("{} on {}", value, fmt::join(where, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> column(const std::vector<std::vector<std::string>>& rows,
                                std::size_t place) {
  std::vector<std::string> values;
  for (const std::vector<std::string>& row : rows) values.push_back(row[place]);
  return values;
}

}  // namespace

void check_agreement(Communicator& communicator, const std::vector<std::string>& hosts,
                     const std::vector<Fact>& facts) {
  std::vector<std::vector<std::string>> values;
  for (const std::string& text :
       all_gather_texts(communicator, joined(facts), "what every process is")) {
    values.push_back(split(text));
    if (values.back().size() != facts.size()) {
      throw Disagreement(
          ExitCode::kMachine,
          fmt::format("the process on {} compares other things than that on {}: put the same "
                      "version of tandem on every host",
                      hosts[values.size() - 1], hosts.front()));
    }
  }
  std::string table;
  for (std::size_t fact = 0; fact < facts.size(); ++fact) {
    const std::string found = differences(column(values, fact), hosts);
    if (found.empty()) continue;
    table += fmt::format("\n  {}: {}: {}", facts[fact].name, found, facts[fact].remedy);
  }
  if (table.empty()) return;
  throw Disagreement(ExitCode::kMachine, fmt::format("the processes of this job differ:{}", table));
}

void check_same_weights(Communicator& communicator, const std::vector<std::string>& hosts,
                        std::span<const float> weights) {
  ContentHash hash;
  hash.add(std::as_bytes(weights));
  const std::vector<std::string> hashes =
      all_gather_texts(communicator, hash.text(), "hashes of the weights");
  std::vector<std::string> places;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    places.push_back(fmt::format("rank {} ({})", rank, hosts[rank]));
  }
  const std::string found = differences(hashes, places);
  if (found.empty()) return;
  throw Disagreement(ExitCode::kWall,
                     fmt::format("the ranks' weights differ after training: {}; no model was "
                                 "written; the memory or CPU of a host may be faulty",
                                 found));
}

std::string hash_of_files(const std::vector<std::filesystem::path>& files) {
  ContentHash hash;
  bool any = false;
  std::vector<char> buffer(1 << 20);
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    while (file && !std::filesystem::is_directory(path)) {
      file.read(buffer.data(), std::ssize(buffer));
      hash.add(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(file.gcount()))));
      any = any || file.gcount() > 0;
    }
  }
  return any ? hash.text() : "";
}

}  // namespace tandem
