#include "traceback/reader.h"

#include "traceback/phrase.h"
#include "traceback/symptoms.h"

#include "image/names.h"
#include "providers/ffmpeg_name.h"
#include "recipe/recipe.h"
#include "recipe/torch_symbols.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <utility>

namespace tcfix::traceback {

using Kind = Defect::Kind;

namespace {

// Higher numbers are not majors; a repeated list adds nothing.
constexpr int kHighestMajor = 99, kLowestTried = 4;
constexpr size_t kMostRepeats = 20;
constexpr size_t kLongestFrames = 600; // of two frames

/// A part of the text that is about one major, or, with 0, about none.
struct Part {
  int major;
  llvm::StringRef text;
};

std::vector<Part> splitByMajor(llvm::StringRef text, const recipe::ErrorWords& words) {
  std::vector<Part> parts;
  size_t begin = 0, from = 0, end = text.find(words.endOfList);
  int major = 0;
  auto close = [&](size_t at, size_t next, int nextMajor) {
    parts.push_back({major, text.slice(begin, at)});
    begin = next;
    major = nextMajor;
  };
  for (;;) {
    const size_t at = text.find(words.majorHeading, from);
    while (end < begin)
      end = text.find(words.endOfList, end + 1);
    if (major != 0 && end < at)
      close(end, end + words.endOfList.size(), 0);
    if (at == llvm::StringRef::npos)
      break;
    llvm::StringRef rest = text.substr(at + words.majorHeading.size());
    int number = 0;
    // "ffmpeg version 7.1 Copyright" is the banner of a program.
    if (!rest.consumeInteger(10, number) && number > 0 && number <= kHighestMajor &&
        rest.starts_with(":"))
      close(at, text.size() - rest.size() + 1, number);
    from = at + words.majorHeading.size();
  }
  close(text.size(), text.size(), 0);
  return parts;
}

bool isExplained(llvm::ArrayRef<Defect> failures) {
  return llvm::any_of(failures, [](const Defect& failure) {
    return failure.kind != Kind::CauseNotTold && isLoadersWord(failure);
  });
}

/// Of several attempts in one text, the last counts. Outside the lists all of them count.
void addTo(std::vector<FailureGroup>& groups, int major, std::vector<Defect> failures) {
  auto group = llvm::find_if(groups, [&](const FailureGroup& each) { return each.major == major; });
  if (group == groups.end())
    group = groups.insert(groups.end(), FailureGroup{major});
  else if (major != 0 && isExplained(failures))
    group->failures.clear();
  for (Defect& failure : failures)
    if (group->failures.size() < kMostFailures && !contains(group->failures, failure))
      group->failures.push_back(std::move(failure));
}

bool isOfPackage(const Defect& failure, const recipe::Recipe& recipe) {
  return llvm::StringRef(failure.path).contains(recipe.libraryPrefix);
}

/// A loader reports what is missing, and the next sentence which library needs it.
void nameLibraries(FailureGroup& group) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  std::string library;
  for (const Defect& failure : group.failures)
    if (library.empty() && isOfPackage(failure, recipe))
      library = failure.path;
  if (library.empty() && group.major)
    library = recipe.libraryPrefix; // the name of all of them in its own error
  // A path that was cut off.
  if (group.major)
    for (Defect& failure : group.failures)
      if (!failure.path.empty() && baseName(failure.path).find('.') == llvm::StringRef::npos)
        failure.path = library;
  for (Defect& failure : group.failures)
    if (failure.path.empty() && (failure.subject.empty() || failure.subject == recipe.name) &&
        failure.kind != Kind::PackageMissing && failure.kind != Kind::PackageUnavailable &&
        failure.kind != Kind::NoWheel && failure.kind != Kind::RequirementsConflict)
      failure.path = library;
  // "It failed" adds nothing after the reason.
  if (isExplained(group.failures))
    llvm::erase_if(group.failures,
                   [](const Defect& failure) { return failure.kind == Kind::CauseNotTold; });
}

/// True if the text has the attempt with every major that this release tries.
bool hasWholeList(llvm::StringRef text, const TracebackFacts& facts) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  if (!facts.hasMajors())
    return false;
  std::vector<int> majors;
  for (const FailureGroup& group : facts.groups)
    if (group.major && !group.failures.empty())
      majors.push_back(group.major);
  if (majors.empty())
    return false;
  const int highest = *std::max_element(majors.begin(), majors.end());
  const std::vector<int> listed = majorsListed(text);
  for (int major = kLowestTried; major <= highest; ++major)
    if (!llvm::is_contained(majors, major) &&
        (listed.empty() || llvm::is_contained(listed, major))) // there is a library to try
      return false;
  if (text.contains(recipe.errorWords.beginOfList) || hasWords(text, recipe.errorWords.sentence))
    return true;
  // Without its beginning: if no candidate release tries a higher one.
  return llvm::none_of(recipe.majorSpans, [&](const recipe::MajorSpan& span) {
    return span.highest > highest &&
           facts.versions.releases.sharedWith({span.first, span.last}).isKnown();
  });
}

