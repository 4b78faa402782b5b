// What edit and sign share: options for writing and signatures, and the run itself.
#pragma once

#include "command_line.h"

#include "apply/edit_files.h"

namespace tcfix::cli {

/// --journal, --dry-run, and the options for signatures.
OptionGroup editingOptions();

/// Applies `request` to the invocation's files, according to those options, and ends the command.
int runEditing(Invocation& invocation, formats::EditRequest request);

} // namespace tcfix::cli
