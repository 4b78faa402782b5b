#include "codesign/sign.h"

#include "base/error.h"
#include "codesign/build.h"

#include <llvm/Support/Endian.h>

namespace tcfix::codesign {

using namespace llvm::MachO;
using llvm::support::endian::write32le;
using llvm::support::endian::write64le;
using macho::LoadCommand;
using macho::SliceDraft;

namespace {

constexpr uint64_t kSignatureAlignment = 16;

void note(SliceDraft& draft, std::string reason) {
  draft.changes.push_back({Operation::Sign, "adhoc", {}, std::move(reason), {}});
}

llvm::Expected<Rewrite> refresh(SliceDraft& draft, Bytes sliceBytes,
                                const SignatureReport& report) {
  llvm::Expected<Rewrite> rewrite = macho::layOut(draft, sliceBytes);
  if (!rewrite)
    return rewrite.takeError();
  struct NewHash {
    uint64_t offset;
    ByteVector bytes;
    std::string reason;
  };
  std::vector<NewHash> hashes;
  RewrittenView view(sliceBytes, *rewrite);
  ByteVector scratch;
  uint64_t touched = 0; // of the main directory; the others cover the same pages
  for (const CodeDirectory& directory : report.signature->directories) {
    uint64_t pageSize = directory.pageSize ? directory.pageSize : directory.codeLimit;
    for (uint32_t page = 0; page < directory.codeSlots; ++page) {
      uint64_t offset = page * pageSize;
      uint64_t length = std::min(pageSize, directory.codeLimit - offset);
      if (view.isUntouched(offset, length))
        continue;
      touched += directory.slot == CSSLOT_CODEDIRECTORY;
      io::Digest digest = io::digestOf(*directory.hashKind, view.read(offset, length, scratch));
      hashes.push_back({report.offset + directory.offset + directory.hashOffset +
                            uint64_t(page) * directory.hashSize,
                        ByteVector(digest.begin(), digest.begin() + directory.hashSize),
                        "code signature: hash of page " + std::to_string(page)});
    }
  }
  for (const NewHash& hash : hashes)
    put(*rewrite, sliceBytes, hash.offset, hash.bytes, hash.reason);
  seal(*rewrite);
  note(draft, std::to_string(touched) + " of " +
                  std::to_string(report.signature->main().codeSlots) + " page hashes refreshed");
  return rewrite;
}

LoadCommand* findSignature(SliceDraft& draft) {
  for (LoadCommand& command : draft.commands)
    if (command.kind == LC_CODE_SIGNATURE)
      return &command;
  return nullptr;
}

// Points LC_CODE_SIGNATURE to [offset, offset + size) and makes __LINKEDIT end there.
llvm::Error makeRoom(SliceDraft& draft, uint64_t offset, uint64_t size) {
  const macho::FileSlice& slice = *draft.original;
  std::vector<macho::Segment> segments = macho::segmentsOf(slice, draft.commands);
  const macho::Segment* last = nullptr;
  for (const macho::Segment& segment : segments)
    if (!last || segment.fileOffset + segment.fileSize > last->fileOffset + last->fileSize)
      last = &segment;
  if (!last || last->name != "__LINKEDIT" || draft.commands[last->command].kind != LC_SEGMENT_64 ||
      last->fileOffset + last->fileSize != slice.size)
    return fail(ErrorCode::Unsupported,
                "no room for a signature: __LINKEDIT is not at the end of the file",
                "data was appended to the library after linking; relink the library without it");
  if (offset + size > UINT32_MAX)
    return fail(ErrorCode::NoRoom, "would grow past the 4 GiB limit of a signature");

  LoadCommand* signature = findSignature(draft);
  if (!signature) {
    signature = &draft.commands.emplace_back();
    signature->kind = LC_CODE_SIGNATURE;
    signature->bytes.resize(sizeof(linkedit_data_command));
    write32le(&signature->bytes[0], LC_CODE_SIGNATURE);
    write32le(&signature->bytes[4], sizeof(linkedit_data_command));
  }
  write32le(&signature->bytes[8], static_cast<uint32_t>(offset));
  write32le(&signature->bytes[12], static_cast<uint32_t>(size));
  signature->reason = "LC_CODE_SIGNATURE";

  // segment_command_64: vmsize at 32, filesize at 48. The memory size is in whole pages.
  LoadCommand& linkedit = draft.commands[last->command];
  uint64_t fileSize = offset + size - last->fileOffset;
  uint64_t page = slice.mustBeSigned() ? 0x4000 : 0x1000;
  write64le(&linkedit.bytes[32], std::max(last->memorySize, alignUp(fileSize, page)));
  write64le(&linkedit.bytes[48], fileSize);
  linkedit.reason = "__LINKEDIT grows by the signature";
  draft.size = offset + size;
  return llvm::Error::success();
}

SignatureParts partsFor(const SliceDraft& draft, Bytes sliceBytes, const SignatureReport& report,
                        const SignPolicy& policy) {
  const macho::FileSlice& slice = *draft.original;
  SignatureParts parts;
  parts.identifier =
      report.summary.identifier.empty() ? policy.defaultIdentifier : report.summary.identifier;
  parts.isExecutable = slice.fileType == MH_EXECUTE;
  for (const macho::Segment& segment : macho::segmentsOf(slice, draft.commands))
    if (segment.name == "__TEXT") {
      parts.textOffset = segment.fileOffset;
      parts.textSize = segment.fileSize;
    }
  parts.infoPlist = infoPlistOf(sliceBytes, slice).value_or(Bytes());
  if (!report.signature)
    return parts;
  // Smaller pages would make the signature larger; large pages are for Apple silicon only.
  if (slice.mustBeSigned() && report.signature->main().pageSize == uint64_t(1) << kLargePageShift)
    parts.pageShift = kLargePageShift;
  auto bytesIn = [&](uint32_t slot) {
    const Blob* blob = report.signature->find(slot);
    return blob ? blob->bytes : Bytes();
  };
  parts.entitlements = bytesIn(CSSLOT_ENTITLEMENTS);
  parts.derEntitlements = bytesIn(kSlotDerEntitlements);
  // The requirements of a certificate signature name the certificate; an ad-hoc signature cannot
  // satisfy them.
  if (!report.signature->isCms())
    parts.requirements = bytesIn(CSSLOT_REQUIREMENTS);
  return parts;
}

llvm::Expected<Rewrite> rebuild(SliceDraft& draft, Bytes sliceBytes, const SignatureReport& report,
                                const SignPolicy& policy, const std::string& why) {
  if (report.isMisplaced)
    return fail(ErrorCode::Malformed, "cannot be signed again: " + report.problems.front(),
                "reinstall the package; tcfix does not edit corrupt files");
  // A new signature would have to copy it. Requirements of a certificate are dropped anyway.
  if (const std::optional<BlobProblem>& malformed = report.malformedContent;
      malformed && !(report.signature->isCms() && malformed->slot == CSSLOT_REQUIREMENTS))
    return fail(ErrorCode::Malformed, "cannot be signed again: " + malformed->text,
                "reinstall the package; tcfix does not edit corrupt files");
  SignatureParts parts = partsFor(draft, sliceBytes, report, policy);
  bool isThere = report.summary.state != SignatureState::None;
  parts.codeLimit = isThere ? report.offset : alignUp(draft.size, kSignatureAlignment);
  uint64_t size = report.size; // unchanged if the new signature fits
  if (signatureSize(parts) > size) {
    size = alignUp(signatureSize(parts), kSignatureAlignment);
    if (llvm::Error error = makeRoom(draft, parts.codeLimit, size))
      return error;
  }
  llvm::Expected<Rewrite> rewrite = macho::layOut(draft, sliceBytes);
  if (!rewrite)
    return rewrite.takeError();
  RewrittenView view(sliceBytes, *rewrite);
  ByteVector signature = build(parts, [&](uint64_t offset, uint64_t length, ByteVector& scratch) {
    return view.read(offset, length, scratch);
  });
  signature.resize(size);
  // In a universal file, other bytes may follow the old end, so the gap is patched as well.
  if (parts.codeLimit > sliceBytes.size())
    put(*rewrite, sliceBytes, sliceBytes.size(), ByteVector(parts.codeLimit - sliceBytes.size()),
        "padding before the code signature");
  put(*rewrite, sliceBytes, parts.codeLimit, signature, "code signature");
  seal(*rewrite);
  note(draft, why);
  return rewrite;
}

llvm::Error foreignSigned(const SignatureReport& report) {
  std::string team = report.signature ? report.signature->main().team : "";
  return fail(ErrorCode::ForeignSigned,
              "is signed with a certificate" + (team.empty() ? "" : " (team " + team + ")") +
                  ", and an edit would invalidate that signature",
              "use --replace-signature to replace it with an ad-hoc signature");
}

} // namespace

llvm::Expected<Rewrite> layOutSigned(SliceDraft& draft, Bytes sliceBytes,
                                     const SignPolicy& policy) {
  bool isChanged = !draft.changes.empty();
  bool mustBeSigned = draft.original->mustBeSigned();
  if (!policy.isWanted) {
    if (isChanged && mustBeSigned)
      draft.warnings.push_back("not signed again: Apple silicon does not load it until you run "
                               "`tcfix sign`");
    return macho::layOut(draft, sliceBytes);
  }
  SignatureReport report = verify(sliceBytes, *draft.original);
  bool isForeign = report.summary.kind == SignatureKind::Cms;
  if (isForeign && !policy.replaceForeign) {
    if (isChanged || policy.alsoUnsigned)
      return foreignSigned(report);
    return macho::layOut(draft, sliceBytes);
  }
  switch (report.summary.state) {
  case SignatureState::None:
    if (!mustBeSigned && !policy.alsoUnsigned)
      return macho::layOut(draft, sliceBytes);
    return rebuild(draft, sliceBytes, report, policy, "it had no signature");
  case SignatureState::Invalid:
    return rebuild(draft, sliceBytes, report, policy,
                   "the old signature was invalid: " + report.problems.front());
  case SignatureState::Valid:
    if (isForeign && (isChanged || policy.alsoUnsigned))
      return rebuild(draft, sliceBytes, report, policy, "replaces a certificate signature");
    return isChanged ? refresh(draft, sliceBytes, report) : macho::layOut(draft, sliceBytes);
  }
  return macho::layOut(draft, sliceBytes);
}

} // namespace tcfix::codesign
