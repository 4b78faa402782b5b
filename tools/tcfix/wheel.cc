#include "command_line.h"

#include "io/system.h"
#include "wheel/repair.h"

namespace tcfix::cli {

namespace {

/// A message if the options are invalid, else nothing.
std::string readOptions(const Invocation& invocation, wheel::RepairOptions& options) {
  options.outputFolder = invocation.value("output");
  if (options.outputFolder.empty())
    return "no output directory given: -o DIR";
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "rpath") {
      if (argument.value.empty())
        return "--rpath must not be empty";
      options.searchPaths.push_back(argument.value);
    }
  if (invocation.has("ffmpeg") && !invocation.has("av-wheel"))
    return "--ffmpeg av requires --av-wheel: the names of PyAV's libraries differ between builds";
  if (invocation.has("av-wheel") && !invocation.has("ffmpeg"))
    return "--av-wheel requires --ffmpeg av";
  options.bundleFrom = invocation.value("bundle-ffmpeg");
  if (invocation.has("bundle-ffmpeg") && options.bundleFrom.empty())
    return "--bundle-ffmpeg must not be empty";
  if (invocation.has("bundle-ffmpeg") && invocation.has("ffmpeg"))
    return "--bundle-ffmpeg and --ffmpeg cannot be combined";
  options.jobs = invocation.jobs();
  options.signing.replaceForeign = invocation.isOn("replace-signature");
  options.signing.isWanted = !invocation.isOn("no-sign");
  return {};
}

bool readPyavs(Invocation& invocation, wheel::RepairOptions& options) {
  bool isFine = true;
  for (const Argument& argument : invocation.arguments()) {
    if (argument.key != "av-wheel")
      continue;
    llvm::Expected<wheel::PyavWheel> pyav = wheel::readPyav(argument.value);
    if (pyav) {
      options.pyavs.push_back(std::move(*pyav));
      continue;
    }
    invocation.addError(toProblem(pyav.takeError(), argument.value));
    isFine = false;
  }
  return isFine;
}

int runWheel(Invocation& invocation) {
  wheel::RepairOptions options;
  if (std::string wrong = readOptions(invocation, options); !wrong.empty())
    return invocation.usageError(wrong);
  std::vector<wheel::WheelOutcome> outcomes;
  if (readPyavs(invocation, options)) {
    io::system::watchForInterrupts();
    outcomes = wheel::repairWheels(invocation.operands(), options,
                                   [](const std::string& message) { report::logInfo(message); });
  }
  std::string text;
  for (const wheel::WheelOutcome& outcome : outcomes) {
    for (const Problem& warning : outcome.warnings)
      invocation.addWarning(warning);
    if (outcome.problem)
      invocation.addError(*outcome.problem);
    for (const apply::FileOutcome& file : outcome.files) {
      for (const std::string& warning : file.edit.warnings)
        invocation.addWarning({std::nullopt, warning, outcome.input + "/" + file.path, {}});
      if (file.problem)
        invocation.addError(*file.problem);
    }
    text += report::renderWheel(outcome, invocation.isVerbose(), invocation.paint());
  }
  return invocation.finish(kDone, text, [&](const report::Preamble& preamble) {
    return report::jsonForWheel(preamble, outcomes);
  });
}

} // namespace

Command wheelCommand() {
  static constexpr Option kOptions[] = {
      {"o,output", "directory for the repaired wheels", "DIR"},
      {"rpath", "use this search path instead of the default ones; repeatable", "PATH"},
      {"ffmpeg", "use the FFmpeg inside PyAV", "av"},
      {"av-wheel", "the PyAV wheel that will be installed; one for each platform", "FILE"},
      {"bundle-ffmpeg", "bundle the shared FFmpeg libraries of this directory", "DIR"},
      {"no-sign", "leave signatures as they are, even if that breaks them"},
      {"replace-signature", "replace a certificate signature with an ad-hoc one"},
      {"j,jobs", "number of wheels to process in parallel", "NUMBER"},
  };
  return {"wheel",
          "write repaired copies of wheels, for a package index",
          "Writes a repaired copy of each torchcodec wheel; works on any platform for the\n"
          "wheels of all platforms. The libraries get search paths that work wherever the\n"
          "wheel is installed, and the version gets a local part (0.9.1+tcfix1). Existing\n"
          "copies are not rewritten.\n",
          "FILE...",
          R"(  tcfix wheel -o dist torchcodec-0.9.1-*.whl
  tcfix wheel -o dist --rpath '$ORIGIN/../torch/lib' --rpath /opt/ffmpeg *.whl
  tcfix wheel -o dist --ffmpeg av --av-wheel av-15.1.0-*.whl torchcodec-*.whl
  tcfix wheel -o dist --bundle-ffmpeg /opt/ffmpeg/lib torchcodec-*x86_64.whl
)",
          {{"", kOptions}},
          runWheel};
}

} // namespace tcfix::cli
