#include "traceback/symptoms.h"

#include "image/names.h"
#include "recipe/recipe.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>

namespace tcfix::traceback {

namespace {

// Parts of words, verbatim.
constexpr llvm::StringLiteral kSigns[] = {
    "Traceback", "most recent call", ".py](http",      "in <module>", "\n--> ",
    "\n---> ",   "\n----> ",         "ERR!",           "bad_alloc",   "错误",
    "失败",      "找不到",           "无法",           "無法",        "錯誤",
    "失敗",      "Fehler",           "nicht gefunden", "erreur",      "échoué",
    "échec",     "introuvable",      "ошибка",         "Ошибка",      "エラー",
    "오류"};

// Ends of names: "ImportError". "ErrorHandler" is not a symptom.
constexpr llvm::StringLiteral kEnds[] = {"Error", "Exception"};

// Whole words, in any case. Names of packages such as "crashtest" are longer.
constexpr llvm::StringLiteral kWords[] = {
    "error", "errors", "exception", "fail", "fails", "failed", "failing", "failure", "failures",
    "fatal", "aborted", "abort", "crash", "crashed", "crashes", "core dumped", "killed",
    "terminate called", "terminated", "can't", "can not", "could not", "couldn't", "unable to",
    "not found", "no such file", "does not exist", "doesn't exist", "undefined", "denied",
    "refused", "invalid", "not valid", "incompatible", "not compatible",
    // Parts of longer messages, whose beginning may be cut off
    "traceback", "exceptions", "referenced from", "expected in", "reason: tried", "(required by",
    "one of its dependencies", "dynamic link library", "dlerror", "vm regions near",
    "for these backends", "make sure that", "installed correctly", "[backend fallback]",
    "ensure all dependencies", "the easiest solution", "the following platforms", "(nil)",
    "stack trace", "termination reason", "_dlopen(self", "reason: tried", "refer to the version",
    "which ships dlls", "affected module", "(you have", "please reinstall", "how to solve this",
    "something unexpected", "non-existent path", "to fix this you could", "exited with code",
    "exit code",
    // Installers
    "no solution", "unsatisfiable", "unresolvable", "conflict", "conflicts", "conflicting",
    "no matching", "no versions", "no version", "no candidates", "no wheels", "no wheel",
    "nothing provides", "only has wheels", "only found wheels",
    "are available:", "only the following", "impossible", "too deep", "requires a different",
    "not satisfied"};

// Words that programs also print about optional features. They count unless their line mentions a
// replacement, or the program continues.
constexpr llvm::StringLiteral kSoftWords[] = {"did not",       "is not",        "was not",
                                              "is missing",    "unsupported",   "not supported",
                                              "not installed", "not available", "cannot"};
constexpr llvm::StringLiteral kInstead[] = {"using ",
                                            "falling back",
                                            "fallback",
                                            "instead",
                                            "skipped",
                                            "warning:",
                                            "ignored",
                                            "ignoring ",
                                            "note:",
                                            "keg-only",
                                            "which is not on path"};
constexpr llvm::StringLiteral kGoesOn[] = {"epoch",
                                           "loss",
                                           "step ",
                                           " passed",
                                           "it/s]",
                                           "s/it]",
                                           "100%",
                                           "saved to",
                                           "startup complete",
                                           "running on",
                                           "successfully installed"};

// Also printed on working machines: the word, and the text before or after it.
struct Harmless {
  llvm::StringLiteral before, word, after;
};
constexpr Harmless kHarmless[] = {{"", "could not", " collect"},
                                  {"", "failed", " to hardlink"},
                                  {"ignoring ", "invalid", " distribution"},
                                  {"", "exited with code", " 0"},
                                  {"", "exit code", " 0"},
                                  {"", "error", " rate"},
                                  {"", "could not", " find tensorrt"},
                                  {"", "could not", " find cuda drivers"},
                                  {"", "unable to", " register cu"},
                                  {"", "not found", "; flop counting"},
                                  {"", "couldn't", " find ffmpeg or avconv"},
                                  {"async ", "abort", ""}, // lscpu
                                  {"round-off ", "errors", ""},
                                  {"", "conflicting", " behaviour"},
                                  {"0 tests ", "failed", ""},
                                  {"0 ", "errors", ""},
                                  {"no ", "errors", ""},
                                  {"0 ", "failed", ""},
                                  {"0 ", "failures", ""},
                                  {"no ", "conflicts", ""}};

/// Lines about attempts, and the words that show later that one of them succeeded.
struct Attempt {
  llvm::StringLiteral begin, success;
};
constexpr Attempt kAttempts[] = {{"-- Looking for ", "-- Configuring done"},
                                 {"-- Performing Test ", "-- Configuring done"},
                                 {"-- Check for ", "-- Configuring done"},
                                 {"WARNING: Retrying (", "Successfully installed"}};

// What programs print that continue after a warning.
constexpr llvm::StringLiteral kGoesOnAfterWarning[] = {"startup complete", "200 OK", "epoch ",
                                                       "Epoch ",           "step:",  "passed in"};

/// "[WARN] …", "WARNING: …", "WARNING 07-07 …": a warning of one line.
bool isWarning(llvm::StringRef line) {
  line = line.ltrim();
  return line.starts_with("[WARN") || line.starts_with("WARNING:") || line.starts_with("WARN ") ||
         line.starts_with("WARNING ");
}

std::string withoutAttempts(llvm::StringRef text) {
  size_t goesOn = 0; // up to here no warning was the end
  for (llvm::StringRef words : kGoesOnAfterWarning)
    if (size_t at = text.rfind(words); at != llvm::StringRef::npos)
      goesOn = std::max(goesOn, at);
  size_t last[std::size(kAttempts)]; // where each succeeded for the last time
  llvm::transform(kAttempts, last,
                  [&](const Attempt& each) { return text.rfind(each.success) + 1; });
  std::string kept;
  for (llvm::StringRef rest = text; !rest.empty();) {
    const auto [line, next] = rest.split('\n');
    const size_t at = text.size() - rest.size();
    rest = next;
    bool isAttempt = at < goesOn && isWarning(line);
    for (size_t i = 0; i < std::size(kAttempts); ++i)
      isAttempt |= last[i] > at && line.ltrim().starts_with(kAttempts[i].begin);
    if (!isAttempt)
      kept += line.str() + "\n";
  }
  return kept;
}

bool isHarmless(llvm::StringRef before, llvm::StringRef word, llvm::StringRef after) {
  return llvm::any_of(kHarmless, [&](const Harmless& each) {
    llvm::StringRef rest = before;
    return word == each.word && after.starts_with(each.after) && rest.consume_back(each.before) &&
           (each.before.empty() || rest.empty() || !llvm::isAlnum(rest.back())); // "10 errors"
  });
}

/// Letters, and the characters that join them in names of packages, files and options.
bool isOfName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '-';
}

/// True if the word continues: "error_test", "error.cc", "Errors.notFound".
bool isPartOfName(llvm::StringRef after) {
  return !after.empty() && (isOfName(after.front()) ||
                            (after.front() == '.' && after.size() > 1 && llvm::isAlpha(after[1])));
}

/// The next position of the word on its own; npos if there is none.
size_t findWord(llvm::StringRef lower, llvm::StringRef word, size_t from = 0) {
  for (size_t at = lower.find(word, from); at != llvm::StringRef::npos;
       at = lower.find(word, at + 1)) {
    const llvm::StringRef before = lower.take_front(at), after = lower.substr(at + word.size());
    if ((before.empty() || !isOfName(before.back()) || before.ends_with("\\n")) &&
        !isPartOfName(after) && !isHarmless(before, word, after))
      return at;
  }
  return llvm::StringRef::npos;
}

bool hasEnd(llvm::StringRef text, llvm::StringRef end) {
  for (size_t at = text.find(end); at != llvm::StringRef::npos; at = text.find(end, at + 1))
    if (!isPartOfName(text.substr(at + end.size())))
      return true;
  return false;
}

bool hasAnyOf(llvm::StringRef text, llvm::ArrayRef<llvm::StringLiteral> words) {
  return llvm::any_of(words, [&](llvm::StringRef word) { return text.contains(word); });
}

/// The part of the line around a position.
llvm::StringRef lineAround(llvm::StringRef text, size_t at) {
  constexpr size_t kReached = 300; // bounds the work for lines of any length
  const llvm::StringRef before = text.take_front(at).take_back(kReached);
  return text.substr(at - (before.size() - (before.rfind('\n') + 1)), 2 * kReached)
      .split('\n')
      .first;
}

bool hasSoftWord(llvm::StringRef lower) {
  size_t goesOn = 0; // up to here nothing ended the program
  for (llvm::StringRef word : kGoesOn)
    if (size_t at = lower.rfind(word); at != llvm::StringRef::npos)
      goesOn = std::max(goesOn, at);
  return llvm::any_of(kSoftWords, [&](llvm::StringRef word) {
    for (size_t at = findWord(lower, word, goesOn); at != llvm::StringRef::npos;
         at = findWord(lower, word, at + 1))
      if (!hasAnyOf(lineAround(lower, at), kInstead))
        return true;
    return false;
  });
}

/// A line of carets below a statement, as Python's frames have it; those of compilers have more.
bool hasCarets(llvm::StringRef text) {
  for (size_t at = text.find("^^^"); at != llvm::StringRef::npos; at = text.find("^^^", at + 3)) {
    const size_t begin = text.take_front(at).rfind('\n') + 1; // npos + 1 is 0
    if (text.substr(begin).split('\n').first.trim(" \t\r^~").empty())
      return true;
  }
  return false;
}

/// A path, also one that is cut off before the name of a file.
bool isPath(llvm::StringRef rest) {
  return rest.take_front(600).split('\n').first.contains('.') || rest.starts_with("/") ||
         rest.substr(1).starts_with(":\\");
}

/// 'File "/a/b.py", line 3', also cut off after the name; "File ~/a/b.py:3" of notebooks; "b.py:3:
/// in load" of pytest and "b.py:3 in load" of rich.
bool hasFrame(llvm::StringRef text) {
  for (llvm::StringRef words : {"File \"", "File ~", "File '", ", line "})
    for (size_t at = text.find(words); at != llvm::StringRef::npos; at = text.find(words, at + 1)) {
      const llvm::StringRef rest = text.substr(at + words.size());
      const bool isStart = at == 0 || !llvm::isAlnum(text[at - 1]);
      if (words.starts_with(",") ? !rest.empty() && llvm::isDigit(rest.front())
                                 : isStart && isPath(rest))
        return true;
    }
  for (size_t at = text.find(".py:"); at != llvm::StringRef::npos; at = text.find(".py:", at + 1)) {
    llvm::StringRef rest = text.substr(at + 4);
    const llvm::StringRef number = rest.take_while(llvm::isDigit);
    rest = rest.substr(number.size());
    if (!rest.consume_front(":"))
      rest.consume_front(",");
    const llvm::StringRef before = text.take_front(at);
    const bool isNotebooks = before.substr(before.rfind('\n') + 1).ltrim().starts_with("File ");
    if (!number.empty() && (isNotebooks || rest.starts_with(" in ")))
      return true;
  }
  return false;
}

/// A name mangled by Microsoft's compiler: only a failure to find it prints one.
bool hasMangledName(llvm::StringRef text) {
  for (size_t at = text.find("@@", 1); at != llvm::StringRef::npos; at = text.find("@@", at + 1))
    if (llvm::isAlnum(text[at - 1]) && at + 2 < text.size() && llvm::isAlnum(text[at + 2]))
      return true;
  return false;
}

} // namespace

