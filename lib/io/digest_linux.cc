// The Init/Update/Final functions are deprecated in favour of EVP, which would add three megabytes
// of providers and their start-up time. They run the same optimized code.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "io/digest.h"

#include <openssl/sha.h>

namespace tcfix::io {

struct Sha256Stream::State {
  SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state(std::make_unique<State>()) {
  SHA256_Init(&state->context);
}
Sha256Stream::~Sha256Stream() = default;
void Sha256Stream::add(Bytes bytes) {
  SHA256_Update(&state->context, bytes.data(), bytes.size());
}
std::string Sha256Stream::hex() {
  Digest digest{};
  SHA256_Final(digest.data(), &state->context);
  return hexOf(Bytes(digest).take_front(32));
}

Digest digestOf(DigestKind kind, Bytes bytes) {
  Digest digest{};
  if (kind == DigestKind::Sha1) {
    SHA_CTX context;
    SHA1_Init(&context);
    SHA1_Update(&context, bytes.data(), bytes.size());
    SHA1_Final(digest.data(), &context);
  } else if (kind == DigestKind::Sha256) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes.data(), bytes.size());
    SHA256_Final(digest.data(), &context);
  } else {
    SHA512_CTX context;
    SHA384_Init(&context);
    SHA384_Update(&context, bytes.data(), bytes.size());
    SHA384_Final(digest.data(), &context);
  }
  return digest;
}

} // namespace tcfix::io
