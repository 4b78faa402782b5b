#include "base/error.h"
#include "pe/check.h"
#include "pe/checksum.h"
#include "pe/conversion.h"
#include "pe/edit.h"
#include "pe/pe.h"

namespace tcfix::pe {

namespace COFF = llvm::COFF;

namespace {

// A certificate covers the whole file and is at its end. Returns the file size without it.
llvm::Expected<uint64_t> dropCertificate(ByteOverlay& image, const PeFile& file) {
  const Directory& certificate = file.directories[COFF::CERTIFICATE_TABLE];
  const uint64_t end = alignUp(certificate.end(), 8);
  if (certificate.address < file.imageFileEnd() || end < image.size() ||
      certificate.end() > image.size())
    return fail(ErrorCode::Unsupported, "the certificate is not at the end of the file");
  constexpr uint8_t kNone[sizeof(llvm::object::data_directory)] = {};
  image.write(file.directoryField(COFF::CERTIFICATE_TABLE), kNone, "certificate dropped");
  return certificate.address;
}

llvm::Error refuseProblems(const PeFile& file, ErrorCode code, const char* prefix) {
  const std::vector<std::string> problems = findProblems(file);
  if (problems.empty())
    return llvm::Error::success();
  return fail(code, prefix + problems.front());
}

Rewrite rewriteOf(Bytes original, const ByteOverlay& image, uint64_t overlay,
                  uint64_t overlaySize) {
  Rewrite rewrite = identityOf(original);
  image.addTo(rewrite);
  rewrite.newSize = image.size() + overlaySize;
  if (overlaySize && overlay != image.size())
    rewrite.moves.push_back({overlay, image.size(), overlaySize, "data after the image moves"});
  seal(rewrite);
  return rewrite;
}

llvm::Expected<EditOutcome> attempt(Bytes original, llvm::ArrayRef<Edit> edits,
                                    bool withoutCertificate) {
  ByteOverlay untouched(original), image(original);
  llvm::Expected<PeFile> before = PeFile::read(untouched);
  if (!before)
    return before.takeError();
  llvm::Expected<std::optional<ConversionRecord>> record = readRecord(*before);
  if (!record)
    return record.takeError();
  const uint64_t overlay = before->imageFileEnd();
  uint64_t fileEnd = original.size();
  if (withoutCertificate) {
    llvm::Expected<uint64_t> end = dropCertificate(image, *before);
    if (!end)
      return end.takeError();
    fileEnd = *end;
  }

  // From here on, `image` is the original, as the linker wrote it.
  Editing editing{image, {}, withoutCertificate, {}, {}};
  if (*record) {
    restore(image, *before, **record);
    editing.settings = (*record)->settings;
  } else {
    image.resize(overlay);
  }
  if (llvm::Error error = applyEdits(editing, edits))
    return error;
  EditOutcome outcome;
  outcome.rewrite = identityOf(original);
  outcome.warnings = editing.warnings;
  if (editing.changes.empty())
    return outcome; // already as requested, even if another version of tcfix converted it
  if (!*record)
    if (llvm::Error error = renameInPlace(editing))
      return error;

  llvm::Expected<PeFile> file = PeFile::read(image);
  if (!file)
    return file.takeError();
  const uint64_t checksumField = TCFIX_OPTIONAL_FIELD(*file, CheckSum);
  const bool needsChecksum = file->checksum && (editing.isEdited || !editing.settings.isEmpty());
  if (!editing.settings.isEmpty()) {
    llvm::Expected<std::vector<Import>> imports = readImports(*file);
    if (!imports)
      return imports.takeError();
    if (llvm::Error error = convert(image, *file, *imports, editing.settings))
      return error;
  }
  outcome.rewrite = rewriteOf(original, image, overlay, fileEnd - overlay);
  if (needsChecksum) {
    uint8_t field[4];
    llvm::support::endian::write32le(
        field, checksumOf(RewrittenView(original, outcome.rewrite), checksumField));
    image.write(checksumField, field, "checksum");
    outcome.rewrite = rewriteOf(original, image, overlay, fileEnd - overlay);
  }
  outcome.changes = std::move(editing.changes);
  llvm::Expected<PeFile> after = PeFile::read(image);
  if (!after)
    return within("invalid result", after.takeError());
  if (llvm::Error error = refuseProblems(*before, ErrorCode::Malformed, "Windows cannot load it: "))
    return error;
  if (llvm::Error error =
          refuseProblems(*after, ErrorCode::Conflict, "would not load after this edit: "))
    return error;
  return outcome;
}

} // namespace

llvm::Expected<EditOutcome> rewrite(Bytes original, llvm::ArrayRef<Edit> edits,
                                    const RewriteOptions& options) {
  llvm::Expected<EditOutcome> outcome = attempt(original, edits, false);
  if (!outcome || outcome->rewrite.isIdentity())
    return outcome;
  ByteOverlay image(original);
  llvm::Expected<PeFile> file = PeFile::read(image);
  if (!file)
    return file.takeError();
  if (!file->directories[COFF::CERTIFICATE_TABLE].isPresent())
    return outcome;
  if (!options.replaceSignature)
    return fail(ErrorCode::ForeignSigned,
                "is signed with a certificate, and an edit would invalidate it",
                "use --replace-signature to drop the certificate");
  return attempt(original, edits, true);
}

} // namespace tcfix::pe