bool looksLikeFailure(llvm::StringRef whole) {
  const std::string kept = withoutAttempts(whole);
  const llvm::StringRef text = kept;
  if (llvm::any_of(kSigns, [&](llvm::StringRef sign) { return text.contains(sign); }) ||
      llvm::any_of(kEnds, [&](llvm::StringRef end) { return hasEnd(text, end); }) ||
      text.starts_with("-->") || text.starts_with("---> ") || text.starts_with("----> ") ||
      hasFrame(text) || hasCarets(text) || hasMangledName(text))
    return true;
  const std::string lower = text.lower();
  return llvm::any_of(kWords,
                      [&](llvm::StringRef word) {
                        return findWord(lower, word) != llvm::StringRef::npos;
                      }) ||
         hasSoftWord(lower);
}

bool endsInSentenceAbout(llvm::StringRef text, llvm::StringRef package) {
  const llvm::StringRef whole = text.rtrim(" \t\r\n`");
  const std::string line = whole.substr(whole.rfind('\n') + 1).lower();
  const size_t at = llvm::StringRef(line).rfind(package.lower());
  if (at == llvm::StringRef::npos || llvm::StringRef(".!?:;").contains(line.back()))
    return false;
  const llvm::StringRef rest = llvm::StringRef(line).substr(at + package.size());
  return llvm::any_of(std::initializer_list<llvm::StringRef>{" is ", " was ", " has ", " could",
                                                             " can", " does", " did", " failed"},
                      [&](llvm::StringRef verb) { return rest.starts_with(verb); });
}

std::vector<int> majorsListed(llvm::StringRef text) {
  const recipe::Recipe& recipe = recipe::defaultRecipe();
  std::vector<int> majors, block;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    const llvm::StringRef name = baseName(line);
    const bool isLibrary = name.starts_with(recipe.libraryPrefix) && name.contains('.') &&
                           line.find_first_of(" :'\"") == llvm::StringRef::npos;
    if (const int major = isLibrary ? recipe.roleOf(name).major : 0)
      block.push_back(major);
    if ((!isLibrary || text.empty()) && block.size() > majors.size() && block.size() > 1)
      majors = block;
    if (!isLibrary)
      block.clear();
  }
  return majors;
}

} // namespace tcfix::traceback
