// What commands for environments share: the options for the target, and the targets.
#pragma once

#include "command_line.h"

#include "survey/survey.h"

namespace tcfix::cli {

/// --sysroot, --arch, --macos-version, --package.
OptionGroup targetOptions();

survey::SurveyOptions surveyFor(const Invocation& invocation);

/// The operands, or the active environment.
llvm::Expected<std::vector<std::string>> targetsOf(const Invocation& invocation);

/// The warning that --require does not apply to a target's packages.
Problem majorsIgnored(const std::string& target);

/// The numbers of "7,8"; Usage for anything else.
llvm::Expected<std::vector<int>> majorsOf(const Invocation& invocation, const std::string& option);

} // namespace tcfix::cli
