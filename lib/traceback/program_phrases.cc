// The messages of Python, of installers, and of packages that use the recipe's package.
#include "traceback/phrase.h"

#include "recipe/recipe.h"
#include "recipe/torch_build.h"
#include "recipe/torch_plugins.h"
#include "traceback/versions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

namespace tcfix::traceback {

using Kind = Defect::Kind;

namespace {

constexpr size_t kMostRequirements = 6; // of a list of conflicts, which may go on for pages

/// Names of directories that several distributions share.
constexpr llvm::StringLiteral kSharedNames[] = {"azure",         "backports", "google",   "jaraco",
                                                "mpl_toolkits",  "nvidia",    "pyannote", "ruamel",
                                                "sphinxcontrib", "zope"};

/// The words of a program that continues without an optional package.
constexpr llvm::StringLiteral kFallbackWords[] = {"falling back", "Falling back", "fallback",
                                                  "instead"};

/// A package's name at the beginning of the text, without extras and versions.
std::string nameAt(llvm::StringRef text) {
  return text.ltrim(" \t'\"`*(\n")
      .take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '-'; })
      .rtrim("-")
      .str();
}

bool isPackage(llvm::StringRef name) {
  return name.equals_insensitive(recipe::defaultRecipe().name);
}

/// The spelling of a package in the findings.
std::string spelled(const std::string& name) {
  return isPackage(name) ? recipe::defaultRecipe().name : name;
}

Defect unavailable() {
  return {Kind::PackageUnavailable, {}, recipe::defaultRecipe().name};
}

} // namespace

Defect noModule(const Place& place) {
  std::string name = symbolAt(unquoted(place.after()).ltrim("'\""));
  const llvm::StringRef package = llvm::StringRef(name).split('.').first;
  // Warnings mention optional packages; only an error ends a program.
  const bool isError = place.before().rtrim().ends_with("Error:") || isPackage(package);
  if (package.empty() || !isError)
    return {};
  if (package.size() == name.size() || isPackage(package))
    return {Kind::PackageMissing, {}, package.str()};
  // "NAME.part": Python found NAME. In the frames of NAME, or if the part is private, NAME is
  // incomplete; otherwise NAME may be a directory shared by several packages, or another release.
  if (llvm::StringRef(name).contains("._") || (packageAt(place.text, place.begin) == package &&
                                               !llvm::is_contained(kSharedNames, package))) {
    Defect damaged{Kind::PackageDamaged, {}, name};
    damaged.subject = package.str();
    return damaged;
  }
  return {Kind::PackageMissing, {}, name};
}

Defect pleaseInstall(const Place& place) {
  return isPackage(nameAt(place.after())) ? unavailable() : Defect();
}

/// "NAME is required for …", "NAME is not available": the name precedes the words.
Defect isUnavailable(const Place& place) {
  llvm::StringRef before = place.before().rtrim(" \t'\"`*");
  if (!isPackage(before.take_back(recipe::defaultRecipe().name.size())))
    return {};
  Defect defect = unavailable();
  defect.isCause = llvm::none_of(
      kFallbackWords, [&](llvm::StringRef words) { return place.after().contains(words); });
  return defect;
}

Defect noSpec(const Place& place) {
  Defect defect{Kind::PackageDamaged, {}, symbolAt(place.after())};
  defect.subject = recipe::defaultRecipe().name;
  return defect;
}

Defect numpyAbi(const Place& place) {
  return {Kind::NumpyAbi, {}, upTo(place.after(), {" but "}).str()};
}

Defect compiledForPython(const Place& place) {
  llvm::StringRef after = place.after();
  return {Kind::PythonAbi,
          {},
          upTo(after, {","}).str(),
          unquoted(between(after, "incompatible: ", " ")).rtrim('.').str()};
}

/// xformers' warning: "xFormers was built for: PyTorch 2.1.2+cu121 with CUDA 1201 (you have
/// 2.1.2+cpu)".
Defect builtForTorch(const Place& place) {
  llvm::StringRef rest = place.rest().take_front(300).ltrim(" \t\n>|");
  if (!rest.consume_front("PyTorch "))
    return {};
  Defect defect{Kind::TorchVersionMismatch};
  defect.subject = llvm::StringRef(subjectOf(place.before())).lower();
  defect.actual = versionAt(rest).str();
  defect.name = versionAt(rest.split("(you have ").second).str();
  return defect.subject.empty() || defect.actual.empty() || defect.name.empty() ? Defect() : defect;
}

/// "From 6.5.0, xcb-cursor0 or libxcb-cursor0 is needed to load the Qt xcb platform plugin."
Defect qtPlugin(const Place& place) {
  Defect defect{Kind::MissingDependency, {}, subjectOf(place.before())};
  defect.subject = "Qt";
  return defect;
}

