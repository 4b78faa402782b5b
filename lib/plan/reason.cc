#include "plan/reason.h"

namespace tcfix::plan {

std::string Reason::text() const {
  switch (kind) {
  case Kind::Requested:
    return {};
  case Kind::OnTrust:
    return "requested; cannot be checked on this machine";
  case Kind::Repeated:
    return "duplicate";
  case Kind::OtherKindFails:
    return "it would not load with " + what;
  case Kind::ToFind:
    return "to find " + what;
  case Kind::InstalledLater:
    return "for an FFmpeg installed later";
  case Kind::NameIn:
    return "as named in " + what;
  case Kind::SearchList:
    return "so that the search list applies";
  case Kind::InterpreterHasIt:
    return "nothing provides it, and the interpreter has its symbols";
  case Kind::InterpreterLacksIt:
    return "the interpreter has its symbols, and the library is often missing";
  case Kind::RunpathHides:
    return "a RUNPATH would disable inherited search paths";
  case Kind::OtherMachine:
    return "from the machine that built it";
  }
  return {};
}

} // namespace tcfix::plan
