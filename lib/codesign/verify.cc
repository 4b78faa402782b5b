#include "codesign/verify.h"

#include "base/error.h"
#include "codesign/pages.h"

#include <algorithm>
#include <mutex>

namespace tcfix::codesign {

using namespace llvm::MachO;

namespace {

constexpr size_t kMaxPagesListed = 8;

class Verifier {
public:
  Verifier(Bytes sliceBytes, const macho::FileSlice& slice, SignatureReport& report)
      : sliceBytes(sliceBytes), slice(slice), report(report) {}

  void verify(const CodeDirectory& directory) {
    std::string prefix = report.signature->directories.size() == 1
                             ? std::string()
                             : "code directory " + std::to_string(directory.slot) + ": ";
    if (!directory.hashKind) {
      problem(prefix + "unsupported hash type");
      return;
    }
    if (directory.codeLimit != report.offset)
      problem(prefix + "covers " + std::to_string(directory.codeLimit) + " bytes instead of the " +
              std::to_string(report.offset) + " before it");
    if (directory.codeLimit > sliceBytes.size())
      return;
    if (pageCount(directory.codeLimit, directory.pageSize) != directory.codeSlots) {
      problem(prefix + "has " + std::to_string(directory.codeSlots) + " page hashes for " +
              std::to_string(pageCount(directory.codeLimit, directory.pageSize)) + " pages");
      return;
    }
    verifyPages(directory, prefix);
    verifySpecialSlots(directory, prefix);
  }

private:
  void problem(std::string text) { report.problems.push_back(std::move(text)); }

  void verifyPages(const CodeDirectory& directory, const std::string& prefix) {
    std::mutex mutex;
    std::vector<uint64_t> wrong;
    hashPages(
        *directory.hashKind, directory.codeLimit, directory.pageSize,
        [&](uint64_t offset, uint64_t length, ByteVector&) {
          return sliceBytes.slice(offset, length);
        },
        [&](uint64_t page, const io::Digest& digest) {
          Bytes stored = directory.codeHash(static_cast<uint32_t>(page));
          if (Bytes(digest).take_front(stored.size()) == stored)
            return;
          std::lock_guard lock(mutex);
          wrong.push_back(page);
        });
    std::sort(wrong.begin(), wrong.end());
    for (size_t i = 0; i < std::min(wrong.size(), kMaxPagesListed); ++i)
      problem(prefix + "page " + std::to_string(wrong[i]) + " (offset " +
              std::to_string(wrong[i] * directory.pageSize) + ") was changed after signing");
    if (wrong.size() > kMaxPagesListed)
      problem(prefix + "and " + std::to_string(wrong.size() - kMaxPagesListed) +
              " more pages were changed after signing");
  }

  void verifySpecialSlots(const CodeDirectory& directory, const std::string& prefix) {
    auto compare = [&](uint32_t slot, Bytes content, const char* name) {
      Bytes stored = directory.specialHash(slot);
      io::Digest digest = io::digestOf(*directory.hashKind, content);
      if (stored.empty())
        problem(prefix + name + " are not covered by the signature");
      else if (Bytes(digest).take_front(stored.size()) != stored)
        problem(prefix + name + " were changed after signing");
    };
    struct {
      uint32_t slot;
      const char* name;
    } const embedded[] = {{CSSLOT_REQUIREMENTS, "requirements"},
                          {CSSLOT_ENTITLEMENTS, "entitlements"},
                          {kSlotDerEntitlements, "DER entitlements"}};
    for (const auto& [slot, name] : embedded) {
      if (const Blob* blob = report.signature->find(slot))
        compare(slot, blob->bytes, name);
      else if (!directory.specialHash(slot).empty())
        problem(prefix + name + " are missing");
    }
    // Only an Info.plist inside the file can be verified.
    std::optional<Bytes> plist = infoPlistOf(sliceBytes, slice);
    if (plist && !directory.specialHash(CSSLOT_INFOSLOT).empty())
      compare(CSSLOT_INFOSLOT, *plist, "Info.plist entries");
  }

