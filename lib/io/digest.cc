#include "io/digest.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::io {

std::string hexOf(Bytes bytes) { return llvm::toHex(bytes, /*LowerCase=*/true); }

std::string sha256Hex(Bytes bytes) {
  return hexOf(Bytes(digestOf(DigestKind::Sha256, bytes)).take_front(32));
}

} // namespace tcfix::io
