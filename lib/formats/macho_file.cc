#include "formats/macho_file.h"

#include "base/error.h"
#include "codesign/identifier.h"
#include "codesign/sign.h"
#include "codesign/verify.h"
#include "image/names.h"
#include "macho/check.h"
#include "macho/commands.h"
#include "macho/describe.h"
#include "macho/symbol_table.h"

#include <algorithm>

namespace tcfix::formats {

namespace {

// codesign derives one identifier for the whole file, from the slice for the architecture it runs
// on: Apple silicon's, if the file has one.
std::string defaultIdentifier(const macho::File& file, llvm::StringRef fileName) {
  auto native = std::find_if(file.slices.begin(), file.slices.end(),
                             [](const macho::FileSlice& slice) { return slice.mustBeSigned(); });
  return codesign::identifierFor(fileName,
                                 native == file.slices.end() ? file.slices.front() : *native);
}

llvm::Error refuseUneditable(const macho::File& file) {
  if (std::any_of(file.slices.begin(), file.slices.end(),
                  [](const macho::FileSlice& slice) { return slice.isEditable(); }))
    return llvm::Error::success();
  const macho::FileSlice& slice = file.slices.front();
  return fail(ErrorCode::Unsupported,
              "cannot be edited (" + slice.arch + " " + macho::describe(slice).fileType +
                  "): tcfix edits 64-bit shared libraries, bundles and executables");
}

// An edit cannot repair a file that dyld rejects anyway.
llvm::Error refuseCorrupt(const macho::FileSlice& slice) {
  std::vector<std::string> problems = macho::checkStructure(slice);
  if (problems.empty())
    return llvm::Error::success();
  return fail(ErrorCode::Malformed, "corrupt Mach-O file: " + problems.front(),
              "reinstall the package; tcfix does not edit corrupt files");
}

// An edit must not introduce a problem; existing problems do not stop it.
llvm::Error refuseNewProblems(const macho::FileSlice& slice, const macho::SliceDraft& draft) {
  std::vector<std::string> before = macho::check(slice, slice.commands, slice.size);
  for (const std::string& problem : macho::check(slice, draft.commands, draft.size))
    if (std::find(before.begin(), before.end(), problem) == before.end())
      return fail(ErrorCode::Conflict, "would not load after this edit: " + problem);
  return llvm::Error::success();
}

llvm::Expected<Rewrite> rewriteSlice(const macho::FileSlice& slice, Bytes sliceBytes,
                                     const EditRequest& request, const codesign::SignPolicy& policy,
                                     EditOutcome& outcome, bool isUniversal) {
  if (llvm::Error error = refuseCorrupt(slice))
    return error;
  macho::SliceDraft draft = macho::draftOf(slice);
  if (llvm::Error error = macho::edit(draft, request.edits, sliceBytes))
    return error;
  llvm::Expected<Rewrite> rewrite = codesign::layOutSigned(draft, sliceBytes, policy);
  if (!rewrite)
    return rewrite.takeError();
  if (!rewrite->isIdentity())
    if (llvm::Error error = refuseNewProblems(slice, draft))
      return error;
  for (Change& change : draft.changes) {
    change.arch = isUniversal ? slice.arch : std::string();
    outcome.changes.push_back(std::move(change));
  }
  for (std::string& warning : draft.warnings)
    outcome.warnings.push_back(isUniversal ? "slice " + slice.arch + ": " + warning : warning);
  return rewrite;
}

} // namespace

llvm::Expected<Image> inspectMachO(Bytes bytes, const InspectOptions& options) {
  llvm::Expected<macho::File> file = macho::read(bytes);
  if (!file)
    return file.takeError();
  Image image;
  image.format = Format::MachO;
  image.isUniversal = file->isUniversal;
  for (const macho::FileSlice& slice : file->slices) {
    Bytes sliceBytes = bytes.slice(slice.offset, slice.size);
    Slice description = macho::describe(slice);
    if (options.isThorough)
      description.signature = codesign::verify(sliceBytes, slice).summary;
    if (options.withSymbols)
      macho::addSymbols(sliceBytes, slice, description);
    image.slices.push_back(std::move(description));
  }
  return image;
}

llvm::Expected<std::unique_ptr<SymbolTable>> openSymbolsOfMachO(Bytes bytes, llvm::StringRef arch) {
  llvm::Expected<macho::File> file = macho::read(bytes);
  if (!file)
    return file.takeError();
  for (const macho::FileSlice& slice : file->slices)
    if (slice.arch == arch)
      return macho::openSymbols(bytes.slice(slice.offset, slice.size), slice);
  return fail(ErrorCode::Unsupported, "has no slice for " + arch.str());
}

llvm::Expected<EditOutcome> rewriteMachO(Bytes bytes, llvm::StringRef fileName,
                                         const EditRequest& request) {
  llvm::Expected<macho::File> file = macho::read(bytes);
  if (!file)
    return file.takeError();
  if (llvm::Error error = refuseUneditable(*file))
    return error;
  codesign::SignPolicy policy;
  policy.isWanted = request.signing.isWanted;
  policy.alsoUnsigned = request.signing.alsoUnsigned;
  policy.replaceForeign = request.signing.replaceForeign;
  policy.defaultIdentifier = defaultIdentifier(*file, fileName);

  EditOutcome outcome;
  std::vector<Rewrite> slices;
  for (const macho::FileSlice& slice : file->slices) {
    Bytes sliceBytes = bytes.slice(slice.offset, slice.size);
    if (!slice.isEditable()) {
      slices.push_back(identityOf(sliceBytes));
      continue;
    }
    llvm::Expected<Rewrite> rewrite =
        rewriteSlice(slice, sliceBytes, request, policy, outcome, file->isUniversal);
    if (!rewrite)
      return file->isUniversal ? within("slice " + slice.arch, rewrite.takeError())
                               : rewrite.takeError();
    slices.push_back(std::move(*rewrite));
  }
  llvm::Expected<Rewrite> whole = macho::assemble(bytes, *file, slices);
  if (!whole)
    return whole.takeError();
  outcome.rewrite = std::move(*whole);
  return outcome;
}

llvm::Expected<SignatureVerdict> verifyMachO(Bytes bytes) {
  llvm::Expected<macho::File> file = macho::read(bytes);
  if (!file)
    return file.takeError();
  SignatureVerdict verdict;
  for (const macho::FileSlice& slice : file->slices) {
    std::string prefix = file->isUniversal ? "slice " + slice.arch + ": " : "";
    if (slice.isEditable())
      for (const std::string& problem : macho::checkStructure(slice))
        verdict.problems.push_back(prefix + problem);
    codesign::SignatureReport report =
        codesign::verify(bytes.slice(slice.offset, slice.size), slice);
    for (const std::string& problem : report.problems)
      verdict.problems.push_back(prefix + problem);
    if (report.summary.state == SignatureState::None && slice.mustBeSigned() && slice.isEditable())
      verdict.problems.push_back(prefix + "not signed; Apple silicon loads only signed libraries");
    verdict.summaries.push_back(prefix + describeBriefly(report.summary));
  }
  verdict.isValid = verdict.problems.empty();
  return verdict;
}

std::string identifierOfMachO(Bytes bytes, llvm::StringRef fileName) {
  llvm::Expected<macho::File> file = macho::read(bytes);
  if (file)
    return defaultIdentifier(*file, fileName);
  llvm::consumeError(file.takeError()); // an edit of this file reports the error
  return {};
}

} // namespace tcfix::formats
