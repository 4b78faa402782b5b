// tcfix as a C++ library: inspect, edit, sign, verify, repair, undo and simulate, for Mach-O, ELF
// and PE files, on any system. docs/library.md has examples.
//
// Needs C++17 and the standard library only. Nothing prints, exits, handles signals or throws on a
// failure. A function that can fail as a whole returns a Result; where several files can fail one
// by one, the report lists the errors. Functions may be called from several threads; calls that
// write lock the directories they write to, against other threads and processes.
#pragma once

#include "tcfix/image.h"

#include <functional>

namespace tcfix::api {

/// Why something could not be done: the fields of an error in tcfix's JSON output.
struct Error {
  std::string code;    ///< such as "not-found" or "no-room"; docs/library.md lists them
  std::string message; ///< one sentence, without the path
  std::string path;    ///< empty where it is about no file
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

/// What a library contains, its signature verified.
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

/// Receives messages while a call waits for another tcfix.
using Notify = std::function<void(const std::string& message)>;

struct EditOptions {
  bool isDryRun = false;         ///< report what would change, write nothing
  bool isSigning = true;         ///< false: leave the signature as it is, even if that breaks it
  bool replaceSignature = false; ///< replace a certificate signature with an ad-hoc one
  std::string journal = {};      ///< a file that records how to undo; empty: none
  Notify notify = {};
};

/// Makes the edits, all or none. Follows a symbolic link to the real file. A changed Mach-O file is
/// signed again.
Result<FileReport> edit(const std::string& path, const std::vector<Edit>& edits,
                        const EditOptions& options = {});

/// Ensures a valid ad-hoc signature of a Mach-O file.
Result<FileReport> sign(const std::string& path, const EditOptions& options = {});

struct Verification {
  bool isValid = true;               ///< also where there is no signature and none is required
  std::vector<std::string> problems; ///< one sentence each
};

/// Checks the signature of a Mach-O file page by page. Certificates are not checked.
Result<Verification> verify(const std::string& path);

enum class Verdict { Loads, Fails, Unknown };

/// How one dependency of one library is resolved.
struct Binding {
  enum class State {
    Found,
    System,  ///< part of the operating system, where there need not be a file
    Assumed, ///< a base library of the platform, in a directory that is not on this machine
    Missing,
    Optional, ///< missing, and the library loads without it
    Unknown,  ///< not found in the directories that are on this machine
  };
  std::string library;    ///< path of the library that requires it
  std::string dependency; ///< as the library names it
  State state = State::Missing;
  std::string provider;           ///< path; only when Found
  std::vector<std::string> tried; ///< the places searched, in order
};

struct Simulation {
  Verdict verdict = Verdict::Unknown;
  std::vector<std::string> problems; ///< why it fails, the cause first
  std::vector<Binding> bindings;     ///< of the library and all that it loads, in load order
};

struct SimulateOptions {
  std::string sysroot = {}; ///< the directory that holds the target's root; empty: this machine
  std::string arch = {};    ///< of the process; empty: the library's first one
};

/// What the platform's loader would do with the library in an empty process. Nothing is executed.
Result<Simulation> simulate(const std::string& path, const SimulateOptions& options = {});

struct ApplyOptions {
  std::vector<std::string> packages = {};    ///< empty: torchcodec
  std::vector<std::string> searchPaths = {}; ///< literal entries for every library
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
  std::vector<Error> errors; ///< also those of single files; empty: everything was done
  std::vector<Error> warnings;
};

/// Repairs the libraries of a package: `tcfix apply TARGET`. An I/O error rolls all files back.
ApplyReport apply(const std::string& target, const ApplyOptions& options = {});

struct UndoReport {
  std::vector<std::string> restored;
  std::vector<std::string> skipped; ///< already as they were
  std::vector<Error> errors;        ///< such as files that were changed since, and are left alone
  std::vector<Error> warnings;
};

/// Restores what apply changed in a target, verified by hash.
Result<UndoReport> undo(const std::string& target, const std::string& sysroot = {},
                        const Notify& notify = {});

/// Restores what was recorded in EditOptions::journal.
Result<UndoReport> undoJournal(const std::string& journal, const Notify& notify = {});

} // namespace tcfix::api
