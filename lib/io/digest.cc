#include "io/digest.h"

#include "io/memory.h"
#include "io/system.h"

#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::io {

std::string hexOf(Bytes bytes) {
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

std::string sha256Hex(Bytes bytes) {
  return hexOf(Bytes(digestOf(DigestKind::Sha256, bytes)).take_front(32));
}

llvm::Expected<std::string> sha256Of(Bytes bytes) {
  const Rewrite unchanged = identityOf(bytes);
  return sha256Of(RewrittenView(bytes, unchanged));
}

llvm::Expected<std::string> sha256Of(const RewrittenView& view) {
  constexpr uint64_t kStep = 1 << 20;
  Sha256Stream stream;
  ByteVector scratch;
  for (uint64_t offset = 0; offset < view.size(); offset += kStep) {
    if (llvm::Error error = system::refuseIfInterrupted())
      return error;
    const Bytes bytes = view.read(offset, std::min(kStep, view.size() - offset), scratch);
    stream.add(bytes);
    passed(bytes);
  }
  return stream.hex();
}

} // namespace tcfix::io
