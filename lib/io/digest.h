// Hashes, computed with the CPU's own instructions: OpenSSL's low-level functions on Linux,
// CommonCrypto on macOS, CNG on Windows. About five times as fast as llvm::SHA256.
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

/// Large enough for any digest; only the first sizeOf(kind) bytes are used.
using Digest = std::array<uint8_t, 48>;

/// The digest of contiguous bytes.
Digest digestOf(DigestKind kind, Bytes bytes);

/// SHA-256 of bytes that arrive in several parts.
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
/// For small inputs, such as strings.
std::string sha256Hex(Bytes bytes);
/// For libraries. Fails if the user interrupts the program meanwhile.
llvm::Expected<std::string> sha256Of(Bytes bytes);
llvm::Expected<std::string> sha256Of(const RewrittenView& view);

} // namespace tcfix::io
