#pragma once
// Addresses on the web, taken apart by libcurl, which also uses them.

#include <optional>
#include <string>
#include <string_view>

namespace tandem {

// Who answers for an address; what may be told to one origin isn't told to another.
struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

// Nothing when it isn't a whole http or https address. Names and passwords in it are refused too:
// they would show in messages.
std::optional<Origin> origin_of(const std::string& url);

// Where a Location header leads from the page that has it.
std::optional<std::string> resolved_location(const std::string& page, const std::string& location);

// With everything but letters, digits and -._~ as %XX.
std::string percent_encoded(std::string_view text);

// What messages show of an address: without a query, which may be a signature.
std::string without_query(const std::string& url);

}  // namespace tandem
