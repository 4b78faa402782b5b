// Libraries that a package loads on demand, by ctypes, dlopen or as plugins: it works without them,
// but some of its features do not. And missing files, which no loader reports.
#include "doctor/group_reports.h"
#include "doctor/words.h"
#include "image/names.h"
#include "recipe/cuda_name.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::doctor {

using resolve::LoadProblem;
using Kind = Defect::Kind;

namespace {

/// The most important reason: what is missing and is not the machine's driver.
const LoadProblem* reasonOf(const GroupReport& group) {
  const LoadProblem* first = group.firstCause();
  for (const LibraryReport& library : group.libraries)
    for (const LoadProblem& problem : library.loads.problems)
      if (problem.code != LoadProblem::Code::MissingSymbols &&
          !recipe::isOfNvidiaDriver(problem.dependency))
        return &problem;
  return first;
}

/// A missing module cannot be imported; in a package without modules, any library counts.
void findGoneModules(const ExaminedPackage& package, Defects& defects) {
  const env::Package& installed = package.facts.package;
  const bool hasModules =
      llvm::any_of(package.facts.libraries, [](const auto& one) { return one.isModule; }) ||
      llvm::any_of(installed.gone, survey::isModuleName);
  for (const std::string& file : installed.gone) {
    const bool isOptional = package.recipe().roleOf(baseName(file)).isOptional;
    if (isOptional || llvm::StringRef(file).contains(".libs/") ||
        (hasModules && !survey::isModuleName(file)))
      continue;
    Defect defect{Kind::ModuleGone, installed.site + "/" + file, file};
    defect.sentence = file + " is listed in RECORD but does not exist";
    defects.push_back(std::move(defect));
  }
}

} // namespace

void findOnDemandDefects(const ExaminedPackage& package, Defects& defects) {
  if (!package.recipe().isJudgedByModules)
    return;
  findGoneModules(package, defects);
  std::vector<Defect> found; // one for each missing dependency
  for (const GroupReport& group : package.onDemand) {
    const LoadProblem* reason = reasonOf(group);
    if (!reason)
      continue;
    auto same = llvm::find_if(found, [&](const Defect& one) {
      return one.name == reason->dependency && one.provider == reason->provider;
    });
    if (same == found.end()) {
      Defect& defect = found.emplace_back(defectOf(*reason));
      defect.kind = Kind::OnDemandMissing;
      defect.path = group.libraries.front().path;
      defect.name = reason->dependency;
      defect.provider = reason->provider;
      defect.items.clear();
      defect.isCause = isWorthAWarning(group);
      same = found.end() - 1;
    }
    same->items.push_back(group.libraries.front().path);
    same->isRepairable |= group.isImprovable;
  }
  llvm::move(found, std::back_inserter(defects));
}

Words driverMissing(const Defect& defect, const FindingContext&) {
  return {sentenceOf(defect) + "; it is part of the machine's NVIDIA driver, which no Python "
                               "package contains",
          {{"dependency", defect.name}}};
}

Words onDemandMissing(const Defect& defect, const FindingContext& context) {
  if (recipe::isOfNvidiaDriver(defect.name)) {
    Words words = driverMissing(defect, context);
    words.evidence.push_back({"libraries", defect.items});
    return words;
  }
  const size_t others = defect.items.size() - 1;
  Words words{sentenceOf(defect) + " (loaded on demand" +
                  (others ? ", as " + std::to_string(others) + " more" : "") + ")",
              {{"dependency", defect.name}, {"libraries", defect.items}}};
  if (defect.isRepairable)
    words.action = context.applyCommand;
  else if (recipe::cudaMajorOf(defect.name))
    words.action = advice::cudaInstallCommand(context, defect.name);
  return words;
}

} // namespace tcfix::doctor
