#include "trial/trial.h"

#include "base/parallel.h"
#include "io/process.h"
#include "resolve/verdict.h"
#include "trial_loader.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>

#include <map>

namespace tcfix::trial {

using io::ProcessResult;
using resolve::Verdict;

namespace {

constexpr llvm::StringLiteral kMark = "tcfix-trial:"; // as in loader.py
/// Each imports torch, which needs a gigabyte of memory.
constexpr unsigned kMaxProcesses = 4;

std::string firstLine(llvm::StringRef text) {
  return text.trim().split('\n').first.rtrim().str();
}

/// The same without a sentence that introduces further lines: "Could not load it. Likely causes:".
std::string headOf(llvm::StringRef text) {
  const std::string line = firstLine(text);
  const size_t sentence = line.rfind(". ");
  return line.empty() || line.back() != ':' || sentence == std::string::npos
             ? line
             : line.substr(0, sentence);
}

/// The last line that a program printed, which is usually the error message.
std::string lastLine(llvm::StringRef text) {
  return text.trim().rsplit('\n').second.empty() ? text.trim().str()
                                                 : text.trim().rsplit('\n').second.trim().str();
}

/// How Python ended, if it did not complete; empty if it did.
std::string endOf(const ProcessResult& result, const TrialOptions& options) {
  const std::string said = lastLine(result.errors);
  switch (result.end) {
  case ProcessResult::End::NotStarted:
    return "failed to start Python: " + result.message;
  case ProcessResult::End::TimedOut:
    return "Python did not finish within " +
           std::to_string(std::chrono::ceil<std::chrono::seconds>(options.limit).count()) +
           " s and was killed";
  case ProcessResult::End::Crashed:
    return (result.code > 0 && result.code < 256
                ? "Python crashed with signal " + std::to_string(result.code)
                : "Python crashed with exception 0x" +
                      llvm::utohexstr(static_cast<uint32_t>(result.code))) +
           (said.empty() ? "" : ": " + said);
  case ProcessResult::End::Interrupted:
    return "interrupted";
  case ProcessResult::End::Exited:
    break;
  }
  return "Python ended with exit code " + std::to_string(result.code) + " and without a result" +
         (said.empty() ? "" : ": " + said);
}

struct Answers {
  std::vector<llvm::json::Object> list;
  bool isComplete = false;
};

Answers answersIn(llvm::StringRef output) {
  Answers answers;
  for (llvm::StringRef line : llvm::split(output, '\n')) {
    if (!line.consume_front(kMark))
      continue;
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line.trim());
    if (!value) {
      llvm::consumeError(value.takeError()); // cut off: the output is bounded
      continue;
    }
    if (const llvm::json::Object* object = value->getAsObject()) {
      answers.isComplete |= object->getBoolean("done").value_or(false);
      answers.list.push_back(*object);
    }
  }
  return answers;
}

ProcessResult start(const Interpreter& python, std::vector<std::string> words,
                    const TrialOptions& options) {
  io::ProcessRequest request;
  request.program = python.path;
  // -I would exclude packages in the user's site; after -E, loader.py removes the current directory
  // from sys.path.
  request.arguments = {python.hasUserSite ? "-E" : "-I", "-B", "-c", sources::trial_loader_py};
  llvm::move(words, std::back_inserter(request.arguments));
  // -I ignores PYTHON* variables, but programs that the package starts would not; macOS's launcher
  // starts another Python if its variable is set.
  request.withoutVariables = {"PYTHON", "__PYVENV_LAUNCHER__", "TCFIX_DISABLE="};
  // Load the current files: tcfix's import hook must not repair them first.
  request.variables = {"TCFIX_DISABLE=1"};
  request.limit = options.limit;
  return io::runProcess(request);
}

void readLibraries(const ProcessResult& result, const TrialOptions& options,
                   llvm::ArrayRef<LibraryTrial*> libraries) {
  const Answers answers = answersIn(result.output);
  std::string torch;
  std::optional<size_t> current;
  for (const llvm::json::Object& answer : answers.list) {
    if (std::optional<llvm::StringRef> error = answer.getString("torch"))
      torch = " (import torch failed: " + firstLine(*error) + ")";
    if (std::optional<llvm::StringRef> error = answer.getString("package"))
      torch = " (importing its package failed: " + firstLine(*error) + ")";
    for (llvm::StringRef key : {"loading", "loaded", "failed"}) {
      std::optional<int64_t> number = answer.getInteger(key);
      if (!number || *number < 0 || static_cast<size_t>(*number) >= libraries.size())
        continue;
      LibraryTrial& library = *libraries[static_cast<size_t>(*number)];
      library.loads = key == "loaded";
      library.message = key == "failed" ? answer.getString("error").value_or("").str() + torch : "";
      current = key == "loading" ? number : std::nullopt;
    }
  }
  if (answers.isComplete)
    return;
  const std::string end = endOf(result, options);
  for (size_t i = 0; i < libraries.size(); ++i)
    if (LibraryTrial& library = *libraries[i]; !library.loads && library.message.empty())
      library.message = !current || *current == i ? end : "not reached: " + end;
}

void readSmokeTest(const ProcessResult& result, const TrialOptions& options, Trial& trial) {
  trial.failure = endOf(result, options); // replaced below if there is a result
  for (const llvm::json::Object& answer : answersIn(result.output).list) {
    const std::optional<bool> isOk = answer.getBoolean("ok");
    if (!isOk)
      continue;
    const llvm::StringRef printed = answer.getString("printed").value_or("");
    int major = 0;
    trial.failure = !*isOk ? answer.getString("error").value_or("failed without a message").str()
                    : printed == "None" ? "the import succeeds, but finds no FFmpeg (prints None)"
                                        : std::string();
    if (!printed.getAsInteger(10, major))
      trial.ffmpegMajor = major;
  }
}

/// The Python package that contains a library, such as "scipy.linalg"; "-" if there is none.
std::string packageAround(llvm::StringRef library, llvm::StringRef site) {
  if (!library.consume_front(site))
    return "-";
  std::string name = llvm::sys::path::parent_path(library).ltrim("/\\").str();
  for (char& letter : name)
    if (letter == '/' || letter == '\\')
      letter = '.';
    else if (!llvm::isAlnum(letter) && letter != '_')
      return "-";
  return name.empty() ? "-" : name;
}

/// The groups to try; those without a major are combined and share one process.
std::vector<GroupTrial> groupsToTry(const survey::PackageFacts& facts,
                                    llvm::ArrayRef<survey::Group> groups,
                                    llvm::ArrayRef<Expectation> expected) {
  std::vector<GroupTrial> trials;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].need == survey::Group::Need::OnDemand)
      continue;
    const bool isOfItsOwn = groups[i].major != 0 || trials.empty() || trials.back().major != 0;
    if (isOfItsOwn)
      trials.push_back({facts.package.name, groups[i].major, expected[i], {}});
    GroupTrial& trial = trials.back();
    if (!isOfItsOwn) {
      trial.expected.loads = both(trial.expected.loads, expected[i].loads);
      if (trial.expected.cause.empty())
        trial.expected.cause = expected[i].cause;
    }
    for (const survey::LibraryFacts* library : groups[i].libraries)
      trial.libraries.push_back({library->path});
  }
  return trials;
}

} // namespace

