// The messages of glibc's, musl's and Android's loaders. glibc prints English in a Python process,
// which sets no language for messages; other programs set one.
#include "traceback/phrase.h"

#include "image/names.h"
#include "providers/torch.h"
#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>

namespace tcfix::traceback {

using Kind = Defect::Kind;

Defect cannotOpen(const Place& place) {
  Defect defect{Kind::MissingDependency, {}, subjectOf(place.before())};
  llvm::StringRef name = defect.name;
  name.consume_back(" (deleted)"); // the mark of a replaced file in /proc
  // A path is the file itself, which a package should contain.
  if (std::string package = packageOf(name);
      !package.empty() && package != recipe::defaultRecipe().name)
    defect = {Kind::MissingDependency, name.str()};
  // A program's own libraries: "ffmpeg: error while loading shared libraries: libx.so: cannot…".
  constexpr llvm::StringLiteral kProgram = ": error while loading shared libraries";
  if (size_t at = place.before().find(kProgram); at != llvm::StringRef::npos)
    defect.subject = subjectOf(place.before().take_front(at));
  // A program that reports which library it tried: "Failed to load library X with error: libx.so:
  // …".
  constexpr llvm::StringLiteral kTried = "load library ";
  if (size_t at = place.before().rfind(kTried); at != llvm::StringRef::npos)
    if (std::string tried =
            upTo(place.before().substr(at + kTried.size()), {" with", ": ", ". Error"})
                .trim("'\"")
                .str();
        tried != defect.name)
      defect.path = std::move(tried);
  return defect;
}

/// "libx.so.1 => not found", as printed by ldd. torch's libraries are loaded before the others are
/// resolved, which ldd does not show.
Defect lddNotFound(const Place& place) {
  const std::string name = unquoted(place.before()).trim("> |\t").str();
  const bool isName = !name.empty() && llvm::StringRef(name).contains(".so") &&
                      !llvm::StringRef(name).contains(' ');
  return isName && !providers::isTorchLibrary(name) ? Defect{Kind::MissingDependency, {}, name}
                                                    : Defect();
}

Defect muslNotThere(const Place& place) {
  return {Kind::MissingDependency, between(place.after(), "(needed by ", ")"),
          upTo(place.after(), {":"}).str()};
}

/// "LIBRARY: undefined symbol: NAME"; users often omit the second colon. Without it only
/// identifiers count, not words of a sentence.
Defect undefinedSymbol(const Place& place) {
  llvm::StringRef after = place.after();
  const bool isLoaders = after.consume_front(":");
  if (isLoaders && after.trim().empty()) // a broken line
    after = place.rest().split('\n').second.split('\n').first;
  const std::string symbol = symbolAt(after.ltrim(" \t'\"`"));
  if (!isLoaders && symbol.find('_') == std::string::npos)
    return {};
  std::string library = subjectOf(place.before());
  if (library.empty())
    library = between(after, "(", ")");
  // "NAME, version libx.so.12": the library that should have it.
  const std::string provider = symbolAt(after.split(symbol + ", version ").second);
  return missingSymbol(library, symbol,
                       llvm::StringRef(provider).contains(".so") ? provider : std::string());
}

namespace {

/// Functions of glibc that musl does not have: those of _FORTIFY_SOURCE, of new compilers, and
/// glibc's own extensions.
bool isGlibcOnly(llvm::StringRef symbol) {
  constexpr llvm::StringLiteral kFunctions[] = {"backtrace",
                                                "backtrace_symbols",
                                                "backtrace_symbols_fd",
                                                "__register_atfork",
                                                "__rawmemchr",
                                                "__strdup",
                                                "__strtok_r",
                                                "__sysconf",
                                                "__res_search",
                                                "__res_init",
                                                "mallinfo",
                                                "mallinfo2",
                                                "malloc_trim",
                                                "gnu_get_libc_version"};
  return (symbol.starts_with("__") && symbol.ends_with("_chk")) ||
         symbol.starts_with("__isoc23_") || llvm::is_contained(kFunctions, symbol);
}

} // namespace

Defect muslSymbol(const Place& place) {
  auto [path, rest] = place.after().split(": ");
  const std::string library = path.trim().str(), symbol = symbolAt(rest);
  Defect defect = missingSymbol(library, symbol);
  if (rest.contains("initial-exec TLS")) {
    defect = {Kind::StaticTlsFull, library};
    defect.sentence = baseName(library).str() +
                      " uses static TLS (initial-exec), which musl does " +
                      "not support in a library that is loaded at run time; it loads with glibc";
  } else if (isGlibcOnly(symbol)) {
    defect.kind = Kind::GlibcTooOld;
    defect.sentence =
        baseName(library).str() +
        " is built for glibc, but this system has another C library (musl): " + symbol +
        " was not found";
  }
  return defect;
}

namespace {

/// "PROVIDER: version `X' not found", for a library at `path`.
Defect missingVersion(llvm::StringRef before, std::string path) {
  size_t word = before.rfind("version ");
  if (word == llvm::StringRef::npos)
    return {};
  Defect defect{Kind::LibraryTooOld, std::move(path)};
  defect.items = {unquoted(before.substr(word + 8)).str()};
  defect.kind = doctor::kindOfVersions(defect.items);
  defect.provider = subjectOf(before.take_front(word));
  return defect;
}

} // namespace

Defect versionNotFound(const Place& place) {
  return missingVersion(place.before(), upTo(place.after(), {")"}).str());
}

/// The same without "(required by …)": the library that needs it was cut off.
Defect versionNotFoundCut(const Place& place) {
  const Defect defect = missingVersion(place.before(), {});
  return hasWords(place.rest().take_front(20), "(required by") ||
                 !llvm::StringRef(defect.provider).contains(".so")
             ? Defect()
             : defect;
}

Defect notDefinedInFile(const Place& place) {
  llvm::StringRef before = place.before();
  size_t word = before.rfind("symbol ");
  if (word == llvm::StringRef::npos)
    return {};
  return missingSymbol(subjectOf(before.take_front(word)), symbolAt(before.substr(word + 7)),
                       upTo(place.after(), {" with link time"}).str());
}

Defect wrongElfClass(const Place& place) {
  return {Kind::WrongArchitecture,
          subjectOf(place.before()),
          {},
          symbolAt(place.after()) == "ELFCLASS32" ? "for 32 bits" : "for 64 bits"};
}

/// 'dlopen failed: "/a/b.so" is 64-bit instead of 32-bit'
Defect otherBits(const Place& place) {
  const llvm::StringRef before = place.before();
  const size_t word = before.rfind(" is ");
  llvm::StringRef bits = before;
  bits = bits.substr(word == llvm::StringRef::npos ? bits.size() : word + 4);
  if (bits != "32" && bits != "64")
    return {};
  return {Kind::WrongArchitecture,
          subjectOf(before.take_front(word).rtrim("\"'")),
          {},
          ("for " + bits + " bits").str()};
}

Defect cannotOpenTranslated(const Place& place) {
  const std::string name = libraryBefore(place.before());
  return name.empty() ? Defect() : Defect{Kind::MissingDependency, {}, name};
}

} // namespace tcfix::traceback
