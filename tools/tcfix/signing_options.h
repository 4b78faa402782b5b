// What edit and sign share: the options about signatures, and running and reporting the work.
#pragma once

#include "command_line.h"

#include "apply/edit_files.h"

namespace tcfix::cli {

void addSigningOptions(cxxopts::Options& options);

/// Fills in what the options say; returns a sentence if they make no sense, else nothing.
std::string readSigningOptions(const Invocation& invocation, formats::Signing& signing,
                               apply::EditOptions& options);

/// Edits the invocation's files and ends the command.
int runEditing(Invocation& invocation, const formats::EditRequest& request,
               const apply::EditOptions& options);

} // namespace tcfix::cli
