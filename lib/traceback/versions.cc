#include "traceback/versions.h"

#include "recipe/recipe.h"
#include "traceback/plain_text.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::traceback {

using recipe::VersionSpan;

namespace {

constexpr size_t kLongestVersion = 64;
constexpr size_t kLongestBanner = 4096; // of an ffmpeg, with all its options
constexpr size_t kLongestFrame = 600;   // from a file's name to the line number, in a notebook
constexpr size_t kMostMentions = 200;   // of one name
constexpr int kOldestFfmpeg = 2, kNewestFfmpeg = 20;

bool isNameCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '-';
}

// How a version is stated. The output of installers and Python takes precedence over prose.
enum class Source { None, Mentioned, Listed, Printed };

struct Mention {
  std::string version = {};
  Source source = Source::None;
};

/// The separator between a name and its version: "torch==2.9.1", "torch: 2.9.1", "| torch | 2.9.1
/// |", "torch-2.9.1.dist-info", "Name: torch" and "Version: 2.9.1" on the next line. Not
/// "torch>=2.0", which is a requirement.
Mention mentionAt(llvm::StringRef text, size_t at, size_t end) {
  const llvm::StringRef before = text.take_front(at).take_back(200);
  const llvm::StringRef line = before.substr(before.rfind('\n') + 1);
  llvm::StringRef rest = text.substr(end, 200);
  // pip show
  if (line.ltrim("> |\t").rtrim().ends_with("Name:")) {
    llvm::StringRef next = rest.split('\n').second.ltrim("> |\t");
    if (rest.split('\n').first.trim().empty() && next.consume_front("Version:"))
      return {versionAt(next.ltrim()).str(), Source::Printed};
  }
  // "Requirement already satisfied: torch in /x (2.9.1)"
  if (line.contains("already satisfied:")) {
    llvm::StringRef whole = rest.split('\n').first.rtrim();
    if (size_t open = whole.rfind('('); whole.ends_with(")") && open != llvm::StringRef::npos)
      return {versionAt(whole.substr(open + 1)).str(), Source::Listed};
    return {};
  }
  // pip's "Found existing installation: torch 2.11.0", "Uninstalling torch-2.11.0": it is removed.
  if (line.contains("existing installation") || line.contains("ninstall"))
    return {};
  // "X requires torch==2.1.0, but you have torch 2.0.1": the former is not installed.
  const llvm::StringRef said = line.rtrim(" \t'\"`");
  if (said.ends_with(" requires") || said.ends_with(" depends on") || said.ends_with(" requested"))
    return {};
  const bool isHad = said.ends_with("you have");
  rest.consume_front(".__version__");
  // An interactive prompt prints the value on the next line.
  if (llvm::StringRef next = rest.split('\n').second.ltrim();
      rest.split('\n').first.trim(" )").empty() && rest.size() < text.size() - end &&
      text.slice(end, end + 12) == ".__version__") {
    if (next.consume_front("Out["))
      next = next.split(':').second.ltrim();
    if (llvm::StringRef version = versionAt(next.ltrim("'\"")); !version.empty())
      return {version.str(), Source::Printed};
  }
  const bool isInstalled = isHad || line.contains("Successfully installed") || line.trim() == "+" ||
                           line.contains("Installed");
  rest = rest.ltrim(" \t'\"`*");
  if (rest.consume_front_insensitive("version"))
    rest = rest.ltrim(" \t'\"`*");
  llvm::StringRef used;
  for (llvm::StringRef separator : {"==", ":", "=", "|", "-", "@", "/"})
    if (rest.consume_front(separator)) {
      used = separator;
      break;
    }
  rest = rest.ltrim(" \t'\"`*(|v");
  // An epoch, as in Debian: "7:4.4.2".
  llvm::StringRef epoch = rest.take_while(llvm::isDigit);
  if (epoch.size() == 1 && rest.substr(1).starts_with(":") && llvm::isDigit(rest.substr(2).front()))
    rest = rest.substr(2);
  llvm::StringRef version = versionAt(rest);
  version.consume_back(".dist");
  if (version.empty())
    return {};
  const bool isListed = used == "==" || isInstalled || used == "|" ||
                        line.ltrim("> |+~\t").empty() || rest.contains(".dist-info");
  return {version.str(), isInstalled || used == "==" ? Source::Printed
                         : isListed                  ? Source::Listed
                                                     : Source::Mentioned};
}

