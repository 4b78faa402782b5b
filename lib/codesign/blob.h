// Parser for embedded code signatures.
//
// Follows XNU's osfmk/kern/cs_blobs.h: a super blob holds numbered blobs, of which slot 0 (and
// 0x1000 onwards, one for each further hash kind) is a code directory: flags, identifier, and one
// hash for every page of the file and for every other blob. All integers are big-endian. Nothing is
// verified here; see verify.h.
#pragma once

#include "base/bytes.h"
#include "io/digest.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix::codesign {

/// The slot of DER-encoded entitlements, which LLVM does not define.
constexpr uint32_t kSlotDerEntitlements = 7;

/// Page sizes, as powers of two: the default, and that of Apple silicon.
constexpr uint8_t kSmallPageShift = 12, kLargePageShift = 14;

struct Blob {
  uint32_t slot = 0;
  uint64_t offset = 0; ///< in the super blob
  Bytes bytes;         ///< including its magic and length
};

struct CodeDirectory {
  uint32_t slot = 0;
  uint64_t offset = 0; ///< in the super blob
  uint32_t version = 0;
  uint32_t flags = 0;
  uint64_t hashOffset = 0; ///< of page 0's hash, in the directory; special slots precede it
  uint32_t specialSlots = 0;
  uint32_t codeSlots = 0;
  uint64_t codeLimit = 0;                 ///< the number of bytes of the slice that it covers
  uint8_t hashSize = 0;                   ///< as stored: SHA-256 may be truncated to 20 bytes
  std::optional<io::DigestKind> hashKind; ///< empty if it is unknown to tcfix
  uint64_t pageSize = 0;                  ///< 0: all bytes are one page
  std::string identifier;
  std::string team;
  Bytes bytes;

  Bytes codeHash(uint32_t page) const;
  /// Slots count from 1. Empty if there is none, or if it is all zero, which means the same.
  Bytes specialHash(uint32_t slot) const;
};

struct EmbeddedSignature {
  std::vector<Blob> blobs; ///< all, code directories included
  std::vector<CodeDirectory> directories;

  const Blob* find(uint32_t slot) const;
  /// The one in slot 0, which always exists.
  const CodeDirectory& main() const;
  /// Signed with a certificate: there is a CMS blob that is not empty.
  bool isCms() const;
};

/// True if a super blob, even a corrupt one, has a CMS blob that is not empty.
bool hasCms(Bytes bytes);

/// Rejects what is not inside `bytes`, the range given by LC_CODE_SIGNATURE.
llvm::Expected<EmbeddedSignature> parse(Bytes bytes);

} // namespace tcfix::codesign
