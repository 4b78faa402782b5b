// Why a plan wants an edit: a value, put into words in one place.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace tcfix::plan {

struct Reason {
  enum class Kind {
    Requested,
    OnTrust,            ///< requested, and out of reach of this machine
    Repeated,           ///< an entry that is there more than once
    OtherKindFails,     ///< `what`: the kind of search path
    LeadsTo,            ///< `what`: torch, an FFmpeg, a library
    InstalledLater,     ///< leads to where an FFmpeg will be found as soon as there is one
    NameIn,             ///< `what`: who calls it so
    SearchList,         ///< delayed, so that the search list counts
    InterpreterHasIt,   ///< a libpython that nothing provides
    InterpreterLacksIt, ///< a libpython that many machines do not have
    RunpathHides,       ///< a RUNPATH here would switch off other search paths
    OtherMachine,       ///< an entry of the machine that the library comes from
  };
  Kind kind = Kind::Requested;
  std::string what = {};

  /// Empty for what was requested: its value says it all.
  std::string text() const;
};

} // namespace tcfix::plan