/// The last of the best sources counts; only those that fit the span, if there are any.
std::string versionOf(llvm::StringRef text, llvm::StringRef name, const VersionSpan& span = {}) {
  Mention best, fitting;
  size_t count = 0;
  for (size_t at = text.find_insensitive(name);
       at != llvm::StringRef::npos && count < kMostMentions;
       at = text.find_insensitive(name, at + name.size())) {
    const size_t end = at + name.size();
    if ((at > 0 && isNameCharacter(text[at - 1])) ||
        (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_')))
      continue;
    ++count;
    Mention mention = mentionAt(text, at, end);
    if (mention.version.empty())
      continue;
    if (std::optional<Version> version = parseVersion(mention.version);
        span.isKnown() && version && span.contains(*version) && mention.source >= fitting.source)
      fitting = mention;
    // In prose, the first version is the installed one.
    if (mention.source > best.source ||
        (mention.source == best.source && mention.source != Source::Mentioned))
      best = mention;
  }
  return fitting.version.empty() ? best.version : fitting.version;
}

/// "3.12" of ".../python3.12/..." or of "...\Python312\...".
std::string pythonIn(llvm::StringRef text) {
  for (llvm::StringRef name : {"/python3.", "Python3", "cpython-3."})
    for (size_t at = text.find(name); at != llvm::StringRef::npos;
         at = text.find(name, at + name.size())) {
      llvm::StringRef minor = text.substr(at + name.size()).take_while(llvm::isDigit);
      if (!minor.empty() && minor.size() <= 2)
        return "3." + minor.str();
    }
  std::string named = versionOf(text, "python");
  return llvm::StringRef(named).starts_with("3.") ? named : std::string();
}

std::optional<Platform> platformIn(llvm::StringRef text) {
  // uv's own statement, beside the platforms of the available wheels; that of collect_env.
  for (auto [words, platform] : {std::pair("You're on Windows", Platform::Windows),
                                 std::pair("You're on macOS", Platform::MacOs),
                                 std::pair("You're on Linux", Platform::Linux),
                                 std::pair("Python platform: Windows", Platform::Windows),
                                 std::pair("Python platform: macOS", Platform::MacOs),
                                 std::pair("Python platform: Linux", Platform::Linux)})
    if (text.contains(words))
      return platform;
  const size_t mac = text.count(".dylib") + text.count("dyld") + text.count("-darwin.so") +
                     text.count("mach-o") + text.count("dlopen(/") + text.count("macosx_") +
                     text.count("/opt/homebrew"),
               windows = text.count(".dll") + text.count("WinError") +
                         text.count("\\site-packages") + text.count(".pyd") +
                         text.count("win_amd64"),
               elf = text.count(".so");
  if (mac == 0 && windows == 0 && elf == 0) {
    // No library: what the user or a program says about the system, if it is only one.
    const bool isMac = text.contains("macOS ") || text.contains("Darwin"),
               isWindows = text.contains("Windows 1"),
               isLinux = text.contains("Linux") || text.contains("Ubuntu");
    if (isMac + isWindows + isLinux != 1)
      return std::nullopt;
    return isMac ? Platform::MacOs : isWindows ? Platform::Windows : Platform::Linux;
  }
  if (windows > std::max(mac, elf))
    return Platform::Windows;
  return mac > 0 && mac * 2 >= elf ? Platform::MacOs : Platform::Linux; // macOS has .so files, too
}

std::string archIn(llvm::StringRef text, std::optional<Platform> platform) {
  if (size_t own = text.find("You're on "); own != llvm::StringRef::npos)
    text = text.substr(own).split('\n').first.split("but").first;
  // Not in quotes: requirements contain platforms, too.
  auto count = [&](llvm::StringRef name) {
    size_t sum = 0;
    for (llvm::StringRef before : {"-", "_", " ", "(", "/"})
      sum += text.count((before + name).str());
    return sum;
  };
  const size_t arm = count("aarch64") + count("arm64"),
               intel = count("x86_64") + count("x86-64") + count("amd64");
  if (arm == intel)
    return {};
  if (arm > intel && !platform && count("aarch64") == 0) // the spelling of macOS
    return {};
  return arm < intel ? "x86_64" : platform == Platform::MacOs ? "arm64" : "aarch64";
}

void readProgram(llvm::StringRef text, Versions& versions) {
  constexpr llvm::StringLiteral kProgram = "ffmpeg version ";
  auto take = [&](int major) {
    bool isMajor = major > kOldestFfmpeg && major < kNewestFfmpeg;
    if (isMajor)
      versions.ffmpegProgram = major;
    return isMajor;
  };
  for (size_t at = text.find(kProgram); at != llvm::StringRef::npos;
       at = text.find(kProgram, at + kProgram.size())) {
    llvm::StringRef rest = text.substr(at + kProgram.size(), kLongestBanner);
    rest.consume_front("n"); // of tags: n7.1
    llvm::StringRef number = rest;
    int major = 0;
    if (number.consumeInteger(10, major) ||
        !(number.starts_with(".") || number.starts_with("-") || number.starts_with(" ")) ||
        !take(major))
      continue;
    llvm::StringRef configuration = rest.split("configuration:").second.split('\n').first;
    versions.isProgramStatic =
        rest.split('\n').first.contains("essentials_build") ||
        (configuration.contains("--enable-static") && !configuration.contains("--enable-shared"));
    return;
  }
  // Lists of packages have other names for it.
  if (std::optional<Version> named = parseVersion(versionOf(text, "ffmpeg")))
    take(named->major);
}

/// The line number of a frame, in the formats of Python and notebooks.
int lineOf(llvm::StringRef afterFile, llvm::StringRef function) {
  llvm::StringRef rest = afterFile.take_front(kLongestFrame);
  int line = 0;
  // File "x.py", line 57, in function
  llvm::StringRef quoted = rest.ltrim("\\\"'");
  if (quoted.consume_front(",")) {
    quoted = quoted.ltrim(" \n\t>|");
    if (quoted.consume_front("line") && (quoted = quoted.ltrim(" \n\t>|"), true) &&
        !quoted.consumeInteger(10, line) &&
        (function.empty() || quoted.take_front(80).contains(function)))
      return line;
    return 0;
  }
  // File x.py:57, in Class.function(self)
  llvm::StringRef colon = rest;
  if (colon.consume_front(":") && !colon.consumeInteger(10, line))
    return function.empty() || function == "<module>" || colon.take_front(120).contains(function)
               ? line
               : 0;
  // x.py in function(self), and an arrow below it
  if (!function.empty() && function != "<module>" && !rest.take_front(120).contains(function))
    return 0;
  size_t arrow = rest.find("-> ");
  if (arrow == llvm::StringRef::npos)
    return 0;
  rest = rest.substr(arrow + 3).ltrim();
  return rest.consumeInteger(10, line) ? 0 : line;
}

/// True for a path that ends here with this file, with either kind of slash.
bool endsWithFile(llvm::StringRef before, llvm::StringRef file) {
  while (!file.empty() && !before.empty()) {
    const char c = before.back(), wanted = file.back();
    before = before.drop_back();
    if (llvm::isSpace(c)) // a broken line
      continue;
    if (c != wanted && !(wanted == '/' && c == '\\'))
      return false;
    file = file.drop_back();
  }
  return file.empty() && (before.empty() || !isNameCharacter(before.back())); // not "pytorch/…"
}

struct Seen {
  size_t at;
  VersionSpan versions;
};

/// Everything that the text shows, in order; if two statements conflict, the later one starts over.
VersionSpan spanIn(llvm::StringRef text, const recipe::Fingerprints& fingerprints) {
  std::vector<Seen> seen;
  auto isKnownFile = [&](llvm::StringRef before, const recipe::FrameFingerprint& print) {
    return endsWithFile(before, print.file);
  };
  size_t count = 0;
  for (size_t at = text.find(".py"); at != llvm::StringRef::npos && count < 20 * kMostMentions;
       at = text.find(".py", at + 3), ++count) {
    const llvm::StringRef before = text.take_front(at + 3).take_back(160);
    VersionSpan frame;
    for (const recipe::FrameFingerprint& print : fingerprints.frames) {
      if (frame.isKnown() || !isKnownFile(before, print))
        continue;
      const llvm::StringRef after = text.substr(at + 3);
      const bool isHere = print.line == 0
                              ? print.function.empty() ||
                                    after.take_front(120).split('\n').first.contains(print.function)
                              : lineOf(after, print.function) == print.line;
      if (isHere)
        frame = print.versions;
    }
    if (frame.isKnown())
      seen.push_back({at, frame});
  }
  for (const recipe::WordFingerprint& print : fingerprints.words) {
    size_t times = 0;
    for (std::optional<Span> span = findWords(text, print.words); span && times < kMostMentions;
         span = findWords(text, print.words, span->end), ++times)
      seen.push_back({span->begin, print.versions});
  }
  llvm::stable_sort(seen, [](const Seen& a, const Seen& b) { return a.at < b.at; });
  VersionSpan span;
  for (const Seen& each : seen) {
    VersionSpan shared = span.sharedWith(each.versions);
    span = shared.isKnown() ? shared : each.versions;
  }
  return span;
}

/// What torch prints about itself in the package's own error; the last one counts.
std::string ownTorchIn(llvm::StringRef text) {
  std::string version;
  size_t from = 0;
  while (std::optional<Span> span = findWords(text, "The PyTorch version (", from)) {
    if (llvm::StringRef found = versionAt(text.substr(span->end).ltrim()); !found.empty())
      version = found.str();
    from = span->end;
  }
  return version;
}

} // namespace

llvm::StringRef versionAt(llvm::StringRef text) {
  llvm::StringRef version = text.take_front(kLongestVersion).take_while([](char c) {
    return llvm::isAlnum(c) || c == '.' || c == '+' || c == '_';
  });
  version = version.rtrim("._+");
  auto [first, rest] = version.split('.');
  bool isVersion = !first.empty() && first.size() < 3 && llvm::all_of(first, llvm::isDigit) &&
                   !rest.empty() && llvm::isDigit(rest.front());
  return isVersion ? version : llvm::StringRef();
}

std::string Versions::torchText() const {
  if (!torch.empty() || !torches.isKnown())
    return torch;
  // One of several is enough if all of them are compatible with the same release.
  auto releaseFor = [](const Version& version) {
    return recipe::defaultRecipe().releaseFor(recipe::torchBuildOf(version.text()), {});
  };
  const std::optional<recipe::Release> first = releaseFor(torches.first),
                                       last = releaseFor(torches.last);
  return torches.isOne() || (first && last && first->version == last->version) ? torches.last.text()
                                                                               : std::string();
}

std::string Versions::releaseText() const {
  return !release.empty() || !releases.isOne() ? release : releases.first.text();
}

Versions readVersions(llvm::StringRef text) {
  Versions versions;
  const std::string& package = recipe::defaultRecipe().name;
  versions.releases = spanIn(text, recipe::packageFingerprints());
  versions.torches = spanIn(text, recipe::torchFingerprints());
  versions.torch = ownTorchIn(text);
  if (versions.torch.empty()) {
    for (llvm::StringRef name : {"torch", "pytorch"})
      if (versions.torch.empty())
        versions.torch = versionOf(text, name, versions.torches);
    if (std::optional<Version> named = parseVersion(versions.torch);
        named && versions.torches.isKnown() && !versions.torches.contains(*named))
      versions.torch.clear();
  }
  versions.release = versionOf(text, package, versions.releases);
  // The traceback is about what failed; a list may be about another attempt or environment.
  if (std::optional<Version> named = parseVersion(versions.release)) {
    const bool isNewer = versions.releases.last < *named &&
                         versions.releases.last == recipe::defaultRecipe().torchMatches.back().last;
    if (versions.releases.isKnown() && !versions.releases.contains(*named) && !isNewer)
      versions.release.clear();
    else
      versions.releases = {*named, *named};
  }
  versions.python = pythonIn(text);
  versions.platform = platformIn(text);
  versions.arch = archIn(text, versions.platform);
  versions.isConda = llvm::any_of(
      std::initializer_list<llvm::StringRef>{"conda3/", "conda3\\", "conda/", "mambaforge",
                                             "miniforge", "micromamba", "/.pixi/"},
      [&](llvm::StringRef word) { return text.contains(word); });
  versions.isTorchOfConda = llvm::any_of(
      std::initializer_list<llvm::StringRef>{"-c pytorch", "anaconda.org/pytorch", "pytorch-cuda="},
      [&](llvm::StringRef word) { return text.contains(word); });
  readProgram(text, versions);
  return versions;
}

} // namespace tcfix::traceback