Expectation expectationOf(Verdict verdict, llvm::ArrayRef<resolve::LoadResult> results) {
  Expectation expectation{verdict};
  for (const resolve::LoadResult& result : results)
    if (expectation.cause.empty() && !result.problems.empty())
      expectation.cause = result.problems.front().message;
  return expectation;
}

bool GroupTrial::loads() const {
  return llvm::all_of(libraries, [](const LibraryTrial& library) { return library.loads; });
}

bool GroupTrial::agrees() const {
  return expected.loads == Verdict::Unknown || (expected.loads == Verdict::Loads) == loads();
}

std::string GroupTrial::name() const {
  if (isOneLibrary)
    return llvm::sys::path::filename(libraries.front().path).str();
  return major ? "FFmpeg " + std::to_string(major) : "the libraries";
}

std::string GroupTrial::cause() const {
  for (const LibraryTrial& library : libraries)
    if (!library.loads)
      return firstLine(library.message);
  return {};
}

bool Trial::agrees() const {
  return llvm::all_of(groups, [](const GroupTrial& group) { return group.agrees(); });
}

bool Trial::loads(int major) const {
  return llvm::any_of(
      groups, [&](const GroupTrial& group) { return group.major == major && group.loads(); });
}

bool Trial::librariesLoad() const {
  bool hasMajors = false, hasMajor = false;
  for (const GroupTrial& group : groups) {
    if (group.major == 0 && !group.loads())
      return false;
    hasMajors |= group.major != 0;
    hasMajor |= group.major != 0 && group.loads();
  }
  return !groups.empty() && hasMajor == hasMajors;
}

std::string Trial::reason(llvm::ArrayRef<int> required) const {
  if (!failure.empty())
    return headOf(failure);
  for (int major : required)
    if (!loads(major)) {
      for (const GroupTrial& group : groups)
        if (group.major == major)
          return group.name() + ": " + group.cause();
      return "no libraries for FFmpeg " + std::to_string(major);
    }
  for (const GroupTrial& group : groups)
    if (!isOk && !group.loads())
      return group.name() + ": " + group.cause();
  return {};
}

