// dyld's sentences.
#include "traceback/phrase.h"

#include "image/names.h"
#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>

#include <algorithm>

namespace tcfix::traceback {

using Kind = Defect::Kind;

namespace {

constexpr size_t kMostPlaces = 40;
constexpr size_t kLongestOutcome = 600;

std::vector<resolve::Attempt> placesTried(llvm::StringRef reason) {
  std::vector<resolve::Attempt> tried;
  reason = reason.split("tried: ").second;
  while (reason.consume_front("'") && tried.size() < kMostPlaces) {
    auto [path, rest] = reason.split("' (");
    if (path.contains('\n') || path.size() > 2000)
      break;
    // The outcome may contain parentheses: (have 'x86_64', need 'arm64').
    size_t depth = 1, end = 0;
    for (; end < rest.size() && depth > 0 && end < kLongestOutcome; ++end)
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    tried.push_back({path.str(), rest.take_front(end).drop_back(depth == 0 ? 1 : 0).str()});
    reason = rest.substr(end);
    reason.consume_front(",");
    reason = reason.ltrim();
  }
  return tried;
}

/// The path in "Referenced from: <UUID> /path".
std::string pathAfter(llvm::StringRef text, llvm::StringRef words) {
  size_t at = text.find(words);
  if (at == llvm::StringRef::npos)
    return {};
  llvm::StringRef path = upTo(text.substr(at + words.size()).ltrim(),
                              {"\\n", " Reason:", " Expected in:", " (built for macOS"});
  if (path.starts_with("<") && path.contains('>'))
    path = path.split('>').second;
  // On one line with others.
  for (llvm::StringRef end : {".dylib ", ".so "})
    if (size_t last = path.find(end); last != llvm::StringRef::npos)
      path = path.take_front(last + end.size());
  // Inside ImportError('…').
  return unquoted(path.take_front(path.find("')"))).str();
}

/// "dlopen(PATH, 0x0006)" before the words, also on the line above.
std::string openedPath(const Place& place) {
  llvm::StringRef before = place.text.take_front(place.begin).take_back(kLongestOutcome);
  size_t call = before.rfind("dlopen(");
  return call == llvm::StringRef::npos
             ? std::string()
             : upTo(before.substr(call + 7), {", 0x", ", "}).rtrim(',').str();
}

/// PATH of "tried: 'PATH' (" right before the words.
std::string triedBefore(const Place& place) {
  llvm::StringRef before = place.text.take_front(place.begin).take_back(kLongestOutcome);
  before = before.take_front(before.rfind("' ("));
  const size_t quote = before.rfind('\'');
  return quote == llvm::StringRef::npos ? std::string() : before.substr(quote + 1).str();
}

std::string architecturesIn(llvm::StringRef reason) {
  std::string have = between(reason, "(have '", "'"), need = between(reason, "need '", "'");
  if (have.empty()) { // older versions
    have = between(reason, "(have (", ")");
    need = between(reason, "need (", ")");
  }
  return have.empty() ? "for another architecture" : "for " + have + ", and " + need + " is needed";
}

/// dyld's message about a file that exists but is rejected.
Defect refusalIn(llvm::StringRef reason, Kind otherwise) {
  Defect failure{otherwise};
  if (reason.contains("incompatible architecture") || reason.contains("wrong architecture") ||
      reason.contains("missing compatible arch")) {
    failure.kind = Kind::WrongArchitecture;
    failure.actual = architecturesIn(reason);
  } else if (reason.contains("Team ID")) {
    failure.kind = Kind::HardenedPython;
  } else if (reason.contains("disallowed by system policy")) {
    failure.kind = Kind::Quarantined;
  } else if (reason.contains("code signature") || reason.contains("not valid for use in process")) {
    failure.kind = Kind::SignatureInvalid;
  } else if (reason.contains("built for newer macOS")) {
    failure.kind = Kind::MacosTooOld;
    failure.name = upTo(between(reason, "built for newer macOS version (", ")"), {" "}).str();
  } else if (reason.contains("duplicate LC_RPATH")) {
    failure.kind = Kind::DuplicateEntry;
    failure.name = unquoted(between(reason, "duplicate LC_RPATH '", "'")).str();
  }
  return failure;
}

/// Names of libraries have a suffix; frameworks have one in their path, but "@rpath/Python".
bool isCutOff(llvm::StringRef name) {
  return !baseName(name).contains('.') && !name.contains(".framework/") &&
         baseName(name) != "Python";
}

/// Of the dependencies of a library for one FFmpeg, torch's are loaded before it. The visible part
/// of the name must be consistent with that.
bool mayBeFfmpeg(llvm::StringRef name, llvm::StringRef user) {
  const recipe::LibraryRole role = recipe::defaultRecipe().roleOf(baseName(user));
  const llvm::StringRef begin = baseName(name);
  return role.major != 0 && role.rank == 0 &&
         llvm::any_of(std::initializer_list<llvm::StringRef>{"libav", "libsw"},
                      [&](llvm::StringRef ffmpeg) {
                        return begin.starts_with(ffmpeg) || ffmpeg.starts_with(begin);
                      });
}

} // namespace

Defect libraryNotLoaded(const Place& place) {
  llvm::StringRef rest = place.rest();
  rest = rest.take_front(rest.find("Library not loaded: ")); // belongs to the next one
  Defect failure =
      refusalIn(rest.take_front(std::min(rest.find("\nFFmpeg version"), rest.find("\nTraceback"))),
                Kind::MissingDependency);
  const std::string name = upTo(rest, {"\\n", "  Referenced", " Referenced from"}).str();
  failure.tried = placesTried(rest);
  failure.path = pathAfter(rest, "Referenced from: ");
  if (failure.path.empty())
    failure.path = openedPath(place);
  if (failure.kind == Kind::MissingDependency && isCutOff(name))
    failure.kind = mayBeFfmpeg(name, failure.path) ? Kind::MissingDependency : Kind::CauseNotTold;
  else if (failure.kind == Kind::MissingDependency || failure.kind == Kind::WrongArchitecture)
    failure.name = name;
  else
    failure.path = name;
  return failure;
}

Defect symbolNotFound(const Place& place) {
  llvm::StringRef rest = place.rest();
  rest = rest.take_front(rest.find("Symbol not found: ")); // belongs to the next one
  // Older versions put it in parentheses.
  Defect defect =
      missingSymbol(pathAfter(rest, "Referenced from: "), symbolAt(place.after().ltrim(" (")),
                    pathAfter(rest, "Expected in: "));
  // Only another macOS has other libraries of the system.
  const llvm::StringRef provider = defect.provider;
  if (provider.starts_with("/System/Library/") || provider.starts_with("/usr/lib/")) {
    defect.kind = Kind::MacosTooOld;
    defect.name = between(rest.take_front(rest.find("Expected in: ")), "(built for macOS ",
                          " which is newer");
  }
  return defect;
}

/// "dlopen(PATH, 0x0002): symbol not found in flat namespace '_x'"
Defect flatSymbolNotFound(const Place& place) {
  return missingSymbol(openedPath(place), symbolAt(place.after().ltrim(" ('\"")));
}

/// "dlopen(PATH, 0x0006): tried: 'PATH' (…)", and the words outside any list.
Defect refusedByDyld(const Place& place) {
  llvm::StringRef from = place.text.substr(place.begin, kReach);
  from = from.take_front(std::min({from.find("\n\n"), from.find("\nFFmpeg version"),
                                   from.find("Error: "), from.find("\nTraceback")}));
  Defect failure = refusalIn(from, Kind::CauseNotTold);
  failure.path = openedPath(place);
  // Older versions list "PATH: mach-o, but wrong architecture".
  if (place.words().starts_with("mach-o"))
    if (std::string found = subjectOf(place.before()); llvm::StringRef(found).contains('/'))
      failure.path = found;
  // A broken line; the list of places contains it again.
  if (!baseName(failure.path).contains('.'))
    if (std::string tried = triedBefore(place); !tried.empty())
      failure.path = tried;
  if (failure.path.empty())
    failure.path = between(from, "'", "'");
  return failure;
}

/// A crash report; the library is one of those on the stack.
Defect signatureInvalid(const Place& place) {
  for (llvm::StringRef rest = place.rest(); !rest.empty();) {
    auto [line, next] = rest.split('\n');
    rest = next;
    if (size_t end = line.find(".dylib"); end != llvm::StringRef::npos) {
      llvm::StringRef path = line.take_front(end + 6);
      return {Kind::SignatureInvalid, path.substr(path.find_last_of(" \t") + 1).str()};
    }
  }
  return {Kind::SignatureInvalid, "a library"};
}

} // namespace tcfix::traceback
