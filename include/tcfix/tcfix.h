// tcfix as a C++ library: inspect, edit, sign, verify, repair, undo and simulate, for Mach-O, ELF
// and PE files, on any system. docs/library.md has examples.
//
// Requires only C++17 and the standard library. Nothing prints, exits, handles signals or throws on
// failure. A function that can fail as a whole returns a Result; where each of several files can
// fail, the report lists the errors. All functions are thread-safe; calls that write lock the
// directories they write to against other threads and processes.
#pragma once

#include "tcfix/image.h"

#include <functional>

namespace tcfix::api {

/// An error, with the same fields as in tcfix's JSON output.
struct Error {
  std::string code;    ///< such as "not-found" or "no-room"; docs/library.md lists them
  std::string message; ///< one sentence, without the path
  std::string path;    ///< empty if the error is not about a file
  std::string hint;    ///< what to do next; may be empty
};

/// Either a value or an Error. Reading the one that it does not hold throws
/// std::bad_variant_access.
template <typename Value>
class [[nodiscard]] Result {
public:
  Result(Value value) : content(std::move(value)) {}
  Result(Error error) : content(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<Value>(content); }
  Value& operator*() { return std::get<Value>(content); }
  const Value& operator*() const { return std::get<Value>(content); }
  Value* operator->() { return &**this; }
  const Value* operator->() const { return &**this; }
  const Error& error() const { return std::get<Error>(content); }

private:
  std::variant<Value, Error> content;
};

struct InspectOptions {
  bool withSymbols = false; ///< also imports and exports
};

/// What a library contains. Its signature is verified.
Result<Image> inspect(const std::string& path, const InspectOptions& options = {});

enum class FileStatus { Changed, WouldChange, Unchanged, Skipped, Failed };

struct FileReport {
  std::string path;
  FileStatus status = FileStatus::Unchanged;
  std::vector<Change> changes;
  std::vector<std::string> warnings;
  std::optional<Error> error; ///< only when Failed; the file is then as it was
  std::string sha256Before;
  std::string sha256After;
};

/// Receives messages while a call waits for another tcfix process.
using Notify = std::function<void(const std::string& message)>;

struct EditOptions {
  bool isDryRun = false;         ///< report what would change without writing
  bool isSigning = true;         ///< false: leave the signature as it is, even if that breaks it
  bool replaceSignature = false; ///< replace a certificate signature with an ad-hoc one
  std::string journal = {};      ///< file that records how to undo the edits; empty: none
  Notify notify = {};
};

/// Applies all edits or none. Follows symbolic links. A changed Mach-O file is signed again.
Result<FileReport> edit(const std::string& path, const std::vector<Edit>& edits,
                        const EditOptions& options = {});

/// Ensures that a Mach-O file has a valid ad-hoc signature.
Result<FileReport> sign(const std::string& path, const EditOptions& options = {});

struct Verification {
  bool isValid = true;               ///< also if there is no signature and none is required
  std::vector<std::string> problems; ///< one sentence each
};

/// Checks the signature of a Mach-O file page by page. Certificates are not checked.
Result<Verification> verify(const std::string& path);

enum class Verdict { Loads, Fails, Unknown };

/// How one dependency of one library is resolved.
struct Binding {
  enum class State {
    Found,
    System,  ///< part of the operating system; there may be no file
    Assumed, ///< a base library of the platform, in a directory that is not on this machine
    Missing,
    Optional, ///< missing, and the library loads without it
    Unknown,  ///< not found in the directories that are on this machine
  };
  std::string library;    ///< path of the library that requires it
  std::string dependency; ///< its name as recorded in the library
  State state = State::Missing;
  std::string provider;           ///< path; only when Found
  std::vector<std::string> tried; ///< the places searched, in order
};

struct Simulation {
  Verdict verdict = Verdict::Unknown;
  std::vector<std::string> problems; ///< why it fails, the cause first
  std::vector<Binding> bindings;     ///< for the library and all that it loads, in load order
};

struct SimulateOptions {
  std::string sysroot = {}; ///< the target's root directory; empty: this machine's
  std::string arch = {};    ///< of the process; empty: the library's first
};

/// Simulates the platform's loader loading the library into an empty process. Nothing is executed.
Result<Simulation> simulate(const std::string& path, const SimulateOptions& options = {});

struct ApplyOptions {
  std::vector<std::string> packages = {};    ///< empty: torchcodec
  std::vector<std::string> searchPaths = {}; ///< literal entries to add to every library
  std::string ffmpeg = "auto";               ///< a directory, "auto", "av" or "none"
  std::string sysroot = {};
  std::string arch = {};
  std::string macosVersion = {};
  bool isDryRun = false;
  bool isSigning = true;
  bool replaceSignature = false;
  Notify notify = {};
};

struct ApplyReport {
  std::vector<FileReport> files;
  Verdict before = Verdict::Unknown; ///< whether the package loads
  Verdict after = Verdict::Unknown;
  std::vector<Error> errors; ///< including those of single files; empty: success
  std::vector<Error> warnings;
};

/// Repairs the libraries of a package, as `tcfix apply TARGET` does. An I/O error rolls back all
/// files.
ApplyReport apply(const std::string& target, const ApplyOptions& options = {});

struct UndoReport {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already in their original state
  std::vector<Error> errors;        ///< such as files changed since, which are not restored
  std::vector<Error> warnings;
};

/// Restores what apply changed in a target. Results are verified by hash.
Result<UndoReport> undo(const std::string& target, const std::string& sysroot = {},
                        const Notify& notify = {});

/// Restores what was recorded in EditOptions::journal.
Result<UndoReport> undoJournal(const std::string& journal, const Notify& notify = {});

} // namespace tcfix::api