llvm::Expected<Trial> tryOut(const Interpreter& python, const survey::PackageFacts& facts,
                             llvm::ArrayRef<survey::Group> groups,
                             llvm::ArrayRef<Expectation> expected, const TrialOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const recipe::Recipe& recipe = facts.package.recipe;
  Trial trial;
  trial.python = python.path;
  trial.smokeTest = recipe.smokeTest(facts.package.version);
  trial.groups = groupsToTry(facts, groups, expected);
  std::vector<ProcessResult> results(trial.groups.size() + 1); // the last one: the smoke test
  parallelFor(results.size(), std::min(kMaxProcesses, hardwareThreads()), [&](size_t i) {
    std::vector<std::string> words;
    if (i < trial.groups.size()) {
      words = {"load", facts.isAfterTorch ? "torch" : "-",
               recipe.loadsSiblingsFirst ? "again" : "-"};
      for (const LibraryTrial& library : trial.groups[i].libraries)
        words.push_back(library.path);
    } else if (!trial.smokeTest.empty()) {
      words = {"smoke", trial.smokeTest};
    }
    if (!words.empty())
      results[i] = start(python, std::move(words), options);
  });
  if (llvm::any_of(results, [](const ProcessResult& result) {
        return result.end == ProcessResult::End::Interrupted;
      }))
    return fail(ErrorCode::Interrupted, "interrupted while Python was running");
  for (size_t i = 0; i < trial.groups.size(); ++i) {
    std::vector<LibraryTrial*> libraries;
    for (LibraryTrial& library : trial.groups[i].libraries)
      libraries.push_back(&library);
    readLibraries(results[i], options, libraries);
  }
  if (!trial.smokeTest.empty())
    readSmokeTest(results.back(), options, trial);

  // A package without code whose libraries are all loaded on demand has nothing that can fail.
  const bool isIdle = trial.groups.empty() && !groups.empty();
  trial.isOk =
      (trial.smokeTest.empty() ? isIdle || trial.librariesLoad() : trial.failure.empty()) &&
      llvm::all_of(options.required, [&](int major) { return trial.loads(major); });
  // Versions that do not report their FFmpeg use the first one that loads.
  if (trial.failure.empty() && !trial.ffmpegMajor)
    for (const GroupTrial& group : llvm::reverse(trial.groups))
      if (group.major != 0 && group.loads())
        trial.ffmpegMajor = group.major;
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return trial;
}

llvm::Expected<Trial> tryEach(const Interpreter& python, const survey::PackageFacts& facts,
                              llvm::ArrayRef<survey::Group> groups,
                              llvm::ArrayRef<Expectation> expected, const TrialOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Trial trial;
  trial.python = python.path;
  for (size_t i = 0; i < groups.size(); ++i)
    if (groups[i].need != survey::Group::Need::OnDemand)
      for (const survey::LibraryFacts* library : groups[i].libraries)
        trial.groups.push_back(
            {facts.package.name, groups[i].major, expected[i], {{library->path}}, true});
  // Importing the package may be slow, so it is imported once for all libraries in it.
  std::map<std::string, std::vector<LibraryTrial*>> byPackage;
  for (GroupTrial& group : trial.groups)
    byPackage[packageAround(group.libraries.front().path, facts.package.site)].push_back(
        &group.libraries.front());
  std::vector<std::pair<std::string, std::vector<LibraryTrial*>>> turns(byPackage.begin(),
                                                                        byPackage.end());
  std::vector<ProcessResult> results(turns.size());
  parallelFor(turns.size(), std::min(kMaxProcesses, hardwareThreads()), [&](size_t i) {
    std::vector<std::string> words = {"each", turns[i].first};
    for (const LibraryTrial* library : turns[i].second)
      words.push_back(library->path);
    results[i] = start(python, std::move(words), options);
  });
  for (size_t i = 0; i < turns.size(); ++i) {
    if (results[i].end == ProcessResult::End::Interrupted)
      return fail(ErrorCode::Interrupted, "interrupted while Python was running");
    readLibraries(results[i], options, turns[i].second);
  }
  trial.isOk = llvm::all_of(trial.groups, [](const GroupTrial& group) { return group.loads(); });
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return trial;
}

Trial together(std::vector<Trial> trials) {
  Trial all = std::move(trials.front());
  for (Trial& each : llvm::drop_begin(trials)) {
    all.isOk &= each.isOk;
    all.seconds += each.seconds;
    if (!all.ffmpegMajor)
      all.ffmpegMajor = each.ffmpegMajor;
    if (all.failure.empty())
      all.failure = std::move(each.failure);
    llvm::move(each.groups, std::back_inserter(all.groups));
  }
  return all;
}

} // namespace tcfix::trial
