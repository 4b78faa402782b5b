#include "report/doctor.h"

#include "report/json_parts.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

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

/// Symbols have names that fill a line, and the findings tell them.
std::string causeOf(const resolve::LoadProblem& problem) {
  return problem.code == resolve::LoadProblem::Code::MissingSymbols ? countMissing(problem)
                                                                    : problem.message;
}

/// What it needs and nobody here can look for.
std::string unseenBy(const GroupReport& group) {
  for (const doctor::LibraryReport& library : group.libraries)
    for (const resolve::Binding& binding : library.loads.bindings)
      if (binding.state == resolve::Binding::State::Unknown)
        return "needs " + binding.dependency + " from a place that is out of reach";
  return {};
}

std::string groupLine(const GroupReport& group, const Paint& paint) {
  std::string name = group.major ? "FFmpeg " + std::to_string(group.major) : "libraries";
  name.resize(10, ' ');
  std::string line = "  " + name + verdictWord(group.loads, paint);
  const resolve::LoadProblem* cause = group.firstCause();
  std::string rest = cause                             ? causeOf(*cause)
                     : group.loads == Verdict::Unknown ? unseenBy(group)
                                                       : group.ffmpegFolder;
  if (group.loads == Verdict::Loads && group.loadsBare == Verdict::Fails)
    rest += " (only after import torch)";
  return line + (rest.empty() ? "" : "  " + wrapped(printable(rest), 27, 27)) + "\n";
}

/// "torch 2.9.1, Python 3.12".
std::string toldText(llvm::ArrayRef<Evidence> told) {
  std::vector<std::string> words;
  for (const Evidence& each : told) {
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

std::string evidenceText(const Evidence& evidence) {
  if (const std::string* one = std::get_if<std::string>(&evidence.value))
    return "      " + evidence.name + ": " + printable(*one) + "\n";
  std::string out;
  for (const std::string& one : std::get<std::vector<std::string>>(evidence.value))
    out += "      " + evidence.name + ": " + printable(one) + "\n";
  return out;
}

std::string findingText(const Finding& finding, bool isVerbose, const Paint& paint) {
  std::string word = nameOf(finding.severity).str();
  std::string head = word + "[" + finding.code + "]: ";
  std::string out = finding.severity == Severity::Error     ? paint.red(head)
                    : finding.severity == Severity::Warning ? paint.bold(head)
                                                            : paint.dim(head);
  out += wrapped(printable(finding.message), 4, head.size()) + "\n";
  if (isVerbose) {
    if (!finding.path.empty())
      out += "      file: " + printable(finding.path) + "\n";
    for (const Evidence& evidence : finding.evidence)
      out += evidenceText(evidence);
  }
  if (!finding.action.empty())
    out += "    $ " + printable(finding.action) + "\n";
  return out;
}

void writeVerdict(OStream& out, llvm::StringRef key, Verdict verdict) {
  if (verdict == Verdict::Unknown)
    out.attribute(key, nullptr);
  else
    out.attribute(key, verdict == Verdict::Loads);
}

void writeLibrary(OStream& out, const doctor::LibraryReport& library) {
  text(out, "path", library.path);
  writeVerdict(out, "loads", library.loads.verdict);
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
  std::string out =
      paint.bold(printable(diagnosis.package)) + " in " + printable(diagnosis.target) + "\n";
  if (!diagnosis.told.empty())
    out += "  told      " + toldText(diagnosis.told) + "\n";
  for (const GroupReport& group : diagnosis.groups)
    out += groupLine(group, paint);
  // One of each kind is enough for a screen; -v shows all of them.
  std::map<std::string, size_t> told;
  size_t hidden = 0;
  for (const Finding& finding : diagnosis.findings) {
    bool isShown = isVerbose || (finding.severity != Severity::Info && told[finding.code]++ < 2);
    if (isShown)
      out += findingText(finding, isVerbose, paint);
    else
      ++hidden;
  }
  if (hidden)
    out += paint.dim(std::to_string(hidden) + " more with --verbose") + "\n";
  out += (diagnosis.isOk ? paint.green("ok: ") : paint.red("broken: ")) +
         wrapped(printable(diagnosis.summary), 4, diagnosis.isOk ? 4 : 8) + "\n";
  if (!diagnosis.action.empty())
    out += "next: " + printable(diagnosis.action) + "\n";
  return out;
}

std::string jsonForDoctor(const Preamble& preamble, const Diagnosis& diagnosis) {
  return document(preamble, [&](OStream& out) {
    text(out, "target", diagnosis.target);
    text(out, "verdict", diagnosis.isOk ? "ok" : "broken");
    text(out, "summary", diagnosis.summary);
    textIfKnown(out, "action", diagnosis.action);
    if (!diagnosis.told.empty())
      out.attributeObject("told", [&] { writeEvidence(out, diagnosis.told); });
    out.attributeArray("groups", [&] {
      for (const GroupReport& group : diagnosis.groups)
        out.object([&] {
          if (group.major)
            out.attribute("ffmpeg", group.major);
          else
            out.attribute("ffmpeg", nullptr);
          writeVerdict(out, "loads", group.loads);
          writeVerdict(out, "loads_bare", group.loadsBare);
          out.attributeArray("libraries", [&] {
            for (const doctor::LibraryReport& library : group.libraries)
              out.object([&] { writeLibrary(out, library); });
          });
        });
    });
    out.attributeArray("findings", [&] {
      for (const Finding& finding : diagnosis.findings)
        out.object([&] { writeFinding(out, finding); });
    });
  });
}

} // namespace tcfix::report
