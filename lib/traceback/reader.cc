#include "traceback/reader.h"

#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>

#include <algorithm>

namespace tcfix::traceback {

namespace {

// Higher numbers are no majors; a list that is printed again and again says nothing new.
constexpr int kHighestMajor = 99;
constexpr size_t kMostRepeats = 20;
constexpr size_t kLongestVersion = 64;
constexpr size_t kLongestBanner = 4096; // of an ffmpeg, with all its options

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
    // "ffmpeg version 7.1 Copyright" is a program that speaks of itself.
    if (!rest.consumeInteger(10, number) && number > 0 && number <= kHighestMajor &&
        rest.starts_with(":"))
      close(at, text.size() - rest.size() + 1, number);
    from = at + words.majorHeading.size();
  }
  close(text.size(), text.size(), 0);
  return parts;
}

void addTo(std::vector<FailureGroup>& groups, int major, std::vector<Defect> failures) {
  auto group = llvm::find_if(groups, [&](const FailureGroup& each) { return each.major == major; });
  if (group == groups.end())
    group = groups.insert(groups.end(), FailureGroup{major});
  for (Defect& failure : failures)
    if (group->failures.size() < kMostFailures && !contains(group->failures, failure))
      group->failures.push_back(std::move(failure));
}

/// A loader names what is missing, and the sentence that follows names who wanted it.
void nameLibraries(FailureGroup& group) {
  const std::string& prefix = recipe::defaultRecipe().libraryPrefix;
  std::string library;
  for (const Defect& failure : group.failures)
    if (library.empty() && !failure.path.empty() && llvm::StringRef(failure.path).contains(prefix))
      library = failure.path;
  if (library.empty() && group.major)
    library = prefix; // as its own error calls all of them
  for (Defect& failure : group.failures)
    if (failure.path.empty())
      failure.path = library;
  // "It failed" is no news after the reason.
  bool isExplained = llvm::any_of(group.failures, [](const Defect& failure) {
    return failure.kind != Defect::Kind::CauseNotTold;
  });
  if (isExplained)
    llvm::erase_if(group.failures, [](const Defect& failure) {
      return failure.kind == Defect::Kind::CauseNotTold;
    });
}

/// A version such as "2.9.1+cu130" at the beginning of the text; empty if there is none.
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

/// The version that follows a name, as in "torch==2.9.1", "torch: 2.9.1", "| torch | 2.9.1 |" or
/// "torch-2.9.1.dist-info". Not in "torch>=2.0": that is a wish.
std::string versionOf(llvm::StringRef text, llvm::StringRef name) {
  for (size_t at = text.find_insensitive(name); at != llvm::StringRef::npos;
       at = text.find_insensitive(name, at + name.size())) {
    if (at > 0 && (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_' || text[at - 1] == '-'))
      continue;
    llvm::StringRef rest = text.substr(at + name.size());
    rest = rest.ltrim(" \t'\"`*");
    if (rest.consume_front_insensitive("version"))
      rest = rest.ltrim(" \t'\"`*");
    for (llvm::StringRef separator : {"==", ":", "=", "|", "-", "@"})
      if (rest.consume_front(separator))
        break;
    rest = rest.ltrim(" \t'\"`*(|v");
    llvm::StringRef version = versionAt(rest);
    version.consume_back(".dist");
    if (!version.empty())
      return version.str();
  }
  return {};
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
  std::string told = versionOf(text, "python");
  return llvm::StringRef(told).starts_with("3.") ? told : std::string();
}

std::optional<Platform> platformIn(llvm::StringRef text) {
  const size_t mac = text.count(".dylib") + text.count("dyld") + text.count("-darwin.so") +
                     text.count("mach-o") + text.count("dlopen(/"),
               windows =
                   text.count(".dll") + text.count("WinError") + text.count("\\site-packages"),
               elf = text.count(".so");
  if (mac == 0 && windows == 0 && elf == 0)
    return std::nullopt;
  if (windows > std::max(mac, elf))
    return Platform::Windows;
  return mac > 0 && mac * 2 >= elf ? Platform::MacOs : Platform::Linux; // macOS has .so files, too
}

void readProgram(llvm::StringRef text, TracebackFacts& facts) {
  constexpr llvm::StringLiteral kProgram = "ffmpeg version ";
  for (size_t at = text.find(kProgram); at != llvm::StringRef::npos;
       at = text.find(kProgram, at + kProgram.size())) {
    llvm::StringRef rest = text.substr(at + kProgram.size(), kLongestBanner);
    rest.consume_front("n"); // of tags: n7.1
    int major = 0;
    if (rest.consumeInteger(10, major) || major < 1 || major > kHighestMajor ||
        !(rest.starts_with(".") || rest.starts_with("-") || rest.starts_with(" ")))
      continue;
    facts.ffmpegProgram = major;
    llvm::StringRef configuration = rest.split("configuration:").second.split('\n').first;
    facts.isProgramStatic =
        configuration.contains("--enable-static") && !configuration.contains("--enable-shared");
    return;
  }
}

} // namespace

std::string plainText(llvm::StringRef text) {
  std::string converted;
  bool isUtf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (isUtf16 && llvm::convertUTF16ToUTF8String(
                     llvm::ArrayRef(text.data(), text.size() & ~size_t(1)), converted))
    text = converted;
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      // A control sequence ends with a letter, or is none.
      size_t end = i + 2;
      while (end < text.size() && (llvm::isDigit(text[end]) || text[end] == ';'))
        ++end;
      if (end < text.size() && llvm::isAlpha(text[end])) {
        i = end;
        continue;
      }
    }
    if (text[i] == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n')
        plain += '\n';
    } else if (text[i] != '\0') {
      plain += text[i];
    }
  }
  return plain;
}

