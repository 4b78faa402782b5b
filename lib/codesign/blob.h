// The bytes of an embedded code signature, taken apart.
//
// Follows XNU's osfmk/kern/cs_blobs.h: a super blob holds numbered blobs, of which slot 0 (and
// 0x1000 onwards, one for each further hash kind) is a code directory: flags, identifier, and one
// hash for every page of the file and for every other blob. All integers are big-endian. Nothing
// here judges; that is verify.h.
#pragma once

#include "base/bytes.h"
#include "io/digest.h"

#include <llvm/Support/Error.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix::codesign {

/// The slot of entitlements in DER; younger than LLVM's list of slots.
constexpr uint32_t kSlotDerEntitlements = 7;

/// Page sizes, as powers of two: the usual one, and that of Apple silicon.
constexpr uint8_t kSmallPageShift = 12, kLargePageShift = 14;

struct Blob {
  uint32_t slot = 0;
  uint64_t offset = 0; ///< in the super blob
  Bytes bytes;         ///< with its magic and length
};

struct CodeDirectory {
  uint32_t slot = 0;
  uint64_t offset = 0; ///< in the super blob
  uint32_t version = 0;
  uint32_t flags = 0;
  uint64_t hashOffset = 0; ///< of page 0's hash, in the directory; special slots lie before it
  uint32_t specialSlots = 0;
  uint32_t codeSlots = 0;
  uint64_t codeLimit = 0;                 ///< how many bytes of the slice the pages cover
  uint8_t hashSize = 0;                   ///< as stored: SHA-256 may be cut to 20 bytes
  std::optional<io::DigestKind> hashKind; ///< none for a kind that we do not know
  uint64_t pageSize = 0;                  ///< 0: all bytes are one page
  std::string identifier;
  std::string team;
  Bytes bytes;

  Bytes codeHash(uint32_t page) const;
  /// Slots count from 1. Empty when there is none, or when it is all zero ("nothing there").
  Bytes specialHash(uint32_t slot) const;
};

struct EmbeddedSignature {
  std::vector<Blob> blobs; ///< all, code directories included
  std::vector<CodeDirectory> directories;

  const Blob* find(uint32_t slot) const;
  /// The one in slot 0, which is always there.
  const CodeDirectory& main() const;
  /// Signed by an identity: there is a CMS blob with something in it.
  bool isCms() const;
};

/// True when a super blob, however damaged otherwise, has a CMS blob with something in it.
bool holdsCms(Bytes bytes);

/// Refuses what does not lie inside `bytes`, the range that LC_CODE_SIGNATURE names.
llvm::Expected<EmbeddedSignature> parse(Bytes bytes);

} // namespace tcfix::codesign
