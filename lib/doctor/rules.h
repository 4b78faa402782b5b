// The doctor's rules: each looks at the case and adds what it finds. One file for each concern.
#pragma once

#include "base/version.h"
#include "doctor/finding.h"
#include "plan/plan.h"
#include "survey/survey.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::doctor {

/// What the words of a finding depend on, whether the libraries were looked at or somebody tells
/// of them (traceback.h).
struct Scene {
  std::optional<Format> platform = {}; ///< nothing if unknown
  bool isConda = false;
  std::string package = {};      ///< its name
  std::string torch = {};        ///< its version; empty if there is none, or it is unknown
  std::string applyCommand = {}; ///< "tcfix apply TARGET", with what was said of the target
  bool isRepairable = false;     ///< that command helps
  bool isInstalled = true;       ///< by an installer, which can bring its files back
};

/// Everything that is known of one package.
struct Case {
  std::string target; ///< as it was given
  const env::Target& found;
  const survey::PackageFacts& facts;
  const plan::PackagePlan& planned; ///< what apply would do
  resolve::LibraryStore& store;
  const std::map<std::string, Image>& judged; ///< Mach-O libraries with judged signatures, by path
  std::vector<GroupReport> groups;
  std::vector<int> required;   ///< majors that must load; empty: any one
  bool loads = false;          ///< enough of it does, or nothing shows that it does not
  bool wouldLoadAfter = false; ///< after tcfix apply

  /// "tcfix apply TARGET", with what was said of the target.
  std::string applyCommand;

  Scene scene() const {
    return {formatOf(facts.platform),
            found.environment.kind == env::EnvironmentKind::Conda,
            facts.package.name,
            facts.torch ? facts.torch->version : std::string(),
            applyCommand,
            wouldLoadAfter,
            !facts.package.distInfo.empty()};
  }

  /// False for a major that need not load.
  bool isWanted(const GroupReport& group) const {
    return required.empty() || llvm::is_contained(required, group.major);
  }
};

using Findings = std::vector<Finding>;

void findLoadProblems(const Case& facts, Findings& findings);   ///< dependencies, symbols, versions
void findFfmpegProblems(const Case& facts, Findings& findings); ///< absent, static, unsupported
void findVersionMismatch(const Case& facts, Findings& findings); ///< torch against torchcodec
void findPythonProblems(const Case& facts, Findings& findings);  ///< ABI tags, architecture
void findMacProblems(const Case& facts, Findings& findings);     ///< signatures, quarantine, min OS
void findPathProblems(const Case& facts, Findings& findings);    ///< entries that lead nowhere, …
void findSurroundings(const Case& facts, Findings& findings);    ///< shadowing, RECORD, two FFmpegs

/// The symbols of torch's C interface that a library needs and this torch does not have. On ELF a
/// loader cannot say it while another library is missing, which could have any symbol.
std::optional<resolve::LoadProblem> compareWithTorch(const survey::PackageFacts& facts,
                                                     resolve::LibraryStore& store,
                                                     const std::string& library);

/// Completes what the simulation leaves open: which library should have had a missing symbol. A
/// problem becomes one for each of them.
void nameProviders(std::vector<GroupReport>& groups, const io::TargetDisk& disk);

/// The package's libraries with their signatures judged; none but Mach-O's.
std::map<std::string, Image> judgeLibraries(const survey::PackageFacts& facts,
                                            const io::TargetDisk& disk);

/// Why macOS does not take such a library; nothing if it does.
std::optional<resolve::LoadProblem> refusalOf(const std::string& path, const Image& image,
                                              llvm::StringRef arch);

/// For findLoadProblems: what was found does not fit.
void addMissingSymbols(const Case& facts, const resolve::LoadProblem& problem, Findings& findings);

// The finding that a problem of the loader becomes.
Finding missingSymbols(const Scene& scene, const resolve::LoadProblem& problem, bool isTorchs);
Finding missingVersion(const Scene& scene, const resolve::LoadProblem& problem);
Finding missingDependency(const Scene& scene, const resolve::LoadProblem& problem,
                          bool isTorchWithoutCuda);
Finding duplicateEntry(const Scene& scene, const resolve::LoadProblem& problem);

/// torch's own symbols are known by their names.
bool isTorchSymbol(llvm::StringRef symbol);

/// All that was tried, a line for each.
std::vector<std::string> placesOf(const resolve::LoadProblem& problem);

/// The torchcodec that goes with this torch, such as "0.9.*"; nothing if the table does not say.
std::optional<std::string> torchcodecFor(llvm::StringRef torchVersion);

/// The command that installs it.
std::string fittingTorchcodecCommand(llvm::StringRef torchVersion);

/// That a torchcodec was built for another torch than this one; nothing if it was not, or the table
/// does not say. The second form knows only that it is one of these versions, both included.
std::optional<Finding> versionMismatch(llvm::StringRef codecVersion, llvm::StringRef torchVersion);
std::optional<Finding> versionMismatch(Version firstCodec, Version lastCodec,
                                       llvm::StringRef torchVersion);

/// That this torch was not built by PyTorch's own pipelines; nothing if it was.
std::optional<Finding> vendorTorch(const Scene& scene);

/// Which torch versions have all of these symbols, as far as a table knows.
struct TorchSpan {
  Version since = {}, until = {};
};
TorchSpan torchSpanOf(llvm::ArrayRef<std::string> symbols);

/// "torch has them since 2.11"; empty if nothing is known.
std::string describe(const TorchSpan& span);

/// A symbol as its author wrote it.
std::string demangled(llvm::StringRef symbol);

using providers::isTorchLibrary;

/// A word of a command line, in quotes if it needs them.
std::string quoted(llvm::StringRef word);

/// The command that installs an FFmpeg that torchcodec can use, this major or an older one.
std::string ffmpegInstallCommand(const Scene& scene, int highest);

/// "8, 7, 6".
std::string majorsText(llvm::ArrayRef<int> majors);

/// The command that brings a package's own files back; empty where no installer knows of it.
std::string reinstallCommand(const Scene& scene);
std::string reinstallCommand(const env::Package& package);
std::string reinstallCommand(const std::string& package);

// The commands that please macOS.
std::string signCommand(llvm::StringRef path);
std::string unquarantineCommand(llvm::StringRef path);
std::string signPythonCommand(llvm::StringRef path);

/// "cp312" of "x.cpython-312-darwin.so" or of "x.cp312-win_amd64.pyd"; empty if the name says none.
std::string pythonTagOf(llvm::StringRef name);

/// "cp312" for "3.12".
std::string pythonTagFor(llvm::StringRef version);

/// That something built for one Python is used by another.
Finding pythonAbi(const Scene& scene, const std::string& what, const std::string& path,
                  const std::string& tag, const std::string& pythonVersion);

} // namespace tcfix::doctor
