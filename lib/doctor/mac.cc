// What only macOS asks for: signatures, no quarantine, a system that is new enough.
#include "doctor/rules.h"

#include "image/names.h"
#include "io/system.h"
#include "resolve/explain.h"

#include <llvm/Support/VersionTuple.h>

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

void addSignature(const ExaminedPackage& package, const std::string& path, const Slice& slice,
                  Defects& defects) {
  if (!slice.signature)
    return;
  Defect defect{Kind::SignatureInvalid, path, slice.arch};
  defect.isCause = !package.loads && resolve::isRefused(slice);
  defect.actual = describe(*slice.signature);
  if (slice.signature->state != SignatureState::Invalid) {
    if (resolve::isRefused(slice))
      defect.kind = Kind::SignatureMissing;
    else if (slice.signature->kind == SignatureKind::Cms)
      defect.kind = Kind::SignatureForeign;
    else
      return;
  }
  defects.push_back(std::move(defect));
}

// Apple's plist, one line for the key and one for the value.
std::string systemVersion(const ExaminedPackage& package) {
  if (!package.facts.process.systemVersion.empty())
    return package.facts.process.systemVersion;
  std::optional<std::string> path =
      package.found.disk.hostPath("/System/Library/CoreServices/SystemVersion.plist");
  if (!path)
    return {};
  llvm::Expected<io::InputFile> file = package.found.disk.open(*path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto [before, rest] = textOf(file->bytes()).split("<key>ProductVersion</key>");
  return rest.split("<string>").second.split("</string>").first.trim().str();
}

} // namespace

// A program that takes only its own team's libraries, such as an application with a Python inside.
void findHardenedPython(const ExaminedPackage& package, Defects& defects) {
  const std::string& executable = package.facts.process.executable;
  if (package.facts.platform != Platform::MacOs || executable.empty())
    return;
  const std::string program = package.found.disk.realPath(executable).value_or(executable);
  llvm::Expected<io::InputFile> file = package.found.disk.open(program);
  llvm::Expected<Image> image =
      file ? formats::inspect(file->bytes()) : llvm::Expected<Image>(file.takeError());
  if (!image) {
    llvm::consumeError(image.takeError()); // a launcher script, or out of reach
    return;
  }
  for (const Slice& slice : image->slices)
    if (slice.signature && slice.signature->refusesOthers) {
      defects.push_back({Kind::HardenedPython,
                         program,
                         {},
                         describe(*slice.signature),
                         package.found.disk.targetPath(program)});
      return;
    }
}

void findMacDefects(const ExaminedPackage& package, Defects& defects) {
  if (package.facts.platform != Platform::MacOs)
    return;
  llvm::VersionTuple system, wanted;
  const std::string systemText = systemVersion(package);
  findHardenedPython(package, defects);
  bool knowsSystem = !systemText.empty() && !system.tryParse(systemText);
  for (const survey::LibraryFacts& library : package.facts.libraries) {
    const Image* image = package.store.judgedImage(library.path);
    if (!image)
      continue;
    for (const Slice& slice : image->slices) {
      addSignature(package, library.path, slice, defects);
      if (!knowsSystem || slice.minOs.empty() || wanted.tryParse(slice.minOs) || !(system < wanted))
        continue;
      defects.push_back({Kind::MacosTooOld, library.path, slice.minOs, systemText});
    }
    if (io::system::isQuarantined(library.path))
      defects.push_back({Kind::Quarantined, library.path});
  }
}

} // namespace tcfix::doctor
