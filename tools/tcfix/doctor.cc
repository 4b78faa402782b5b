#include "target.h"

#include "commit/transaction.h"
#include "doctor/diagnose.h"
#include "io/host.h"
#include "io/system.h"
#include "report/doctor.h"
#include "report/graph.h"
#include "report/overview.h"
#include "report/page.h"
#include "report/progress.h"
#include "traceback/explain.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

namespace {

void writePage(Invocation& invocation, const doctor::Diagnosis& diagnosis) {
  std::string file = invocation.value("html");
  std::string page = report::renderPage(diagnosis, llvm::StringRef(versionLine()).rtrim());
  std::optional<io::InputFile> old;
  if (io::exists(file)) {
    // Only a regular file is replaced, not a pipe, a device or a directory.
    llvm::Expected<io::InputFile> present = io::InputFile::open(file);
    if (!present)
      return invocation.addError(toProblem(present.takeError(), file));
    old.emplace(std::move(*present));
  }
  llvm::Expected<io::Place> place = io::Place::of(file);
  llvm::Error error =
      place ? commit::writeFile(old ? &*old : nullptr, std::move(*place), page) : place.takeError();
  if (error)
    invocation.addError(toProblem(std::move(error), file));
}

int finish(Invocation& invocation, const doctor::Diagnosis& diagnosis) {
  return invocation.finish(
      diagnosis.isOk() ? kDone : kProblemFound,
      invocation.isOn("dot") ? report::renderDot(report::graphOf(diagnosis))
      : diagnosis.isOfAll
          ? report::renderOverview(diagnosis, invocation.isVerbose(), invocation.paint())
          : report::renderDiagnosis(diagnosis, invocation.isVerbose(), invocation.paint()),
      [&](const report::Preamble& preamble) { return report::jsonForDoctor(preamble, diagnosis); });
}

// There are no libraries to inspect, so options about targets and graphs do not apply.
int runOnTraceback(Invocation& invocation) {
  if (!invocation.operands().empty())
    return invocation.usageError("--traceback and TARGET cannot be combined");
  for (const char* option : {"require", "run", "html", "dot", "package", "all", "sysroot", "arch",
                             "macos-version", "search"})
    if (invocation.has(option))
      return invocation.usageError(std::string("--traceback and --") + option +
                                   " cannot be combined");
  const std::string file = invocation.value("traceback");
  const std::string name = file == "-" ? "standard input" : file;
  llvm::Expected<std::string> text = io::readWhole(file, io::kLargestText);
  if (!text) {
    invocation.addError(toProblem(text.takeError(), name));
    return invocation.finish(kDone, {}, report::jsonForError);
  }
  return finish(invocation, traceback::explainTraceback(*text, name));
}

/// True if only the exit code is needed.
bool isProbe(const Invocation& invocation) {
  return invocation.isQuiet() && !invocation.wantsJson() && !invocation.has("html") &&
         !invocation.isOn("run") && !invocation.isOn("all");
}

llvm::Expected<doctor::Diagnosis> diagnoseWithProgress(const Invocation& invocation,
                                                       const doctor::DoctorOptions& options,
                                                       llvm::ArrayRef<std::string> targets) {
  std::optional<report::Progress> progress; // made when it is known how many there are
  return doctor::diagnose(targets.front(), options, [&](size_t, size_t total) {
    if (!progress)
      progress.emplace("examining", total, !invocation.isQuiet() && !invocation.wantsJson());
    progress->advance();
  });
}

int runDoctor(Invocation& invocation) {
  if (invocation.has("traceback"))
    return runOnTraceback(invocation);
  if (invocation.isOn("dot") && invocation.wantsJson())
    return invocation.usageError("--dot and --json cannot be combined");
  if (invocation.has("html") && invocation.value("html").empty())
    return invocation.usageError("--html must not be empty");
  doctor::DoctorOptions options;
  options.survey = surveyFor(invocation);
  llvm::Expected<std::vector<int>> required = majorsOf(invocation, "require");
  if (!required)
    return invocation.usageError(toProblem(required.takeError(), {}).message);
  options.required = *required;
  options.isTried = invocation.isOn("run");
  options.survey.wantsEveryPackage = invocation.isOn("all");
  options.keepsTraces = invocation.has("html");
  if (invocation.isOn("all") && (invocation.has("package") || invocation.isOn("dot")))
    return invocation.usageError(std::string("--all cannot be combined with --") +
                                 (invocation.has("package") ? "package" : "dot"));
  if (options.isTried)
    io::system::watchForInterrupts(); // so that Ctrl-C also ends the python process
  llvm::Expected<std::vector<std::string>> targets = targetsOf(invocation);
  std::optional<doctor::Diagnosis> diagnosis;
  if (!targets) {
    invocation.addError(toProblem(targets.takeError(), {}));
  } else if (isProbe(invocation)) {
    llvm::Expected<bool> usable = doctor::isUsable(targets->front(), options);
    if (usable)
      return invocation.finish(*usable ? kDone : kProblemFound, {}, report::jsonForError);
    invocation.addError(toProblem(usable.takeError(), targets->front()));
  } else {
    llvm::Expected<doctor::Diagnosis> result = diagnoseWithProgress(invocation, options, *targets);
    if (result)
      diagnosis = std::move(*result);
    else
      invocation.addError(toProblem(result.takeError(), targets->front()));
  }
  if (!diagnosis)
    return invocation.finish(kDone, {}, report::jsonForError);
  if (!options.required.empty() &&
      llvm::all_of(diagnosis->groups(), [](const auto* group) { return group->major == 0; }))
    invocation.addWarning(majorsIgnored(targets->front()));
  if (invocation.has("html"))
    writePage(invocation, *diagnosis);
  return finish(invocation, *diagnosis);
}

} // namespace

Command doctorCommand() {
  static constexpr Option kOptions[] = {
      {"all", "every package with native libraries, one line each"},
      {"require", "FFmpeg majors that must load, such as 7,8", "MAJORS"},
      {"run", "also load the libraries in the environment's Python, and compare"},
      {"traceback", "explain the output of a failed import from any machine; - for stdin", "FILE"},
      {"html", "also write an HTML page with the dependency graph and all search traces", "FILE"},
      {"dot", "print the dependency graph for Graphviz instead"},
  };
  return {"doctor",
          "explain why a package does not load, and what to do",
          "Reports for each FFmpeg major whether torchcodec's libraries load, why they do\n"
          "not, and the command that helps. Changes nothing, and runs no other program\n"
          "unless --run is given. With -q it only sets the exit code, which is much\n"
          "faster: 0 if torchcodec loads, 1 if not.\n",
          "[TARGET]",
          R"(  tcfix doctor .venv
  tcfix doctor --package torchvision .venv
  tcfix doctor --all .venv          which packages of it do not load, and why
  tcfix doctor my_ext.cpython-312-darwin.so
  tcfix doctor --traceback error.txt
  python -c "import torchcodec" 2>&1 | tcfix doctor --traceback -
  tcfix doctor --run .venv          compare with the environment's Python
  tcfix doctor --html report.html .venv
  tcfix doctor --dot .venv | dot -Tsvg -o graph.svg
  tcfix doctor --json .venv | jq '.findings[] | {code, action}'
)",
          {{"", kOptions}, targetOptions()},
          runDoctor};
}

} // namespace tcfix::cli