/// pip's "No matching distribution found for NAME", and similar messages.
Defect noDistribution(const Place& place) {
  std::string name = nameAt(place.rest());
  if (name.empty())
    return {};
  Defect defect{Kind::NoWheel, {}, spelled(name)};
  // A build of PyTorch's own index, unless that is the index that was used.
  llvm::StringRef wanted = place.rest().ltrim(" \t'\"`*(\n").substr(name.size());
  if (wanted.consume_front("==")) {
    const std::string version = versionAt(wanted).str();
    const std::string channel = recipe::torchBuildOf(version).channel;
    defect.alternatives = {version};
    if (!channel.empty() && !place.text.contains("download.pytorch.org/whl"))
      defect.provider = version;
  }
  // "(from versions: 0.1, 0.2)": the available ones, which the requirement excludes.
  llvm::StringRef versions = place.rest().take_front(2000);
  if (size_t at = versions.find("(from versions:"); at != llvm::StringRef::npos)
    for (llvm::StringRef each : llvm::split(versions.substr(at + 15).split(')').first, ','))
      defect.items.push_back(each.trim().str());
  return defect;
}

/// uv: "NAME==1.0 has no wheels with a matching Python ABI tag", "Distribution `NAME==1.0 @
/// registry` can't be installed because it doesn't have …".
Defect noInstallableWheel(const Place& place) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const llvm::StringRef around =
      place.text.slice(place.begin < 600 ? 0 : place.begin - 600, place.begin);
  constexpr llvm::StringLiteral kDistribution = "istribution ";
  if (size_t at = around.rfind(kDistribution); at != llvm::StringRef::npos)
    if (llvm::StringRef named = around.substr(at + kDistribution.size());
        named.split('@').first.contains("=="))
      return {Kind::NoWheel, {}, spelled(nameAt(named))};
  // uv: "Because NAME==1.0 is unusable because no wheels …"
  constexpr llvm::StringLiteral kBecause = "ecause ";
  if (size_t at = around.rfind(" is unusable"); at != llvm::StringRef::npos)
    if (size_t name = around.take_front(at).rfind(kBecause); name != llvm::StringRef::npos)
      return {Kind::NoWheel, {}, spelled(nameAt(around.substr(name + kBecause.size())))};
  if (around.contains_insensitive(recipe.name))
    return {Kind::NoWheel, {}, recipe.name};
  std::string name = nameAt(subjectOf(place.before()));
  return name.empty() ? Defect() : Defect{Kind::NoWheel, {}, name};
}

/// The resolvers of uv, poetry, pdm, conda and pixi: "no versions of NAME match", "only the
/// following versions of NAME are available". Some explain the conflicting requirement at length,
/// others do not.
Defect noRelease(const Place& place) {
  Defect defect = noDistribution(place);
  defect.items.clear();
  if (!defect.name.empty())
    defect.actual = place.words().str();
  return defect;
}

/// "Because NAME was not found in the package registry" of uv, "└─ NAME 0.7 does not exist" of
/// conda.
Defect notInIndex(const Place& place) {
  llvm::StringRef before = place.before();
  for (llvm::StringRef word : {"ecause ", "─ ", "- "})
    if (size_t at = before.rfind(word); at != llvm::StringRef::npos)
      before = before.substr(at + word.size());
  const std::string name = nameAt(before);
  return name.empty() ? Defect() : Defect{Kind::NoWheel, {}, spelled(name), place.words().str()};
}

/// conda lists what it does not have on separate lines: "  - NAME=1.0".
Defect noCondaPackage(const Place& place) {
  const llvm::StringRef list = place.rest().take_front(600);
  const size_t item = list.find("- ");
  const std::string name = item == llvm::StringRef::npos ? "" : nameAt(list.substr(item + 2));
  return name.empty() ? Defect() : Defect{Kind::NoWheel, {}, spelled(name)};
}

/// The first package in the text of those PyTorch packages that require one torch each.
std::string companionIn(llvm::StringRef text) {
  for (llvm::StringRef name : {"torchaudio", "torchvision", "xformers"})
    if (text.contains(name))
      return name.str();
  return {};
}

/// pip's, uv's and conda's solvers: no set of releases meets all requirements. pip lists each
/// requirement; if torch and a PyTorch package do not fit, `actual` is the torch that the user
/// requested.
Defect conflict(const Place& place) {
  llvm::StringRef list = place.rest().take_front(2000);
  list = list.take_front(list.find("To fix this"));
  Defect defect{Kind::RequirementsConflict, {}, companionIn(list)};
  constexpr llvm::StringLiteral kWanted = "requested torch==";
  if (size_t at = list.find(kWanted); at != llvm::StringRef::npos)
    defect.actual = versionAt(list.substr(at + kWanted.size())).str();
  for (llvm::StringRef line : llvm::split(list, '\n'))
    if (line = line.ltrim(" \t0123456789.").rtrim();
        line.contains(" depends on ") || line.contains("user requested ") || line.starts_with("- "))
      if (defect.items.size() < kMostRequirements)
        defect.items.push_back(line.ltrim("- ").rtrim("_").str());
  if (defect.name.empty())
    defect.name = "the packages";
  return defect;
}

