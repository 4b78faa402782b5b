#include "io/digest.h"

#include <CommonCrypto/CommonDigest.h>

#include <algorithm>

namespace tcfix::io {

namespace {

// CC_LONG has 32 bits, so large inputs are hashed in parts.
template <typename Context>
void update(int (*function)(Context*, const void*, CC_LONG), Context* context, Bytes bytes) {
  while (!bytes.empty()) {
    Bytes piece = bytes.take_front(std::min<size_t>(bytes.size(), size_t(1) << 30));
    function(context, piece.data(), static_cast<CC_LONG>(piece.size()));
    bytes = bytes.drop_front(piece.size());
  }
}

} // namespace

struct Sha256Stream::State {
  CC_SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state(std::make_unique<State>()) {
  CC_SHA256_Init(&state->context);
}
Sha256Stream::~Sha256Stream() = default;
void Sha256Stream::add(Bytes bytes) {
  update(CC_SHA256_Update, &state->context, bytes);
}
std::string Sha256Stream::hex() {
  Digest digest{};
  CC_SHA256_Final(digest.data(), &state->context);
  return hexOf(Bytes(digest).take_front(32));
}

Digest digestOf(DigestKind kind, Bytes bytes) {
  Digest digest{};
  if (kind == DigestKind::Sha1) {
    // Old signatures contain SHA-1; it is not used for security here.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    CC_SHA1_CTX context;
    CC_SHA1_Init(&context);
    update(CC_SHA1_Update, &context, bytes);
    CC_SHA1_Final(digest.data(), &context);
#pragma clang diagnostic pop
  } else if (kind == DigestKind::Sha256) {
    CC_SHA256_CTX context;
    CC_SHA256_Init(&context);
    update(CC_SHA256_Update, &context, bytes);
    CC_SHA256_Final(digest.data(), &context);
  } else {
    CC_SHA512_CTX context;
    CC_SHA384_Init(&context);
    update(CC_SHA384_Update, &context, bytes);
    CC_SHA384_Final(digest.data(), &context);
  }
  return digest;
}

} // namespace tcfix::io
