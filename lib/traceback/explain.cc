#include "doctor/traceback.h"

#include "doctor/traceback_findings.h"
#include "image/names.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::doctor {

namespace {

using Kind = ToldFailure::Kind;
using resolve::Verdict;

/// How far a major came. A missing FFmpeg is expected of all but one; whoever got further tells
/// what is really wrong.
enum class Progress { Nowhere, WithoutFfmpeg, Further };

Progress progressOf(const ToldFailure& failure) {
  if (failure.kind == Kind::NotTold)
    return baseName(failure.library).contains("ops") ? Progress::Further : Progress::Nowhere;
  return isFfmpegMissing(failure) ? Progress::WithoutFfmpeg : Progress::Further;
}

/// A library that lies in site-packages shows that the package is there.
void dropContradictions(Told& told) {
  bool hasTorchcodec = told.hasMajors();
  for (const ToldGroup& group : told.groups)
    for (const ToldFailure& failure : group.failures)
      hasTorchcodec |= llvm::StringRef(failure.library).contains("libtorchcodec");
  if (hasTorchcodec)
    for (ToldGroup& group : told.groups)
      llvm::erase_if(group.failures, [](const ToldFailure& failure) {
        return failure.kind == Kind::MissingPackage && failure.name == "torchcodec";
      });
  llvm::erase_if(told.groups,
                 [](const ToldGroup& group) { return group.major == 0 && group.failures.empty(); });
}

GroupReport reportOf(const ToldGroup& group) {
  GroupReport report;
  report.major = group.major;
  report.loads = Verdict::Fails;
  for (const ToldFailure& failure : group.failures) {
    auto library = llvm::find_if(
        report.libraries, [&](const LibraryReport& each) { return each.path == failure.library; });
    if (library == report.libraries.end()) {
      library = report.libraries.insert(library, LibraryReport{failure.library, {}});
      library->loads.verdict = Verdict::Fails;
    }
    library->loads.problems.push_back(problemOf(failure));
  }
  return report;
}

/// torchcodec's majors tell its version, roughly (see versions.cc).
std::optional<Finding> mismatchIn(const Told& told) {
  if (!told.torchcodec.empty())
    return versionMismatch(told.torchcodec, told.torch);
  if (!told.isListComplete || !told.hasMajors())
    return std::nullopt;
  switch (told.groups.front().major) {
  case 7:
    return versionMismatch({0, 0}, {0, 7}, told.torch);
  case 8:
    return versionMismatch({0, 8}, {0, 15}, told.torch);
  case 9:
    return versionMismatch({0, 16}, {0, 17}, told.torch);
  default:
    return std::nullopt;
  }
}

/// What is wrong with the versions, as far as they are told. It is the cause where the symbols say
/// so, or nobody says anything.
void addVersions(const Told& told, const Scene& scene, bool isCause, Findings& findings) {
  for (std::optional<Finding> finding : {vendorTorch(scene), mismatchIn(told)})
    if (finding) {
      finding->severity = isCause ? Severity::Error : Severity::Warning;
      findings.push_back(std::move(*finding));
    }
}

struct Cause {
  const ToldFailure* failure = nullptr;
  int major = 0;
  Progress progress = Progress::Nowhere;
};

/// What was told of those that got furthest, in the order of the text.
std::vector<Cause> causesOf(const Told& told) {
  std::vector<Cause> causes;
  Progress furthest = Progress::Nowhere;
  for (const ToldGroup& group : told.groups)
    if (!group.failures.empty()) {
      const ToldFailure& first = group.failures.front();
      causes.push_back({&first, group.major, progressOf(first)});
      furthest = std::max(furthest, causes.back().progress);
    }
  llvm::erase_if(causes, [&](const Cause& cause) { return cause.progress != furthest; });
  return causes;
}

std::string summaryOf(const Told& told, llvm::ArrayRef<Cause> causes, const std::string& package) {
  if (told.groups.empty())
    return "the text tells of no library that failed to load";
  std::string summary = package + " did not load";
  if (causes.empty())
    return summary + "; the text ends before it says why";
  const Cause& first = causes.front();
  if (first.progress == Progress::Further && first.major && told.groups.size() > 1)
    return summary + "; with FFmpeg " + std::to_string(first.major) + " it got furthest";
  if (first.progress == Progress::WithoutFfmpeg && told.hasMajors())
    return summary + " with any FFmpeg that it knows";
  return summary;
}

std::vector<Evidence> versionsIn(const Told& told) {
  std::vector<Evidence> versions;
  auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      versions.push_back({name, value});
  };
  add("torchcodec", told.torchcodec);
  add("torch", told.torch);
  add("python", told.python);
  add("system", !told.platform                   ? ""
                : told.platform == Format::MachO ? "macOS"
                : told.platform == Format::Pe    ? "Windows"
                                                 : "Linux");
  return versions;
}

Findings findingsOf(const Told& told, llvm::ArrayRef<Cause> causes, const Scene& scene) {
  Findings findings;
  if (causes.empty()) {
    if (!told.groups.empty()) {
      addVersions(told, scene, true, findings);
      findings.push_back(findingOf(ToldFailure{Kind::NotTold, "libtorchcodec"}, scene, told));
    }
    return findings;
  }
  const ToldFailure& first = *causes.front().failure;
  if (causes.front().progress == Progress::WithoutFfmpeg) {
    findings.push_back(ffmpegFinding(first, scene, told));
    addVersions(told, scene, false, findings);
    return findings;
  }
  const bool isNotTold = first.kind == Kind::NotTold,
             isVersions = isNotTold || isTorchTheCause(first);
  if (isVersions)
    addVersions(told, scene, true, findings);
  for (const Cause& cause : causes) {
    Finding finding = findingOf(*cause.failure, scene, told);
    // Of all majors alike: once is enough.
    if (llvm::none_of(findings, [&](const Finding& each) {
          return each.code == finding.code &&
                 (isNotTold || each.message == finding.message || each.action == finding.action);
        }))
      findings.push_back(std::move(finding));
  }
  if (!isVersions)
    addVersions(told, scene, false, findings);
  return findings;
}

} // namespace

Diagnosis explainTraceback(llvm::StringRef text, const std::string& name) {
  Told told = readTraceback(text);
  dropContradictions(told);
  const std::vector<Cause> causes = causesOf(told);
  const Scene scene{told.platform, told.isConda, "torchcodec", told.torch, "tcfix apply"};

  Diagnosis diagnosis;
  diagnosis.target = name;
  diagnosis.isKnown = false;
  diagnosis.isOk = told.groups.empty();
  diagnosis.told = versionsIn(told);
  diagnosis.findings = findingsOf(told, causes, scene);
  std::stable_sort(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  const std::string victim =
      causes.empty() || told.hasMajors() ? "torchcodec" : victimOf(*causes.front().failure);
  diagnosis.package = victim;
  if (victim == "torchcodec" && !told.torchcodec.empty())
    diagnosis.package += " " + told.torchcodec;
  diagnosis.summary = summaryOf(told, causes, victim);
  for (const ToldGroup& group : told.groups)
    if (group.major != 0 || !told.hasMajors())
      diagnosis.groups.push_back(reportOf(group));
  if (!diagnosis.isOk) {
    // The environment itself knows more than the text.
    auto helpful = llvm::find_if(diagnosis.findings,
                                 [](const Finding& finding) { return !finding.action.empty(); });
    diagnosis.action = helpful == diagnosis.findings.end() ? "tcfix doctor" : helpful->action;
  }
  return diagnosis;
}

} // namespace tcfix::doctor
