#include "resolve/found_by.h"

namespace tcfix::resolve {

std::string FoundBy::text() const {
  switch (kind) {
  case Kind::Nothing:
    break;
  case Kind::AlreadyLoaded:
    return entry.empty() ? "already loaded" : "already loaded, as " + entry;
  case Kind::OwnPath:
    return entry.empty() ? "its path" : entry;
  case Kind::SearchPath:
    return holder.empty() ? entry : entry + " of " + holder;
  case Kind::Rpath:
    return entry + " (RPATH of " + holder + ")";
  case Kind::Runpath:
    return entry + " (RUNPATH of " + holder + ")";
  case Kind::Variable:
    return entry.empty() ? holder : holder + " " + entry;
  case Kind::Cache:
    return "ld.so.cache";
  case Kind::DefaultDirectory:
    return "default directory " + entry;
  case Kind::Fallback:
    return "fallback " + entry;
  case Kind::PlatformRule:
    return entry;
  }
  return {};
}

} // namespace tcfix::resolve
