#include "io/digest.h"

#include <algorithm>
#include <windows.h>

#include <bcrypt.h>

namespace tcfix::io {

namespace {

BCRYPT_ALG_HANDLE algorithm(DigestKind kind) {
  static const auto open = [](const wchar_t* name) {
    BCRYPT_ALG_HANDLE handle = nullptr;
    BCryptOpenAlgorithmProvider(&handle, name, nullptr, 0);
    return handle;
  };
  static const BCRYPT_ALG_HANDLE sha1 = open(BCRYPT_SHA1_ALGORITHM);
  static const BCRYPT_ALG_HANDLE sha256 = open(BCRYPT_SHA256_ALGORITHM);
  static const BCRYPT_ALG_HANDLE sha384 = open(BCRYPT_SHA384_ALGORITHM);
  return kind == DigestKind::Sha1 ? sha1 : kind == DigestKind::Sha256 ? sha256 : sha384;
}

} // namespace

/// Not in the anonymous namespace: it is a member of a type with external linkage.
class BcryptHash {
public:
  explicit BcryptHash(DigestKind kind) : kind(kind) {
    BCryptCreateHash(algorithm(kind), &handle, nullptr, 0, nullptr, 0, 0);
  }
  ~BcryptHash() { BCryptDestroyHash(handle); }
  BcryptHash(const BcryptHash&) = delete;
  BcryptHash& operator=(const BcryptHash&) = delete;

  void add(Bytes bytes) {
    while (!bytes.empty()) {
      Bytes piece = bytes.take_front(std::min<size_t>(bytes.size(), size_t(1) << 30));
      // BCryptHashData takes a non-const pointer but only reads.
      BCryptHashData(handle, const_cast<PUCHAR>(piece.data()), static_cast<ULONG>(piece.size()), 0);
      bytes = bytes.drop_front(piece.size());
    }
  }
  Digest finish() {
    Digest digest{};
    BCryptFinishHash(handle, digest.data(), static_cast<ULONG>(sizeOf(kind)), 0);
    return digest;
  }

private:
  DigestKind kind;
  BCRYPT_HASH_HANDLE handle = nullptr;
};

struct Sha256Stream::State {
  BcryptHash hash{DigestKind::Sha256};
};

Sha256Stream::Sha256Stream() : state(std::make_unique<State>()) {}
Sha256Stream::~Sha256Stream() = default;
void Sha256Stream::add(Bytes bytes) {
  state->hash.add(bytes);
}
std::string Sha256Stream::hex() {
  Digest digest = state->hash.finish();
  return hexOf(Bytes(digest).take_front(32));
}

Digest digestOf(DigestKind kind, Bytes bytes) {
  BcryptHash hash(kind);
  hash.add(bytes);
  return hash.finish();
}

} // namespace tcfix::io
