// What a traceback tells: the text of somebody's failed import becomes plain facts.
//
// Understood are the words of torchcodec's own error (0.2 to 0.17), of glibc's and musl's loader,
// of dyld, of Windows by its error numbers, and of Python, wherever they stand: behind time stamps,
// in quotes, all on one line, cut off. A text is anybody's: nothing in it is trusted to be
// complete, and reading takes time in proportion to its length.
#pragma once

#include "image/image.h"
#include "resolve/session.h"

#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace tcfix::doctor {

/// Of one kind in one text: what is printed again and again says nothing new.
constexpr size_t kMostFailures = 50;

/// One sentence of a loader, or of Python, about one library.
struct ToldFailure {
  enum class Kind {
    NotTold,           ///< it failed, and nothing says why
    MissingDependency, ///< `name`; empty where the system does not say which (Windows)
    MissingSymbol,     ///< `name`, of `provider` if that is told; empty where Windows says none
    MissingVersion,    ///< `name`, of `provider`
    WrongArchitecture, ///< `name` describes what was there
    DuplicateEntry,    ///< `name`
    NotALibrary,       ///< `library` itself
    BadSignature,      ///< of `library`
    ForeignTeam,       ///< the process takes only libraries that its own team signed
    Quarantined,       ///< refused by the system's policy
    SystemTooOld,      ///< for macOS `name` or later
    ExecutableStack,   ///< asked for, and not given
    NotMapped,         ///< no memory, or a disk that nothing may be run from
    NoStaticTls,       ///< too many libraries with thread-local storage
    InitializationFailed,
    MissingPackage, ///< Python finds no module `name`
    MissingFile,    ///< the package lacks its library `name`
    NumpyAbi,       ///< built against another NumPy; `name` says which
    PythonAbi,      ///< built for Python `name`, used by `provider`
  };
  Kind kind = Kind::NotTold;
  std::string library = {}; ///< the file that failed, as the text has it; may be empty
  std::string name = {};
  std::string provider = {};
  std::string words = {}; ///< the sentence itself
  std::vector<resolve::Attempt> tried = {};
  bool operator==(const ToldFailure& other) const {
    return kind == other.kind && library == other.library && name == other.name;
  }
};

/// What was told of one FFmpeg major, or, with major 0, outside of torchcodec's list of them.
struct ToldGroup {
  int major = 0;
  std::vector<ToldFailure> failures = {}; ///< the cause first, then what followed from it
};

struct Told {
  std::vector<ToldGroup> groups = {}; ///< in the order of the text; those with majors first
  bool isListComplete = false;        ///< the list of majors begins in this text
  // Versions, empty where the text has none.
  std::string torch = {}, torchcodec = {}, python = {};
  std::optional<Format> platform = {};
  bool isConda = false;
  int ffmpegProgram = 0;        ///< the major of an ffmpeg whose own output is in the text
  bool isProgramStatic = false; ///< and that it has no shared libraries

  bool hasMajors() const { return !groups.empty() && groups.front().major != 0; }
};

Told readTraceback(llvm::StringRef text);

/// Without colours and carriage returns; UTF-16, as PowerShell writes it, becomes UTF-8.
std::string plainText(llvm::StringRef text);

/// Everything that loaders and Python say in a piece of plain text, in its order.
std::vector<ToldFailure> readFailures(llvm::StringRef text);

} // namespace tcfix::doctor
