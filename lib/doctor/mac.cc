// Requirements of macOS only: signatures, no quarantine, a recent enough system, and no duplicate
// load commands.
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
  defect.isRepairable = slice.signature->canBeRebuilt;
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
  llvm::Expected<io::InputFile> file = package.found.disk.openText(*path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto [before, rest] = textOf(file->bytes()).split("<key>ProductVersion</key>");
  return rest.split("<string>").second.split("</string>").first.trim().str();
}

// The first of these names that occurs again.
std::optional<std::string> repeatedIn(llvm::ArrayRef<std::string> names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (llvm::is_contained(names.take_front(i), names[i]))
      return names[i];
  return std::nullopt;
}

// Duplicate entries of a library. dyld refuses them if the image's SDK is recent; if that is why
// the package fails, the simulated loader has reported it, otherwise it takes effect after a
// rebuild.
void addRepetitions(const ExaminedPackage& package, llvm::ArrayRef<std::string> files, bool isOwn,
                    Defects& defects) {
  const size_t known = defects.size();
  auto add = [&](Kind kind, const std::string& file, const std::optional<std::string>& name) {
    if (!name || llvm::any_of(llvm::ArrayRef(defects).take_front(known), [&](const Defect& one) {
          return one.kind == kind && one.path == file;
        }))
      return;
    // Libraries of one build have the same entries: one defect for all of them.
    auto same =
        std::find_if(defects.begin() + static_cast<ptrdiff_t>(known), defects.end(),
                     [&](const Defect& one) { return one.kind == kind && one.name == *name; });
    if (same == defects.end()) {
      same = defects.insert(defects.end(), {kind, file, *name});
      same->isCause = false;
      same->isRepairable = isOwn;
    }
    if (!llvm::is_contained(same->items, file))
      same->items.push_back(file);
  };
  for (const std::string& file : files) {
    llvm::Expected<const Image*> image = package.store.image(file);
    if (!image) {
      llvm::consumeError(image.takeError()); // reported with the package
      continue;
    }
    for (const Slice& slice : (*image)->slices) {
      std::vector<std::string> names;
      for (const Dependency& dependency : slice.dependencies)
        names.push_back(dependency.name);
      add(Kind::DuplicateEntry, file, repeatedIn(slice.searchPaths));
      add(Kind::DuplicateDependency, file, repeatedIn(names));
    }
  }
}

} // namespace

// A program that loads only its own team's libraries, such as an application that contains a
// Python.
void findHardenedPython(const ExaminedPackage& package, Defects& defects) {
  const std::string& executable = package.facts.process.executable;
  if (package.facts.platform != Platform::MacOs || executable.empty())
    return;
  const std::string program = package.found.disk.realPath(executable).value_or(executable);
  llvm::Expected<io::InputFile> file = package.found.disk.open(program);
  llvm::Expected<Image> image =
      file ? formats::inspect(file->bytes()) : llvm::Expected<Image>(file.takeError());
  if (!image) {
    llvm::consumeError(image.takeError()); // a launcher script, or not on this machine
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
  std::vector<std::string> own;
  for (const survey::LibraryFacts& library : package.facts.libraries)
    own.push_back(library.path);
  addRepetitions(package, own, /*isOwn=*/true, defects);
  addRepetitions(package, package.facts.package.grafted, /*isOwn=*/false, defects);
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
