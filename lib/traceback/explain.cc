#include "traceback/explain.h"

#include "advice/advice.h"
#include "doctor/rules.h"
#include "image/names.h"
#include "traceback/causes.h"

#include <algorithm>

namespace tcfix::traceback {

using doctor::Diagnosis;
using doctor::Evidence;
using doctor::Finding;
using doctor::FindingContext;
using Findings = std::vector<Finding>;

namespace {

/// A library of the package shows that the package is there.
void dropContradictions(TracebackFacts& facts) {
  bool hasLibrary = facts.hasMajors();
  for (const FailureGroup& group : facts.groups)
    hasLibrary |= llvm::any_of(group.failures, isOwnLibrary);
  if (hasLibrary)
    for (FailureGroup& group : facts.groups)
      llvm::erase_if(group.failures, [](const Defect& failure) {
        return failure.kind == Defect::Kind::PackageMissing &&
               failure.name == recipe::defaultRecipe().name;
      });
  llvm::erase_if(facts.groups, [](const FailureGroup& group) {
    return group.major == 0 && group.failures.empty();
  });
}

doctor::GroupReport reportOf(const FailureGroup& group) {
  doctor::GroupReport report;
  report.major = group.major;
  report.loads = resolve::Verdict::Fails;
  for (const Defect& failure : group.failures) {
    auto library = llvm::find_if(report.libraries, [&](const doctor::LibraryReport& each) {
      return each.path == failure.path;
    });
    if (library == report.libraries.end()) {
      library = report.libraries.insert(library, doctor::LibraryReport{failure.path, {}});
      library->loads.verdict = resolve::Verdict::Fails;
    }
    library->loads.problems.push_back(problemOf(failure));
  }
  return report;
}

/// The majors in the list show the package's release, roughly.
std::optional<Defect> mismatchIn(const TracebackFacts& facts) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  if (!facts.release.empty())
    return doctor::versionMismatch(recipe, facts.release, facts.torch);
  if (facts.isListComplete && facts.hasMajors())
    for (const recipe::MajorSpan& span : recipe.majorSpans)
      if (span.highest == facts.groups.front().major)
        return doctor::versionMismatch(recipe, span, facts.torch);
  return std::nullopt;
}

/// What is wrong with the versions, as far as the text has them. It is the cause where the symbols
/// show it, or nothing else is known.
void addVersions(const TracebackFacts& facts, const FindingContext& context, bool isCause,
                 Findings& findings) {
  for (std::optional<Defect> defect : {doctor::vendorOfTorch(facts.torch), mismatchIn(facts)})
    if (defect) {
      defect->isCause = isCause;
      findings.push_back(wordFinding(*defect, context));
    }
}

struct Cause {
  const Defect* failure = nullptr;
  int major = 0;
  Progress progress = Progress::Nowhere;
};

/// The failures of the groups that got furthest, in the order of the text.
std::vector<Cause> causesOf(const TracebackFacts& facts) {
  std::vector<Cause> causes;
  Progress furthest = Progress::Nowhere;
  for (const FailureGroup& group : facts.groups)
    if (!group.failures.empty()) {
      const Defect& first = group.failures.front();
      causes.push_back({&first, group.major, progressOf(first)});
      furthest = std::max(furthest, causes.back().progress);
    }
  llvm::erase_if(causes, [&](const Cause& cause) { return cause.progress != furthest; });
  return causes;
}

std::string summaryOf(const TracebackFacts& facts, llvm::ArrayRef<Cause> causes,
                      const std::string& package) {
  if (facts.groups.empty())
    return "the text tells of no library that failed to load";
  std::string summary = package + " did not load";
  if (causes.empty())
    return summary + "; the text ends before it says why";
  const Cause& first = causes.front();
  if (first.progress == Progress::Further && first.major && facts.groups.size() > 1)
    return summary + "; with FFmpeg " + std::to_string(first.major) + " it got furthest";
  if (first.progress == Progress::WithoutFfmpeg && facts.hasMajors())
    return summary + " with any FFmpeg that it knows";
  return summary;
}

std::vector<Evidence> versionsIn(const TracebackFacts& facts) {
  std::vector<Evidence> versions;
  auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      versions.push_back({name, value});
  };
  add(recipe::defaultRecipe().name, facts.release);
  add("torch", facts.torch);
  add("python", facts.python);
  add("system", facts.platform ? nameOf(*facts.platform).str() : "");
  return versions;
}

