#include "command_line.h"

#include "io/system.h"
#include "wheel/repair.h"

namespace tcfix::cli {

namespace {

/// A sentence if the options make no sense, else nothing.
std::string readOptions(const Invocation& invocation, wheel::RepairOptions& options) {
  options.outputFolder = invocation.value("output");
  if (options.outputFolder.empty())
    return "say where the repaired wheels go: -o DIR";
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "rpath") {
      if (argument.value.empty())
        return "--rpath takes a text that is not empty";
      options.searchPaths.push_back(argument.value);
    }
  if (invocation.has("ffmpeg") && !invocation.has("av-wheel"))
    return "--ffmpeg av also needs --av-wheel: PyAV's libraries have other names in each build";
  if (invocation.has("av-wheel") && !invocation.has("ffmpeg"))
    return "--av-wheel goes with --ffmpeg av";
  options.bundleFrom = invocation.value("bundle-ffmpeg");
  if (invocation.has("bundle-ffmpeg") && options.bundleFrom.empty())
    return "--bundle-ffmpeg takes a folder";
  if (invocation.has("bundle-ffmpeg") && invocation.has("ffmpeg"))
    return "--bundle-ffmpeg and --ffmpeg av exclude each other";
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
      {"o,output", "the folder for the repaired wheels", "DIR"},
      {"rpath", "write this search path, and not the usual ones; may be repeated", "PATH"},
      {"ffmpeg", "use the FFmpeg inside PyAV", "av"},
      {"av-wheel", "the PyAV that will be installed; one for each platform", "FILE"},
      {"bundle-ffmpeg", "put the shared FFmpeg of this folder inside the wheel", "DIR"},
      {"no-sign", "leave signatures as they are, even if that breaks them"},
      {"replace-signature", "replace a signature made by an identity by an ad-hoc one"},
      {"j,jobs", "how many wheels at once", "NUMBER"},
  };
  return {"wheel",
          "repair wheels, for an index that others install from",
          "Writes a repaired copy of each torchcodec wheel, for any platform on any: its\n"
          "libraries get search paths that hold wherever it is installed, its version a\n"
          "local part (0.9.1+tcfix1). What is repaired already is not written again.\n",
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
