#include "traceback/explain.h"

#include "doctor/rules.h"
#include "traceback/causes.h"
#include "traceback/failure_finding.h"
#include "traceback/phrase.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::traceback {

using doctor::Diagnosis;
using doctor::Evidence;
using doctor::Finding;
using doctor::FindingContext;
using Findings = std::vector<Finding>;
using Kind = Defect::Kind;

namespace {

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

/// Several torches, none of which is compatible with any of the releases.
std::optional<Defect> mismatchOfSpans(const Versions& versions) {
  const recipe::VersionSpan& torches = versions.torches;
  const bool canFit =
      llvm::any_of(recipe::defaultRecipe().torchMatches, [&](const recipe::TorchMatch& match) {
        const bool isRelease = versions.releases.sharedWith({match.first, match.last}).isKnown();
        return isRelease &&
               (torches.contains(match.torch) || (match.isOpenEnded && match.torch < torches.last));
      });
  if (canFit || !torches.isKnown())
    return std::nullopt;
  Defect defect{Kind::TorchVersionMismatch, {}, versions.releases.text()};
  defect.items = {torches.text()};
  return defect;
}

/// Versions that are incompatible, as far as the text shows them. The table does not apply to a
/// vendor's torch.
std::optional<Defect> mismatchIn(const TracebackFacts& facts, const recipe::TorchBuild& torch) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const Versions& versions = facts.versions;
  if (torch.isForeign() || facts.isOwnBuild || !versions.releases.isKnown())
    return std::nullopt;
  if (torch.version.empty())
    return mismatchOfSpans(versions);
  if (!versions.release.empty() || versions.releases.isOne())
    return doctor::versionMismatch(recipe, versions.releaseText(), torch.version);
  return doctor::versionMismatch(recipe, {0, versions.releases.first, versions.releases.last},
                                 torch.version);
}

struct Cause {
  const Defect* failure = nullptr;
  int major = 0;
  Progress progress = Progress::Nowhere;
};

/// The failures of the groups that loaded the most, in the order of the text.
std::vector<Cause> causesOf(const TracebackFacts& facts) {
  std::vector<Cause> causes;
  Progress furthest = Progress::NotBuilt;
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
  const std::string name = package.empty() ? "a library" : package;
  if (causes.empty())
    return name + " did not load; the text ends before the cause";
  const Cause& first = causes.front();
  if (first.failure->kind == Kind::NoWheel)
    return name + " could not be installed";
  if (first.progress >= Progress::WithPartOfFfmpeg && first.major && facts.groups.size() > 1)
    return name + " did not load; the attempt with FFmpeg " + std::to_string(first.major) +
           " shows the cause";
  if (first.progress == Progress::WithoutFfmpeg && facts.isListComplete)
    return name + " did not load with any FFmpeg that it supports";
  return name + " did not load";
}

std::vector<Evidence> versionsIn(const Versions& read) {
  std::vector<Evidence> versions;
  auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty())
      versions.push_back({name, value});
  };
  const bool isSpan = read.releaseText().empty() && read.releases.isKnown();
  add(recipe::defaultRecipe().name, isSpan ? read.releases.text() : read.releaseText());
  add("torch", read.torchText());
  add("python", read.python);
  add("system", read.platform ? nameOf(*read.platform).str() : "");
  return versions;
}

void addOnce(Findings& findings, Finding finding) {
  if (llvm::none_of(findings, [&](const Finding& each) {
        return each.code == finding.code &&
               (each.code == "cause-not-told" || each.message == finding.message ||
                each.action == finding.action);
      }))
    findings.push_back(std::move(finding));
}

Findings findingsOf(const TracebackFacts& facts, llvm::ArrayRef<Cause> causes,
                    const FindingContext& context) {
  Findings findings;
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const bool isAboutPackage =
      causes.empty() || failedPackage(*causes.front().failure, facts) == recipe.name;
  const bool isPlugin = !causes.empty() && causes.front().failure->kind == Kind::PluginBroken;
  const bool isTorch = !causes.empty() && isTorchTheCause(*causes.front().failure);
  const bool isConflict =
      !causes.empty() && causes.front().failure->kind == Kind::RequirementsConflict;
  if ((isAboutPackage || isConflict) && facts.versions.release == recipe.placeholder) {
    findings.push_back(
        doctor::wordFinding({Kind::PlaceholderRelease, {}, recipe.placeholder}, context));
    return findings;
  }
  if (isAboutPackage && !isPlugin) {
    // Incompatible versions come first: no other command helps before they are fixed.
    if (std::optional<Defect> mismatch = mismatchIn(facts, context.torch))
      findings.push_back(doctor::wordFinding(*mismatch, context));
    if (!context.torch.vendor.empty()) {
      Defect vendor{Kind::VendorTorch, {}, context.torch.vendor};
      vendor.isCause =
          isTorch || causes.empty() || causes.front().failure->kind == Kind::CauseNotTold;
      findings.push_back(doctor::wordFinding(vendor, context));
    }
  }
  if (causes.empty()) {
    findings.push_back(findingOf(causeNotTold(recipe.libraryPrefix), context, facts));
    return findings;
  }
  const Defect& first = *causes.front().failure;
  if (causes.front().progress == Progress::WithoutFfmpeg ||
      causes.front().progress == Progress::WithPartOfFfmpeg) {
    findings.push_back(doctor::wordFinding(ffmpegDefect(first, facts), context));
    return findings;
  }
  for (const Cause& cause : causes)
    addOnce(findings, findingOf(*cause.failure, context, facts));
  return findings;
}