/// "NAME 2.3.1 requires torch==2.3.1, but you have torch 2.0.1 which is incompatible."
Defect installedConflict(const Place& place) {
  const auto [requirer, rest] = place.before().rsplit(" requires ");
  const auto [requirement, have] = rest.split(", but you have ");
  const llvm::StringRef who =
      requirer.rsplit(". ").second.empty() ? requirer.trim() : requirer.rsplit(". ").second;
  const auto [name, version] = who.split(' ');
  if (have.empty() || nameAt(name).empty() || versionAt(version).empty())
    return {};
  Defect defect{Kind::RequirementsConflict, {}, nameAt(name)};
  if (have.starts_with("torch "))
    defect.actual = versionAt(have.split(' ').second).str();
  defect.items = {who.str() + " requires " + requirement.str() + ", and " + have.trim().str() +
                  " is installed"};
  return defect;
}

/// The stack that Python prints begins with the frame that crashed. torch loads its libraries in
/// its
/// __init__.py; a crash elsewhere is a problem of a program.
Defect crashed(const Place& place) {
  Defect defect{Kind::Crashed};
  defect.actual = place.words().str();
  const llvm::StringRef stack = place.rest().split("(most recent call first)").second;
  const llvm::StringRef frame = stack.ltrim(": \t\r\n").split('\n').first.split(".py").first;
  if (packageOf(frame) == "torch" &&
      (frame.ends_with("torch/__init__") || frame.ends_with("torch\\__init__")))
    defect.subject = "torch";
  return defect;
}

/// "Could not run 'NAMESPACE::operator' with arguments from the 'CPU' backend". Another backend may
/// be unsupported; the CPU never is.
Defect operatorMissing(const Place& place) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const std::string name = symbolAt(place.after().ltrim(" '"));
  const bool isRun = place.words().starts_with("Could not run");
  if (!llvm::StringRef(name).starts_with(recipe.name) ||
      (isRun && !hasWords(place.rest().take_front(400), "from the 'CPU'")))
    return {};
  Defect defect{Kind::OperatorsMissing, {}, name};
  defect.subject = recipe.name;
  return defect;
}

/// "RuntimeError: operator torchvision::nms does not exist"
Defect operatorNotThere(const Place& place) {
  const std::string name = symbolAt(place.after());
  const auto [package, rest] = llvm::StringRef(name).split("::");
  if (rest.empty() || !hasWords(place.after(), "does not exist"))
    return {};
  Defect defect{Kind::OperatorsMissing, {}, name};
  defect.subject = package.str();
  return defect;
}

/// "No such operator torchvision::nms": the package's library did not register it.
Defect operatorUnknown(const Place& place) {
  const std::string name = symbolAt(unquoted(place.after()));
  Defect defect{Kind::OperatorsMissing, {}, name};
  defect.subject = companionIn(llvm::StringRef(name).split("::").first);
  return defect.subject.empty() ? Defect() : defect;
}

/// torch's plugins and the package's have the same message; the variable that it mentions and the
/// plugin's name differ.
Defect backendExtension(const Place& place) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  Defect defect{Kind::PluginBroken, {}, upTo(place.after(), {". ", ".\n"}).rtrim('.').str()};
  const llvm::StringRef name = defect.name;
  const bool isPackages =
      name.starts_with(recipe.name) || hasWords(place.rest().take_front(300), recipe.pluginSwitch);
  if (!isPackages && (name.starts_with("torch_") ||
                      hasWords(place.rest().take_front(300), recipe::kTorchPluginSwitch)))
    defect.subject = "torch";
  return defect;
}

Defect heicLibrary(const Place&) {
  return {Kind::HeicUnavailable, {}, "libheif"};
}

/// The major of FFmpeg that the package uses, printed as None.
Defect noFfmpegMajor(const Place& place) {
  llvm::StringRef rest = place.rest().take_front(200);
  if (rest.consume_front(")"))
    rest = rest.ltrim("\"' \t\n");
  else
    rest = rest.ltrim(" \t\n:=");
  return rest.starts_with("None")
             ? Defect{Kind::CauseNotTold, recipe::defaultRecipe().libraryPrefix}
             : Defect();
}

} // namespace tcfix::traceback
