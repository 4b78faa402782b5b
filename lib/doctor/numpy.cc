// Modules that were built for NumPy 1, which NumPy 2 refuses when they are imported. Loaders cannot
// detect it: modules get NumPy's functions by importing another module, whose name is in them.
// NumPy 2 moved that module, and its headers try the new name first (numpy/__multiarray_api.h,
// _import_array).
#include "doctor/rules.h"

#include "env/distribution.h"

namespace tcfix::doctor {

namespace {

constexpr llvm::StringLiteral kNewName = "numpy._core";
/// The second one is Cython's message, for compilers that leave no other name.
constexpr llvm::StringLiteral kOldNames[] = {"numpy.core._multiarray_umath",
                                             "numpy.core.multiarray failed to import"};
/// Not every module of a package uses NumPy; reading all of a large package would be slow.
constexpr size_t kMaxModules = 12;

std::string numpyVersion(const ExaminedPackage& package) {
  for (const env::Site& site : package.found.environment.sites)
    for (const env::Distribution& each :
         env::distributionsOf("numpy", site.folder, package.found.disk))
      return each.version;
  return {};
}

bool requiresNumpy(const ExaminedPackage& package) {
  return llvm::any_of(env::requirementsOf(package.facts.package.distInfo, package.found.disk),
                      [](const std::string& name) { return env::normalizedName(name) == "numpy"; });
}

} // namespace

void findNumpyDefects(const ExaminedPackage& package, Defects& defects) {
  if (!package.recipe().isJudgedByModules || package.facts.package.distInfo.empty())
    return;
  const std::optional<Version> numpy = parseVersion(numpyVersion(package));
  if (!numpy || numpy->major < 2 || !requiresNumpy(package))
    return;
  size_t left = kMaxModules;
  for (const survey::LibraryFacts& library : package.facts.libraries) {
    if (!library.isModule || !library.isNeeded)
      continue;
    if (left-- == 0)
      return;
    std::optional<io::InputFile> file =
        llvm::expectedToOptional(package.found.disk.open(library.path));
    const llvm::StringRef text = file ? textOf(file->bytes()) : llvm::StringRef();
    if (text.contains(kNewName))
      return; // the others were built with it
    if (llvm::none_of(kOldNames, [&](llvm::StringRef name) { return text.contains(name); }))
      continue;
    Defect defect{Defect::Kind::NumpyAbi, library.path, "NumPy 1.x"};
    defect.sentence = library.name + " was built for NumPy 1, but NumPy " + numpy->text() +
                      " is installed, which does not support it";
    defects.push_back(std::move(defect));
    return;
  }
}

} // namespace tcfix::doctor