FailureGroup& groupOf(std::vector<FailureGroup>& groups, int major) {
  for (FailureGroup& group : groups)
    if (group.major == major)
      return group;
  return groups.emplace_back(FailureGroup{major});
}

/// A list without headings, as old releases print it, or whose first heading was cut off: the
/// library that failed, or the FFmpeg that was missing, shows the major.
void nameMajors(std::vector<FailureGroup>& groups) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  std::vector<Defect> kept;
  for (Defect& failure : std::exchange(groupOf(groups, 0).failures, {})) {
    const bool isBare = failure.path.empty() &&
                        (failure.subject.empty() || failure.subject == recipe.name) &&
                        failure.kind == Kind::MissingDependency;
    std::optional<providers::FfmpegName> name =
        isBare ? providers::parseFfmpegName(failure.name) : std::nullopt;
    std::optional<int> major = name ? providers::ffmpegMajorOf(*name) : std::nullopt;
    if (!major && isOfPackage(failure, recipe))
      major = recipe.roleOf(baseName(failure.path)).major;
    if (!major && failure.kind == Kind::PackageDamaged) // a library that is missing
      major = recipe.roleOf(failure.name).major;
    std::vector<Defect>& target = major.value_or(0) ? groupOf(groups, *major).failures : kept;
    if (!contains(target, failure))
      target.push_back(std::move(failure));
  }
  groupOf(groups, 0).failures = std::move(kept);
  llvm::erase_if(
      groups, [](const FailureGroup& group) { return group.major == 0 && group.failures.empty(); });
}

/// A frame of the package's own import. Errors that its decoders raise later are about files.
bool hasImportFrame(llvm::StringRef text) {
  const std::string& name = recipe::defaultRecipe().name;
  return !hasWords(text, "cannot import name") && // it loads, but is older than a program expects
         llvm::any_of(std::initializer_list<llvm::StringRef>{"__init__.py", "_core/__init__.py",
                                                             "_core/ops.py"},
                      [&](llvm::StringRef file) {
                        std::string path = (name + "/" + file).str(), other = path;
                        std::replace(other.begin(), other.end(), '/', '\\');
                        return text.contains(path) || text.contains(other);
                      });
}

/// Truncated after a statement that imports the package: "from NAME.decoders import X" and at most
/// the beginning of the next frame.
bool endsInImport(llvm::StringRef text) {
  const std::string& name = recipe::defaultRecipe().name;
  const llvm::StringRef end = text.rtrim(" \t\r\n`").take_back(kLongestFrames);
  const size_t at = std::max(end.rfind("from " + name) + 1, end.rfind("import " + name) + 1);
  if (at == 0)
    return false;
  const llvm::StringRef line = end.take_front(at - 1);
  const llvm::StringRef next = end.substr(at - 1).split('\n').second.ltrim(" \t^~\n");
  return line.substr(line.rfind('\n') + 1).trim(" \t>-|0123456789").empty() &&
         (next.empty() || (next.starts_with("File \"") && !next.contains('\n')));
}

