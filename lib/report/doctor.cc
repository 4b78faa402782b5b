#include "report/doctor.h"

#include "report/json_parts.h"
#include "report/overview.h"
#include "report/text_parts.h"
#include "report/trial.h"

#include "image/names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Path.h>

namespace tcfix::report {

using doctor::Diagnosis;
using doctor::Evidence;
using doctor::Finding;
using doctor::GroupReport;
using doctor::Severity;
using resolve::Verdict;

namespace {

std::string verdictWord(Verdict verdict, const Paint& paint) {
  switch (verdict) {
  case Verdict::Loads:
    return paint.green("loads        ");
  case Verdict::Fails:
    return paint.red("does not load");
  case Verdict::Unknown:
    break;
  }
  return "unknown      ";
}

bool hasMajors(const Diagnosis& diagnosis) {
  return llvm::any_of(diagnosis.groups(),
                      [](const GroupReport* group) { return group->major != 0; });
}

llvm::StringRef withoutRpath(llvm::StringRef dependency) {
  dependency.consume_front("@rpath/");
  return dependency;
}

/// Why a group does not load, on one line if possible; the findings have the details. Does not
/// repeat the library that the group is named after.
std::string causeOf(const GroupReport& group, const Diagnosis& diagnosis) {
  const resolve::LoadProblem& problem = *group.firstCause();
  if (problem.code == resolve::LoadProblem::Code::MissingSymbols)
    return countMissing(problem);
  if (problem.code != resolve::LoadProblem::Code::MissingDependency || problem.dependency.empty() ||
      !diagnosis.disk)
    return problem.message;
  std::string text = withoutRpath(problem.dependency).str() + " not found";
  if (problem.tried.empty())
    text += " (no search path)";
  if (problem.library != group.libraries.front().path)
    text += ", required by " + baseName(problem.library).str();
  return text;
}

/// The first dependency that may be in a directory of the target's system.
std::string unknownDependencyOf(const GroupReport& group) {
  const resolve::Binding* unknown = group.firstUnknown();
  return unknown ? "requires " + withoutRpath(unknown->dependency).str() + " of the target's system"
                 : std::string();
}

/// A message in which paths inside the target begin with the target as given: .venv/lib/...
std::string shortened(std::string message, const Diagnosis& diagnosis) {
  const std::string& given = diagnosis.target;
  if (!diagnosis.disk || given == "." || llvm::sys::path::is_absolute(given))
    return message;
  const std::optional<std::string> host = diagnosis.disk->adopt(given);
  const std::string full = host ? diagnosis.disk->targetPath(*host) : "";
  if (full.empty())
    return message;
  for (size_t at = message.find(full); at != std::string::npos; at = message.find(full, at + 1)) {
    const char next = message.c_str()[at + full.size()];
    if ((at == 0 || message[at - 1] == ' ') && (next == '/' || next == '\\'))
      message.replace(at, full.size(), given);
  }
  return message;
}

/// A row of the table: a name, a verdict, and the rest.
std::string rowText(std::string name, Verdict verdict, llvm::StringRef rest, const Paint& paint) {
  name.resize(10, ' ');
  return "  " + name + verdictWord(verdict, paint) +
         (rest.empty() ? "" : "  " + wrapped(printable(rest), 27, 27)) + "\n";
}

std::string groupLine(const GroupReport& group, const Diagnosis& diagnosis, const Paint& paint) {
  std::string name = group.major ? "FFmpeg " + std::to_string(group.major) : "libraries";
  std::string rest = group.firstCause()                ? causeOf(group, diagnosis)
                     : group.loads == Verdict::Unknown ? unknownDependencyOf(group)
                                                       : diagnosis.shown(group.ffmpegFolder);
  rest = shortened(std::move(rest), diagnosis);
  if (group.loads == Verdict::Loads && group.loadsBare == Verdict::Fails)
    rest += " (only after import torch)";
  return rowText(std::move(name), group.loads, rest, paint);
}

/// "torch 2.9.1, Python 3.12".
std::string versionsText(llvm::ArrayRef<Evidence> versions) {
  std::vector<std::string> words;
  for (const Evidence& each : versions) {
    const std::string& value = std::get<std::string>(each.value);
    words.push_back(printable(each.name == "system"   ? value
                              : each.name == "python" ? "Python " + value
                                                      : each.name + " " + value));
  }
  return wrapped(llvm::join(words, ", "), 12, 12);
}

void writeEvidence(OStream& out, llvm::ArrayRef<Evidence> evidence) {
  for (const Evidence& each : evidence)
    if (const std::string* one = std::get_if<std::string>(&each.value))
      text(out, each.name, *one);
    else
      texts(out, each.name, std::get<std::vector<std::string>>(each.value));
}

std::string evidenceText(const Evidence& evidence, const Diagnosis& diagnosis) {
  std::string out;
  for (const std::string& one : evidence.values())
    out += "      " + evidence.name + ": " + printable(diagnosis.shown(one)) + "\n";
  return out;
}

/// One line for each step; steps after the first are aligned with it.
std::string commandText(llvm::StringRef action, llvm::StringRef before) {
  std::string out;
  for (llvm::StringRef line : llvm::split(action, '\n'))
    out += (out.empty() ? before.str() : std::string(before.size(), ' ')) + printable(line) + "\n";
  return out;
}

std::string findingText(const Finding& finding, const Diagnosis& diagnosis, bool isVerbose,
                        const Paint& paint) {
  std::string word = nameOf(finding.severity).str();
  std::string head = word + "[" + finding.code + "]: ";
  std::string out = finding.severity == Severity::Error     ? paint.red(head)
                    : finding.severity == Severity::Warning ? paint.bold(head)
                                                            : paint.dim(head);
  out += wrapped(printable(shortened(finding.message, diagnosis)), 4, head.size()) + "\n";
  if (isVerbose) {
    if (!finding.path.empty())
      out += "      file: " + printable(diagnosis.shown(finding.path)) + "\n";
    for (const Evidence& evidence : finding.evidence)
      out += evidenceText(evidence, diagnosis);
  }
  if (!finding.action.empty() && finding.action != diagnosis.action) // it is in the first lines
    out += commandText(finding.action, "    $ ");
  return out;
}

std::string verdictText(const Diagnosis& diagnosis) {
  if (diagnosis.isOfAll && diagnosis.isOk())
    return verdictName(diagnosis.verdict()).str();
  return diagnosis.isOk() ? "ok" : diagnosis.isUnderstood ? "broken" : "unknown";
}

/// The message with short paths inside the target, such as av.libs, as in the verdict.
std::string withShortPaths(llvm::StringRef message, const Diagnosis& diagnosis) {
  llvm::SmallVector<llvm::StringRef> words;
  message.split(words, ' ');
  for (llvm::StringRef& word : words)
    if (word.starts_with(diagnosis.target))
      word = belowSite(word);
  return llvm::join(words, " ");
}

/// At most two lines; the finding has the full text.
std::string briefCause(llvm::StringRef message) {
  constexpr size_t kMax = 140;
  if (message.size() <= kMax)
    return message.str();
  if (const size_t end = message.take_front(kMax).rfind(". "); end != llvm::StringRef::npos)
    return message.take_front(end).str(); // complete sentences
  return (message.take_front(message.rfind(' ', kMax)).rtrim(",;: ") + " ...").str();
}

/// Whether it is not known to fail and its system directories are not on this machine.
bool isForElsewhere(const Diagnosis& diagnosis) {
  return diagnosis.isOk() && diagnosis.disk && !diagnosis.disk->knowsAbsolutePaths();
}

/// The verdict with a short path, without the package's name, which is printed before it.
std::string diagnosisText(const Diagnosis& diagnosis) {
  const std::vector<const GroupReport*> groups = diagnosis.groups();
  const bool isSeen = llvm::any_of(
      groups, [](const GroupReport* group) { return group->loads != Verdict::Unknown; });
  if (isForElsewhere(diagnosis) && !isSeen) {
    std::vector<llvm::StringRef> libraries;
    for (const GroupReport* group : groups)
      for (const doctor::LibraryReport& library : group->libraries)
        libraries.push_back(library.path);
    return cannotTellText(libraries);
  }
  const doctor::PackageDiagnosis& decisive = diagnosis.decisive();
  llvm::StringRef summary = decisive.summary;
  llvm::StringRef name = llvm::StringRef(decisive.package).split(' ').first;
  if (!name.empty() && summary.starts_with((name + " ").str()))
    summary = summary.drop_front(name.size() + 1);
  for (const GroupReport* group : groups) {
    const std::string folder = diagnosis.shown(group->ffmpegFolder);
    if (!folder.empty() && summary.consume_back(" from " + folder))
      return printable((summary + " (" + belowSite(folder) + ")").str());
  }
  return printable(summary);
}

/// The verdict, the cause and the next command.
std::string firstLines(const Diagnosis& diagnosis, const Paint& paint) {
  const std::string subject = printable(diagnosis.decisive().package);
  const std::string head =
      (subject.empty() ? "" : subject + " in ") + printable(diagnosis.target) + ": ";
  const std::string verdict = head + wrapped(diagnosisText(diagnosis), 4, head.size());
  std::string out =
      (isForElsewhere(diagnosis) ? paint.bold(verdict) : paint.verdict(diagnosis.isOk(), verdict)) +
      "\n";
  const std::vector<const Finding*> findings = diagnosis.findings();
  const bool hasCause = !findings.empty() && findings.front()->severity == Severity::Error;
  if (!diagnosis.isOk() && hasCause) {
    const std::string cause =
        withShortPaths(shortened(findings.front()->message, diagnosis), diagnosis);
    out += "cause: " + wrapped(printable(briefCause(cause)), 4, 7) + "\n";
  }
  if (!diagnosis.action.empty())
    out += commandText(diagnosis.action, "next: ");
  return out;
}

void writeLibrary(OStream& out, const doctor::LibraryReport& library) {
  text(out, "path", library.path);
  out.attribute("loads", verdictValue(library.loads.verdict));
  out.attributeArray("problems", [&] {
    for (const resolve::LoadProblem& problem : library.loads.problems)
      out.object([&] {
        text(out, "code", nameOf(problem.code));
        text(out, "message", problem.message);
        text(out, "dependency", problem.dependency);
        out.attributeArray("tried", [&] {
          for (const resolve::Attempt& attempt : problem.tried)
            out.value(utf8(attempt.place + ": " + attempt.outcome));
        });
      });
  });
}

void writeGroup(OStream& out, const GroupReport& group) {
  out.attribute("ffmpeg", group.major ? llvm::json::Value(group.major) : nullptr);
  out.attribute("loads", verdictValue(group.loads));
  out.attribute("loads_bare", verdictValue(group.loadsBare));
  out.attributeArray("libraries", [&] {
    for (const doctor::LibraryReport& library : group.libraries)
      out.object([&] { writeLibrary(out, library); });
  });
}

void writeFinding(OStream& out, const Finding& finding) {
  text(out, "code", finding.code);
  text(out, "severity", nameOf(finding.severity));
  text(out, "message", finding.message);
  textIfKnown(out, "path", finding.path);
  out.attributeObject("evidence", [&] { writeEvidence(out, finding.evidence); });
  textIfKnown(out, "action", finding.action);
}

} // namespace

std::string renderDiagnosis(const Diagnosis& diagnosis, bool isVerbose, const Paint& paint) {
  std::string out = firstLines(diagnosis, paint);
  if (!diagnosis.versions.empty())
    out += "  from the text: " + versionsText(diagnosis.versions) + "\n";
  for (const GroupReport* group : diagnosis.groups())
    if (group->major != 0 || group->loads != Verdict::Loads || !hasMajors(diagnosis))
      out += groupLine(*group, diagnosis, paint);
  if (const std::optional<trial::Trial> trial = diagnosis.trial())
    out += rowText("python", trial->isOk ? Verdict::Loads : Verdict::Fails,
                   trialText(*trial, diagnosis.required), paint);
  // One finding of each kind fits on a screen; -v shows all of them.
  std::map<std::string, size_t> shown;
  size_t hidden = 0;
  for (const Finding* finding : diagnosis.findings()) {
    bool isShown = isVerbose || (finding->severity != Severity::Info && shown[finding->code]++ < 2);
    if (isShown)
      out += findingText(*finding, diagnosis, isVerbose, paint);
    else
      ++hidden;
  }
  if (hidden)
    out += paint.dim(std::to_string(hidden) + " more with --verbose") + "\n";
  return out;
}

std::string jsonForDoctor(const Preamble& preamble, const Diagnosis& diagnosis) {
  return document(preamble, [&](OStream& out) {
    text(out, "target", diagnosis.target);
    text(out, "verdict", verdictText(diagnosis));
    text(out, "summary",
         diagnosis.isOfAll ? summaryOfAll(diagnosis) : diagnosis.decisive().summary);
    textIfKnown(out, "action", diagnosis.action);
    if (!diagnosis.versions.empty())
      out.attributeObject("told", [&] { writeEvidence(out, diagnosis.versions); });
    writeTrial(out, diagnosis.trial());
    if (diagnosis.isOfAll)
      writePackages(out, diagnosis);
    else
      out.attributeArray("groups", [&] {
        // One for each major; failures of other libraries are among the findings.
        for (const GroupReport* group : diagnosis.groups())
          if (group->major != 0 || !hasMajors(diagnosis))
            out.object([&] { writeGroup(out, *group); });
      });
    out.attributeArray("findings", [&] {
      for (const Finding* finding : diagnosis.findings())
        out.object([&] { writeFinding(out, *finding); });
    });
  });
}

} // namespace tcfix::report
