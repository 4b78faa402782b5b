#include "target.h"

#include "hook/hook.h"
#include "io/system.h"
#include "report/hook.h"

namespace tcfix::cli {

namespace {

// The name becomes part of a Python program.
constexpr char kNameCharacters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

hook::HookOptions optionsFrom(const Invocation& invocation) {
  hook::HookOptions options;
  options.program = io::system::programPath();
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "package") {
      options.packages.push_back(argument.value);
      options.arguments.insert(options.arguments.end(), {"--package", argument.value});
    } else if (argument.key == "ffmpeg" || argument.key == "rpath") {
      options.arguments.insert(options.arguments.end(), {"--" + argument.key, argument.value});
    }
  return options;
}

llvm::Expected<hook::HookStatus> act(const std::string& verb, const std::string& target,
                                     const Invocation& invocation) {
  llvm::Expected<env::Environment> environment = env::findEnvironment(target, io::TargetDisk({}));
  if (!environment)
    return environment.takeError();
  if (verb == "install")
    return hook::installHook(*environment, optionsFrom(invocation));
  if (verb == "remove")
    return hook::removeHook(*environment);
  return hook::findHook(*environment);
}

int runHook(Invocation& invocation) {
  const std::string verb = invocation.operands().front();
  if (verb == "print") {
    llvm::StringRef snippet =
        invocation.operands().size() > 1 ? hook::snippetFor(invocation.operands()[1]) : "";
    if (snippet.empty())
      return invocation.usageError("print takes ci, conda, docker, github-action or pre-commit");
    return invocation.finish(kDone, snippet.str(), [&](const report::Preamble& preamble) {
      return report::jsonForSnippet(preamble, snippet);
    });
  }
  for (const std::string& name : optionsFrom(invocation).packages)
    if (name.empty() || name.find_first_not_of(kNameCharacters) != std::string::npos)
      return invocation.usageError("--package takes the name of a package, not '" + name + "'");
  hook::HookStatus status;
  std::string target = invocation.operands().size() > 1 ? invocation.operands()[1] : "";
  if (target.empty()) {
    llvm::Expected<std::string> active = env::defaultTarget();
    if (active)
      target = *active;
    else
      invocation.addError(toProblem(active.takeError(), {}));
  }
  if (!target.empty())
    if (llvm::Error error = act(verb, target, invocation).moveInto(status))
      invocation.addError(toProblem(std::move(error), target));
  bool isMissed = verb == "status" && status.state != hook::State::Installed;
  return invocation.finish(
      isMissed ? kProblemFound : kDone,
      report::renderHook(verb, target, status, invocation.paint()),
      [&](const report::Preamble& preamble) { return report::jsonForHook(preamble, status); });
}

} // namespace

Command hookCommand() {
  static constexpr Option kOptions[] = {
      {"package", "wake on the import of this package, too; may be repeated", "NAME"},
      {"ffmpeg", "passed on to apply", "DIR|auto|av|none"},
      {"rpath", "passed on to apply; may be repeated", "PATH"},
  };
  return {"hook",
          "re-apply by itself after pip or uv replaced the package",
          "Installs a small module into site-packages that runs tcfix apply before\n"
          "torchcodec is imported, if anything changed since. TCFIX_DISABLE=1 switches it\n"
          "off; pip can remove it (pip uninstall tcfix_hook). print shows a ready snippet\n"
          "for other places.\n",
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
