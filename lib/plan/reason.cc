#include "plan/reason.h"

namespace tcfix::plan {

std::string Reason::text() const {
  switch (kind) {
  case Kind::Requested:
    return {};
  case Kind::OnTrust:
    return "asked for; cannot be looked at from here";
  case Kind::Repeated:
    return "is there more than once";
  case Kind::OtherKindFails:
    return "with " + what + " it would not load";
  case Kind::LeadsTo:
    return "leads to " + what;
  case Kind::InstalledLater:
    return "for an FFmpeg installed later";
  case Kind::NameIn:
    return "its name in " + what;
  case Kind::SearchList:
    return "so that the search list leads to it";
  case Kind::InterpreterHasIt:
    return "nothing provides it, and the interpreter has its symbols";
  case Kind::InterpreterLacksIt:
    return "the interpreter has its symbols, and often no such library";
  case Kind::RunpathHides:
    return "a RUNPATH would switch off the search paths of others";
  case Kind::OtherMachine:
    return "of the machine that it comes from";
  }
  return {};
}

} // namespace tcfix::plan