Finding findingOf(const Defect& failure, FindingContext context, const TracebackFacts& facts) {
  if (std::string failed = failedPackage(failure); failed != context.package) {
    context.package = std::move(failed);
    context.release.clear(); // that of the other one
  }
  Finding finding = wordFinding(classified(failure, context.package, facts), context);
  // A file that no package is known to have brought.
  if (context.package == baseName(failure.path) && finding.action == reinstallCommand(context))
    finding.action.clear();
  return finding;
}

Findings findingsOf(const TracebackFacts& facts, llvm::ArrayRef<Cause> causes,
                    const FindingContext& context) {
  Findings findings;
  if (causes.empty()) {
    if (!facts.groups.empty()) {
      addVersions(facts, context, true, findings);
      findings.push_back(
          findingOf(causeNotTold(recipe::defaultRecipe().libraryPrefix), context, facts));
    }
    return findings;
  }
  const Defect& first = *causes.front().failure;
  if (causes.front().progress == Progress::WithoutFfmpeg) {
    findings.push_back(wordFinding(ffmpegDefect(first, facts), context));
    addVersions(facts, context, false, findings);
    return findings;
  }
  const bool isNotTold = first.kind == Defect::Kind::CauseNotTold,
             isVersions = isNotTold || isTorchTheCause(first);
  if (isVersions)
    addVersions(facts, context, true, findings);
  for (const Cause& cause : causes) {
    Finding finding = findingOf(*cause.failure, context, facts);
    // Of all majors alike: once is enough.
    if (llvm::none_of(findings, [&](const Finding& each) {
          return each.code == finding.code &&
                 (isNotTold || each.message == finding.message || each.action == finding.action);
        }))
      findings.push_back(std::move(finding));
  }
  if (!isVersions)
    addVersions(facts, context, false, findings);
  return findings;
}

} // namespace

Diagnosis explainTraceback(llvm::StringRef text, const std::string& name) {
  TracebackFacts facts = readTraceback(text);
  dropContradictions(facts);
  const std::vector<Cause> causes = causesOf(facts);
  FindingContext context;
  context.machine.platform = facts.platform;
  context.machine.python = facts.python;
  context.installer = facts.isConda ? advice::Installer::Conda : advice::Installer::Pip;
  context.package = recipe::defaultRecipe().name;
  context.release = facts.release;
  context.torch = recipe::torchBuildOf(facts.torch);
  context.applyCommand = "tcfix apply";

  Diagnosis diagnosis;
  diagnosis.target = name;
  diagnosis.isKnown = false;
  diagnosis.versions = versionsIn(facts);
  doctor::PackageDiagnosis& package = diagnosis.packages.emplace_back();
  package.isOk = facts.groups.empty();
  package.findings = findingsOf(facts, causes, context);
  const std::string failed = causes.empty() || facts.hasMajors()
                                 ? context.package
                                 : failedPackage(*causes.front().failure);
  package.package = failed;
  if (failed == context.package && !facts.release.empty())
    package.package += " " + facts.release;
  package.summary = summaryOf(facts, causes, failed);
  for (const FailureGroup& group : facts.groups)
    if (group.major != 0 || !facts.hasMajors())
      package.groups.push_back(reportOf(group));
  if (!package.isOk) {
    // The environment itself shows more than the text.
    for (const Finding* finding : diagnosis.findings())
      if (diagnosis.action.empty())
        diagnosis.action = finding->action;
    if (diagnosis.action.empty())
      diagnosis.action = "tcfix doctor";
  }
  return diagnosis;
}

} // namespace tcfix::traceback
