// Python itself: its version and architecture, compared with the package's.
#include "doctor/python_tag.h"
#include "doctor/rules.h"

#include "env/prefix.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using Kind = Defect::Kind;

namespace {

// The Python tags of the wheel that was installed; "py3" and "abi3" fit every version.
std::vector<std::string> tagsOfWheel(const ExaminedPackage& package) {
  std::vector<std::string> tags;
  if (package.facts.package.distInfo.empty())
    return tags;
  llvm::Expected<io::InputFile> wheel =
      package.found.disk.openText(package.facts.package.distInfo + "/WHEEL");
  if (!wheel) {
    llvm::consumeError(wheel.takeError());
    return tags;
  }
  for (llvm::StringRef line : llvm::split(textOf(wheel->bytes()), '\n')) {
    line = line.trim();
    if (!line.consume_front("Tag:"))
      continue;
    auto [python, rest] = line.trim().split('-');
    auto [abi, platform] = rest.split('-');
    if (abi == "abi3" || abi == "none" || !python.starts_with("cp"))
      return {};
    for (llvm::StringRef one : llvm::split(python, '.'))
      tags.push_back(one.str());
  }
  return tags;
}

void addArchitecture(const ExaminedPackage& package, Defects& defects) {
  const std::string& wanted = package.facts.process.arch;
  for (const survey::LibraryFacts& library : package.facts.libraries) {
    if (!library.isNeeded)
      continue; // packages may contain libraries for several architectures
    llvm::Expected<const Image*> image = package.store.image(library.path);
    if (!image) {
      llvm::consumeError(image.takeError());
      continue;
    }
    std::vector<std::string> offered;
    for (const Slice& slice : (*image)->slices)
      offered.push_back(slice.arch);
    if (llvm::any_of(offered, [&](const std::string& one) {
          return resolve::isSameArchitecture(one, wanted);
        }))
      continue;
    Defect defect{Kind::ForeignLibrary, library.path, wanted};
    defect.items = std::move(offered);
    defect.actual = (*image)->isUniversal ? "universal" : "";
    defects.push_back(std::move(defect));
    return; // the others are the same
  }
}

// A virtual environment whose Python was replaced searches another directory than before.
void addVersionOfPrefix(const ExaminedPackage& package, const std::string& version,
                        Defects& defects) {
  if (package.found.environment.kind != env::EnvironmentKind::Venv)
    return;
  env::VenvConfig config = env::readVenvConfig(package.found.environment.root, package.found.disk);
  const std::string& text = config["version"].empty() ? config["version_info"] : config["version"];
  std::optional<Version> says = parseVersion(text), has = parseVersion(version);
  if (!says || !has || *says == *has)
    return;
  defects.push_back({Kind::PythonVersionMismatch, package.facts.package.site, text, version});
}

} // namespace

void findPythonDefects(const ExaminedPackage& package, Defects& defects) {
  const env::Package& installed = package.facts.package;
  const std::string version = package.pythonVersion(), tag = pythonTagFor(version);
  auto add = [&](const std::string& path, const std::string& subject, const std::string& has) {
    defects.push_back({Kind::PythonAbi, path, has, version, {}, subject});
  };
  std::vector<std::string> wheelTags = tagsOfWheel(package);
  if (!version.empty() && !wheelTags.empty() && !llvm::is_contained(wheelTags, tag))
    add(installed.distInfo, installed.name, llvm::join(wheelTags, ", "));
  for (const survey::LibraryFacts& library : package.facts.libraries)
    if (std::string has = pythonTagOf(library.name); !version.empty() && !has.empty() && has != tag)
      add(library.path, library.name, has);

  addVersionOfPrefix(package, version, defects);
  addArchitecture(package, defects);
}

} // namespace tcfix::doctor
