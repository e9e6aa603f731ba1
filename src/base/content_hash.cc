#include "base/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace tandem {

struct ContentHash::State {
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> xxh3{XXH3_createState(),
                                                                       XXH3_freeState};
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(state_->xxh3.get());
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh3.get(), bytes.data(), bytes.size());
}

std::string ContentHash::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh3.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace tandem
