// A simulated process: which library the platform's loader would use for each dependency, and
// whether all of them load.
//
// Nothing is executed. Like a process, a session keeps what it has loaded, so the order of loads
// matters: a library can find another by name because that was loaded before.
#pragma once

#include "resolve/found_by.h"
#include "resolve/library.h"

#include <map>
#include <memory>

namespace tcfix::resolve {

struct ExplainOptions;
struct Process;

enum class Verdict { Loads, Fails, Unknown };

/// A place where the loader looked.
struct Attempt {
  std::string place;   ///< the target path that was tried, or a name such as "ld.so.cache"
  std::string outcome; ///< why it was not used, such as "not found" or "is for x86_64"
};

/// How one dependency of one library was resolved.
struct Binding {
  enum class State {
    Found,   ///< a file
    System,  ///< part of the operating system; there may be no file (dyld's shared cache)
    Assumed, ///< a base library of the platform, in a directory that is not on this machine
    Missing,
    Optional, ///< missing, and the library loads without it (weak, lazily delayed)
    Unknown,  ///< not found, but some directories are not on this machine
  };
  std::string library;    ///< host path of the library that requires it
  std::string dependency; ///< its name as recorded in the library
  State state = State::Missing;
  std::string provider; ///< host path, when Found
  FoundBy how;
  std::vector<Attempt> tried; ///< in order; also those before the one that was used
};

/// Why a load fails. The first problem is the cause; the others would follow if it were fixed.
struct LoadProblem {
  enum class Code {
    MissingDependency,
    MissingSymbols,      ///< `provider` lacks `symbols`
    MissingVersion,      ///< an ELF version (GLIBC_2.38) that `provider` does not define
    WrongArchitecture,   ///< only files of another architecture were found
    DuplicateEntry,      ///< a repeated LC_RPATH that dyld rejects
    DuplicateDependency, ///< a repeated LC_LOAD_DYLIB that dyld rejects
    Unreadable,          ///< a file that ended the search and is not a library
    Refused,             ///< rejected by the system, see `message`; only with ExplainOptions
  };
  Code code = Code::MissingDependency;
  std::string library; ///< host path of the library that requires it
  std::string dependency;
  std::string provider; ///< host path; empty if there is none
  std::vector<std::string> symbols;
  std::vector<Attempt> tried;
  std::string message; ///< one line
};

/// The code's name in JSON, such as "missing-dependency".
llvm::StringRef nameOf(LoadProblem::Code code);

/// "core7.so needs 3 symbols that libtorch_cpu.so does not have". Symbols are not listed, since
/// their names are long. `requester` starts the message; empty: the library's own name.
std::string countMissing(const LoadProblem& problem, std::string requester = {});

/// The same, with the first symbol's name as an example.
std::string describeMissing(const LoadProblem& problem, std::string requester = {});

struct LoadResult {
  Verdict verdict = Verdict::Unknown;
  std::vector<LoadProblem> problems; ///< empty unless it fails
  std::vector<Binding> bindings;     ///< for the library and all that it loads, in load order
};

struct ProcessOptions {
  /// Of the process, such as "arm64"; empty: that of the executable, or of the first library
  /// loaded.
  std::string arch = {};
  std::string executable = {}; ///< host path of python, whose search paths apply; empty if unknown
  bool isPython = false;       ///< also if the executable is unknown
  std::string systemVersion = {}; ///< the target's macOS version; empty if unknown
  /// The target's environment: LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, PATH.
  std::map<std::string, std::string> environment = {};
  /// Folders that Python adds before it loads (os.add_dll_directory); host paths. Windows only.
  std::vector<std::string> dllFolders = {};
};

/// True for two names of the same architecture, such as arm64 and aarch64.
bool isSameArchitecture(llvm::StringRef one, llvm::StringRef other);

class Session {
public:
  /// `store` must outlive the session.
  Session(LibraryStore& store, ProcessOptions options);
  ~Session();
  Session(Session&&) noexcept;
  /// A copy in the same state, for trial loads.
  Session clone() const;

  /// Loads the executable and its dependencies now, so that copies of this session do not have to.
  void start();

  /// Simulates these changes to the file. Call before it is loaded.
  void overrideLibrary(const std::string& hostPath, LibraryOverride replaced);

  /// Simulates dlopen, or LoadLibrary, of this file. Keeps what was loaded; a failed load leaves
  /// the process as it was. With options (explain.h), the result is more detailed than a loader's
  /// report.
  LoadResult load(const std::string& hostPath, const ExplainOptions* explaining = nullptr);

  /// From now on, libraries are assumed to have the symbols that others need: comparing those of
  /// torch takes most of the time.
  void trustSymbols(bool isTrusting);

  /// From now on, only a library's own dependencies are looked for, which dyld does before it looks
  /// for theirs; the other loaders go on as before. For bindings: the verdict then says little.
  void stayShallow();

  /// Host paths of the libraries that are loaded, in order.
  std::vector<std::string> loaded() const;

private:
  explicit Session(const Process& process);

  std::unique_ptr<Process> process;
};

} // namespace tcfix::resolve
