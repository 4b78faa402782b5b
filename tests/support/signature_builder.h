// Embedded code signatures for tests, built independently of lib/codesign and with LLVM's own hash
// functions, so that tcfix's signer and verifier do not check themselves.
#pragma once

#include "base/bytes.h"

#include <string>

namespace tcfix::support {

enum class SignatureStyle {
  None,
  AdHoc,          ///< as codesign: SHA-256, requirements, empty CMS wrapper
  LinkerSigned,   ///< as ld: a code directory and nothing else
  TwoDirectories, ///< as codesign for old systems: SHA-1 first, SHA-256 in slot 0x1000
  Cms,            ///< with a certificate; the CMS blob contains arbitrary bytes
};

struct SignatureSpec {
  SignatureStyle style = SignatureStyle::None;
  std::string identifier = "libdemo";
  std::string requirements; ///< content of a non-empty set of requirements
  std::string entitlements; ///< XML
  std::string derEntitlements;
  uint32_t version = 0x20400; ///< or 0x20001, the oldest: without the fields added since
  bool isTruncated = false;   ///< SHA-256 cut to 20 bytes
  uint8_t pageShift = 12;     ///< 0: all bytes are one page
  uint64_t reserve = 0;       ///< minimum space for the signature; codesign reserves 18000 bytes
};

/// What a signature covers of the image around it.
struct SignedImage {
  Bytes code; ///< everything before the signature
  uint64_t textSize = 0;
  bool isExecutable = false;
  std::string infoPlist;
};

/// The content of a set of requirements with one entry: "designated", never met.
std::string oneRequirement();

/// A whole blob: magic, length, content.
ByteVector blob(uint32_t magic, llvm::StringRef content);

/// The super blob, without reserve. Its size depends only on the size of the code.
ByteVector buildSignature(const SignatureSpec& spec, const SignedImage& image);

/// The space that LC_CODE_SIGNATURE reserves: a multiple of 16, at least the reserve.
uint64_t signatureRoom(const SignatureSpec& spec, const SignedImage& image);

} // namespace tcfix::support
