#include "base/error.h"
#include "pe/check.h"
#include "pe/checksum.h"
#include "pe/conversion.h"
#include "pe/edit.h"
#include "pe/pe.h"

namespace tcfix::pe {

namespace COFF = llvm::COFF;

namespace {

// A certificate covers the whole file and stands at its end. Returns where the file ends without
// it.
llvm::Expected<uint64_t> dropCertificate(Draft& draft, const PeFile& file) {
  const Directory& certificate = file.directories[COFF::CERTIFICATE_TABLE];
  const uint64_t end = alignUp(certificate.end(), 8);
  if (certificate.address < file.imageFileEnd() || end < draft.size() ||
      certificate.end() > draft.size())
    return fail(ErrorCode::Unsupported, "its certificate is not at the file's end");
  constexpr uint8_t kNone[sizeof(llvm::object::data_directory)] = {};
  draft.write(file.directoryField(COFF::CERTIFICATE_TABLE), kNone, "certificate dropped");
  return certificate.address;
}

llvm::Error refuseProblems(const PeFile& file, ErrorCode code, const char* prefix) {
  const std::vector<std::string> problems = findProblems(file);
  if (problems.empty())
    return llvm::Error::success();
  return fail(code, prefix + problems.front());
}

Rewrite rewriteOf(Bytes original, const Draft& draft, uint64_t overlay, uint64_t overlaySize) {
  Rewrite rewrite = identityOf(original);
  draft.addTo(rewrite);
  rewrite.newSize = draft.size() + overlaySize;
  if (overlaySize && overlay != draft.size())
    rewrite.moves.push_back({overlay, draft.size(), overlaySize, "data after the image moves"});
  seal(rewrite);
  return rewrite;
}

llvm::Expected<EditOutcome> attempt(Bytes original, llvm::ArrayRef<Edit> edits,
                                    bool withoutCertificate) {
  Draft untouched(original), draft(original);
  llvm::Expected<PeFile> before = PeFile::read(untouched);
  if (!before)
    return before.takeError();
  llvm::Expected<std::optional<Record>> record = readRecord(*before);
  if (!record)
    return record.takeError();
  const uint64_t overlay = before->imageFileEnd();
  uint64_t fileEnd = original.size();
  if (withoutCertificate) {
    llvm::Expected<uint64_t> end = dropCertificate(draft, *before);
    if (!end)
      return end.takeError();
    fileEnd = *end;
  }

  // From here on the draft holds the image as its linker left it.
  Editing editing{draft, {}, withoutCertificate, {}, {}};
  if (*record) {
    restore(draft, *before, **record);
    editing.wishes = (*record)->wishes;
  } else {
    draft.resize(overlay);
  }
  if (llvm::Error error = applyEdits(editing, edits))
    return error;
  EditOutcome outcome;
  outcome.rewrite = identityOf(original);
  outcome.warnings = editing.warnings;
  if (editing.changes.empty())
    return outcome; // as wanted already, even where another version of tcfix made it so
  if (!*record)
    if (llvm::Error error = renameInPlace(editing))
      return error;

  llvm::Expected<PeFile> file = PeFile::read(draft);
  if (!file)
    return file.takeError();
  const uint64_t checksumField = TCFIX_OPTIONAL_FIELD(*file, CheckSum);
  const bool needsChecksum = file->checksum && (editing.isEdited || !editing.wishes.isEmpty());
  if (!editing.wishes.isEmpty()) {
    llvm::Expected<std::vector<Import>> imports = readImports(*file);
    if (!imports)
      return imports.takeError();
    if (llvm::Error error = convert(draft, *file, *imports, editing.wishes))
      return error;
  }
  outcome.rewrite = rewriteOf(original, draft, overlay, fileEnd - overlay);
  if (needsChecksum) {
    uint8_t field[4];
    llvm::support::endian::write32le(
        field, checksumOf(RewrittenView(original, outcome.rewrite), checksumField));
    draft.write(checksumField, field, "checksum");
    outcome.rewrite = rewriteOf(original, draft, overlay, fileEnd - overlay);
  }
  outcome.changes = std::move(editing.changes);
  llvm::Expected<PeFile> after = PeFile::read(draft);
  if (!after)
    return within("the edited file is wrong", after.takeError());
  if (llvm::Error error =
          refuseProblems(*before, ErrorCode::Malformed, "Windows would not load it: "))
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
  Draft draft(original);
  llvm::Expected<PeFile> file = PeFile::read(draft);
  if (!file)
    return file.takeError();
  if (!file->directories[COFF::CERTIFICATE_TABLE].isPresent())
    return outcome;
  if (!options.replaceSignature)
    return fail(ErrorCode::ForeignSigned, "has a certificate, which any edit makes invalid",
                "use --replace-signature to drop it");
  return attempt(original, edits, true);
}

} // namespace tcfix::pe
