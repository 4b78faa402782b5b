#include "doctor/diagnosis.h"

#include "resolve/verdict.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::doctor {

llvm::StringRef nameOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Info:
    break;
  }
  return "info";
}

const resolve::LoadProblem* GroupReport::firstCause() const {
  for (const LibraryReport& library : libraries)
    if (!library.loads.problems.empty())
      return &library.loads.problems.front();
  return nullptr;
}

const resolve::Binding* GroupReport::firstUnknown() const {
  for (const LibraryReport& library : libraries)
    for (const resolve::Binding& binding : library.loads.bindings)
      if (binding.state == resolve::Binding::State::Unknown)
        return &binding;
  return nullptr;
}

size_t PackageDiagnosis::warnings() const {
  return llvm::count_if(
      findings, [](const Finding& finding) { return finding.severity == Severity::Warning; });
}

resolve::Verdict Diagnosis::verdict() const {
  resolve::Verdict all = resolve::Verdict::Loads;
  for (const PackageDiagnosis& package : packages)
    all = both(all, package.verdict);
  return all;
}

bool Diagnosis::isOk() const {
  return llvm::all_of(packages, [](const PackageDiagnosis& package) { return package.isOk; });
}

const PackageDiagnosis& Diagnosis::decisive() const {
  for (const PackageDiagnosis& package : llvm::reverse(packages))
    if (!package.isOk)
      return package;
  return packages.front();
}

std::optional<trial::Trial> Diagnosis::trial() const {
  std::vector<trial::Trial> trials;
  for (const PackageDiagnosis& package : packages)
    if (package.trial)
      trials.push_back(*package.trial);
  return trials.empty() ? std::nullopt : std::optional(trial::together(std::move(trials)));
}

std::vector<const GroupReport*> Diagnosis::groups() const {
  std::vector<const GroupReport*> all;
  for (const PackageDiagnosis& package : packages)
    for (const GroupReport& group : package.groups)
      all.push_back(&group);
  return all;
}

std::vector<const Finding*> Diagnosis::findings() const {
  std::vector<const Finding*> all;
  for (const PackageDiagnosis& package : packages)
    for (const Finding& finding : package.findings)
      all.push_back(&finding);
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding* a, const Finding* b) { return a->severity < b->severity; });
  return all;
}

} // namespace tcfix::doctor
