#include "target.h"

#include <llvm/ADT/StringExtras.h>

namespace tcfix::cli {

OptionGroup targetOptions() {
  static constexpr Option kOptions[] = {
      {"package", "package to use instead of torchcodec; repeatable", "NAME"},
      {"search", "also search this directory for missing libraries; repeatable", "DIR"},
      {"sysroot", "the target's root directory, such as a mounted disk or image", "DIR"},
      {"arch", "the architecture of the target's Python", "arm64|x86_64|aarch64"},
      {"macos-version", "the version of the target's macOS", "VERSION"},
  };
  return {"", kOptions};
}

survey::SurveyOptions surveyFor(const Invocation& invocation) {
  survey::SurveyOptions survey;
  survey.sysroot = invocation.value("sysroot");
  survey.arch = invocation.value("arch");
  survey.macosVersion = invocation.value("macos-version");
  for (const Argument& argument : invocation.arguments())
    if (argument.key == "package")
      survey.packages.push_back(argument.value);
    else if (argument.key == "search")
      survey.search.push_back(argument.value);
  return survey;
}

llvm::Expected<std::vector<std::string>> targetsOf(const Invocation& invocation) {
  if (!invocation.operands().empty())
    return invocation.operands();
  llvm::Expected<std::string> active = env::defaultTarget();
  if (!active)
    return active.takeError();
  return std::vector<std::string>{*active};
}

Problem majorsIgnored(const std::string& target) {
  return {std::nullopt,
          "--require was ignored: no library here is built for an FFmpeg major",
          target,
          {}};
}

llvm::Expected<std::vector<int>> majorsOf(const Invocation& invocation, const std::string& option) {
  std::vector<int> majors;
  for (const Argument& argument : invocation.arguments()) {
    if (argument.key != option)
      continue;
    for (llvm::StringRef part : llvm::split(argument.value, ',')) {
      int major = 0;
      if (part.trim().getAsInteger(10, major) || major <= 0)
        return fail(ErrorCode::Usage, "--" + option + " takes FFmpeg majors, such as 7,8");
      majors.push_back(major);
    }
  }
  return majors;
}

} // namespace tcfix::cli