/// The beginning of the package's own error; a plugin's is longer: "Could not load libNAME_plugin".
bool hasOwnSentence(llvm::StringRef text) {
  const llvm::StringRef words = recipe::defaultRecipe().errorWords.sentence;
  for (std::optional<Span> at = findWords(text, words); at; at = findWords(text, words, at->end))
    if (at->end == text.size() || !(llvm::isAlnum(text[at->end]) || text[at->end] == '_'))
      return true;
  return false;
}

/// The package failed without a reason in the text: its error without a list, or only frames of its
/// code.
void addUntold(llvm::StringRef text, TracebackFacts& facts) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  const bool isExplained = llvm::any_of(facts.groups, [&](const FailureGroup& group) {
    return group.major != 0 || llvm::any_of(group.failures, [&](const Defect& failure) {
             return isOfPackage(failure, recipe) || failure.kind == Kind::PluginBroken;
           });
  });
  const bool isImport = facts.groups.empty() && facts.looksLikeFailure &&
                        (hasImportFrame(text) || endsInImport(text));
  if (!isExplained && (isImport || hasOwnSentence(text)))
    groupOf(facts.groups, 0).failures.push_back(causeNotTold(recipe.libraryPrefix));
}

/// A missing FFmpeg for an unknown library.
bool namesFfmpeg(const FailureGroup& group) {
  return llvm::any_of(group.failures, [](const Defect& failure) {
    return failure.kind == Kind::MissingDependency && failure.path.empty() &&
           failure.subject.empty() && providers::parseFfmpegName(failure.name);
  });
}

/// The package's own code that tries the majors appears in the frames, or its error does.
bool isFromList(llvm::StringRef text, const TracebackFacts& facts) {
  const recipe::ErrorWords& words = recipe::defaultRecipe().errorWords;
  return facts.hasMajors() || text.contains(words.endOfList) || hasWords(text, words.sentence) ||
         llvm::any_of(recipe::packageFingerprints().frames,
                      [&](const recipe::FrameFingerprint& print) {
                        return print.function.starts_with("load_") && text.contains(print.function);
                      });
}

/// The highest major of a list whose beginning is in the text roughly shows the release.
void narrowReleases(llvm::StringRef text, TracebackFacts& facts) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  if (!facts.hasMajors() ||
      !(text.contains(recipe.errorWords.beginOfList) || hasWords(text, recipe.errorWords.sentence)))
    return;
  int highest = 0;
  for (const FailureGroup& group : facts.groups)
    highest = std::max(highest, group.major);
  for (const recipe::MajorSpan& span : recipe.majorSpans)
    if (span.highest == highest)
      if (recipe::VersionSpan shared = facts.versions.releases.sharedWith({span.first, span.last});
          shared.isKnown())
        facts.versions.releases = shared;
}

/// A symbol that torch added or removed in some version shows for which torch the package was
/// built, and thus its releases.
void narrowBySymbols(TracebackFacts& facts) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  for (const FailureGroup& group : facts.groups)
    for (const Defect& failure : group.failures) {
      const bool isPackages =
          isOfPackage(failure, recipe) || (failure.path.empty() && failure.subject.empty());
      if (failure.kind != Kind::MissingSymbols || !isPackages)
        continue;
      const recipe::TorchSpan torches = recipe::torchSpanOf(failure.items);
      recipe::VersionSpan releases;
      for (const recipe::TorchMatch& match : recipe.torchMatches) {
        const bool fits = torches.since.isKnown()   ? !(match.torch < torches.since)
                          : torches.until.isKnown() ? !(torches.until < match.torch)
                                                    : false;
        if (fits && !releases.isKnown())
          releases.first = match.first;
        if (fits)
          releases.last = match.last;
      }
      recipe::VersionSpan shared = facts.versions.releases.sharedWith(releases);
      if (releases.isKnown() && shared.isKnown())
        facts.versions.releases = shared;
    }
}

