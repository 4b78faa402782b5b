// FFmpeg: not installed, only static, or no major that the package supports.
#include "doctor/rules.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using Kind = Defect::Kind;
using resolve::LoadProblem;

namespace {

bool lacksFfmpeg(const LoadProblem* cause) {
  return cause && cause->code == LoadProblem::Code::MissingDependency &&
         providers::parseFfmpegName(cause->dependency);
}

/// The installed FFmpegs, and which of them are usable.
struct Installed {
  std::vector<std::string> descriptions, defects;
  std::vector<int> majors;
};

Installed installedFfmpegs(const ExaminedPackage& package) {
  Installed installed;
  for (const providers::FfmpegInstall& install : package.facts.ffmpegs) {
    std::string line = (install.major ? "FFmpeg " + std::to_string(install.major) + " " : "") +
                       "in " + package.found.disk.targetPath(install.folder) + " (" +
                       install.description + ")";
    if (!install.defect.empty())
      installed.defects.push_back(line += ": " + install.defect);
    else if (install.major)
      installed.majors.push_back(install.major);
    installed.descriptions.push_back(std::move(line));
  }
  return installed;
}

/// "FFmpeg 8 is installed in /opt/homebrew/lib": the first usable one of these majors.
std::string usableFfmpeg(const ExaminedPackage& package, llvm::ArrayRef<int> majors) {
  for (int major : majors)
    for (const providers::FfmpegInstall& install : package.facts.ffmpegs)
      if (install.major == major && install.defect.empty())
        return "FFmpeg " + std::to_string(major) + " is installed in " +
               package.found.disk.targetPath(install.folder);
  return "FFmpeg is installed";
}

} // namespace

void findFfmpegDefects(const ExaminedPackage& package, Defects& defects) {
  Defect defect;
  const LoadProblem* first = nullptr;
  for (const GroupReport& group : package.groups) {
    if (!package.isWanted(group) || group.loads != resolve::Verdict::Fails)
      continue;
    if (group.major)
      defect.majors.push_back(group.major);
    if (!first && lacksFfmpeg(group.firstCause()))
      first = group.firstCause();
  }
  // Another library of the package may be the one that fails.
  const bool hasMajor =
      package.required.empty() && llvm::any_of(package.groups, [](const GroupReport& group) {
        return group.major != 0 && group.loads != resolve::Verdict::Fails;
      });
  if (package.loads || hasMajor || !first)
    return;

  const Installed installed = installedFfmpegs(package);
  defect.path = first->library;
  defect.name = first->dependency;
  defect.tried = first->tried;
  defect.items = installed.descriptions;
  if (package.wouldLoadAfter) {
    defect.kind = Kind::FfmpegNotFound;
    defect.actual = usableFfmpeg(package, defect.majors);
  } else if (llvm::any_of(installed.majors,
                          [&](int major) { return llvm::is_contained(defect.majors, major); })) {
    defect.kind = Kind::FfmpegUnfit;
    for (const plan::FfmpegChoice& choice : package.planned.ffmpegs)
      defect.alternatives.push_back(choice.reason);
  } else if (!installed.majors.empty()) {
    defect.kind = Kind::FfmpegUnsupportedMajor;
    defect.actual = llvm::join(
        llvm::map_range(installed.majors, [](int major) { return std::to_string(major); }), ", ");
  } else if (!installed.defects.empty()) {
    defect.kind = Kind::FfmpegStatic;
    defect.actual = installed.defects.front();
  } else {
    defect.kind = Kind::FfmpegMissing;
  }
  defects.push_back(std::move(defect));
}

} // namespace tcfix::doctor
