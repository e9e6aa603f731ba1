#include "hub/digest.h"

#include <array>
#include <new>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/error.h"
#include "hub/repository.h"

namespace tandem {

struct Digest::State {
  struct Deleter {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  bool git = false;
  std::unique_ptr<EVP_MD_CTX, Deleter> context;
};

Digest::Digest(std::string_view etag, std::int64_t bytes) : state_(std::make_unique<State>()) {
  state_->git = !is_sha256(etag);
  state_->context.reset(EVP_MD_CTX_new());
  if (!state_->context) throw std::bad_alloc();
  const EVP_MD* const hash = state_->git ? EVP_sha1() : EVP_sha256();
  if (EVP_DigestInit_ex(state_->context.get(), hash, nullptr) != 1) {
    throw MachineError("OpenSSL on this machine refuses {}, which files are verified by", name());
  }
  if (state_->git) {
    const std::string header = fmt::format("blob {}", bytes);
    add(std::as_bytes(std::span(header.c_str(), header.size() + 1)));
  }
}

Digest::~Digest() = default;

void Digest::add(std::span<const std::byte> bytes) {
  const int done = EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size());
  TANDEM_CHECK(done == 1, "hashing {} bytes failed", bytes.size());
}

std::string Digest::text() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned int size = 0;
  const int done = EVP_DigestFinal_ex(state_->context.get(), hash.data(), &size);
  TANDEM_CHECK(done == 1, "a hash could not be ended");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", hash[i]);
  return text;
}

std::string_view Digest::name() const { return state_->git ? "git SHA-1" : "SHA-256"; }

}  // namespace tandem
