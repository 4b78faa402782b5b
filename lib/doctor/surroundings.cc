// What stands around the package: another one of the same name, another FFmpeg, a RECORD that tells
// of other files.
#include "doctor/rules.h"

#include "env/record.h"
#include "io/digest.h"
#include "io/host.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::doctor {

namespace {

void findShadows(const Case& facts, Findings& findings) {
  const env::Package& package = facts.facts.package;
  std::vector<std::string> others;
  for (const env::Site& site : facts.found.environment.sites)
    if (site.folder != package.site && facts.found.disk.isFolder(site.folder + "/" + package.name))
      others.push_back(site.folder);
  // Only where this process's variables are the target's.
  if (facts.found.disk.options().sysroot.empty() && facts.found.disk.knowsAbsolutePaths())
    if (std::optional<std::string> path = io::environmentVariable("PYTHONPATH"))
      for (llvm::StringRef folder : llvm::split(*path, io::kPathListSeparator))
        if (!folder.empty() && facts.found.disk.isFolder((folder + "/" + package.name).str()))
          others.push_back("PYTHONPATH: " + folder.str());
  if (!others.empty())
    findings.push_back(
        {"shadowed",
         Severity::Warning,
         "there is more than one " + package.name + "; Python takes the first on its path",
         package.site,
         {{"also", others}},
         "python -c \"import " + package.name + "; print(" + package.name + ".__file__)\""});
}

void findTwoFfmpegs(const Case& facts, Findings& findings) {
  for (const GroupReport& group : facts.groups) {
    if (group.loads != resolve::Verdict::Loads || group.ffmpegFolder.empty())
      continue;
    for (const providers::FfmpegInstall& install : facts.facts.ffmpegs)
      if (install.source == providers::FfmpegSource::Pyav && install.defect.empty() &&
          install.folder != group.ffmpegFolder)
        findings.push_back({"two-ffmpegs",
                            Severity::Info,
                            "a program that imports both torchcodec and av gets two FFmpegs: " +
                                facts.found.disk.targetPath(group.ffmpegFolder) + " and " +
                                install.description,
                            install.folder,
                            {},
                            facts.applyCommand + " --ffmpeg av"});
    return; // only the first major that loads is used
  }
}

void findStaleRecord(const Case& facts, Findings& findings) {
  const env::Package& package = facts.facts.package;
  if (!package.hasRecord)
    return;
  llvm::Expected<io::InputFile> file = facts.found.disk.open(package.distInfo + "/RECORD");
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  llvm::Expected<env::Record> record = env::Record::parse(textOf(file->bytes()));
  if (!record) {
    llvm::consumeError(record.takeError()); // told with the package
    return;
  }
  std::vector<std::string> differing;
  for (const survey::LibraryFacts& library : facts.facts.libraries) {
    llvm::StringRef relative = library.path;
    if (!relative.consume_front(package.site) || !relative.consume_front("/"))
      continue;
    const env::RecordRow* row = record->find(relative);
    llvm::Expected<io::InputFile> content = facts.found.disk.open(library.path);
    if (!content) {
      llvm::consumeError(content.takeError());
      continue;
    }
    if (row && llvm::StringRef(row->digest).starts_with("sha256=") &&
        row->digest != env::recordDigest(io::sha256Hex(content->bytes())))
      differing.push_back(library.name);
  }
  if (differing.empty())
    return;
  bool isOurs = io::exists(package.distInfo + "/tcfix-journal.json");
  findings.push_back({"record-mismatch",
                      Severity::Warning,
                      std::to_string(differing.size()) + " of the libraries are not those that " +
                          "RECORD lists: someone replaced or edited them",
                      package.distInfo + "/RECORD",
                      {{"libraries", differing}},
                      isOurs ? facts.applyCommand : reinstallCommand(package)});
}

} // namespace

void findSurroundings(const Case& facts, Findings& findings) {
  findShadows(facts, findings);
  findTwoFfmpegs(facts, findings);
  findStaleRecord(facts, findings);
}

} // namespace tcfix::doctor
