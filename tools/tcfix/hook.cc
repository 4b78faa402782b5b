#include "target.h"

#include "hook/hook.h"
#include "io/host.h"
#include "io/system.h"
#include "report/hook.h"

#include <map>

namespace tcfix::cli {

namespace {

// The name becomes part of a Python program.
constexpr char kNameCharacters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

/// The hook runs apply in the current directory of Python, so paths must be absolute.
std::string absoluteFfmpeg(const std::string& ffmpeg) {
  bool isKeyword = ffmpeg == "auto" || ffmpeg == "av" || ffmpeg == "none";
  return isKeyword ? ffmpeg : io::absolutePath(ffmpeg);
}

hook::HookOptions optionsFrom(const Invocation& invocation) {
  hook::HookOptions options;
  options.program = io::system::calledPath();
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "package") {
      options.packages.push_back(argument.value);
      options.arguments.insert(options.arguments.end(), {"--package", argument.value});
    } else if (argument.key == "ffmpeg") {
      options.arguments.insert(options.arguments.end(),
                               {"--ffmpeg", absoluteFfmpeg(argument.value)});
    } else if (argument.key == "rpath") {
      options.arguments.insert(options.arguments.end(), {"--rpath", argument.value});
    }
  return options;
}

llvm::Expected<hook::HookStatus> act(const std::string& verb, const std::string& target,
                                     const Invocation& invocation) {
  const io::TargetDisk disk = io::TargetDisk({}).remembering();
  llvm::Expected<env::Environment> environment = env::findEnvironment(target, disk);
  if (!environment)
    return environment.takeError();
  if (llvm::Error error = env::checkIsEnvironment(*environment, disk))
    return error;
  io::system::watchForInterrupts();
  auto notify = [](const std::string& message) { report::logInfo(message); };
  if (verb == "install")
    return hook::installHook(*environment, optionsFrom(invocation), notify);
  if (verb == "remove")
    return hook::removeHook(*environment, notify);
  return hook::findHook(*environment);
}

constexpr uint64_t kLargestFile = 1 << 20; ///< of the hook; its files have a few kilobytes

/// The content of each of the hook's files, to see whether install changes any.
std::map<std::string, std::string> contentsOf(const hook::HookStatus& status) {
  std::map<std::string, std::string> contents;
  for (const std::string& file : status.files)
    if (auto input = io::InputFile::open(file, kLargestFile)) // a pipe is not waited for
      contents[file] = textOf(input->bytes()).str();
    else
      llvm::consumeError(input.takeError());
  return contents;
}

int runHook(Invocation& invocation) {
  const std::string verb = invocation.operands().front();
  if (verb == "print") {
    llvm::StringRef snippet =
        invocation.operands().size() > 1 ? hook::snippetFor(invocation.operands()[1]) : "";
    if (snippet.empty())
      return invocation.usageError(
          "hook print takes ci, conda, docker, github-action or pre-commit");
    return invocation.finish(kDone, snippet.str(), [&](const report::Preamble& preamble) {
      return report::jsonForSnippet(preamble, snippet);
    });
  }
  for (const std::string& name : optionsFrom(invocation).packages)
    if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string::npos)
      return invocation.usageError("--package: invalid package name '" + name + "'");
  for (const char* key : {"ffmpeg", "rpath"})
    if (invocation.has(key) && invocation.value(key).empty())
      return invocation.usageError(std::string("--") + key + " must not be empty");
  hook::HookStatus status;
  bool isDone = false, isUnchanged = false;
  std::string target = invocation.operands().size() > 1 ? invocation.operands()[1] : "";
  if (target.empty()) {
    llvm::Expected<std::string> active = env::defaultTarget();
    if (active)
      target = *active;
    else
      invocation.addError(toProblem(active.takeError(), {}));
  }
  if (!target.empty()) {
    std::map<std::string, std::string> before;
    if (verb == "install") {
      if (llvm::Expected<hook::HookStatus> present = act("status", target, invocation))
        before = contentsOf(*present);
      else
        llvm::consumeError(present.takeError()); // install fails for the same reason
    }
    llvm::Error error = act(verb, target, invocation).moveInto(status);
    isDone = !error;
    isUnchanged = verb == "install" && isDone && contentsOf(status) == before;
    if (error)
      invocation.addError(toProblem(std::move(error), target));
  }
  bool isMissed = verb == "status" && status.state != hook::State::Installed;
  return invocation.finish(
      isMissed ? kProblemFound : kDone,
      isDone ? report::renderHook({verb, target, isUnchanged, invocation.isVerbose()}, status,
                                  invocation.paint())
             : std::string(),
      [&](const report::Preamble& preamble) { return report::jsonForHook(preamble, status); });
}

} // namespace

Command hookCommand() {
  static constexpr Option kOptions[] = {
      {"package", "run when this package is imported instead of torchcodec; repeatable", "NAME"},
      {"ffmpeg", "passed on to tcfix apply", "DIR|auto|av|none"},
      {"rpath", "passed on to tcfix apply; repeatable", "PATH"},
  };
  return {"hook",
          "repair automatically after pip or uv has replaced the package",
          "Installs a small module into site-packages that runs tcfix apply before\n"
          "torchcodec is imported, if anything has changed. TCFIX_DISABLE=1 disables it;\n"
          "pip can remove it (pip uninstall tcfix_hook). `tcfix hook print` prints an\n"
          "example for CI, an image or another tool.\n",
          "install|remove|status|print [ci|conda|docker|github-action|pre-commit|TARGET]",
          R"(  tcfix hook install .venv
  tcfix hook status .venv
  tcfix hook remove .venv
  tcfix hook print github-action
)",
          {{"", kOptions}},
          runHook};
}

} // namespace tcfix::cli
