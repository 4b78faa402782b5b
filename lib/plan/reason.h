// The reason for a planned edit: a value, turned into text in one place.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::plan {

struct Reason {
  enum class Kind {
    Requested,
    OnTrust,            ///< requested, but not on this machine
    Repeated,           ///< a duplicate entry
    OtherKindFails,     ///< `what`: the kind of search path
    ToFind,             ///< `what`: torch, an FFmpeg, a library
    InstalledLater,     ///< the directory where an FFmpeg will be installed
    NameIn,             ///< `what`: the FFmpeg that uses this name
    SearchList,         ///< delayed, so that the search list applies
    InterpreterHasIt,   ///< a libpython that nothing provides
    InterpreterLacksIt, ///< a libpython that many machines do not have
    RunpathHides,       ///< a RUNPATH here would disable other search paths
    OtherMachine,       ///< an entry from the machine that built the library
  };
  Kind kind = Kind::Requested;
  std::string what = {};

  /// Empty for a requested edit: its value is enough.
  std::string text() const;
};

} // namespace tcfix::plan