bool isSame(const Defect& one, const Defect& other) {
  auto detail = [](const Defect& each) {
    return each.kind == Defect::Kind::WrongArchitecture ? each.actual : each.name;
  };
  return one.kind == other.kind && one.path == other.path && detail(one) == detail(other) &&
         one.items == other.items;
}

bool contains(llvm::ArrayRef<Defect> failures, const Defect& failure) {
  return llvm::any_of(failures, [&](const Defect& each) { return isSame(each, failure); });
}

Defect causeNotTold(const std::string& library) {
  Defect defect{Defect::Kind::CauseNotTold, library};
  defect.quote = "";
  return defect;
}

TracebackFacts readTraceback(llvm::StringRef raw) {
  const std::string plain = plainText(raw);
  const llvm::StringRef text = plain;
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  TracebackFacts facts;
  size_t readOf[kHighestMajor + 1] = {};
  for (const Part& part : splitByMajor(text, recipe.errorWords))
    if (readOf[part.major]++ < kMostRepeats) {
      std::vector<Defect> failures = readFailures(part.text);
      if (part.major != 0 || !failures.empty())
        addTo(facts.groups, part.major, std::move(failures));
    }
  std::stable_partition(facts.groups.begin(), facts.groups.end(),
                        [](const FailureGroup& group) { return group.major != 0; });
  llvm::for_each(facts.groups, nameLibraries);
  const bool hasSentence = text.contains(recipe.errorWords.sentence);
  if (facts.groups.empty() && hasSentence)
    facts.groups.push_back({0, {causeNotTold(recipe.libraryPrefix)}});
  facts.isListComplete = hasSentence || text.contains(recipe.errorWords.beginOfList);

  // What torch says of itself counts more than what people write.
  size_t own = text.find("The PyTorch version (");
  facts.torch =
      own == llvm::StringRef::npos ? std::string() : versionAt(text.substr(own + 21)).str();
  for (llvm::StringRef name : {"torch", "pytorch"})
    if (facts.torch.empty())
      facts.torch = versionOf(text, name);
  facts.release = versionOf(text, recipe.name);
  facts.python = pythonIn(text);
  for (const FailureGroup& group : facts.groups)
    for (const Defect& failure : group.failures)
      if (failure.kind == Defect::Kind::PythonAbi)
        facts.python = failure.actual;
  facts.platform = platformIn(text);
  facts.isConda =
      llvm::any_of(std::initializer_list<llvm::StringRef>{"conda3/", "conda/", "mambaforge",
                                                          "miniforge", "micromamba", "/.pixi/"},
                   [&](llvm::StringRef word) { return text.contains(word); });
  readProgram(text, facts);
  return facts;
}

} // namespace tcfix::traceback
