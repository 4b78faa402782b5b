#include "target.h"

#include "doctor/diagnose.h"
#include "report/doctor.h"

namespace tcfix::cli {

namespace {

int runDoctor(Invocation& invocation) {
  doctor::DoctorOptions options;
  options.survey = surveyFor(invocation);
  llvm::Expected<std::vector<int>> required = majorsOf(invocation, "require");
  if (!required)
    return invocation.usageError(toProblem(required.takeError(), {}).message);
  options.required = *required;
  llvm::Expected<std::vector<std::string>> targets = targetsOf(invocation);
  std::optional<doctor::Diagnosis> diagnosis;
  if (!targets) {
    invocation.addError(toProblem(targets.takeError(), {}));
  } else {
    llvm::Expected<doctor::Diagnosis> result = doctor::diagnose(targets->front(), options);
    if (result)
      diagnosis = std::move(*result);
    else
      invocation.addError(toProblem(result.takeError(), targets->front()));
  }
  if (!diagnosis)
    return invocation.finish(kDone, {}, report::jsonForError);
  return invocation.finish(
      diagnosis->isOk ? kDone : kProblemFound,
      report::renderDiagnosis(*diagnosis, invocation.isVerbose(), invocation.paint()),
      [&](const report::Preamble& preamble) {
        return report::jsonForDoctor(preamble, *diagnosis);
      });
}

} // namespace

Command doctorCommand() {
  static constexpr Option kOptions[] = {
      {"require", "FFmpeg majors that must load, such as 7,8", "MAJORS"},
  };
  return {"doctor",
          "explain why it does not load, and what to do",
          "Says for each FFmpeg major whether torchcodec's libraries load, why they do not, and\n"
          "the command that helps. Runs no Python and writes nothing.\n",
          "[TARGET]",
          R"(  tcfix doctor .venv
  tcfix doctor --package torchvision .venv
  tcfix doctor my_ext.cpython-312-darwin.so
  tcfix doctor --json .venv | jq '.findings[] | {code, action}'
)",
          {{"", kOptions}, targetOptions()},
          runDoctor};
}

} // namespace tcfix::cli