FindingContext contextOf(const TracebackFacts& facts) {
  const Versions& versions = facts.versions;
  FindingContext context;
  context.machine = {versions.platform, versions.arch, versions.python};
  context.installer = versions.isConda ? advice::Installer::Conda : advice::Installer::Pip;
  context.package = recipe::defaultRecipe().name;
  context.release = versions.releaseText();
  context.torch = recipe::torchBuildOf(versions.torchText());
  if (!facts.torchVendor.empty() && context.torch.vendor.empty()) {
    context.torch.vendor = facts.torchVendor;
    context.torch.channel.clear();
  }
  context.applyCommand = "tcfix apply";
  context.canReplace = !facts.isOwnBuild;
  // An unknown torch may have any origin, and pip must not change conda's.
  context.canReplaceTorch = !context.torch.version.empty() && !context.torch.isForeign() &&
                            !versions.isTorchOfConda && !facts.isOnJetson;
  return context;
}

/// No failure is known. Either there was none, or it is not understood.
void explainSilence(const TracebackFacts& facts, Diagnosis& diagnosis) {
  doctor::PackageDiagnosis& package = diagnosis.packages.front();
  const FindingContext context = contextOf(facts);
  std::optional<Defect> mismatch = mismatchIn(facts, context.torch);
  // Versions alone prove it, too, unless the text shows that they work.
  if (mismatch && !facts.isMajorPrinted) {
    package.findings.push_back(doctor::wordFinding(*mismatch, context));
    package.package = context.package;
    package.summary = context.package + " and torch were not built for each other";
    return;
  }
  diagnosis.isUnderstood = !facts.looksLikeFailure;
  package.isOk = diagnosis.isUnderstood;
  package.summary = package.isOk
                        ? "the text shows no failure"
                        : "tcfix does not recognize the failure in this text; send the complete "
                          "output, from the command to the last line of the error";
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const recipe::VersionSpan& releases = facts.versions.releases;
  if (package.isOk && releases.isKnown() && !(releases.first < recipe.lazySince) &&
      !facts.isMajorPrinted) {
    package.summary += "; from " + context.package + " " + recipe.lazySince.text() +
                       " on, an import alone does not prove that it works";
    diagnosis.action = "python -c \"" + recipe.smokeTest(context.release) + "\"";
  }
  if (mismatch) {
    mismatch->isCause = false;
    package.findings.push_back(doctor::wordFinding(*mismatch, context));
  }
}

} // namespace

Diagnosis explainTraceback(llvm::StringRef text, const std::string& name) {
  TracebackFacts facts = readTraceback(text);
  keepRelevant(facts);
  Diagnosis diagnosis;
  diagnosis.target = name;
  diagnosis.isKnown = false;
  diagnosis.versions = versionsIn(facts.versions);
  doctor::PackageDiagnosis& package = diagnosis.packages.emplace_back();
  const FindingContext context = contextOf(facts);
  const bool isPlaceholder = facts.versions.release == recipe::defaultRecipe().placeholder;
  const bool isCutOff = facts.looksLikeFailure && facts.endsInSentence;
  if (facts.groups.empty() && !isPlaceholder && !isCutOff) {
    explainSilence(facts, diagnosis);
  } else {
    const std::vector<Cause> causes = causesOf(facts);
    package.findings = findingsOf(facts, causes, context);
    const std::string failed = causes.empty() || facts.hasMajors()
                                   ? context.package
                                   : failedPackage(*causes.front().failure, facts);
    package.package = failed;
    if (failed == context.package && !facts.versions.release.empty())
      package.package += " " + facts.versions.release;
    package.summary = summaryOf(facts, causes, failed);
  }
  for (const FailureGroup& group : facts.groups)
    if (group.major != 0 || !facts.hasMajors())
      package.groups.push_back(reportOf(group));
  if (!package.isOk) {
    // The environment itself shows more than the text.
    // Nothing else helps before versions are compatible.
    for (const Finding* finding : diagnosis.findings()) {
      if (diagnosis.action.empty())
        diagnosis.action = finding->action;
      if (finding->code == "torch-version-mismatch")
        break;
    }
    if (diagnosis.action.empty())
      diagnosis.action = "tcfix doctor";
  }
  return diagnosis;
}

} // namespace tcfix::traceback
