// What only macOS asks for: signatures, no quarantine, a system that is new enough.
#include "doctor/rules.h"

#include "image/names.h"
#include "io/system.h"

#include <llvm/Support/Path.h>
#include <llvm/Support/VersionTuple.h>

namespace tcfix::doctor {

namespace {

void addSignature(const std::string& path, const Slice& slice, Findings& findings) {
  if (!slice.signature)
    return;
  const std::string name = llvm::sys::path::filename(path).str();
  if (slice.signature->state == SignatureState::Invalid)
    findings.push_back({"signature-invalid",
                        Severity::Error,
                        "the signature of " + name +
                            " does not fit its bytes: macOS kills the "
                            "process that loads it",
                        path,
                        {{"signature", describe(*slice.signature)}},
                        "tcfix sign " + path});
  else if (slice.signature->state == SignatureState::None && slice.arch.starts_with("arm64"))
    findings.push_back({"signature-missing",
                        Severity::Error,
                        name + " is not signed, which arm64 demands",
                        path,
                        {},
                        "tcfix sign " + path});
}

// Apple's plist, one line for the key and one for the value.
std::string systemVersion(const Case& facts) {
  if (!facts.facts.process.systemVersion.empty())
    return facts.facts.process.systemVersion;
  std::optional<std::string> path =
      facts.found.disk.hostPath("/System/Library/CoreServices/SystemVersion.plist");
  if (!path)
    return {};
  llvm::Expected<io::InputFile> file = facts.found.disk.open(*path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto [before, rest] = textOf(file->bytes()).split("<key>ProductVersion</key>");
  return rest.split("<string>").second.split("</string>").first.trim().str();
}

} // namespace

void findMacProblems(const Case& facts, Findings& findings) {
  if (facts.facts.platform != Format::MachO)
    return;
  llvm::VersionTuple system, wanted;
  const std::string systemText = systemVersion(facts);
  bool knowsSystem = !systemText.empty() && !system.tryParse(systemText);
  for (const plan::LibraryFacts& library : facts.facts.libraries) {
    llvm::Expected<io::InputFile> file = facts.found.disk.open(library.path);
    llvm::Expected<Image> image =
        file ? formats::inspect(file->bytes()) : llvm::Expected<Image>(file.takeError());
    if (!image) {
      llvm::consumeError(image.takeError()); // told already
      continue;
    }
    for (const Slice& slice : image->slices) {
      addSignature(library.path, slice, findings);
      if (knowsSystem && !slice.minOs.empty() && !wanted.tryParse(slice.minOs) && system < wanted)
        findings.push_back({"macos-too-old",
                            Severity::Error,
                            library.name + " is for macOS " + slice.minOs +
                                " or later; this is macOS " + systemText,
                            library.path,
                            {{"min_os", slice.minOs}, {"system", systemText}},
                            "softwareupdate --install --all"});
    }
    if (io::system::isQuarantined(library.path))
      findings.push_back({"quarantined",
                          Severity::Error,
                          library.name + " carries the quarantine mark of downloaded files",
                          library.path,
                          {},
                          "xattr -d com.apple.quarantine " + library.path});
  }
}

} // namespace tcfix::doctor
