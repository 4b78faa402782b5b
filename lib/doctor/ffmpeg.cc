// FFmpeg: there is none, only a static one, or none of a major that this torchcodec can use.
#include "doctor/rules.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

std::string majorsText(llvm::ArrayRef<int> majors) {
  std::vector<std::string> words;
  for (int major : majors)
    words.push_back(std::to_string(major));
  return llvm::join(words, ", ");
}

std::string ffmpegInstallCommand(const Scene& scene, int highest) {
  // The newest formula has no number; older ones do.
  if (scene.platform == Format::MachO)
    return highest >= 8 ? "brew install ffmpeg" : "brew install ffmpeg@" + std::to_string(highest);
  if (scene.platform == Format::Elf && scene.isConda)
    return "conda install -c conda-forge \"ffmpeg<" + std::to_string(highest + 1) + "\"";
  return "pip install av";
}

void findFfmpegProblems(const Case& facts, Findings& findings) {
  std::vector<int> wanted;
  bool isFfmpegTheCause = false;
  const resolve::LoadProblem* first = nullptr;
  for (const GroupReport& group : facts.groups) {
    if (!facts.isWanted(group) || group.loads != resolve::Verdict::Fails)
      continue;
    if (group.major)
      wanted.push_back(group.major);
    const resolve::LoadProblem* cause = group.firstCause();
    if (!cause || cause->code != resolve::LoadProblem::Code::MissingDependency ||
        !providers::parseFfmpegName(cause->dependency))
      continue;
    isFfmpegTheCause = true;
    if (!first)
      first = cause;
  }
  if (facts.loads || !isFfmpegTheCause)
    return;

  std::vector<std::string> seen, defects;
  std::vector<int> present;
  for (const providers::FfmpegInstall& install : facts.facts.ffmpegs) {
    std::string line = (install.major ? "FFmpeg " + std::to_string(install.major) + " " : "") +
                       "in " + facts.found.disk.targetPath(install.folder) + " (" +
                       install.description + ")";
    if (!install.defect.empty())
      defects.push_back(line + ": " + install.defect);
    else if (install.major)
      present.push_back(install.major);
    seen.push_back(line + (install.defect.empty() ? "" : ": " + install.defect));
  }
  Finding finding;
  finding.severity = Severity::Error;
  finding.path = first->library;
  finding.evidence = {
      {"dependency", first->dependency}, {"installs", seen}, {"tried", placesOf(*first)}};
  bool hasSupported =
      llvm::any_of(present, [&](int major) { return llvm::is_contained(wanted, major); });
  const std::string majors = "FFmpeg " + majorsText(wanted);
  if (facts.wouldLoadAfter) {
    finding.code = "ffmpeg-not-found";
    finding.message = "the libraries do not find an FFmpeg that is there";
    finding.action = facts.applyCommand;
  } else if (hasSupported) {
    finding.code = "ffmpeg-not-found";
    finding.message = "there is an FFmpeg of a fitting major, but the libraries fail with it";
    for (const plan::FfmpegChoice& choice : facts.planned.ffmpegs)
      finding.evidence.push_back({"reason", choice.reason});
  } else if (!present.empty()) {
    finding.code = "ffmpeg-unsupported-major";
    finding.message = "this " + facts.facts.package.name + " uses " + majors +
                      "; installed: " + majorsText(present);
    finding.action = ffmpegInstallCommand(facts.scene(), wanted.empty() ? 7 : wanted.front());
  } else if (!defects.empty()) {
    finding.code = "ffmpeg-static";
    finding.message = "no FFmpeg here has shared libraries: " + defects.front();
    finding.action = ffmpegInstallCommand(facts.scene(), wanted.empty() ? 7 : wanted.front());
  } else {
    finding.code = "ffmpeg-missing";
    finding.message = "there is no FFmpeg that the libraries could use (" + majors +
                      "); install one, then run tcfix apply";
    finding.action = ffmpegInstallCommand(facts.scene(), wanted.empty() ? 7 : wanted.front());
  }
  findings.push_back(std::move(finding));
}

} // namespace tcfix::doctor
