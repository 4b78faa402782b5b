#include "resolve/ld_so_places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>

namespace tcfix::resolve {

namespace {

// Maximum nesting of ld.so.conf files.
constexpr unsigned kMaxIncludes = 4;

bool is64Bit(llvm::StringRef arch) {
  return arch != "i386" && arch != "arm" && arch != "x32";
}

/// ld.so(8): $NAME or ${NAME}; a longer word is not the token.
bool consumeToken(llvm::StringRef& text, llvm::StringRef token) {
  llvm::StringRef rest = text;
  if (!rest.consume_front("$"))
    return false;
  bool isBraced = rest.consume_front("{");
  if (!rest.consume_front(token) || (isBraced && !rest.consume_front("}")))
    return false;
  if (!isBraced && !rest.empty() && (llvm::isAlnum(rest.front()) || rest.front() == '_'))
    return false;
  text = rest;
  return true;
}

} // namespace

std::string multiarchFolder(llvm::StringRef arch) {
  return llvm::StringSwitch<std::string>(arch)
      .Case("x86_64", "x86_64-linux-gnu")
      .Case("aarch64", "aarch64-linux-gnu")
      .Case("arm64", "aarch64-linux-gnu")
      .Case("i386", "i386-linux-gnu")
      .Case("s390x", "s390x-linux-gnu")
      .Case("riscv64", "riscv64-linux-gnu")
      .Case("arm", "arm-linux-gnueabihf")
      .Case("ppc64le", "powerpc64le-linux-gnu")
      .Default("");
}

LdSoSystem::LdSoSystem(const io::TargetDisk& disk, std::string arch)
    : disk(disk), arch(std::move(arch)) {
  std::string multiarch = multiarchFolder(this->arch);
  std::optional<std::string> folder = disk.hostPath("/usr/lib/" + multiarch);
  isMultiarch = !multiarch.empty() && folder && disk.isFolder(*folder);
  readCache();
  std::vector<std::string> folders;
  if (!cacheFile)
    readConfig("/etc/ld.so.conf", 0, folders);
  // elf/dl-load.c, system_dirs: set when glibc is built. Debian's includes the multiarch
  // directories.
  if (isMultiarch)
    folders.insert(folders.end(), {"/lib/" + multiarch, "/usr/lib/" + multiarch});
  else if (is64Bit(this->arch))
    folders.insert(folders.end(), {"/lib64", "/usr/lib64"});
  folders.insert(folders.end(), {"/lib", "/usr/lib"});
  for (const std::string& text : folders)
    places.push_back(placeOf(text, {}));
  isLibcPresent = !find("libc.so.6").empty();
}

std::vector<std::string> LdSoSystem::find(llvm::StringRef name) const {
  std::vector<std::string> found;
  for (const std::string& path : findInCache(name))
    if (disk.isFile(path))
      found.push_back(path);
  for (const Place& place : places)
    if (place.folder)
      if (std::optional<std::string> path = disk.find(*place.folder, name))
        found.push_back(*path);
  return found;
}

void LdSoSystem::readCache() {
  cacheFile = readLdCache(disk);
  if (!cacheFile)
    return;
  llvm::copy_if(cacheFile->entries, std::back_inserter(cache),
                [&](const LdCacheEntry& entry) { return entry.hwcap == 0 && entry.isFor(arch); });
  std::stable_sort(cache.begin(), cache.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
}

/// The directories listed in ld.so.conf and the files it includes.
void LdSoSystem::readConfig(llvm::StringRef path, unsigned depth,
                            std::vector<std::string>& folders) const {
  std::optional<std::string> host = disk.hostPath(path);
  if (!host || depth > kMaxIncludes)
    return;
  std::optional<io::InputFile> file = llvm::expectedToOptional(disk.openText(*host));
  if (!file)
    return;
  llvm::SmallVector<llvm::StringRef> lines;
  textOf(file->bytes()).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    line = line.split('#').first.trim();
    if (!line.consume_front("include ")) {
      if (line.starts_with("/"))
        folders.push_back(line.str());
      continue;
    }
    // In practice always /etc/ld.so.conf.d/*.conf, or the same relative to /etc.
    auto [folder, pattern] = line.trim().rsplit('/');
    std::string target = folder.starts_with("/") ? folder.str() : "/etc/" + folder.str();
    std::optional<std::string> hostFolder = disk.hostPath(target);
    if (!hostFolder || !pattern.consume_front("*"))
      continue;
    for (const std::string& name : disk.list(*hostFolder))
      if (llvm::StringRef(name).ends_with(pattern))
        readConfig(target + "/" + name, depth + 1, folders);
  }
}

/// The value of $LIB, which is set when glibc is built.
std::string LdSoSystem::libToken() const {
  if (isMultiarch)
    return "lib/" + multiarchFolder(arch);
  return is64Bit(arch) ? "lib64" : "lib";
}

std::string LdSoSystem::expandTokens(llvm::StringRef text) const {
  std::string result;
  while (!text.empty()) {
    if (consumeToken(text, "LIB")) {
      result += libToken();
    } else if (consumeToken(text, "PLATFORM")) {
      result += arch;
    } else {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

Place LdSoSystem::placeOf(llvm::StringRef entry, llvm::StringRef origin) const {
  Place place;
  place.text = entry.str();
  llvm::StringRef rest = entry;
  if (consumeToken(rest, "ORIGIN")) {
    if (origin.empty())
      return place;
    place.folder = origin.str();
    place.rest = expandTokens(rest);
    return place;
  }
  std::string target = expandTokens(entry);
  // A relative directory depends on the process's current directory.
  if (!llvm::StringRef(target).starts_with("/"))
    return place;
  place.folder = disk.hostPath(target);
  place.isUnknown = !place.folder;
  return place;
}

std::vector<std::string> LdSoSystem::findInCache(llvm::StringRef name) const {
  std::vector<std::string> found;
  auto entry = std::lower_bound(
      cache.begin(), cache.end(), name,
      [](const LdCacheEntry& one, llvm::StringRef wanted) { return one.name < wanted; });
  for (; entry != cache.end() && entry->name == name; ++entry)
    if (std::optional<std::string> host = disk.hostPath(entry->path))
      found.push_back(*host);
  return found;
}

std::vector<std::string> LdSoSystem::subfoldersOf(const Place& place) const {
  std::vector<std::string> names;
  if (arch == "x86_64" && disk.find(*place.folder, place.rest + "/glibc-hwcaps"))
    for (const char* level : {"x86-64-v3", "x86-64-v2"})
      names.push_back(std::string("glibc-hwcaps/") + level);
  names.push_back("");
  return names;
}

BaseLibrary baseLibrary(llvm::StringRef name) {
  // glibc's own and GCC's: every symbol of theirs has a version.
  constexpr llvm::StringLiteral versioned[] = {
      "libanl.so.1",    "libatomic.so.1", "libc.so.6",      "libcrypt.so.1", "libdl.so.2",
      "libgcc_s.so.1",  "libm.so.6",      "libmvec.so.1",   "libnsl.so.1",   "libpthread.so.0",
      "libresolv.so.2", "librt.so.1",     "libstdc++.so.6", "libutil.so.1",
  };
  // The other libraries that wheels may take from the system (PEP 513, PEP 600).
  constexpr llvm::StringLiteral others[] = {
      "libGL.so.1",          "libICE.so.6",         "libSM.so.6",       "libX11.so.6",
      "libXext.so.6",        "libXrender.so.1",     "libexpat.so.1",    "libglib-2.0.so.0",
      "libgobject-2.0.so.0", "libgthread-2.0.so.0", "libncursesw.so.5", "libpanelw.so.5",
      "libz.so.1",
  };
  // Listed in PEP 513, but no longer in auditwheel's policies, since newer systems lack them.
  constexpr llvm::StringLiteral former[] = {"libcrypt.so.1", "libncursesw.so.5", "libpanelw.so.5"};
  bool hasVersions = name.starts_with("ld-linux") || name.starts_with("ld64.so") ||
                     llvm::is_contained(versioned, name);
  bool isBase = hasVersions || llvm::is_contained(others, name);
  return {isBase, hasVersions, isBase && !llvm::is_contained(former, name)};
}

bool isStandard(llvm::StringRef symbol) {
  if (symbol.starts_with("__cxa_") || symbol.starts_with("__gxx_"))
    return true;
  if (!symbol.consume_front("_Z"))
    return false;
  for (llvm::StringRef function : {"nw", "na", "dl", "da"}) // operator new, delete
    if (symbol.starts_with(function))
      return true;
  for (llvm::StringRef table : {"TV", "TI", "TS", "TT"}) // vtables, type information
    if (symbol.consume_front(table))
      break;
  symbol = symbol.ltrim("NKVRO"); // nested; const, volatile, and for which kind of reference
  // St is std::, the others are short for its strings and streams.
  return llvm::any_of(std::initializer_list<llvm::StringRef>{"St", "Sa", "Sb", "Sd", "Si", "So",
                                                             "Ss", "9__gnu_cxx", "10__cxxabiv1"},
                      [&](llvm::StringRef prefix) { return symbol.starts_with(prefix); });
}

bool isInEveryPython(llvm::StringRef symbol) {
  if (symbol.starts_with("pthread_") || symbol.starts_with("sem_") ||
      llvm::is_contained(
          std::initializer_list<llvm::StringRef>{"dlopen", "dlsym", "dlclose", "dlerror", "dladdr"},
          symbol))
    return true;
  // math.h: each also with f for float and l for long double.
  constexpr llvm::StringLiteral functions[] = {
      "acos",      "acosh",     "asin",       "asinh",  "atan",      "atan2",  "atanh",   "cbrt",
      "ceil",      "copysign",  "cos",        "cosh",   "erf",       "erfc",   "exp",     "exp2",
      "expm1",     "fabs",      "fdim",       "floor",  "fma",       "fmax",   "fmin",    "fmod",
      "frexp",     "hypot",     "ilogb",      "ldexp",  "lgamma",    "llrint", "llround", "log",
      "log10",     "log1p",     "log2",       "logb",   "lrint",     "lround", "modf",    "nan",
      "nearbyint", "nextafter", "nexttoward", "pow",    "remainder", "remquo", "rint",    "round",
      "scalbln",   "scalbn",    "sin",        "sincos", "sinh",      "sqrt",   "tan",     "tanh",
      "tgamma",    "trunc",
  };
  return llvm::is_contained(functions, symbol) ||
         ((symbol.ends_with("f") || symbol.ends_with("l")) &&
          llvm::is_contained(functions, symbol.drop_back()));
}

} // namespace tcfix::resolve
