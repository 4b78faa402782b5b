// What only macOS asks for: signatures, no quarantine, a system that is new enough.
#include "doctor/rules.h"

#include "base/parallel.h"
#include "image/names.h"
#include "io/system.h"

#include <llvm/Support/Path.h>
#include <llvm/Support/VersionTuple.h>

#include <mutex>

namespace tcfix::doctor {

using resolve::LoadProblem;

namespace {

bool isRefused(const Slice& slice) {
  return slice.signature && slice.signature->state != SignatureState::Valid &&
         slice.arch.starts_with("arm64");
}

void addSignature(const Case& facts, const std::string& path, const Slice& slice,
                  Findings& findings) {
  if (!slice.signature)
    return;
  const std::string name = llvm::sys::path::filename(path).str();
  const Severity severity = facts.loads || !isRefused(slice) ? Severity::Warning : Severity::Error;
  if (slice.signature->state == SignatureState::Invalid)
    findings.push_back({"signature-invalid",
                        severity,
                        "the signature of " + name + " does not fit its bytes" +
                            (isRefused(slice) ? ": macOS kills the process that loads it" : ""),
                        path,
                        {{"signature", describe(*slice.signature)}},
                        signCommand(path)});
  else if (isRefused(slice))
    findings.push_back({"signature-missing",
                        severity,
                        name + " is not signed, which arm64 demands",
                        path,
                        {},
                        signCommand(path)});
  else if (slice.signature->kind == SignatureKind::Cms)
    findings.push_back({"signature-foreign",
                        Severity::Info,
                        name + " is signed by an identity: tcfix changes it only if told to, and "
                               "signs it ad hoc then",
                        path,
                        {{"signature", describe(*slice.signature)}},
                        facts.applyCommand + " --replace-signature"});
}

// A program that takes only its own team's libraries, such as an application with a Python inside.
void addHardenedRuntime(const Case& facts, Findings& findings) {
  std::optional<std::string> program = facts.found.disk.realPath(facts.facts.process.executable);
  llvm::Expected<io::InputFile> file =
      facts.found.disk.open(program.value_or(facts.facts.process.executable));
  llvm::Expected<Image> image =
      file ? formats::inspect(file->bytes()) : llvm::Expected<Image>(file.takeError());
  if (!image) {
    llvm::consumeError(image.takeError()); // a launcher script, or out of reach
    return;
  }
  for (const Slice& slice : image->slices)
    if (slice.signature && slice.signature->refusesOthers) {
      findings.push_back({"hardened-python",
                          Severity::Error,
                          "this python takes only libraries that its own team signed (hardened "
                          "runtime with library validation); those of wheels are signed ad hoc",
                          *program,
                          {{"signature", describe(*slice.signature)}},
                          signPythonCommand(facts.found.disk.targetPath(*program))});
      return;
    }
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

std::map<std::string, Image> judgeLibraries(const survey::PackageFacts& facts,
                                            const io::TargetDisk& disk) {
  std::map<std::string, Image> judged;
  if (facts.platform != Platform::MacOs)
    return judged;
  std::mutex mutex;
  parallelFor(facts.libraries.size(), hardwareThreads(), [&](size_t i) {
    const std::string& path = facts.libraries[i].path;
    llvm::Expected<io::InputFile> file = disk.open(path);
    llvm::Expected<Image> image =
        file ? formats::inspect(file->bytes()) : llvm::Expected<Image>(file.takeError());
    if (!image)
      return llvm::consumeError(image.takeError()); // told by whoever reads it next
    std::lock_guard lock(mutex);
    judged[path] = std::move(*image);
  });
  return judged;
}

std::optional<LoadProblem> refusalOf(const std::string& path, const Image& image,
                                     llvm::StringRef arch) {
  for (const Slice& slice : image.slices)
    if (slice.arch == arch && isRefused(slice)) {
      LoadProblem problem;
      problem.code = LoadProblem::Code::Refused;
      problem.library = problem.provider = path;
      problem.message =
          llvm::sys::path::filename(path).str() + (slice.signature->state == SignatureState::None
                                                       ? " is not signed"
                                                       : " has a signature that does not fit");
      return problem;
    }
  return std::nullopt;
}

void findMacProblems(const Case& facts, Findings& findings) {
  if (facts.facts.platform != Platform::MacOs)
    return;
  llvm::VersionTuple system, wanted;
  const std::string systemText = systemVersion(facts);
  if (!facts.facts.process.executable.empty())
    addHardenedRuntime(facts, findings);
  bool knowsSystem = !systemText.empty() && !system.tryParse(systemText);
  for (const survey::LibraryFacts& library : facts.facts.libraries) {
    auto image = facts.judged.find(library.path);
    if (image == facts.judged.end())
      continue;
    for (const Slice& slice : image->second.slices) {
      addSignature(facts, library.path, slice, findings);
      if (knowsSystem && !slice.minOs.empty() && !wanted.tryParse(slice.minOs) && system < wanted)
        findings.push_back({"macos-too-old",
                            Severity::Warning,
                            library.name + " is for macOS " + slice.minOs +
                                " or later, and may need what macOS " + systemText +
                                " does not have",
                            library.path,
                            {{"min_os", slice.minOs}, {"system", systemText}},
                            "softwareupdate --install --all"});
    }
    if (io::system::isQuarantined(library.path))
      findings.push_back(
          {"quarantined",
           Severity::Warning,
           library.name + " carries the mark of downloaded files: macOS may refuse it",
           library.path,
           {},
           unquarantineCommand(library.path)});
  }
}

} // namespace tcfix::doctor
