// A simulated process: which library the platform's loader would take for each dependency, and
// whether all of them load.
//
// Nothing is executed. A session remembers what it has loaded, as a process does, so that the order
// of loads counts: a library finds another by its name because that was loaded before it.
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
  std::string outcome; ///< why it did not serve, such as "not there" or "is for x86_64"
};

/// How one dependency of one library was met.
struct Binding {
  enum class State {
    Found,   ///< a file
    System,  ///< part of the operating system, where no file need be (dyld's shared cache)
    Assumed, ///< a base library of the platform, in a place that is out of reach
    Missing,
    Optional, ///< missing, and the library loads without it (weak, lazily delayed)
    Unknown,  ///< not found, but there are places that are out of reach
  };
  std::string library;    ///< host path of the one that asks
  std::string dependency; ///< as it asks for it
  State state = State::Missing;
  std::string provider; ///< host path, when Found
  FoundBy how;
  std::vector<Attempt> tried; ///< in order; also those before the one that served
};

/// Why a load fails; the first one is the cause, the others would come after it.
struct LoadProblem {
  enum class Code {
    MissingDependency,
    MissingSymbols,      ///< `provider` lacks `symbols`
    MissingVersion,      ///< an ELF version (GLIBC_2.38) that `provider` does not define
    WrongArchitecture,   ///< only files of another architecture were found
    DuplicateEntry,      ///< a repeated LC_RPATH that dyld refuses
    DuplicateDependency, ///< a repeated LC_LOAD_DYLIB that dyld refuses
    Unreadable,          ///< a file in the way that is no library
    Refused,             ///< by the system, as `message` says; only where it is explained
  };
  Code code = Code::MissingDependency;
  std::string library; ///< host path of the one that asks
  std::string dependency;
  std::string provider; ///< host path; empty where there is none
  std::vector<std::string> symbols;
  std::vector<Attempt> tried;
  std::string message; ///< one sentence
};

/// The code's name in JSON, such as "missing-dependency".
llvm::StringRef nameOf(LoadProblem::Code code);

/// "core7.so needs 3 symbols that libtorch_cpu.so does not have". Names of symbols fill a line, so
/// none is in it. `requester` begins the sentence; empty: the library's own name.
std::string countMissing(const LoadProblem& problem, std::string requester = {});

/// The same, with the first symbol's name as an example.
std::string describeMissing(const LoadProblem& problem, std::string requester = {});

struct LoadResult {
  Verdict verdict = Verdict::Unknown;
  std::vector<LoadProblem> problems; ///< empty unless it fails
  std::vector<Binding> bindings;     ///< of the library and all that it brought in, in load order
};

struct ProcessOptions {
  /// Of the process, such as "arm64"; empty: the executable's, or that of the first library loaded.
  std::string arch = {};
  std::string executable = {}; ///< host path of python, whose search paths count; empty if unknown
  bool isPython = false;       ///< also where the executable is unknown
  std::string systemVersion = {}; ///< the target's macOS version; empty if unknown
  /// The target's environment: LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, PATH.
  std::map<std::string, std::string> environment = {};
  /// Folders that Python adds before it loads (os.add_dll_directory); host paths. Windows only.
  std::vector<std::string> dllFolders = {};
};

/// True for two names of one architecture, such as arm64 and aarch64.
bool isSameArchitecture(llvm::StringRef one, llvm::StringRef other);

class Session {
public:
  /// `store` must outlive the session.
  Session(LibraryStore& store, ProcessOptions options);
  ~Session();
  Session(Session&&) noexcept;
  /// A process in the same state, to try something in.
  Session clone() const;

  /// Loads the executable and what it brings in now, so that no copy of this has to.
  void start();

  /// From now on the file counts as changed in this way. Before it is loaded.
  void overrideLibrary(const std::string& hostPath, LibraryOverride replaced);

  /// What dlopen, or LoadLibrary, of this file would do. Keeps what loaded; a failed load leaves
  /// the process as it was. With options (explain.h) the result shows more than a loader reports.
  LoadResult load(const std::string& hostPath, const ExplainOptions* explaining = nullptr);

  /// From now on it is taken for granted that libraries have the symbols that others need of them:
  /// comparing those of torch takes most of the time.
  void trustSymbols(bool isTrusting);

  /// Host paths of the libraries that are loaded, in order.
  std::vector<std::string> loaded() const;

private:
  explicit Session(const Process& process);

  std::unique_ptr<Process> process;
};

} // namespace tcfix::resolve
