#include "cluster/route.h"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/json.h"

namespace tandem {
namespace {

constexpr std::int64_t kIpv6Bits = 128;

JsonSource source_of(const std::string& name) {
  return {.name = name, .kind = ExitCode::kMachine, .max_depth = 16};
}

std::string text_or_empty(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> value = object.find(key);
  return value ? value->text() : std::string();
}

// An address in network byte order.
struct Bytes {
  int family = 0;
  std::array<unsigned char, 16> bytes{};
};

std::optional<Bytes> bytes_of(std::string_view text) {
  Bytes result;
  for (const int family : {AF_INET, AF_INET6}) {
    result.family = family;
    if (inet_pton(family, std::string(text).c_str(), result.bytes.data()) == 1) return result;
  }
  return std::nullopt;
}

std::string text_of(const Bytes& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(address.family, address.bytes.data(), text.data(), text.size());
  return text.data();
}

}  // namespace

std::vector<InterfaceAddress> parse_addresses(std::string_view json, const std::string& source) {
  const nlohmann::json parsed = parse_json(json, source_of(source));
  std::vector<InterfaceAddress> addresses;
  for (const JsonValue& link : JsonValue(parsed, source_of(source)).elements()) {
    // An interface without a name has been left out by ip's own filter, as {}.
    const std::string interface = text_or_empty(link, "ifname");
    const std::optional<JsonValue> own = link.find("addr_info");
    if (interface.empty() || !own) continue;
    for (const JsonValue& entry : own->elements()) {
      const std::string address = text_or_empty(entry, "local");
      if (!is_address(address)) continue;
      const auto bits = entry.at("prefixlen").whole_number(0, kIpv6Bits);
      addresses.push_back({interface, address, static_cast<int>(bits)});
    }
  }
  return addresses;
}

Route parse_route(std::string_view json, const std::string& source) {
  const nlohmann::json parsed = parse_json(json, source_of(source));
  const std::vector<JsonValue> routes = JsonValue(parsed, source_of(source)).elements();
  if (routes.empty()) throw MachineError("{}: no route in the answer", source);
  return {routes.front().at("dev").text(), text_or_empty(routes.front(), "prefsrc")};
}

std::string network_of(const InterfaceAddress& address) {
  std::optional<Bytes> network = bytes_of(address.address);
  TANDEM_CHECK(network, "{} is no address", address.address);
  for (int i = 0; i < static_cast<int>(network->bytes.size()); ++i) {
    const int kept = std::clamp(address.prefix_bits - 8 * i, 0, 8);
    network->bytes[static_cast<std::size_t>(i)] &= static_cast<unsigned char>(0xFF00 >> kept);
  }
  return fmt::format("{}/{}", text_of(*network), address.prefix_bits);
}

bool is_loopback(std::string_view address) {
  const std::optional<Bytes> bytes = bytes_of(address);
  if (!bytes) return false;
  return bytes->family == AF_INET ? bytes->bytes[0] == 127 : text_of(*bytes) == "::1";
}

bool is_address(std::string_view text) { return bytes_of(text).has_value(); }

std::optional<std::string> address_of_ahosts(std::string_view output) {
  std::optional<std::string> first;
  std::istringstream lines{std::string(output)};
  for (std::string line; std::getline(lines, line);) {
    const std::string address = line.substr(0, line.find(' '));
    const std::optional<Bytes> bytes = bytes_of(address);
    if (!bytes) continue;
    if (bytes->family == AF_INET) return address;
    if (!first) first = address;
  }
  return first;
}

std::optional<int> line_of_name(std::string_view hosts_file, std::string_view name,
                                std::string_view address) {
  std::istringstream lines{std::string(hosts_file)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word) || word != address) continue;
    while (words >> word) {
      if (word == name) return number;
    }
  }
  return std::nullopt;
}

}  // namespace tandem
