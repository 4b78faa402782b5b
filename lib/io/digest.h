// Hashes, with the CPU's own instructions: OpenSSL's low-level functions on Linux, the system's on
// macOS (CommonCrypto) and Windows (CNG). About five times as fast as llvm::SHA256.
#pragma once

#include "patch/rewrite.h"

#include <array>
#include <memory>
#include <string>

namespace tcfix::io {

enum class DigestKind { Sha1, Sha256, Sha384 };

/// The number of bytes of a digest.
constexpr size_t sizeOf(DigestKind kind) {
  return kind == DigestKind::Sha1 ? 20 : kind == DigestKind::Sha256 ? 32 : 48;
}

/// Room for any digest; the first sizeOf(kind) bytes count.
using Digest = std::array<uint8_t, 48>;

/// The digest of bytes that lie in one piece.
Digest digestOf(DigestKind kind, Bytes bytes);

/// SHA-256 of bytes that come in several pieces.
class Sha256Stream {
public:
  Sha256Stream();
  ~Sha256Stream();
  void add(Bytes bytes);
  /// The digest in hexadecimal; call once.
  std::string hex();

private:
  struct State;
  std::unique_ptr<State> state;
};

std::string hexOf(Bytes bytes);
/// For texts and what else is small.
std::string sha256Hex(Bytes bytes);
/// For libraries. An error if the user wants to stop meanwhile.
llvm::Expected<std::string> sha256Of(Bytes bytes);
llvm::Expected<std::string> sha256Of(const RewrittenView& view);

} // namespace tcfix::io
