#include "report/overview.h"

#include "report/json_parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::report {

using doctor::Census;
using doctor::Diagnosis;
using doctor::PackageDiagnosis;
using resolve::Verdict;

namespace {

/// "1 module", "3 modules".
std::string counted(size_t count, llvm::StringRef one, llvm::StringRef many) {
  return std::to_string(count) + " " + (count == 1 ? one : many).str();
}

std::string neededText(const Census& census) {
  return census.areModules ? counted(census.needed, "module", "modules")
                           : counted(census.needed, "library", "libraries");
}

std::string stateOf(const PackageDiagnosis& package) {
  switch (package.verdict) {
  case Verdict::Fails:
    return "does not load";
  case Verdict::Unknown:
    return "unknown";
  case Verdict::Loads:
    break;
  }
  return package.warnings() ? "loads, with warnings" : "loads";
}

std::string painted(const PackageDiagnosis& package, const Paint& paint) {
  const std::string state = stateOf(package);
  return package.verdict == Verdict::Fails ? paint.red(state)
         : package.verdict == Verdict::Loads
             ? package.warnings() ? paint.bold(state) : paint.green(state)
             : state;
}

/// What a line adds to the verdict: the first cause, or what the warnings are about.
std::string detailOf(const PackageDiagnosis& package) {
  const Census& census = package.census;
  if (package.verdict == Verdict::Fails) {
    const bool isPart = census.failingNeeded > 0 && census.failingNeeded < census.needed;
    return (isPart ? std::to_string(census.failingNeeded) + " of " + neededText(census) + ": "
                   : std::string()) +
           package.cause;
  }
  if (package.verdict == Verdict::Unknown)
    return package.cause;
  std::vector<std::string> parts;
  if (census.failingOnDemand)
    parts.push_back(std::to_string(census.failingOnDemand) + " of " +
                    counted(census.onDemand, "on-demand library", "on-demand libraries") +
                    (census.failingOnDemand == 1 ? " does" : " do") + " not load");
  for (const doctor::Finding& finding : package.findings)
    if (finding.severity == doctor::Severity::Warning) {
      parts.push_back(finding.message);
      break;
    }
  return package.warnings() ? llvm::join(parts, "; ") : std::string();
}

std::string lineOf(const PackageDiagnosis& package, size_t width, bool isVerbose,
                   const Paint& paint) {
  std::string name = printable(package.package);
  name.resize(std::max(width, name.size()), ' ');
  const std::string state = stateOf(package), detail = detailOf(package);
  std::string out = name + "  " + painted(package, paint);
  if (!detail.empty())
    out += ": " + wrapped(printable(detail), 4, name.size() + state.size() + 4);
  else if (isVerbose)
    out += " (" + censusText(package.census) + ")";
  out += "\n";
  if (isVerbose)
    for (const doctor::Finding& finding : package.findings)
      out += "    " + nameOf(finding.severity).str() + "[" + finding.code +
             "]: " + wrapped(printable(finding.message), 6, 8 + finding.code.size()) + "\n";
  if (!package.action.empty())
    out += "    $ " + printable(package.action) + "\n";
  return out;
}

} // namespace

llvm::StringRef verdictName(Verdict verdict) {
  return verdict == Verdict::Loads ? "ok" : verdict == Verdict::Fails ? "broken" : "unknown";
}

std::string censusText(const Census& census) {
  std::vector<std::string> parts;
  if (census.needed)
    parts.push_back(neededText(census));
  if (census.onDemand)
    parts.push_back(std::to_string(census.onDemand) + " on demand");
  return parts.empty() ? "no library" : llvm::join(parts, ", ");
}

std::string summaryOfAll(const Diagnosis& diagnosis) {
  size_t plain = 0, warned = 0, broken = 0, unknown = 0;
  for (const PackageDiagnosis& package : diagnosis.packages) {
    broken += package.verdict == Verdict::Fails;
    unknown += package.verdict == Verdict::Unknown;
    if (package.verdict == Verdict::Loads)
      ++(package.warnings() ? warned : plain);
  }
  std::vector<std::string> parts;
  if (plain)
    parts.push_back(std::to_string(plain) + (plain == 1 ? " loads" : " load"));
  if (warned)
    parts.push_back(std::to_string(warned) + (warned == 1 ? " loads" : " load") + " with warnings");
  if (unknown)
    parts.push_back(std::to_string(unknown) + (unknown == 1 ? " is" : " are") + " unknown");
  if (broken)
    parts.push_back(std::to_string(broken) + (broken == 1 ? " does not" : " do not") + " load");
  return counted(diagnosis.packages.size(), "package", "packages") + " with native libraries" +
         (parts.empty() ? "" : ": " + llvm::join(parts, ", "));
}

std::string renderOverview(const Diagnosis& diagnosis, bool isVerbose, const Paint& paint) {
  size_t width = 0;
  for (const PackageDiagnosis& package : diagnosis.packages)
    width = std::max(width, std::min<size_t>(package.package.size(), 36));
  // What needs attention is last, where a terminal shows it.
  std::vector<const PackageDiagnosis*> order;
  for (const PackageDiagnosis& package : diagnosis.packages)
    order.push_back(&package);
  auto rank = [](const PackageDiagnosis* package) {
    return package->verdict == Verdict::Fails ? 2 : package->warnings() != 0 ? 1 : 0;
  };
  llvm::stable_sort(order,
                    [&](const auto* one, const auto* other) { return rank(one) < rank(other); });
  std::string out;
  for (const PackageDiagnosis* package : order)
    out += lineOf(*package, width, isVerbose, paint);
  const std::string verdict = verdictName(diagnosis.verdict()).str() + ": ";
  out += (diagnosis.isOk() ? paint.green(verdict) : paint.red(verdict)) +
         wrapped(summaryOfAll(diagnosis), 4, verdict.size()) + "\n";
  if (!diagnosis.action.empty())
    out += "next: " + printable(diagnosis.action) + "\n";
  return out;
}

void writePackages(OStream& out, const Diagnosis& diagnosis) {
  out.attributeArray("packages", [&] {
    for (const PackageDiagnosis& package : diagnosis.packages)
      out.object([&] {
        text(out, "name", package.name);
        textIfKnown(out, "version", package.version);
        text(out, "verdict", verdictName(package.verdict));
        out.attribute("warnings", static_cast<int64_t>(package.warnings()));
        out.attribute("libraries", static_cast<int64_t>(package.census.total()));
        textIfKnown(out, "cause", package.cause);
        textIfKnown(out, "action", package.action);
        out.attribute("needed", static_cast<int64_t>(package.census.needed));
        out.attribute("needed_failing", static_cast<int64_t>(package.census.failingNeeded));
        out.attribute("on_demand", static_cast<int64_t>(package.census.onDemand));
        out.attribute("on_demand_failing", static_cast<int64_t>(package.census.failingOnDemand));
      });
  });
}

} // namespace tcfix::report