  Bytes sliceBytes;
  const macho::FileSlice& slice;
  SignatureReport& report;
};

} // namespace

std::optional<Bytes> infoPlistOf(Bytes sliceBytes, const macho::FileSlice& slice) {
  for (const macho::Section& section : macho::sectionsOf(slice, slice.commands))
    if (section.segment == "__TEXT" && section.name == "__info_plist")
      return part(sliceBytes, section.fileOffset, section.size);
  return std::nullopt;
}

namespace {

// codesign writes and expects the signature at the end of __LINKEDIT, which is the end of the
// slice. It would not cover bytes after it.
std::optional<std::string> misplaced(const macho::FileSlice& slice, const SignatureReport& report) {
  uint64_t end = report.offset + report.size;
  for (const macho::Segment& segment : macho::segmentsOf(slice, slice.commands))
    if (segment.name == "__LINKEDIT" && report.offset >= segment.fileOffset &&
        end == segment.fileOffset + segment.fileSize)
      return end == slice.size
                 ? std::nullopt
                 : std::optional(std::to_string(slice.size - end) + " bytes follow the signature");
  return "the signature is not at the end of __LINKEDIT";
}

// Slots that the signer provides, as opposed to those computed from the file.
bool isSignerProvided(uint32_t slot) {
  return slot == CSSLOT_REQUIREMENTS || slot == CSSLOT_ENTITLEMENTS || slot == kSlotDerEntitlements;
}

// Whether the kernel's library validation is on. Entitlements are a property list, in the form that
// codesign writes.
bool refusesOthers(const EmbeddedSignature& signature) {
  if ((signature.main().flags & (CS_RUNTIME | CS_REQUIRE_LV)) == 0)
    return false;
  const Blob* entitlements = signature.find(CSSLOT_ENTITLEMENTS);
  if (!entitlements)
    return true;
  llvm::StringRef value = textOf(entitlements->bytes)
                              .split("<key>com.apple.security.cs.disable-library-validation</key>")
                              .second;
  return !value.ltrim().starts_with("<true");
}

} // namespace

SignatureReport verify(Bytes sliceBytes, const macho::FileSlice& slice) {
  SignatureReport report;
  auto command =
      std::find_if(slice.commands.begin(), slice.commands.end(),
                   [](const macho::LoadCommand& c) { return c.kind == LC_CODE_SIGNATURE; });
  if (command == slice.commands.end())
    return report;
  auto data = macho::commandAs<linkedit_data_command>(slice, *command);
  report.offset = data.dataoff;
  report.size = data.datasize;
  report.summary.state = SignatureState::Invalid;
  std::optional<Bytes> bytes = part(sliceBytes, data.dataoff, data.datasize);
  if (!bytes) {
    report.problems.push_back("the signature is outside the file");
    return report;
  }
  if (std::optional<std::string> problem = misplaced(slice, report)) {
    report.isMisplaced = true;
    report.problems.push_back(*problem);
  }
  llvm::Expected<EmbeddedSignature> signature = parse(*bytes);
  if (!signature) {
    // A corrupt signature may still be a certificate signature.
    if (hasCms(*bytes))
      report.summary.kind = SignatureKind::Cms;
    report.problems.push_back(toProblem(signature.takeError(), {}).message);
    return report;
  }
  report.signature = std::move(*signature);

  const CodeDirectory& main = report.signature->main();
  report.summary.identifier = main.identifier;
  if (report.signature->isCms())
    report.summary.kind = SignatureKind::Cms;
  else if ((main.flags & CS_LINKER_SIGNED) != 0)
    report.summary.kind = SignatureKind::LinkerSigned;
  else if ((main.flags & CS_ADHOC) != 0)
    report.summary.kind = SignatureKind::AdHoc;
  else
    report.problems.push_back("neither an ad-hoc nor a certificate signature");

  report.summary.refusesOthers = refusesOthers(*report.signature);

  for (BlobProblem& problem : checkBlobs(*report.signature, slice.mustBeSigned())) {
    report.problems.push_back(problem.text);
    if (!report.malformedContent && isSignerProvided(problem.slot))
      report.malformedContent = std::move(problem);
  }
  Verifier verifier(sliceBytes, slice, report);
  for (const CodeDirectory& directory : report.signature->directories)
    verifier.verify(directory);
  if (report.problems.empty())
    report.summary.state = SignatureState::Valid;
  report.summary.canBeRebuilt = !report.isMisplaced && !report.malformedContent;
  return report;
}

} // namespace tcfix::codesign
