// Python itself: its version and architecture against those of the package.
#include "doctor/rules.h"

#include "env/prefix.h"
#include "resolve/process.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

namespace {

std::string versionOfSite(const Case& facts) {
  for (const env::Site& site : facts.found.environment.sites)
    if (site.folder == facts.facts.package.site && !site.pythonVersion.empty())
      return site.pythonVersion;
  for (const env::Python& python : facts.found.environment.pythons)
    if (!python.version.empty())
      return python.version;
  return {};
}

// The Python tags of the wheel that was installed; "py3" and "abi3" fit every version.
std::vector<std::string> tagsOfWheel(const Case& facts) {
  std::vector<std::string> tags;
  if (facts.facts.package.distInfo.empty())
    return tags;
  llvm::Expected<io::InputFile> wheel =
      facts.found.disk.open(facts.facts.package.distInfo + "/WHEEL");
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

void addArchitecture(const Case& facts, Findings& findings) {
  const std::string& wanted = facts.facts.process.arch;
  for (const survey::LibraryFacts& library : facts.facts.libraries) {
    llvm::Expected<const Image*> image = facts.store.image(library.path);
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
    findings.push_back({"wrong-architecture",
                        Severity::Error,
                        "python is " + wanted + ", and " + library.name + " is " +
                            ((*image)->isUniversal ? "a universal file without that slice: " : "") +
                            llvm::join(offered, " and ") +
                            (facts.facts.platform == Platform::MacOs && wanted == "x86_64" &&
                                     llvm::is_contained(offered, "arm64")
                                 ? "; a python for Intel runs under Rosetta here"
                                 : ""),
                        library.path,
                        {{"python", wanted}, {"library", offered}},
                        reinstallCommand(facts.facts.package)});
    return; // the others are alike
  }
}

// A virtual environment whose Python was exchanged looks into another folder than before.
void addVersionOfPrefix(const Case& facts, const std::string& version, Findings& findings) {
  if (facts.found.environment.kind != env::EnvironmentKind::Venv)
    return;
  env::VenvConfig config = env::readVenvConfig(facts.found.environment.root, facts.found.disk);
  const std::string& text = config["version"].empty() ? config["version_info"] : config["version"];
  std::optional<Version> says = parseVersion(text), has = parseVersion(version);
  if (!says || !has || *says == *has)
    return;
  findings.push_back({"python-version-mismatch",
                      Severity::Error,
                      "this environment's Python is " + says->text() + ", and " +
                          facts.facts.package.name + " lies in the folder of " + has->text() +
                          ", where it does not look",
                      facts.facts.package.site,
                      {{"python", text}, {"site", version}},
                      "pip install " + facts.facts.package.name});
}

} // namespace

std::string pythonTagOf(llvm::StringRef name) {
  for (llvm::StringRef marker : {".cpython-", ".cp"}) {
    auto [before, rest] = name.split(marker);
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.size() >= 2)
      return "cp" + digits.str();
  }
  return {};
}

std::string pythonTagFor(llvm::StringRef version) {
  std::string tag = "cp";
  llvm::copy_if(version, std::back_inserter(tag), llvm::isDigit);
  return tag;
}

Finding pythonAbi(const Scene& scene, const std::string& what, const std::string& path,
                  const std::string& tag, const std::string& pythonVersion) {
  return {"python-abi",
          Severity::Error,
          what + " is built for " + tag + "; this is Python " + pythonVersion,
          path,
          {{"tag", tag}, {"python", pythonVersion}},
          reinstallCommand(scene)};
}

void findPythonProblems(const Case& facts, Findings& findings) {
  std::string version = versionOfSite(facts);
  std::string tag = pythonTagFor(version);
  auto tell = [&](const std::string& path, const std::string& what, const std::string& has) {
    findings.push_back(pythonAbi(facts.scene(), what, path, has, version));
  };
  std::vector<std::string> wheelTags = tagsOfWheel(facts);
  if (!version.empty() && !wheelTags.empty() && !llvm::is_contained(wheelTags, tag))
    tell(facts.facts.package.distInfo, facts.facts.package.name, llvm::join(wheelTags, ", "));
  for (const survey::LibraryFacts& library : facts.facts.libraries)
    if (std::string has = pythonTagOf(library.name); !version.empty() && !has.empty() && has != tag)
      tell(library.path, library.name, has);

  addVersionOfPrefix(facts, version, findings);
  addArchitecture(facts, findings);
}

} // namespace tcfix::doctor
