// The sentences of the loaders, found by the words that never change in them. glibc speaks English
// in a Python process, which sets no language for messages; Windows does not, so that its numbers
// count.
#include "traceback/reader.h"

#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::traceback {

namespace {

using doctor::Defect;
using Kind = Defect::Kind;

// How far a sentence may reach: dyld lists every place that it tried. It bounds the work for each
// of the words below, however long a line is.
constexpr size_t kReach = 16384;
constexpr size_t kMostPlaces = 40;
constexpr size_t kMostWords = 300;

/// Words that were found, and what stands around them.
struct Place {
  llvm::StringRef text;
  size_t begin, end;

  llvm::StringRef before() const { ///< on the same line
    llvm::StringRef part = text.take_front(begin).take_back(kReach);
    return part.substr(part.rfind('\n') + 1);
  }
  llvm::StringRef rest() const { return text.substr(end, kReach); }
  llvm::StringRef after() const { return rest().split('\n').first; } ///< on the same line
  std::string line() const {
    llvm::StringRef whole = before();
    // From the name of the exception, if the line has one.
    size_t error = whole.rfind("Error: ");
    whole = whole.substr(error == llvm::StringRef::npos ? 0 : error + 7).ltrim();
    return (whole.take_back(kMostWords) + text.slice(begin, end) + after().take_front(kMostWords))
        .str();
  }
};

llvm::StringRef unquoted(llvm::StringRef word) {
  return word.trim(" \t'\"`");
}

/// What a sentence is about: "/a/lib.so" of "OSError: /a/lib.so: undefined symbol…".
std::string subjectOf(llvm::StringRef before) {
  before = before.rtrim(" :\t");
  if (size_t colon = before.rfind(": "); colon != llvm::StringRef::npos)
    before = before.substr(colon + 2);
  before = before.trim();
  // A path may have blanks in it; a time stamp or a sentence before it ends with one.
  size_t slash = before.find('/');
  if (slash != llvm::StringRef::npos &&
      (slash == 0 || llvm::StringRef(" \t'\"`(").contains(before[slash - 1])))
    return unquoted(before.substr(slash)).str();
  return unquoted(before.substr(before.find_last_of(" \t'\"`(>|") + 1)).str();
}

std::string symbolAt(llvm::StringRef text) {
  llvm::StringRef symbol = text.ltrim().take_while(
      [](char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.:?@~").contains(c); });
  return symbol.rtrim(".:").str();
}

/// The text up to the first of these, or to the end of the line.
llvm::StringRef upTo(llvm::StringRef text, std::initializer_list<llvm::StringRef> ends) {
  size_t end = text.find('\n');
  for (llvm::StringRef each : ends)
    end = std::min(end, text.find(each));
  return text.take_front(end).trim();
}

std::string between(llvm::StringRef text, llvm::StringRef open, llvm::StringRef close) {
  size_t begin = text.find(open);
  if (begin == llvm::StringRef::npos)
    return {};
  text = text.substr(begin + open.size());
  return upTo(text, {close}).str();
}

// glibc and musl

Defect cannotOpen(const Place& place) {
  return {Kind::MissingDependency, {}, subjectOf(place.before())};
}

Defect muslNotThere(const Place& place) {
  return {Kind::MissingDependency, between(place.after(), "(needed by ", ")"),
          upTo(place.after(), {":"}).str()};
}

Defect missingSymbol(std::string library, std::string symbol, std::string provider = {}) {
  Defect defect{Kind::MissingSymbols, std::move(library), {}, {}, std::move(provider)};
  if (!symbol.empty())
    defect.items = {std::move(symbol)};
  return defect;
}

Defect undefinedSymbol(const Place& place) {
  std::string library = subjectOf(place.before());
  if (library.empty())
    library = between(place.after(), "(", ")");
  return missingSymbol(library, symbolAt(place.after()));
}

Defect muslSymbol(const Place& place) {
  auto [library, rest] = place.after().split(": ");
  return missingSymbol(library.trim().str(), symbolAt(rest));
}

Defect versionNotFound(const Place& place) {
  llvm::StringRef before = place.before();
  size_t word = before.rfind("version ");
  if (word == llvm::StringRef::npos)
    return {};
  Defect defect{Kind::LibraryTooOld, upTo(place.after(), {")"}).str()};
  defect.items = {unquoted(before.substr(word + 8)).str()};
  defect.kind = doctor::kindOfVersions(defect.items);
  defect.provider = subjectOf(before.take_front(word));
  return defect;
}

Defect notDefinedInFile(const Place& place) {
  llvm::StringRef before = place.before();
  size_t word = before.rfind("symbol ");
  if (word == llvm::StringRef::npos)
    return {};
  return missingSymbol(subjectOf(before.take_front(word)), symbolAt(before.substr(word + 7)),
                       upTo(place.after(), {" with link time"}).str());
}

template <Kind kind>
Defect aboutSubject(const Place& place) {
  return {kind, subjectOf(place.before())};
}

Defect wrongElfClass(const Place& place) {
  return {Kind::WrongArchitecture,
          subjectOf(place.before()),
          {},
          symbolAt(place.after()) == "ELFCLASS32" ? "for 32 bits" : "for 64 bits"};
}

// dyld

std::vector<resolve::Attempt> placesTried(llvm::StringRef reason) {
  std::vector<resolve::Attempt> tried;
  reason = reason.split("tried: ").second;
  while (reason.consume_front("'") && tried.size() < kMostPlaces) {
    auto [path, rest] = reason.split("' (");
    if (path.contains('\n'))
      break;
    // The outcome may hold parentheses: (have 'x86_64', need 'arm64').
    size_t depth = 1, end = 0;
    for (; end < rest.size() && depth > 0 && rest[end] != '\n'; ++end)
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
    tried.push_back({path.str(), rest.take_front(end).drop_back(depth == 0 ? 1 : 0).str()});
    reason = rest.substr(end);
    reason.consume_front(",");
    reason = reason.ltrim(" ");
  }
  return tried;
}

/// The path in "Referenced from: <UUID> /path".
std::string pathAfter(llvm::StringRef text, llvm::StringRef words) {
  size_t at = text.find(words);
  if (at == llvm::StringRef::npos)
    return {};
  llvm::StringRef path =
      upTo(text.substr(at + words.size()).ltrim(), {"\\n", " Reason:", " Expected in:"});
  if (path.starts_with("<") && path.contains('>'))
    path = path.split('>').second;
  // On one line with others.
  for (llvm::StringRef end : {".dylib ", ".so "})
    if (size_t last = path.find(end); last != llvm::StringRef::npos)
      path = path.take_front(last + end.size());
  return unquoted(path).str();
}

/// "dlopen(PATH, 0x0006)" before the words.
std::string openedPath(llvm::StringRef before) {
  size_t call = before.rfind("dlopen(");
  return call == llvm::StringRef::npos ? std::string()
                                       : upTo(before.substr(call + 7), {", 0x", ", "}).str();
}

std::string architecturesIn(llvm::StringRef reason) {
  const std::string have = between(reason, "(have '", "'"), need = between(reason, "need '", "'");
  return have.empty() ? "for another architecture" : "for " + have + ", and " + need + " is needed";
}

/// What dyld says of a file that is there, and does not take.
Defect refusalIn(llvm::StringRef reason, Kind otherwise) {
  Defect failure{otherwise};
  if (reason.contains("incompatible architecture") || reason.contains("wrong architecture")) {
    failure.kind = Kind::WrongArchitecture;
    failure.actual = architecturesIn(reason);
  } else if (reason.contains("different Team ID")) {
    failure.kind = Kind::HardenedPython;
  } else if (reason.contains("disallowed by system policy")) {
    failure.kind = Kind::Quarantined;
  } else if (reason.contains("code signature")) {
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

Defect libraryNotLoaded(const Place& place) {
  llvm::StringRef rest = place.rest();
  rest = rest.take_front(rest.find("Library not loaded: ")); // the next one's own
  Defect failure =
      refusalIn(rest.take_front(std::min(rest.find("\nFFmpeg version"), rest.find("\nTraceback"))),
                Kind::MissingDependency);
  const std::string name = upTo(rest, {"\\n", "  Referenced", " Referenced from"}).str();
  failure.tried = placesTried(rest);
  failure.path = pathAfter(rest, "Referenced from: ");
  if (failure.path.empty())
    failure.path = openedPath(place.before());
  if (failure.kind == Kind::MissingDependency || failure.kind == Kind::WrongArchitecture)
    failure.name = name;
  else
    failure.path = name;
  return failure;
}

Defect symbolNotFound(const Place& place) {
  return missingSymbol(pathAfter(place.rest(), "Referenced from: "), symbolAt(place.after()),
                       pathAfter(place.rest(), "Expected in: "));
}

/// "dlopen(PATH, 0x0006): tried: 'PATH' (…)", and the words outside of any list.
Defect refusedByDyld(const Place& place) {
  llvm::StringRef from = place.text.substr(place.begin, kReach).split('\n').first;
  Defect failure = refusalIn(from, Kind::CauseNotTold);
  failure.path = openedPath(place.before());
  if (failure.path.empty())
    failure.path = between(from, "'", "'");
  return failure;
}

// Windows

Kind kindOfWindows(int number) {
  switch (number) {
  case 126: // ERROR_MOD_NOT_FOUND
    return Kind::MissingDependency;
  case 127: // ERROR_PROC_NOT_FOUND
  case 182: // ERROR_INVALID_ORDINAL
    return Kind::MissingSymbols;
  case 193: // ERROR_BAD_EXE_FORMAT
    return Kind::WrongArchitecture;
  case 1114: // ERROR_DLL_INIT_FAILED
    return Kind::InitializationFailed;
  case 8:    // ERROR_NOT_ENOUGH_MEMORY
  case 1455: // ERROR_COMMITMENT_LIMIT
    return Kind::NotMapped;
  default:
    return Kind::CauseNotTold;
  }
}

int windowsNumberOf(llvm::StringRef sentence) {
  constexpr std::pair<llvm::StringLiteral, int> kSentences[] = {
      {"specified module could not be found", 126},
      {"specified procedure could not be found", 127},
      {"not a valid Win32 application", 193},
      {"initialization routine failed", 1114},
      {"paging file is too small", 1455}};
  for (const auto& [words, number] : kSentences)
    if (sentence.contains(words))
      return number;
  return 0;
}

Defect windowsFailure(int number, std::string library) {
  Defect failure{kindOfWindows(number), std::move(library)};
  if (failure.kind == Kind::WrongArchitecture)
    failure.actual = "no program for this Windows";
  return failure;
}

Defect winError(const Place& place) {
  int number = 0;
  if (place.after().ltrim().consumeInteger(10, number) ||
      kindOfWindows(number) == Kind::CauseNotTold)
    return {}; // files that are not there, and other daily life
  std::string library = between(place.after(), "Error loading \"", "\"");
  if (library.empty())
    library = between(place.after(), ": '", "'");
  return windowsFailure(number, library);
}

Defect moduleNotFound(const Place& place) {
  return windowsFailure(126, upTo(place.after(), {"'"}).str());
}

Defect dllLoadFailed(const Place& place) {
  llvm::StringRef after = place.after();
  int number = windowsNumberOf(after);
  if (size_t code = after.find("error code "); code != llvm::StringRef::npos)
    after.substr(code + 11).consumeInteger(10, number);
  std::string module = between(after, "while importing ", ":");
  return windowsFailure(number, module.empty() ? "the extension" : module);
}

// Python

Defect noModule(const Place& place) {
  std::string name = symbolAt(unquoted(place.after()).ltrim("'\""));
  return {name.empty() ? Kind::CauseNotTold : Kind::PackageMissing,
          {},
          llvm::StringRef(name).split('.').first.str()};
}

Defect pleaseInstall(const Place& place) {
  const std::string& package = recipe::defaultRecipe().name;
  bool isOurs = unquoted(place.after()).starts_with(package);
  return isOurs ? Defect{Kind::PackageMissing, {}, package} : Defect();
}

Defect noSpec(const Place& place) {
  Defect defect{Kind::PackageDamaged, {}, symbolAt(place.after())};
  defect.subject = recipe::defaultRecipe().name;
  return defect;
}

Defect numpyAbi(const Place& place) {
  return {Kind::NumpyAbi, {}, upTo(place.after(), {" but "}).str()};
}

Defect compiledForPython(const Place& place) {
  llvm::StringRef after = place.after();
  return {Kind::PythonAbi,
          {},
          upTo(after, {","}).str(),
          unquoted(between(after, "incompatible: ", " ")).rtrim('.').str()};
}

Defect thisLibrary(const Place& place) {
  llvm::StringRef path = place.after();
  // On one line with others, the path ends with the name of a library.
  for (llvm::StringRef end : {".dylib", ".dll", ".pyd", ".so"})
    if (size_t at = path.find(end); at != llvm::StringRef::npos)
      return {Kind::CauseNotTold, path.take_front(at + end.size()).trim().str()};
  return {Kind::CauseNotTold, path.trim().str()};
}

/// The words, and how to read what stands around them. No library and no name: nothing was told.
struct Phrase {
  llvm::StringLiteral words;
  Defect (*read)(const Place& place);
};
constexpr Phrase kPhrases[] = {
    {": cannot open shared object file", cannotOpen},
    {"Error loading shared library ", muslNotThere},
    {"undefined symbol: ", undefinedSymbol},
    {"Error relocating ", muslSymbol},
    {"not found (required by ", versionNotFound},
    {" not defined in file ", notDefinedInFile},
    {": wrong ELF class: ", wrongElfClass},
    {": cannot enable executable stack", aboutSubject<Kind::ExecutableStack>},
    {": failed to map segment from shared object", aboutSubject<Kind::NotMapped>},
    {": cannot allocate memory in static TLS block", aboutSubject<Kind::StaticTlsFull>},
    {": invalid ELF header", aboutSubject<Kind::Unreadable>},
    {": file too short", aboutSubject<Kind::Unreadable>},
    {"Library not loaded: ", libraryNotLoaded},
    {"Symbol not found: ", symbolNotFound},
    {"mach-o file, but is an incompatible architecture", refusedByDyld},
    {"code signature in ", refusedByDyld},
    {"code signature invalid", refusedByDyld},
    {"library load disallowed by system policy", refusedByDyld},
    {"duplicate LC_RPATH", refusedByDyld},
    {"built for newer macOS", refusedByDyld},
    {"[WinError ", winError},
    {"Could not find module '", moduleNotFound},
    {"DLL load failed", dllLoadFailed},
    {"No module named ", noModule},
    {"lease install ", pleaseInstall},
    {"No spec found for ", noSpec},
    {"module compiled against A", numpyAbi},
    {"module that was compiled using ", numpyAbi},
    {"module was compiled for Python ", compiledForPython},
    {"Could not load this library: ", thisLibrary},
};

struct Hit {
  size_t at;
  const Phrase* phrase;
};

} // namespace

std::vector<Defect> readFailures(llvm::StringRef text) {
  std::vector<Hit> hits;
  for (const Phrase& phrase : kPhrases) {
    size_t count = 0;
    for (size_t at = text.find(phrase.words); at != llvm::StringRef::npos && count < kMostFailures;
         at = text.find(phrase.words, at + phrase.words.size()), ++count)
      hits.push_back({at, &phrase});
  }
  llvm::sort(hits, [](const Hit& a, const Hit& b) { return a.at < b.at; });

  std::vector<Defect> failures;
  size_t readUntil = 0; // a list of places speaks of more than one thing
  for (const Hit& hit : hits) {
    if (hit.at < readUntil)
      continue;
    Place place{text, hit.at, hit.at + hit.phrase->words.size()};
    Defect failure = hit.phrase->read(place);
    if (isSame(failure, Defect()) || contains(failures, failure))
      continue;
    failure.quote = place.line();
    // dyld's sentence goes on over several lines, to the end of its list.
    readUntil = place.end;
    if (!failure.tried.empty())
      readUntil = place.text.find('\n', place.text.find("tried: ", place.end));
    else if (hit.phrase->read == refusedByDyld)
      readUntil = place.text.find('\n', place.end);
    failures.push_back(std::move(failure));
  }
  return failures;
}

} // namespace tcfix::traceback