/// "Could not load libNAME_plugin": a plugin's error has the same wording as the package's.
void findPlugin(llvm::StringRef text, std::vector<FailureGroup>& groups) {
  std::optional<Span> words =
      findWords(text, (recipe::defaultRecipe().errorWords.sentence + "_").str());
  bool isKnown = llvm::any_of(groups, [](const FailureGroup& group) {
    return llvm::any_of(group.failures,
                        [](const Defect& failure) { return failure.kind == Kind::PluginBroken; });
  });
  if (!words || isKnown)
    return;
  Defect plugin{Kind::PluginBroken, {}, text.substr(words->end).take_while(llvm::isAlnum).str()};
  plugin.quote = text.slice(words->begin, words->end).str() + plugin.name;
  addTo(groups, 0, {plugin});
}

} // namespace

bool isLoadersWord(const Defect& failure) {
  switch (failure.kind) {
  case Kind::PackageMissing:
  case Kind::PackageUnavailable:
  case Kind::NoWheel:
  case Kind::RequirementsConflict:
  case Kind::Crashed:
    return false;
  default:
    return true;
  }
}

bool isSame(const Defect& one, const Defect& other) {
  auto detail = [](const Defect& each) {
    return each.kind == Kind::WrongArchitecture ? each.actual : each.name;
  };
  return one.kind == other.kind && one.path == other.path && detail(one) == detail(other) &&
         one.items == other.items;
}

bool contains(llvm::ArrayRef<Defect> failures, const Defect& failure) {
  return llvm::any_of(failures, [&](const Defect& each) { return isSame(each, failure); });
}

Defect causeNotTold(const std::string& library) {
  Defect defect{Kind::CauseNotTold, library};
  defect.quote = "";
  return defect;
}

TracebackFacts readTraceback(llvm::StringRef raw) {
  const std::string plain = plainText(raw);
  const llvm::StringRef text = plain;
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  TracebackFacts facts;
  facts.versions = readVersions(text);
  facts.isAboutPackage = text.contains_insensitive(recipe.name);
  facts.isAboutTorch = text.contains_insensitive("torch");
  facts.looksLikeFailure = looksLikeFailure(text);
  facts.isOwnBuild = text.contains("/usr/lib/python3/dist-packages/" + recipe.name); // Debian's
  size_t readOf[kHighestMajor + 1] = {};
  for (const Part& part : splitByMajor(text, recipe.errorWords))
    if (readOf[part.major]++ < kMostRepeats) {
      std::vector<Defect> failures = readFailures(part.text);
      // A program that continues without the package.
      if (!facts.looksLikeFailure)
        llvm::erase_if(failures, [](const Defect& failure) { return !failure.isCause; });
      for (Defect& failure : failures)
        failure.isCause = true;
      if (part.major != 0 || !failures.empty())
        addTo(facts.groups, part.major, std::move(failures));
    }
  findPlugin(text, facts.groups);
  facts.isFromList = isFromList(text, facts);
  facts.isAboutPackage |= llvm::any_of(facts.groups, namesFfmpeg);
  if (facts.isFromList)
    nameMajors(facts.groups);
  llvm::stable_sort(facts.groups, [](const FailureGroup& a, const FailureGroup& b) {
    return a.major > b.major; // the order in which the package tries them
  });
  llvm::for_each(facts.groups, nameLibraries);
  addUntold(text, facts);
  facts.isListComplete = hasWholeList(text, facts);
  narrowReleases(text, facts);
  narrowBySymbols(facts);
  for (const FailureGroup& group : facts.groups)
    for (const Defect& failure : group.failures)
      if (failure.kind == Kind::PythonAbi)
        facts.versions.python = failure.actual;
  facts.packages = packagesIn(text);
  facts.torchVendor = recipe::torchVendorIn(text);
  facts.isOnJetson =
      llvm::any_of(std::initializer_list<llvm::StringRef>{"jetson", "jetpack", "tegra", "l4t-"},
                   [&](llvm::StringRef word) { return text.contains_insensitive(word); });
  facts.isMajorPrinted = text.contains("ffmpeg_major_version");
  facts.endsInSentence = endsInSentenceAbout(text, recipe.name);
  facts.isTorioLoaded = text.contains("Successfully loaded FFmpeg");
  return facts;
}

} // namespace tcfix::traceback
