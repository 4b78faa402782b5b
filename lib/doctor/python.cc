// Python itself: its version and architecture against those of the package.
#include "doctor/rules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

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

// "cp312" of "x.cpython-312-darwin.so" or of "x.cp312-win_amd64.pyd"; empty if the name says none.
std::string tagOfName(llvm::StringRef name) {
  for (llvm::StringRef marker : {".cpython-", ".cp"}) {
    auto [before, rest] = name.split(marker);
    llvm::StringRef digits = rest.take_while(llvm::isDigit);
    if (digits.size() >= 2)
      return "cp" + digits.str();
  }
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

} // namespace

void findPythonProblems(const Case& facts, Findings& findings) {
  std::string version = versionOfSite(facts);
  std::string tag = "cp";
  for (char c : version)
    if (llvm::isDigit(c))
      tag += c;
  auto tell = [&](const std::string& path, const std::string& what, const std::string& has) {
    findings.push_back({"python-abi",
                        Severity::Error,
                        what + " is built for " + has + "; this is Python " + version,
                        path,
                        {{"tag", has}, {"python", version}},
                        "pip install --force-reinstall --no-deps " + facts.facts.package.name});
  };
  std::vector<std::string> wheelTags = tagsOfWheel(facts);
  if (!version.empty() && !wheelTags.empty() && !llvm::is_contained(wheelTags, tag))
    tell(facts.facts.package.distInfo, facts.facts.package.name, llvm::join(wheelTags, ", "));
  for (const plan::LibraryFacts& library : facts.facts.libraries)
    if (std::string has = tagOfName(library.name); !version.empty() && !has.empty() && has != tag)
      tell(library.path, library.name, has);

  const std::string& executable = facts.facts.process.executable;
  if (executable.empty())
    return;
  llvm::Expected<const Image*> python = facts.store.image(executable);
  if (!python) {
    llvm::consumeError(python.takeError());
    return;
  }
  for (const plan::LibraryFacts& library : facts.facts.libraries) {
    llvm::Expected<const Image*> image = facts.store.image(library.path);
    if (!image) {
      llvm::consumeError(image.takeError());
      continue;
    }
    bool isShared = (*image)->format != (*python)->format ||
                    llvm::any_of((*image)->slices, [&](const Slice& slice) {
                      return llvm::any_of((*python)->slices, [&](const Slice& other) {
                        return other.arch == slice.arch;
                      });
                    });
    if (isShared)
      continue;
    const std::string own = (*image)->slices.front().arch, host = (*python)->slices.front().arch;
    findings.push_back({"wrong-architecture",
                        Severity::Error,
                        "python is " + host + " and " + library.name + " is " + own +
                            (facts.facts.platform == Format::MachO && host == "x86_64"
                                 ? ": this python runs under Rosetta"
                                 : ""),
                        library.path,
                        {{"python", host}, {"library", own}},
                        "pip install --force-reinstall --no-deps " + facts.facts.package.name});
    return; // the others are alike
  }
}

} // namespace tcfix::doctor
